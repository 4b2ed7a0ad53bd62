//! Alg. 1 of Hu, Gumerov and Duraiswami (2012), Parallel-Pseudo-Sort. Atomics make a histogram, and the old value of a
//! bin is the point's rank in its box; the bins are scanned; then the points go to their places.
//!
//! The paper's line 6 reads the bin again after the atomic addition, when other threads may have raised it. The rank
//! must be the number that the addition returns.

use crate::device::{Real, Vec2, Vec4, View, ViewMut, thread};
use crate::float_kernels;
use crate::tree::points::Lattice;

/// Arguments of [`BIN`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bin<T> {
    /// Points, n: x, y, z and anything.
    pub points: View<Vec4<T>>,
    /// Counts of 8^level bins, all 0 at first.
    pub bins: ViewMut<u32>,
    /// Output: box index and rank in the box of each point.
    pub ranks: ViewMut<Vec2<u32>>,
    /// Lattice of boxes.
    pub lattice: Lattice,
}

#[inline(always)]
fn bin<T: Real>(args: Bin<T>) {
    let i = thread::index();
    if i < args.points.len() {
        let code = args.lattice.key(args.points.get(i)) as u32;
        let rank = args.bins.atomic_add(code as usize, 1);
        args.ranks.set(i, Vec2([code, rank]));
    }
}

/// Arguments of [`PLACE`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Place<T> {
    /// Points, n.
    pub points: View<Vec4<T>>,
    /// Box index and rank in the box of each point.
    pub ranks: View<Vec2<u32>>,
    /// Number of points in the boxes before each box.
    pub scanned_bins: View<u32>,
    /// Output: n points by boxes.
    pub sorted: ViewMut<Vec4<T>>,
    /// Output: permutation, sorted place → the caller's index.
    pub permutation: ViewMut<u32>,
}

#[inline(always)]
fn place<T: Real>(args: Place<T>) {
    let i = thread::index();
    if i < args.points.len() {
        let Vec2([code, rank]) = args.ranks.get(i);
        let place = (args.scanned_bins.get(code as usize) + rank) as usize;
        args.sorted.set(place, args.points.get(i));
        args.permutation.set(place, i as u32);
    }
}

float_kernels! {
    /// Histogram of points: one thread a point.
    pub BIN<T: Real> = bin, Bin;
    /// Points to their places: one thread a point.
    pub PLACE<T: Real> = place, Place;
}

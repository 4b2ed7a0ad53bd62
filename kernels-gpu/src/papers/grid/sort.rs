//! Alg. 1 of Hu, Gumerov and Duraiswami (2012), Parallel-Pseudo-Sort: a histogram by atomics, whose old value is the point's
//! rank in its box; prefix sums of the bins; and the points to their places.
//!
//! The paper's line 6 reads the bin again after the atomic addition, by when other threads may have raised it: the rank must
//! be what the addition returns.

use crate::device::{Real, Vec2, Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::points::Lattice;

/// Arguments of [`BIN_F32`] and [`BIN_F64`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bin<T> {
    /// n points: x, y, z and anything.
    pub points: View<Vec4<T>>,
    /// 8^level counts, all 0 at first.
    pub bins: ViewMut<u32>,
    /// n pairs: box index, rank in the box.
    pub ranks: ViewMut<Vec2<u32>>,
    /// Where boxes are.
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

/// Arguments of [`PLACE_F32`] and [`PLACE_F64`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Place<T> {
    /// n points.
    pub points: View<Vec4<T>>,
    /// n pairs: box index, rank in the box.
    pub ranks: View<Vec2<u32>>,
    /// Box index → how many points are in the boxes before.
    pub scanned_bins: View<u32>,
    /// n points by boxes.
    pub sorted: ViewMut<Vec4<T>>,
    /// Sorted place → the caller's index.
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

kernel! {
    /// One thread a point.
    pub BIN_F32 = bin, (Bin<f32>);
    /// One thread a point.
    pub BIN_F64 = bin, (Bin<f64>);
    /// One thread a point.
    pub PLACE_F32 = place, (Place<f32>);
    /// One thread a point.
    pub PLACE_F64 = place, (Place<f64>);
}

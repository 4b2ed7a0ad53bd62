//! L2P and M2P of large orders: expansions to potential and gradient. A block is a leaf, a lane one of its receivers.
//!
//! The gradient is the series whose coefficients are derivatives of the expansion's. The block brings the coefficients of all
//! four series to shared memory once, as many columns of one m as it holds, and its lanes read the same ones at a time.

use super::constants::Constants;
use super::series::{Series, Tile};
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::operators::Boxes;
use crate::operators::harmonics::Values;
use crate::operators::small::m2p::{Acting, Listed};

/// Arguments of L2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct L2p<T> {
    /// Constants of the order.
    pub constants: Constants<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// The leaves.
    pub leaves: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub local: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver.
    pub field: ViewMut<Vec4<T>>,
    /// 1: adds to the field; 0: writes it.
    pub add: u32,
}

/// Arguments of M2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2p<T> {
    /// Constants of the order.
    pub constants: Constants<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// The boxes that act on each leaf.
    pub listed: Listed,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver: added to.
    pub field: ViewMut<Vec4<T>>,
}

/// Φ = (1/s) Σ L_i R_i(x/s) and ∇Φ (Yokota & Barba, eq. 3). Cost: 11p² operations a point, and 20p² a leaf.
#[inline(always)]
pub(crate) fn l2p<T: Real>(args: L2p<T>) {
    let (tile, b) = (Tile::new(), args.leaves.get(thread::block_idx_x() as usize) as usize);
    let place = args.boxes.place(b);
    let series = Series::new(args.constants, args.local, [b, args.boxes.count as usize]);
    each_receiver(&args.boxes, b, |i, there| {
        let Vec4([x, y, z, _]) = args.receivers.get(i);
        let values = series.sum::<false>(tile, place.relative([x, y, z]), there);
        if there {
            values.put(place.inverse, args.add != 0, args.field, i);
        }
    });
}

/// Φ = (1/s) Σ M_i I_i(x/s) and ∇Φ (Yokota & Barba, eq. 2). Cost: 11p² operations for a point and a box, and 20p² for a leaf
/// and a box.
#[inline(always)]
pub(crate) fn m2p<T: Real>(args: M2p<T>) {
    let (tile, row) = (Tile::new(), thread::block_idx_x() as usize);
    let acting = Acting::new(args.listed, row);
    if !acting.any(args.listed) {
        return;
    }
    let leaf = args.listed.leaves.get(row) as usize;
    each_receiver(&args.boxes, leaf, |i, there| {
        let Vec4([x, y, z, _]) = args.receivers.get(i);
        let (mut sum, mut acting) = (Values::ZERO, acting);
        while let Some(b) = acting.next(args.listed, &args.boxes) {
            let place = args.boxes.place(b);
            let at = [b, args.boxes.count as usize];
            let series = Series::new(args.constants, args.multipole, at);
            sum.add(series.sum::<true>(tile, place.relative([x, y, z]), there), place.inverse);
        }
        if there {
            sum.put(T::ONE, true, args.field, i);
        }
    });
}

/// Visits the receivers of a leaf, one a lane of the block, all lanes as often: those that have none left, with the leaf's
/// first receiver and `false`.
#[inline(always)]
fn each_receiver<T: Real>(boxes: &Boxes<T>, leaf: usize, visit: impl Fn(usize, bool)) {
    let Vec4([_, _, begin, end]) = boxes.range.get(leaf);
    let mut first = begin;
    while first < end {
        let i = first + thread::thread_idx_x();
        visit(if i < end { i } else { begin } as usize, i < end);
        first += thread::block_dim_x();
    }
}

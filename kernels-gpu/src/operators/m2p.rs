//! M2P: multipoles of boxes at the receivers of leaves too near for local expansions (list W). A warp is a leaf.

use super::coefficients::load;
use super::geometry::Boxes;
use super::harmonics::{Row, Start, Values};
use super::order::{Degrees, Order};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};

/// Arguments of M2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2p<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// The leaf of each row of the list.
    pub leaves: View<u32>,
    /// Row r of the list is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose multipoles act.
    pub items: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver: added to.
    pub field: ViewMut<Vec4<T>>,
}

/// Φ = (1/s) Σ M_i I_i(x/s) and ∇Φ (Yokota & Barba, eq. 2). Cost: 13p² operations for a point and a box.
#[inline(always)]
pub(super) fn m2p<T: Real, const P: usize, const N: usize>(args: M2p<T>) {
    let p = args.order.of::<P>();
    let row = thread::index() / warp::SIZE as usize;
    if row >= args.leaves.len() {
        return;
    }
    let (first, last) = (args.offsets.get(row), args.offsets.get(row + 1));
    if first == last {
        return;
    }
    let Vec4([_, _, begin, end]) = args.boxes.range.get(args.leaves.get(row) as usize);
    let mut i = begin + warp::lane_id();
    while i < end {
        let Vec4([x, y, z, _]) = args.receivers.get(i as usize);
        let mut sum = Values::ZERO;
        for item in first..last {
            let b = args.items.get(item as usize) as usize;
            let place = args.boxes.place(b);
            let mut e = Array::<T, N>::filled(T::ZERO);
            load(p, args.multipole, [b, args.boxes.count as usize], &mut e);
            let values = evaluate(p, place.relative([x, y, z]), &e);
            sum.add(values, place.inverse);
        }
        sum.put(T::ONE, true, args.field, i as usize);
        i += warp::SIZE;
    }
}

#[inline(always)]
fn evaluate<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    point: [T; 3],
    e: &Array<T, N>,
) -> Values<T> {
    let start = Start::irregular(T::ONE, point);
    let mut values = Values::ZERO;
    let (mut below, mut row) = (Row::zero(), Row::first(start));
    for n in 0..p.count() {
        let above = Row::next(p, start, n + 1, &row, &below);
        values.add_multipole(p, n, &row, &above, e);
        (below, row) = (row, above);
    }
    values
}

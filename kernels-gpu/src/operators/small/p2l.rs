//! P2L: charges of far leaves to local expansions of boxes too small for their multipoles (list X). Eight
//! neighbouring lanes share the points of a row.

use super::order::{Order, room};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::coefficients::{group_of, groups, sum};
use crate::operators::geometry::Boxes;
use crate::operators::harmonics::{Lane, Start, add_harmonics, normalize};

/// Lanes of a box.
pub(crate) const LANES: usize = 8;

/// Arguments of P2L.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct P2l<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Row r of the list is at `offsets[r] .. offsets[r + 1]` of `items`; one row a box.
    pub offsets: View<u32>,
    /// Leaves.
    pub items: View<u32>,
    /// Sources (x, y, z, charge) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Group g of box b at g B + b: added to.
    pub local: ViewMut<Vec4<T>>,
}

/// L_i += Σ_j q_j I_i(y_j) (Yokota & Barba, eq. 3). Cost: 2.5p² operations a point.
#[inline(always)]
pub(crate) fn p2l<T: Real, const P: usize, const N: usize>(args: P2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let (b, part) = (thread::index() / LANES, thread::index() % LANES);
    let count = args.boxes.count as usize;
    let there = b < count;
    let (first, past) = if there { (args.offsets.get(b), args.offsets.get(b + 1)) } else { (0, 0) };
    if !warp::any(first < past) {
        return;
    }
    let place = args.boxes.place(if there { b } else { 0 });
    let mut sums = Array::<T, N>::filled(T::ZERO);
    for item in first..past {
        let Vec4([begin, end, _, _]) = args.boxes.range.get(args.items.get(item as usize) as usize);
        for j in (begin as usize + part..end as usize).step_by(LANES) {
            let Vec4([x, y, z, charge]) = args.sources.get(j);
            let start = Start::irregular(place.relative([x, y, z]).map(Lane));
            add_harmonics::<T, P, N>(p, charge, start, &mut sums);
        }
    }
    for c in 0..p.coefficients() {
        let mut mask = LANES as u32 / 2;
        while mask > 0 {
            let other = warp::shuffle_xor(sums[c], mask);
            sums[c] += other;
            mask /= 2;
        }
    }
    normalize::<T, P, N>(p, &mut sums);
    for group in 0..groups(p.count()) {
        if first < past && group % LANES == part {
            let at = group * count + b;
            args.local.set(at, sum(args.local.get(at), group_of(p, &sums, group)));
        }
    }
}

//! P2M: the multipoles of leaves. Four neighbouring lanes share the points of a leaf.

use super::order::{Order, room};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::coefficients::{group_of, groups};
use crate::operators::geometry::Boxes;
use crate::operators::harmonics::{Lane, Start, add_harmonics, normalize};

/// Lanes of a leaf.
pub(crate) const LANES: usize = 4;

/// Arguments of P2M.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct P2m<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Leaves.
    pub leaves: View<u32>,
    /// Sources (x, y, z, charge) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Group g of box b at g B + b: written for the leaves.
    pub multipole: ViewMut<Vec4<T>>,
}

/// M_i = Σ_j q_j R_i(y_j) (Yokota & Barba, eq. 2). Cost: 2.5p² operations a point.
#[inline(always)]
pub(crate) fn p2m<T: Real, const P: usize, const N: usize>(args: P2m<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let (item, part) = (thread::index() / LANES, thread::index() % LANES);
    let there = item < args.leaves.len();
    let b = if there { args.leaves.get(item) as usize } else { 0 };
    let mut sums = Array::<T, N>::filled(T::ZERO);
    if there {
        let place = args.boxes.place(b);
        let Vec4([begin, end, _, _]) = args.boxes.range.get(b);
        for j in (begin as usize + part..end as usize).step_by(LANES) {
            let Vec4([x, y, z, charge]) = args.sources.get(j);
            let start = Start::regular(place.relative([x, y, z]).map(Lane));
            add_harmonics::<T, P, N>(p, charge, start, &mut sums);
        }
    }
    for c in 0..p.coefficients() {
        let sum = sums[c] + warp::shuffle_xor(sums[c], 1);
        sums[c] = sum + warp::shuffle_xor(sum, 2);
    }
    normalize::<T, P, N>(p, &mut sums);
    for group in 0..groups(p.count()) {
        if there && group % LANES == part {
            args.multipole.set(group * args.boxes.count as usize + b, group_of(p, &sums, group));
        }
    }
}

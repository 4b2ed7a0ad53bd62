//! P2L: charges of far leaves to local expansions of boxes too small for their multipoles (list X). A lane is a box.

use super::coefficients::add;
use super::geometry::Boxes;
use super::harmonics::{Start, add_harmonics};
use super::order::{Order, room};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread};

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

/// L_i += Σ_j q_j I_i(y_j) (Yokota & Barba, eq. 3). Cost: 4p² operations a point.
#[inline(always)]
pub(super) fn p2l<T: Real, const P: usize, const N: usize>(args: P2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let b = thread::index();
    let count = args.boxes.count as usize;
    if b >= count {
        return;
    }
    let (begin, end) = (args.offsets.get(b), args.offsets.get(b + 1));
    if begin == end {
        return;
    }
    let place = args.boxes.place(b);
    let mut sums = Array::<T, N>::filled(T::ZERO);
    for item in begin..end {
        let Vec4([begin, end, _, _]) = args.boxes.range.get(args.items.get(item as usize) as usize);
        for j in begin..end {
            let Vec4([x, y, z, charge]) = args.sources.get(j as usize);
            let start = Start::irregular(charge, place.relative([x, y, z]));
            add_harmonics::<T, P, N>(p, start, &mut sums);
        }
    }
    add(p, &sums, args.local, [b, count]);
}

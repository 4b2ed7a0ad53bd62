//! L2P: potential and gradient of local expansions at the receivers of leaves. A lane is a receiver.

use super::order::Order;
use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::coefficients::load_groups;
use crate::operators::geometry::Boxes;
use crate::operators::harmonics::{Lane, Row, Start, Values};

/// Arguments of [`LABEL`](crate::operators::entries::LABEL).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Label {
    /// Leaves.
    pub leaves: View<u32>,
    /// Begin and end of its sources, begin and end of its receivers, by box.
    pub range: View<Vec4<u32>>,
    /// Leaf of each receiver: written.
    pub leaf_of: ViewMut<u32>,
}

/// Writes the leaf of each receiver. A warp is a leaf.
#[inline(always)]
pub(crate) fn label(args: Label) {
    let item = thread::index() / warp::SIZE as usize;
    if item < args.leaves.len() {
        let leaf = args.leaves.get(item);
        let Vec4([_, _, begin, end]) = args.range.get(leaf as usize);
        let mut i = begin + warp::lane_id();
        while i < end {
            args.leaf_of.set(i as usize, leaf);
            i += warp::SIZE;
        }
    }
}

/// Arguments of L2P.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct L2p<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Leaf of each receiver.
    pub leaf_of: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub local: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver.
    pub field: ViewMut<Vec4<T>>,
    /// 1: adds to the field; 0: writes it.
    pub add: u32,
}

/// Φ = (1/s) Σ L_i R_i(x/s) and ∇Φ (Yokota & Barba, eq. 3). Cost: 12p² operations a point.
#[inline(always)]
pub(crate) fn l2p<T: Real, const P: usize, const N: usize>(args: L2p<T>) {
    let p = args.order.of::<P>();
    let i = thread::index();
    if i >= args.receivers.len() {
        return;
    }
    let b = args.leaf_of.get(i) as usize;
    let place = args.boxes.place(b);
    let Vec4([x, y, z, _]) = args.receivers.get(i);
    let start = Start::regular(place.relative([x, y, z]).map(Lane));
    let at = [b, args.boxes.count as usize];
    let mut e = Array::<T, N>::filled(T::ZERO);
    load_groups(p, args.local, at, 0..1, &mut e);
    let mut values = Values::ZERO;
    let (mut below, mut row) = (Row::zero(), Row::first(start));
    values.add_local(p, 0, &row, &below, &e);
    for n in 1..p.count() {
        let groups = (n * n).div_ceil(4)..((n + 1) * (n + 1)).div_ceil(4);
        load_groups(p, args.local, at, groups, &mut e);
        (below, row) = (row, Row::next(p, start, n, &row, &below));
        values.add_local(p, n, &row, &below, &e);
    }
    values.put(place.inverse, args.add != 0, args.field, i);
}

impl<T: Real> Values<T> {
    /// Puts the values at point `i`, brought from units of a box of side 1/`inverse`.
    #[inline(always)]
    pub(crate) fn put(self, inverse: T, add: bool, field: ViewMut<Vec4<T>>, i: usize) {
        let [gx, gy, gz] = self.gradient.map(|g| g * (inverse * inverse));
        let potential = self.potential * inverse;
        let Vec4(old) = if add { field.get(i) } else { Vec4([T::ZERO; 4]) };
        field.set(i, Vec4([old[0] + gx, old[1] + gy, old[2] + gz, old[3] + potential]));
    }
}

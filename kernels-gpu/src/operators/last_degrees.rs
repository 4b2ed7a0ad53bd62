//! Last degrees of local expansions, which tell in which leaves errors are large. A thread is a leaf.

use super::geometry::Boxes;
use crate::device::{Array, Real, Vec4, View, ViewMut, thread};
use expansions::numerics::importance;

/// Arguments of [`LAST_DEGREES_F32`](super::entries::LAST_DEGREES_F32).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LastDegrees<T> {
    /// Number of degrees of the expansions.
    pub order: u32,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Leaves.
    pub leaves: View<u32>,
    /// Local expansions: group g of box b at g B + b.
    pub local: View<Vec4<T>>,
    /// Output: square of the size of the last degrees of each leaf, by box. See [`importance::last_degrees`].
    pub sizes: ViewMut<f64>,
}

/// Cost: 2p numbers a leaf.
#[inline(always)]
pub(super) fn last_degrees<T: Real>(args: LastDegrees<T>) {
    let item = thread::index();
    if item >= args.leaves.len() {
        return;
    }
    let (b, order) = (args.leaves.get(item) as usize, args.order as usize);
    let (first, end) = (importance::first_of_last_degrees(order), order * order);
    let mut squares = 0.0f64;
    for group in first / 4..end.div_ceil(4) {
        let numbers = Array::of(args.local.get(group * args.boxes.count as usize + b).0);
        for k in 0..4 {
            let number = numbers[k].to_f64();
            if (first..end).contains(&(4 * group + k)) {
                squares += number * number;
            }
        }
    }
    let side = T::ONE / args.boxes.place(b).inverse;
    args.sizes.set(b, importance::last_degrees(squares, side.to_f64()));
}

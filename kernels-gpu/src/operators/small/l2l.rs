//! L2L: what the local expansions of boxes are for their children. A lane is a child.

use super::order::{Order, room};
use super::translate::{ToChild, Way, record_length, translate};
use crate::device::{Array, Real, Vec4, View, ViewMut, thread};
use crate::operators::coefficients::{add, load, scale};
use crate::operators::geometry::Boxes;

/// Arguments of L2L.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct L2l<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// First box of the children's level.
    pub first: u32,
    /// End of the boxes of that level.
    pub end: u32,
    /// Records of the ways to the eight children.
    pub ways: View<Vec4<T>>,
    /// Group g of box b at g B + b: read of parents, added to of children.
    pub local: ViewMut<Vec4<T>>,
}

/// One level's share from above, of children with receivers. Cost: 5/3 p³ + 8p² multiply-adds a child.
///
/// Yokota & Barba, sec. 9.3.1.
#[inline(always)]
pub(crate) fn l2l<T: Real, const P: usize, const N: usize>(args: L2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let b = args.first as usize + thread::index();
    if b >= args.end as usize {
        return;
    }
    let Vec4([.., receivers, past_receivers]) = args.boxes.range.get(b);
    if receivers == past_receivers {
        return;
    }
    let stride = args.boxes.count as usize;
    let parent = args.boxes.parent.get(b) as usize;
    // Neighbouring boxes of a level have the same octant, so the record is the same for nearly all warps.
    let octant = (args.boxes.key.get(b) & 7) as usize;
    let way = Way { records: args.ways, start: octant * record_length(p.count()) };
    let mut e = Array::<T, N>::filled(T::ZERO);
    load(p, args.local, [parent, stride], &mut e);
    scale(p, &way.before(p), &mut e);
    translate::<ToChild, T, P, N>(p, way, &mut e);
    scale(p, &way.after(p), &mut e);
    add(p, &e, args.local, [b, stride]);
}

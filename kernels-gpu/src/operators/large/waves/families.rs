//! Families: the boxes with children from level 1 on, numbered one after the other. Leaves, of which clustered points have
//! many on all levels, then cost no waves.

use crate::device::{View, ViewMut, thread, warp};
use crate::operators::NONE;

/// Arguments of `number_families`: a thread is a box.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NumberFamilies {
    /// Child of each box by octant: that of octant o of box b at o B + b, for B boxes.
    pub child: View<u32>,
    /// Number of boxes B.
    pub count: u32,
    /// First box that may be a family.
    pub first: u32,
    /// Number of families so far, 0 at first.
    pub numbered: ViewMut<u32>,
    /// Output: the box of each family. All bits of what is behind the families are set before.
    pub families: ViewMut<u32>,
    /// Output: the family of each box, or [`NONE`].
    pub family_of: ViewMut<u32>,
}

/// Numbers the families. Neighbouring boxes get neighbouring numbers, in an order of blocks on which no result depends.
#[inline(always)]
pub(crate) fn number_families(args: NumberFamilies) {
    let (b, count) = (thread::index(), args.count as usize);
    let mut is_family = false;
    if b >= args.first as usize && b < count {
        for octant in 0..8 {
            is_family |= args.child.get(octant * count + b) != NONE;
        }
    }
    let (lane, those) = (warp::lane_id(), warp::ballot(is_family));
    let mut start = 0;
    if lane == 0 && those != 0 {
        start = args.numbered.atomic_add(0, those.count_ones());
    }
    let number = warp::shuffle(start, 0) + (those & ((1 << lane) - 1)).count_ones();
    if is_family {
        args.families.set(number as usize, b as u32);
    }
    if b < count {
        args.family_of.set(b, if is_family { number } else { NONE });
    }
}

//! Colleagues: for each box and direction the neighbouring box of the same level, or the leaf that covers its place.
//!
//! Kernels go level by level from the root, because a colleague of a box is a child of a colleague of its parent. A
//! block takes 32 boxes of a level, one a lane; each of its nine warps takes three directions.

use super::DIRECTIONS;
use crate::device::{View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;

/// Number of threads of a block.
pub const THREADS: u32 = 32 * WARPS as u32;
/// Number of boxes of a block.
pub const BOXES: usize = 32;

const WARPS: usize = DIRECTIONS / 3;

/// Arguments of [`COLLEAGUES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Colleagues {
    /// Parent of each box, B items.
    pub parent: View<u32>,
    /// Children, or `NONE`, 8 B items.
    pub child: View<u32>,
    /// Octants with children of each box, B items.
    pub children: View<u32>,
    /// Key of each box, B items.
    pub key: View<u64>,
    /// Output, 27 B items: colleague of box b in direction d, or `NONE` if no box covers the place, at d · B + b.
    pub colleague: ViewMut<u32>,
    /// First box of the level.
    pub begin: u32,
    /// One after the last box of the level.
    pub end: u32,
}

fn colleagues(args: Colleagues) {
    let (t, block) = (thread::thread_idx_x() as usize, thread::block_idx_x() as usize);
    let b = args.begin as usize + block * BOXES + t % 32;
    if b >= args.end as usize {
        return;
    }
    let n_boxes = args.parent.len();
    let (parent, key) = (args.parent.get(b) as usize, args.key.get(b));
    for k in 0..3 {
        let direction = t / 32 * 3 + k;
        let mut colleague = if direction == DIRECTIONS / 2 { b as u32 } else { NONE };
        if b > 0 {
            let (beside, octant) = from_parent(direction as u32, key as u32 % 8);
            // The level above is complete.
            colleague = args.colleague.get(beside as usize * n_boxes + parent);
            if colleague != NONE && args.children.get(colleague as usize) != 0 {
                colleague = args.child.get(octant as usize * n_boxes + colleague as usize);
            }
        }
        args.colleague.set(direction * n_boxes + b, colleague);
    }
}

/// Place in `direction` of a child in `octant`, seen from its parent: the parent's direction, and the octant there.
#[inline(always)]
pub fn from_parent(direction: u32, octant: u32) -> (u32, u32) {
    let (mut beside, mut there) = (0, 0);
    for axis in 0..3 {
        let stride = [1, 3, 9][axis as usize];
        // In sides of the child, from the lower side of the colleague below the parent.
        let place = (octant >> axis & 1) + direction / stride % 3 + 1;
        beside += place / 2 * stride;
        there |= (place % 2) << axis;
    }
    (beside, there)
}

kernel! {
    /// Colleagues of a level, after those of the level above: one block for 32 boxes.
    pub COLLEAGUES = colleagues, (Colleagues);
}

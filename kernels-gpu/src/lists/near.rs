//! The lists of leaves: `near` (U) and `m2p` (W).
//!
//! A block takes 32 leaves, a lane each; each of its nine warps takes three of the 27 directions, so a row has nine parts in
//! a fixed order. Counted first, filled when the counts have been scanned.

use super::{Boxes, DIRECTIONS, Limits, Output};
use crate::device::{View, thread};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::adjacent;

/// Threads of a block.
pub const THREADS: u32 = 32 * PARTS as u32;
/// Leaves of a block.
pub const LEAVES: usize = 32;
/// Parts of a row, counted apart.
pub const PARTS: usize = DIRECTIONS / 3;

/// Arguments of [`COUNT_NEAR`] and [`FILL_NEAR`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Near {
    /// The tree.
    pub boxes: Boxes,
    /// L items: the leaves; row k is that of leaf k.
    pub leaves: View<u32>,
    /// Which small boxes are summed directly.
    pub limits: Limits,
    /// Counts and places: part w of row k is item 9 k + w for `near`, 9 (L + k) + w for `m2p`.
    pub output: Output,
}

/// The list that an item goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Near,
    M2p,
}

fn count_near(args: Near) {
    let Some((k, part)) = task(&args) else { return };
    let (mut near, mut m2p) = (0, 0);
    each_item(&args, k, part, |list, _| match list {
        List::Near => near += 1,
        List::M2p => m2p += 1,
    });
    args.output.places.set(PARTS * k + part, near);
    args.output.places.set(PARTS * (args.leaves.len() + k) + part, m2p);
}

fn fill_near(args: Near) {
    let Some((k, part)) = task(&args) else { return };
    let n_leaves = args.leaves.len();
    let mut near = args.output.places.get(PARTS * k + part);
    let mut m2p = args.output.places.get(PARTS * (n_leaves + k) + part);
    if part == 0 {
        args.output.offsets.set(k, near);
        args.output.offsets.set(n_leaves + k, m2p);
    }
    each_item(&args, k, part, |list, source| {
        let place = if list == List::Near { &mut near } else { &mut m2p };
        args.output.items.set(*place as usize, source);
        *place += 1;
    });
}

/// The leaf of this thread, and its part of the row.
#[inline(always)]
fn task(args: &Near) -> Option<(usize, usize)> {
    let t = thread::thread_idx_x() as usize;
    let k = thread::block_idx_x() as usize * LEAVES + t % 32;
    (k < args.leaves.len()).then_some((k, t / 32))
}

/// Visits a part of the rows of leaf `k`.
#[inline(always)]
fn each_item(args: &Near, k: usize, part: usize, mut visit: impl FnMut(List, u32)) {
    let (boxes, leaf) = (args.boxes, args.leaves.get(k));
    if boxes.n_receivers(leaf) == 0 {
        return;
    }
    for direction in 3 * part..3 * part + 3 {
        let beside = boxes.colleague(leaf, direction);
        if beside == NONE {
            continue;
        }
        if !boxes.is_leaf(beside) {
            descend(boxes, leaf, beside, args.limits.min_sources_for_m2p, &mut visit);
        } else if let Some(source) = boxes.leaf_beside(leaf, direction) {
            visit(List::Near, source);
        }
    }
    // X leaves of this box, and of those above it, that are too few receivers' for P2L.
    let mut b = leaf;
    while b != 0 && boxes.n_receivers(b) < args.limits.min_receivers_for_p2l {
        for direction in 3 * part..3 * part + 3 {
            if let Some(source) = boxes.bigger_leaf(b, direction) {
                visit(List::Near, source);
            }
        }
        b = boxes.parent.get(b as usize);
    }
}

/// Visits what is below `top`, a box of the level of `leaf` that touches it and has children: leaves that touch it, and boxes
/// that do not but whose parents do. Without a stack: from the last child of a box the way goes back by its octant.
#[inline(always)]
fn descend(boxes: Boxes, leaf: u32, top: u32, min_sources: u32, visit: &mut impl FnMut(List, u32)) {
    let at_leaf = boxes.coordinates(leaf);
    let (mut b, mut at, mut down, mut octant) = (top, boxes.coordinates(top), 0, 0);
    loop {
        let rest = boxes.children.get(b as usize) >> octant << octant;
        if rest == 0 {
            if b == top {
                return;
            }
            octant = (at[0] & 1 | (at[1] & 1) << 1 | (at[2] & 1) << 2) + 1;
            b = boxes.parent.get(b as usize);
            at = at.map(|c| c >> 1);
            down -= 1;
            continue;
        }
        let next = rest.trailing_zeros();
        octant = next + 1;
        let child = boxes.child.get(next as usize * boxes.len() + b as usize);
        let n_sources = boxes.n_sources(child);
        if n_sources == 0 {
            continue;
        }
        let at_child = [at[0] << 1 | next & 1, at[1] << 1 | next >> 1 & 1, at[2] << 1 | next >> 2];
        let touches = adjacent(at_leaf, at_child, down + 1);
        if !touches && n_sources >= min_sources {
            visit(List::M2p, child);
        } else if boxes.is_leaf(child) {
            visit(List::Near, child);
        } else {
            (b, at, octant) = (child, at_child, 0);
            down += 1;
        }
    }
}

kernel! {
    /// One block for 32 leaves.
    pub COUNT_NEAR = count_near, (Near);
    /// One block for 32 leaves.
    pub FILL_NEAR = fill_near, (Near);
}

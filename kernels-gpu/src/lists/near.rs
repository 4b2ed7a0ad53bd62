//! Lists of leaves: `near` (U) and `m2p` (W).
//!
//! A warp takes a leaf. Its lanes first examine the 27 directions, one a lane, and then the children of boxes that are
//! to be opened, four boxes at a time. Rows are counted first, and filled when the counts have been scanned. Counting
//! notes the items of short rows, which are nearly all; filling examines only the other rows again.

use super::{DIRECTIONS, Limits, ListBoxes, ListOutput, beside};
use crate::device::shared::{Arena, Shared};
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::adjacent;

/// Number of threads of a block.
pub const THREADS: u32 = 32 * WARPS as u32;
/// Number of items of a leaf that counting notes.
pub const NOTED: usize = 64;
/// Shared memory of a block in bytes.
pub const SHARED: usize = WARPS * STACK * size_of::<Vec4<u32>>();

const WARPS: usize = 4;
/// Largest number of boxes that wait to be opened. Where [`MANY`] wait, one is opened at a time, which adds seven a
/// level at most.
const STACK: usize = 256;
const MANY: u32 = 64;

/// Arguments of [`COUNT_NEAR`] and [`FILL_NEAR`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListNear {
    /// Arrays of the tree.
    pub boxes: ListBoxes,
    /// Leaves, L items; row k is that of leaf k.
    pub leaves: View<u32>,
    /// Limits below which boxes are summed directly.
    pub limits: Limits,
    /// Counts and places: row k is item k for `near`, L + k for `m2p`.
    pub output: ListOutput,
    /// Noted items, [`NOTED`] a leaf: the row of `near` from the first on, the row of `m2p` from the last back;
    /// meaningless where the rows do not fit.
    pub noted: ViewMut<u32>,
}

/// List of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Near,
    M2p,
}

fn count_near(args: ListNear) {
    let Some(k) = row_of_warp(&args) else { return };
    let mut counts = [0; 2];
    each_item(&args, args.leaves.get(k), |list, source| {
        let at = place(&mut counts[list as usize], source != NONE);
        if source != NONE && at < NOTED as u32 {
            note(&args, k, list, at).set(0, source);
        }
    });
    if warp::lane_id() == 0 {
        args.output.places.set(k, counts[0]);
        args.output.places.set(args.leaves.len() + k, counts[1]);
    }
}

fn fill_near(args: ListNear) {
    let Some(k) = row_of_warp(&args) else { return };
    let (ListOutput { places, offsets, items }, lane) = (args.output, warp::lane_id());
    let rows = [k, args.leaves.len() + k];
    let begin = rows.map(|row| places.get(row));
    let [near, m2p] = [0, 1].map(|list| places.get(rows[list] + 1) - begin[list]);
    if lane == 0 {
        offsets.set(rows[0], begin[0]);
        offsets.set(rows[1], begin[1]);
    }
    if near + m2p > NOTED as u32 {
        let mut next = begin;
        each_item(&args, args.leaves.get(k), |list, source| {
            let at = place(&mut next[list as usize], source != NONE);
            if source != NONE {
                items.set(at as usize, source);
            }
        });
        return;
    }
    for (list, count) in [(List::Near, near), (List::M2p, m2p)] {
        let mut at = lane;
        while at < count {
            let source = note(&args, k, list, at).get(0);
            items.set((begin[list as usize] + at) as usize, source);
            at += warp::SIZE;
        }
    }
}

/// Row of the calling warp.
#[inline(always)]
fn row_of_warp(args: &ListNear) -> Option<usize> {
    let k = thread::index() / warp::SIZE as usize;
    (k < args.leaves.len()).then_some(k)
}

/// Place where the `at`-th item of row `k` is noted.
#[inline(always)]
fn note(args: &ListNear, k: usize, list: List, at: u32) -> ViewMut<u32> {
    let at = if list == List::Near { at as usize } else { NOTED - 1 - at as usize };
    args.noted.part(NOTED * k + at, 1)
}

/// Place of this lane's item, if there is one, after `count` others; adds the items of all lanes to `count`.
#[inline(always)]
fn place(count: &mut u32, there: bool) -> u32 {
    let lanes = warp::ballot(there);
    let before = lanes & ((1 << warp::lane_id()) - 1);
    *count += lanes.count_ones();
    *count - lanes.count_ones() + before.count_ones()
}

/// Calls `visit(list, item)` in all lanes for all items of the rows of `leaf`; `NONE` is no item.
#[inline(always)]
fn each_item(args: &ListNear, leaf: u32, mut visit: impl FnMut(List, u32)) {
    let (boxes, lane) = (args.boxes, warp::lane_id());
    if boxes.n_receivers(leaf) == 0 {
        return;
    }
    let (at_leaf, level) = (boxes.coordinates(leaf), boxes.level.get(leaf as usize));
    let direction = lane as usize;
    let inside = direction < DIRECTIONS;

    // Leaves of the same level or above it that touch this one.
    let there = if inside { boxes.colleague(leaf, direction) } else { NONE };
    let opens = there != NONE && !boxes.is_leaf(there);
    let touching = if there == NONE || opens { None } else { boxes.leaf_beside(leaf, direction) };
    visit(List::Near, touching.unwrap_or(NONE));

    // X leaves of this box, and of those above it, that are too few receivers' for P2L.
    let (mut b, mut at) = (leaf, at_leaf);
    while b != 0 && boxes.n_receivers(b) < args.limits.min_receivers_for_p2l {
        let bigger = if inside { boxes.bigger_leaf(b, at, direction) } else { None };
        visit(List::Near, bigger.unwrap_or(NONE));
        (b, at) = (boxes.parent.get(b as usize), at.map(|c| c >> 1));
    }

    // Below the boxes of the same level: leaves that touch this one, and boxes that do not but whose parents do.
    let mut waiting = Stack::new();
    waiting.push(opens, there, beside(at_leaf, direction));
    while waiting.height > 0 {
        let taken = if waiting.height < MANY { waiting.height.min(4) } else { 1 };
        let (mut child, mut n_sources) = (NONE, 0);
        let (mut at, mut down) = ([0; 3], 1);
        if lane / 8 < taken {
            let Vec4([b, x, y, z]) = waiting.peek(lane / 8);
            let octant = lane % 8;
            child = boxes.child.get(octant as usize * boxes.len() + b as usize);
            at = [x << 1 | octant & 1, y << 1 | octant >> 1 & 1, z << 1 | octant >> 2];
            down = boxes.level.get(b as usize) + 1 - level;
        }
        if child != NONE {
            n_sources = boxes.n_sources(child);
        }
        let acts = n_sources > 0;
        let whole = !adjacent(at_leaf, at, down) && n_sources >= args.limits.min_sources_for_m2p;
        let is_leaf = acts && boxes.is_leaf(child);
        visit(List::M2p, if acts && whole { child } else { NONE });
        visit(List::Near, if is_leaf && !whole { child } else { NONE });
        waiting.pop(taken);
        waiting.push(acts && !whole && !is_leaf, child, at);
    }
}

/// Boxes of a warp that are to be opened, and their coordinates.
struct Stack {
    of: Shared<Vec4<u32>>,
    height: u32,
}

impl Stack {
    #[inline(always)]
    fn new() -> Self {
        let own = (thread::thread_idx_x() / warp::SIZE) as usize;
        Self { of: Arena::new().array(WARPS * STACK).part(own * STACK, STACK), height: 0 }
    }

    /// Box number `k` from the top.
    #[inline(always)]
    fn peek(&self, k: u32) -> Vec4<u32> {
        self.of.get((self.height - 1 - k) as usize)
    }

    #[inline(always)]
    fn pop(&mut self, count: u32) {
        warp::sync_warp();
        self.height -= count;
    }

    /// Pushes the boxes of those lanes that have one.
    #[inline(always)]
    fn push(&mut self, there: bool, b: u32, [x, y, z]: [u32; 3]) {
        let at = place(&mut self.height, there);
        if there {
            self.of.set(at as usize, Vec4([b, x, y, z]));
        }
        warp::sync_warp();
    }
}

kernel! {
    /// Counts the rows of `near` and `m2p`: one warp a leaf.
    pub COUNT_NEAR = count_near, (ListNear);
    /// Fills the rows of `near` and `m2p`: one warp a leaf.
    pub FILL_NEAR = fill_near, (ListNear);
}

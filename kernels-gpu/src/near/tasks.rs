//! Tasks of warps: at most [`TASK`] receivers of one leaf each, so that leaves of thousands of points, as coincident points
//! make them, keep no warp busy for long.
//!
//! The first tasks of all rows are the rows themselves. A later task begins [`TASK`] receivers after the one before it in
//! the same leaf, so no two later tasks begin within the same aligned block of [`TASK`] receivers: the one that begins in
//! block k has slot k of a table, and no counting is needed.
//!
//! Tasks are sorted by the number of receivers of a lane, because each number has a loop of its own and warps that run side
//! by side should find the same loop in the instruction cache. Among these, tasks with the most sources come first, so that
//! no long task is left for the end.

use super::{Near, TASK};
use crate::device::{Plain, Vec4, View, ViewMut, thread, warp};
use crate::kernel;

/// Number of slots for `receivers` receivers.
pub const fn later_slots(receivers: usize) -> usize {
    receivers.div_ceil(TASK as usize)
}

/// Task of a warp: receivers `begin..end` of a leaf, side by side in 2^`fold` columns of lanes, with the sources of the boxes
/// `items..past_items` of the lists. Equal in all lanes.
#[derive(Clone, Copy)]
pub(super) struct NearTask {
    pub(super) leaf: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
    pub(super) fold: u32,
    /// Number of receivers of a lane.
    pub(super) each: u32,
    pub(super) items: u32,
    pub(super) past_items: u32,
}

impl NearTask {
    /// Task of the calling warp, if there is one; with `most` receivers a lane at most.
    #[inline(always)]
    pub(super) fn of_warp<T>(args: &Near<T>, most: u32) -> Option<Self>
    where
        Vec4<T>: Plain,
    {
        // The compiler knows that what comes from `or` is the same for all lanes, and that branches on it part none.
        let same = warp::or;
        let rows = args.leaves.len() as u32;
        let index = thread::index() / warp::SIZE as usize;
        if index >= args.sorted_tasks.len() {
            return None;
        }
        let task = same(args.sorted_tasks.get(index));
        let later = task >= rows;
        let row = if later { same(args.later.get((task - rows) as usize)) } else { task };
        if row >= rows {
            return None;
        }
        let leaf = same(args.leaves.get(row as usize));
        let items = same(args.offsets.get(row as usize));
        let past_items = same(args.offsets.get(row as usize + 1));
        let Vec4([.., first, past]) = args.range.get(leaf as usize);
        let (first, past) = (same(first), same(past));
        let mut begin = first;
        if later {
            begin += ((task - rows) * TASK - first).div_ceil(TASK) * TASK;
        }
        if begin >= past {
            return None;
        }
        let end = past.min(begin + TASK);
        let (fold, each) = share(end - begin, most);
        Some(Self { leaf, begin, end, fold, each, items, past_items })
    }
}

/// Division of `n` receivers among lanes, at most `most` a lane: the exponent of the number of columns, which is two or more,
/// and the number of receivers of a lane.
#[inline(always)]
fn share(n: u32, most: u32) -> (u32, u32) {
    let mut fold = 1;
    while n > most << fold {
        fold += 1;
    }
    (fold, (n + (1 << fold) - 1) >> fold)
}

/// Number of lanes of a row in [`NEAR_TASKS`].
pub(super) const LANES: u32 = 8;

/// Arguments of [`NEAR_TASKS`]: 8 lanes are a row.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Tasks {
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Leaf of each row of the lists.
    pub leaves: View<u32>,
    /// Row r of the lists is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose sources act.
    pub items: View<u32>,
    /// Largest number of receivers of a lane, 16 or less.
    pub most: u32,
    /// [`later_slots`] words, all bits set at first: the row of the task in each slot.
    pub later: ViewMut<u32>,
    /// Sort keys of 8 bits, one for each row and then for each slot; all bits set at first.
    pub keys: ViewMut<u32>,
}

fn tasks(args: Tasks) {
    let lane = warp::lane_id() % LANES;
    let row = thread::index() / LANES as usize;
    let rows = args.leaves.len();
    let (mut begin, mut end, mut sources) = (0, 0, 0);
    if row < rows {
        Vec4([_, _, begin, end]) = args.range.get(args.leaves.get(row) as usize);
        let mut item = args.offsets.get(row) + lane;
        while item < args.offsets.get(row + 1) {
            let Vec4([first, past, ..]) = args.range.get(args.items.get(item as usize) as usize);
            sources += past - first;
            item += LANES;
        }
    }
    let mut mask = LANES / 2;
    while mask > 0 {
        sources += warp::shuffle_xor(sources, mask);
        mask /= 2;
    }
    let work = work_class(sources);
    let key = |at: u32| (args.most - share((end - at).min(TASK), args.most).1) << 4 | work;
    if begin < end && lane == 0 {
        args.keys.set(row, key(begin));
    }
    let mut at = begin + TASK * (1 + lane);
    while at < end {
        let slot = (at / TASK) as usize;
        args.later.set(slot, row as u32);
        args.keys.set(rows + slot, key(at));
        at += TASK * LANES;
    }
}

/// Class of a number of sources, 0 (most) to 15, by half powers of two from 2⁶ sources on.
#[inline(always)]
fn work_class(sources: u32) -> u32 {
    let exponent = 31 - (sources | 1 << 6).leading_zeros();
    let half = sources >> (exponent - 1) & 1;
    15 - (2 * (exponent - 6) + half).min(15)
}

kernel! {
    /// Tasks and their sort keys.
    pub NEAR_TASKS = tasks, (Tasks);
}

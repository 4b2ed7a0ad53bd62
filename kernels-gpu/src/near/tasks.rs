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
//!
//! **Long tasks** have `LONG` sources or more: a leaf of few points beside many small ones, such as at the edge of a surface,
//! has up to 10⁵. One warp would still be at work when all others have ended. So long tasks come before all others, and the
//! first of them are shared among several warps, of `PART` receivers each.

use super::{Near, TASK};
use crate::device::{Plain, Vec4, View, ViewMut, thread, warp};
use crate::kernel;

/// Sources from which on a task is long.
const LONG: u32 = 1 << 12;
/// Receivers of a warp in a long task that is shared.
const PART: u32 = 8;
/// Parts of a long task that is shared.
const PARTS: u32 = TASK.div_ceil(PART);
/// Long tasks that are shared, at most.
const MOST_SHARED: u32 = 512;
/// Tasks of which one may be shared: long ones are few.
const TASKS_OF_SHARED: u32 = 16;

/// Number of slots for `receivers` receivers.
pub const fn later_slots(receivers: usize) -> usize {
    receivers.div_ceil(TASK as usize)
}

/// Words of the table of later tasks: its slots, and the number of long tasks less one, modulo 2³².
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const fn later_words(slots: usize) -> usize {
    slots + 1
}

/// Warps of a launch: those of the parts of tasks that may be shared, and one for each task.
#[derive(Clone, Copy)]
pub(super) struct Warps {
    tasks: u32,
    shared: u32,
}

/// Work of a warp: a place among the sorted tasks, and a part of the task, or all of it.
#[derive(Clone, Copy)]
struct Share {
    place: u32,
    part: Option<u32>,
}

impl Warps {
    /// Warps of a number of tasks.
    #[inline(always)]
    pub(super) const fn of(tasks: u32) -> Self {
        let shared = tasks.div_ceil(TASKS_OF_SHARED);
        Self { tasks, shared: if shared < MOST_SHARED { shared } else { MOST_SHARED } }
    }

    /// Number of warps.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) const fn count(self) -> usize {
        self.tasks as usize + (self.shared * PARTS) as usize
    }

    /// Work of warp `index`, if there is any, where `long` tasks are long.
    #[inline(always)]
    fn share(self, index: usize, long: u32) -> Option<Share> {
        let Self { tasks, shared } = self;
        let long = if long < shared { long } else { shared };
        let parts = (shared * PARTS) as usize;
        if index < parts {
            let place = index as u32 / PARTS;
            return (place < long).then_some(Share { place, part: Some(index as u32 % PARTS) });
        }
        let place = index - parts;
        let is_alone = (place >= long as usize) & (place < tasks as usize);
        is_alone.then_some(Share { place: place as u32, part: None })
    }
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
        let tasks = Warps::of(args.sorted_tasks.len() as u32);
        let long = same(args.later.get(args.later.len() - 1)).wrapping_add(1);
        let Share { place, part } = tasks.share(index, long)?;
        let task = same(args.sorted_tasks.get(place as usize));
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
        let mut end = past.min(begin + TASK);
        if let Some(part) = part {
            begin += part * PART;
            end = end.min(begin + PART);
        }
        if begin >= end {
            return None;
        }
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
    /// Largest number of receivers of a lane, 14 or less.
    pub most: u32,
    /// The row of the task in each of the [`later_slots`], and a word that counts long tasks. All bits set at first.
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
    let is_long = sources >= LONG;
    let work = if is_long { work_class(sources, LONG) } else { work_class(sources, LEAST) };
    // Keys of long tasks are the smallest.
    let class = |at: u32| 1 + args.most - share((end - at).min(TASK), args.most).1;
    let key = |at: u32| if is_long { work } else { class(at) << 4 | work };
    if begin < end && lane == 0 {
        args.keys.set(row, key(begin));
        if is_long {
            args.later.atomic_add(args.later.len() - 1, (end - begin).div_ceil(TASK));
        }
    }
    let mut at = begin + TASK * (1 + lane);
    while at < end {
        let slot = (at / TASK) as usize;
        args.later.set(slot, row as u32);
        args.keys.set(rows + slot, key(at));
        at += TASK * LANES;
    }
}

/// Sources from which on classes of tasks that are not long begin.
const LEAST: u32 = 1 << 6;

/// Class of a number of sources, 0 (most) to 15, by half powers of two from `least`, a power of two, on.
#[inline(always)]
fn work_class(sources: u32, least: u32) -> u32 {
    let exponent = 31 - (sources | least).leading_zeros();
    let half = sources >> (exponent - 1) & 1;
    15 - (2 * (exponent - least.trailing_zeros()) + half).min(15)
}

kernel! {
    /// Tasks and their sort keys.
    pub NEAR_TASKS = tasks, (Tasks);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warps do each receiver of each task once, whatever the number of long tasks.
    #[test]
    fn warps_share_all_tasks() {
        for tasks in [0, 1, 15, 16, 17, 1000, 20_000] {
            let warps = Warps::of(tasks);
            for long in [0, 1, 2, 400, 10_000, tasks] {
                let mut done = std::vec![0_u32; (tasks * PARTS) as usize];
                for share in (0..warps.count() + 3).filter_map(|warp| warps.share(warp, long)) {
                    let parts = share.part.map_or(0..PARTS, |part| part..part + 1);
                    parts.for_each(|part| done[(share.place * PARTS + part) as usize] += 1);
                }
                assert!(done.iter().all(|times| *times == 1), "{tasks} tasks, {long} long");
            }
        }
    }

    #[test]
    fn classes_fall_with_the_sources() {
        for least in [LEAST, LONG] {
            let class = |sources| work_class(sources, least);
            assert_eq!([class(0), class(least)], [15, 15]);
            assert_eq!([class(3 * least / 2), class(2 * least), class(u32::MAX)], [14, 13, 0]);
        }
    }
}

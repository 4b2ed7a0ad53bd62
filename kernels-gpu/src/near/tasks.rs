//! Which receivers each warp has: at most [`TASK`] of one leaf, so that leaves of thousands of points, as coincident points
//! make them, keep no warp busy for long.
//!
//! The first tasks of all rows are the rows themselves. A later task begins [`TASK`] receivers after the one before it in
//! the same leaf, so no two later tasks begin within the same aligned block of [`TASK`] receivers: the one that begins in
//! block k has slot k of a table, and no counting or sorting is needed.

use super::{Near, TASK};
use crate::device::{Plain, Vec4, View, ViewMut, thread};
use crate::kernel;

/// No task.
const NONE: u32 = u32::MAX;

/// Slots for `receivers` receivers.
pub const fn later_slots(receivers: usize) -> usize {
    receivers.div_ceil(TASK as usize)
}

/// The row of a warp's task, and its receivers from begin to end.
#[inline(always)]
pub(super) fn task<T>(args: &Near<T>, warp: usize) -> Option<(usize, u32, u32)>
where
    Vec4<T>: Plain,
{
    let rows = args.leaves.len();
    if warp < rows {
        let Vec4([_, _, begin, end]) = args.range.get(args.leaves.get(warp) as usize);
        return if begin < end { Some((warp, begin, end.min(begin + TASK))) } else { None };
    }
    let slot = warp - rows;
    if slot >= args.later.len() {
        return None;
    }
    let row = args.later.get(slot);
    if row == NONE {
        return None;
    }
    let Vec4([_, _, first, end]) = args.range.get(args.leaves.get(row as usize) as usize);
    let block = slot as u32 * TASK;
    let begin = first + (block - first).div_ceil(TASK) * TASK;
    Some((row as usize, begin, end.min(begin + TASK)))
}

/// Arguments of [`NEAR_TASKS`]: a thread is a row.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Tasks {
    /// Of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// The leaf of each row of the lists.
    pub leaves: View<u32>,
    /// [`later_slots`] words, all bits set at first: the row of the task in each slot.
    pub later: ViewMut<u32>,
}

fn tasks(args: Tasks) {
    let row = thread::index();
    if row >= args.leaves.len() {
        return;
    }
    let Vec4([_, _, begin, end]) = args.range.get(args.leaves.get(row) as usize);
    let mut at = begin + TASK;
    while at < end {
        args.later.set((at / TASK) as usize, row as u32);
        at += TASK;
    }
}

kernel! {
    /// Finds the later tasks of leaves with more than [`TASK`] receivers.
    pub NEAR_TASKS = tasks, (Tasks);
}

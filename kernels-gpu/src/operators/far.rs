//! Division of M2L's work: the blocks' tasks, and the implicit list of far boxes (V, the E4 neighbourhood).
//!
//! A block takes up to 32 boxes of one level and octant, one a lane. They have the same [`FAR`] possible offsets to far
//! boxes, which its warps share out, so whatever depends on the offset is the same for a warp.

use super::NONE;
use super::geometry::Boxes;
use crate::device::{Real, Vec4, View, thread, warp};
use crate::tree::morton::SLOTS;

/// Offsets from a box to the far boxes whose parents are near its parent: 6³ − 3³.
pub const FAR: usize = 189;

const SLOTS_A_LANE: usize = SLOTS.div_ceil(warp::SIZE as usize);

/// The boxes of a block, as one lane sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The lane's box; some box of the task for lanes without one.
    pub(crate) target: usize,
    /// Whether the lane has a box.
    pub(crate) there: bool,
    /// Whether the lane has a box with receivers: boxes without them look for no far boxes.
    receives: bool,
    parent: usize,
    octant: usize,
    /// Whether boxes of the task may have far boxes, which exist from level 2 on.
    has_far: bool,
}

/// A far source of a lane's box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// The source box; the target itself where there is none.
    pub(crate) index: usize,
    /// Whether there is one.
    pub(crate) there: bool,
}

/// Packs an entry of the table of far boxes of an octant: the direction of the parent's colleague, the octant of its
/// child, and the number of the offset's way.
pub const fn entry(direction: u32, octant: u32, way: u32) -> u32 {
    direction | octant << 5 | way << 8
}

impl Task {
    /// The task of this block. Collective over each warp.
    #[inline(always)]
    pub(crate) fn of_block<T: Real>(boxes: &Boxes<T>) -> Self {
        let (block, lane) = (thread::block_idx_x(), warp::lane_id() as usize);
        let tasks_of = |slot: usize| {
            if slot >= SLOTS {
                return 0;
            }
            (boxes.level_start.get(slot + 1) - boxes.level_start.get(slot)).div_ceil(warp::SIZE)
        };
        let mut mine = 0;
        for k in 0..SLOTS_A_LANE {
            mine += tasks_of(lane * SLOTS_A_LANE + k);
        }
        let mut before = warp::inclusive_scan(mine) - mine;
        let holder = warp::ballot(before <= block && block < before + mine).trailing_zeros();
        let (mut slot, mut start) = (0, 0);
        for k in 0..SLOTS_A_LANE {
            let tasks = tasks_of(lane * SLOTS_A_LANE + k);
            if before <= block && block < before + tasks {
                (slot, start) = ((lane * SLOTS_A_LANE + k) as u32, before);
            }
            before += tasks;
        }
        let slot = warp::shuffle(slot, holder) as usize;
        let start = warp::shuffle(start, holder);
        let first = boxes.level_start.get(slot) + (block - start) * warp::SIZE;
        let target = (first + warp::lane_id()) as usize;
        let there = target < boxes.level_start.get(slot + 1) as usize;
        let target = if there { target } else { first as usize };
        let Vec4([.., first, past]) = boxes.range.get(target);
        let receives = there && first < past;
        let has_far = slot >= 16 && warp::any(receives);
        let parent = if has_far { boxes.parent.get(target) as usize } else { 0 };
        Self { target, there, receives, parent, octant: slot % 8, has_far }
    }

    /// The offsets of this warp, in order.
    ///
    /// Offsets are ordered by the sources' octant, so that the warps of a block read the same boxes at the same time.
    #[inline(always)]
    pub(crate) fn walk<T: Real>(self, boxes: Boxes<T>, entries: View<u32>) -> Walk<T> {
        let k = (thread::thread_idx_x() / warp::SIZE) as usize;
        let warps = (thread::block_dim_x() / warp::SIZE) as usize;
        self.walk_from(boxes, entries, k, warps)
    }

    /// All offsets, in order, for each warp.
    #[inline(always)]
    pub(crate) fn walk_with_all_warps<T: Real>(
        self,
        boxes: Boxes<T>,
        entries: View<u32>,
    ) -> Walk<T> {
        self.walk_from(boxes, entries, 0, 1)
    }

    #[inline(always)]
    fn walk_from<T: Real>(
        self,
        boxes: Boxes<T>,
        entries: View<u32>,
        k: usize,
        warps: usize,
    ) -> Walk<T> {
        let k = if self.has_far { k } else { FAR };
        let mut walk = Walk { task: self, boxes, entries, warps, k, entry: 0, source: NONE };
        walk.look_up();
        walk
    }
}

/// A warp's way through the offsets of its octant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<T> {
    task: Task,
    boxes: Boxes<T>,
    entries: View<u32>,
    warps: usize,
    k: usize,
    entry: u32,
    source: u32,
}

impl<T: Real> Walk<T> {
    /// The next offset at which any lane has a source: its way, and the lane's source. Collective.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(usize, Source)> {
        while self.k < FAR {
            let (source, way) = (self.source, (self.entry >> 8) as usize);
            self.k += self.warps;
            // The next source is on its way while this one is worked on.
            self.look_up();
            let there = source != NONE;
            if warp::any(there) {
                let index = if there { source as usize } else { self.task.target };
                return Some((way, Source { index, there }));
            }
        }
        None
    }

    /// Finds the lane's source at offset k, if there is such an offset.
    #[inline(always)]
    fn look_up(&mut self) {
        if self.k < FAR {
            let (task, count) = (self.task, self.boxes.count as usize);
            self.entry = self.entries.get(task.octant * FAR + self.k);
            self.source = NONE;
            if task.receives {
                let near = (self.entry & 31) as usize * count + task.parent;
                let near = self.boxes.colleague.get(near);
                if near != NONE {
                    let octant = (self.entry >> 5 & 7) as usize;
                    self.source = self.boxes.child.get(octant * count + near as usize);
                }
            }
        }
    }
}

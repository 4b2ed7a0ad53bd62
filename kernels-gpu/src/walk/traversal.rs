//! Phases of a group walk before the sums: boxes are taken from the stack and accepted, opened or summed directly;
//! sources of opened leaves are loaded.

use super::arguments::GroupWalk;
use super::warp_memory::{Ring, STACK, WarpMemory};
use crate::device::{Vec4, warp};
use crate::direct::pair::{Pair, ReceiverBounds};
use crate::near::runs::Runs;
use crate::tree::morton::LEVELS;

/// Stack space that suffices when boxes are taken one by one: 7 boxes for each level.
const RESERVE: u32 = 7 * LEVELS as u32;

/// State of the walk of one group, equal in all lanes except `bounds` and `runs`.
pub(super) struct Traversal<T> {
    /// Box around the receivers of the group.
    pub(super) bounds: ReceiverBounds<T>,
    /// Factor of the relative criterion, see [`Relative`](super::relative::Relative).
    nearness: T,
    /// Number of boxes on the stack.
    top: u32,
    /// Sources of the opened leaves, one range a lane.
    runs: Runs,
    /// Number of items of `runs` that have been loaded.
    run_at: u32,
    /// Accepted cells that wait.
    pub(super) cells: Ring,
    /// Sources that wait.
    pub(super) sources: Ring,
}

impl<T: Pair> Traversal<T> {
    /// Start of a walk: the root is on the stack.
    #[inline(always)]
    pub(super) fn new(bounds: ReceiverBounds<T>, nearness: T, memory: WarpMemory<T>) -> Self {
        let runs = Runs::new([0, 0], memory.runs);
        warp::sync_warp();
        memory.stack.set(0, 0);
        warp::sync_warp();
        Self { bounds, nearness, top: 1, runs, run_at: 0, cells: Ring::EMPTY, sources: Ring::EMPTY }
    }

    /// Whether sources of opened leaves remain to be loaded.
    #[inline(always)]
    pub(super) fn has_sources(&self) -> bool {
        self.run_at < self.runs.total()
    }

    /// Whether no box and no source remains, but for those in the rings.
    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        self.top == 0 && !self.has_sources()
    }

    /// Loads up to 32 sources of opened leaves into their ring.
    #[inline(always)]
    pub(super) fn load_sources(&mut self, args: &GroupWalk<T>, memory: WarpMemory<T>) {
        let lane = warp::lane_id();
        let item = self.runs.next(self.run_at);
        let count = (self.runs.total() - self.run_at).min(32);
        if lane < count {
            memory.sources.set(self.sources.slot(lane), args.sources.get(item as usize));
        }
        warp::sync_warp();
        self.sources.waiting += count;
        self.run_at += count;
    }

    /// Takes up to 32 boxes from the stack, one a lane. Accepted cells go to their ring, children of opened boxes to the
    /// stack, and the sources of opened leaves and of small boxes to `runs`.
    #[inline(always)]
    pub(super) fn open_boxes(&mut self, args: &GroupWalk<T>, memory: WarpMemory<T>) {
        let lane = warp::lane_id();
        let room = (STACK - RESERVE).saturating_sub(self.top) / 7;
        let count = self.top.min(32).min(room.max(1));
        let inside = lane < count;
        let box_at = |slot: u32| memory.stack.get(slot as usize) as usize;
        let b = if inside { box_at(self.top - 1 - lane) } else { 0 };
        warp::sync_warp();
        self.top -= count;

        let Vec4([first, past, ..]) = args.range.get(b);
        let cell = args.cell.get(b);
        let Vec4([.., opening2]) = cell;
        let opening2 = args.relative.opening2(b, opening2, self.nearness);
        let few = past - first <= args.few;
        let accepted = inside & !few & (self.bounds.distance2(cell) > opening2);
        let opened = inside & !few & !accepted;
        let children = if opened { args.children.get(b) } else { 0 };

        let mask = warp::ballot(accepted);
        if accepted {
            memory.cells.set(self.cells.slot(rank(mask, lane)), b as u32);
        }
        self.cells.waiting += mask.count_ones();
        self.push_children(args, memory, b, children);
        let direct = (inside & few) | (opened & (children == 0));
        self.runs = Runs::new(if direct { [first, past] } else { [0, 0] }, memory.runs);
        self.run_at = 0;
        warp::sync_warp();
    }

    /// Pushes the children of each lane's box `b`: bit o of `children` is set for octant o.
    #[inline(always)]
    fn push_children(
        &mut self,
        args: &GroupWalk<T>,
        memory: WarpMemory<T>,
        b: usize,
        children: u32,
    ) {
        let lane = warp::lane_id();
        for octant in 0..8 {
            let has = children >> octant & 1 == 1;
            let mask = warp::ballot(has);
            if has {
                let child = args.child.get(octant * args.children.len() + b);
                memory.stack.set((self.top + rank(mask, lane)) as usize, child);
            }
            self.top += mask.count_ones();
        }
    }
}

/// Number of lanes below this one in `mask`.
#[inline(always)]
fn rank(mask: u32, lane: u32) -> u32 {
    (mask & ((1 << lane) - 1)).count_ones()
}

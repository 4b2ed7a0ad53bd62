//! Boxes from sorted points: counts the boxes that start in each tile of points and, when the counts have been scanned,
//! numbers the boxes.
//!
//! Boxes are numbered by level, octant in the parent, and Morton order: slots of one (level, octant) each. A warp goes
//! through its points in rows of 32 and through the levels at which boxes start in the row; ballots by octant rank the boxes
//! of a slot. Counts of slot s and tile t are item s · n_tiles + t, so their prefix sums number the boxes.

use super::morton::{SLOTS, ancestor_of, octant_of};
use super::starts::{Levels, SortedPoints, Split, levels_at};
use crate::device::shared::{Arena, Shared};
use crate::device::{View, ViewMut, thread, warp};
use crate::kernel;

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Number of points of a tile.
pub const TILE: usize = ROWS * THREADS as usize;
/// Number of counts of a tile: boxes by slot, then all leaves.
pub const COUNTS: usize = SLOTS + 1;
/// Number of items that the host reads, see [`LevelStarts::starts`].
pub const STARTS: usize = SLOTS + 3;
/// Shared memory of a block in bytes.
pub const SHARED: usize = 4 * WARPS * COUNTS;

const ROWS: usize = 8;
const WARPS: usize = THREADS as usize / 32;

/// Arguments of [`COUNT_BOXES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountBoxes {
    /// Sorted points.
    pub points: SortedPoints,
    /// Rule by which boxes are split.
    pub split: Split,
    /// Output: [`Levels`] of each point, one word a point.
    pub levels: ViewMut<u32>,
    /// Output: [`COUNTS`] · n_tiles counts, and one more item for the scan.
    pub counts: ViewMut<u32>,
    /// Flag, 0 at first: set to 1 if a box of the level [`Split::enough`] holds more points than fit.
    pub is_crowded: ViewMut<u32>,
}

fn count_boxes(args: CountBoxes) {
    let keys = args.points.keys;
    let count = warp_counts();
    for row in 0..ROWS {
        let i = place(row);
        let mut levels = Levels::NONE;
        if i < keys.len() {
            levels = levels_at(args.points, args.split, i, || args.is_crowded.set(0, 1));
            args.levels.set(i, levels.to_word());
        }
        let key = if i < keys.len() { keys.get(i) } else { 0 };
        each_slot(levels, key, args.points.deepest, |slot, peers, first| {
            if first {
                count.set(slot, count.get(slot) + peers.count_ones());
            }
        });
    }
    thread::sync_threads();
    let (tile, n_tiles) = (thread::block_idx_x() as usize, thread::grid_dim_x() as usize);
    let t = thread::thread_idx_x() as usize;
    if t < COUNTS {
        let all = all_counts();
        let mut sum = 0;
        for w in 0..WARPS {
            sum += all.get(w * COUNTS + t);
        }
        args.counts.set(t * n_tiles + tile, sum);
    }
}

/// Arguments of [`NUMBER_BOXES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NumberBoxes {
    /// Keys of the sorted points at level `deepest`.
    pub keys: View<u64>,
    /// [`Levels`] of each point, one word a point.
    pub levels: View<u32>,
    /// Scanned counts.
    pub counts: View<u32>,
    /// Output: first point of each box.
    pub first: ViewMut<u32>,
    /// Output: level of each box.
    pub level: ViewMut<u32>,
    /// Output: key of each box at its own level.
    pub key: ViewMut<u64>,
    /// Output: 0 for each box; the next kernel adds the children.
    pub children: ViewMut<u32>,
    /// Output: leaves in Morton order.
    pub leaves: ViewMut<u32>,
    /// Level of the keys.
    pub deepest: u32,
}

fn number_boxes(args: NumberBoxes) {
    let (tile, n_tiles) = (thread::block_idx_x() as usize, thread::grid_dim_x() as usize);
    let t = thread::thread_idx_x() as usize;
    let n_boxes = args.first.len() as u32;

    // Counted again by warp, and turned into the numbers that each warp begins with.
    let next = warp_counts();
    for row in 0..ROWS {
        let (levels, key) = row_of(&args, row);
        each_slot(levels, key, args.deepest, |slot, peers, first| {
            if first {
                next.set(slot, next.get(slot) + peers.count_ones());
            }
        });
    }
    thread::sync_threads();
    if t < COUNTS {
        let all = all_counts();
        let mut number = args.counts.get(t * n_tiles + tile);
        for w in 0..WARPS {
            let count = all.get(w * COUNTS + t);
            all.set(w * COUNTS + t, number);
            number += count;
        }
    }
    thread::sync_threads();

    let below = (1 << warp::lane_id()) - 1;
    for row in 0..ROWS {
        let (levels, key) = row_of(&args, row);
        let mut last = 0;
        each_slot(levels, key, args.deepest, |slot, peers, first| {
            let begin = next.get(slot);
            warp::sync_warp();
            if first {
                next.set(slot, begin + peers.count_ones());
            }
            if peers == 0 {
                return;
            }
            let number = begin + (peers & below).count_ones();
            if slot == SLOTS {
                args.leaves.set((number - n_boxes) as usize, last);
                return;
            }
            let (b, level) = (number as usize, slot as u32 / 8);
            args.first.set(b, place(row) as u32);
            args.level.set(b, level);
            args.key.set(b, ancestor_of(key, args.deepest - level));
            args.children.set(b, 0);
            last = number;
        });
    }
}

/// Index of this lane's point in a row of its warp.
#[inline(always)]
fn place(row: usize) -> usize {
    let (t, tile) = (thread::thread_idx_x() as usize, thread::block_idx_x() as usize);
    tile * TILE + t / 32 * (32 * ROWS) + 32 * row + t % 32
}

#[inline(always)]
fn row_of(args: &NumberBoxes, row: usize) -> (Levels, u64) {
    let i = place(row);
    if i < args.keys.len() {
        (Levels::of_word(args.levels.get(i)), args.keys.get(i))
    } else {
        (Levels::NONE, 0)
    }
}

/// Counts of all warps: [`COUNTS`] words a warp.
#[inline(always)]
fn all_counts() -> Shared<u32> {
    Arena::new().array::<u32>(WARPS * COUNTS)
}

/// Counts of this warp, set to 0.
#[inline(always)]
fn warp_counts() -> Shared<u32> {
    let my_warp = thread::thread_idx_x() as usize / 32;
    let counts = all_counts().part(my_warp * COUNTS, COUNTS);
    let mut i = warp::lane_id() as usize;
    while i < COUNTS {
        counts.set(i, 0);
        i += 32;
    }
    warp::sync_warp();
    counts
}

/// Calls `visit(slot, peers, first)` in every lane, from the highest level down, for each level at which a box starts
/// in any lane, and then for the leaves, which have slot [`SLOTS`]. `peers` are the lanes with a box in the slot of
/// this lane (none if this lane has no box); `first` says whether this lane is the lowest of them. Writes of one
/// `visit` are visible to the next.
#[inline(always)]
fn each_slot(levels: Levels, key: u64, deepest: u32, mut visit: impl FnMut(usize, u32, bool)) {
    let below = (1 << warp::lane_id()) - 1;
    let is_first = |peers: u32| peers >> warp::lane_id() & 1 == 1 && peers & below == 0;
    let mine = levels.bits();
    let starts = warp::ballot(mine != 0);
    if starts == 0 {
        return;
    }
    let mut any = mine;
    for mask in [16, 8, 4, 2, 1] {
        any |= warp::shuffle_xor(any, mask);
    }
    while any != 0 {
        let level = any.trailing_zeros();
        any &= any - 1;
        let active = mine >> level & 1 == 1;
        let octant = u32::from(octant_of(ancestor_of(key, deepest - level)));
        let mut peers = warp::ballot(active);
        for bit in 0..3 {
            let set = octant >> bit & 1;
            peers &= warp::ballot(set != 0) ^ set.wrapping_sub(1);
        }
        let peers = if active { peers } else { 0 };
        visit(8 * level as usize + octant as usize, peers, is_first(peers));
        warp::sync_warp();
    }
    let peers = if mine != 0 { starts } else { 0 };
    visit(SLOTS, peers, is_first(peers));
    warp::sync_warp();
}

/// Arguments of [`LEVEL_STARTS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LevelStarts {
    /// Scanned counts of `n_tiles` tiles.
    pub counts: View<u32>,
    /// Flag: 1 if a box holds too many points.
    pub is_crowded: View<u32>,
    /// Output, [`STARTS`] items: the first box of each slot, the number of boxes, the number of boxes and leaves, and
    /// the flag.
    pub starts: ViewMut<u32>,
    /// Number of tiles of points.
    pub n_tiles: u32,
}

fn level_starts(args: LevelStarts) {
    let i = thread::index();
    if i < STARTS - 1 {
        args.starts.set(i, args.counts.get(i * args.n_tiles as usize));
    } else if i < STARTS {
        args.starts.set(i, args.is_crowded.get(0));
    }
}

kernel! {
    /// Counts boxes: one block a tile.
    pub COUNT_BOXES = count_boxes, (CountBoxes);
    /// Numbers boxes: one block a tile.
    pub NUMBER_BOXES = number_boxes, (NumberBoxes);
    /// Copies the first box of each slot: one thread a slot.
    pub LEVEL_STARTS = level_starts, (LevelStarts);
}

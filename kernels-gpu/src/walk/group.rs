//! The group walk: one walk for up to 64 receivers, evaluated as it goes.
//!
//! A warp takes 32 boxes at a time from a stack, one a lane, and compares the distance between each one's centre of charge
//! and the tight box around the receivers with its opening distance. Children of opened boxes go to the stack; accepted
//! cells wait in a queue until 32 of them can be staged in shared memory; so do the sources of opened leaves (`Runs`).
//! Lanes hold two receivers each; where there are 32 receivers or fewer, lanes share them and take turns with the cells.
//!
//! The stack cannot overflow: when room gets short, boxes are taken one by one, and then it holds at most 7 boxes a level.
//!
//! Warps take groups by ticket until none is left, so few blocks keep the device busy to the end. The sums of a group do
//! not depend on which warp has it.

use super::multipole::vectors;
use super::relative::Relative;
use super::sums::LaneSums;
use crate::device::shared::{Arena, Shared};
use crate::device::{Vec2, Vec4, View, ViewMut, thread, warp};
use crate::direct::pair::{Pair, Receiver, ReceiverBounds};
use crate::kernel;
use crate::near::runs::Runs;

/// Threads of a block.
pub const WALK_THREADS: u32 = 64;
/// Warps of a block.
const WARPS: usize = WALK_THREADS as usize / 32;
/// Receivers of a lane.
pub(super) const EACH: usize = 2;
/// Boxes that the stack holds.
const STACK: u32 = 512;
/// What the stack needs when boxes are taken one by one: 7 for each level.
const RESERVE: u32 = 7 * 22;
/// Cells, or sources, that wait: less than 32 and 32 new ones.
pub(super) const QUEUE: u32 = 64;

/// Vectors between staged cells: odd, so that lanes write to different banks.
pub(super) const fn stride(order: usize) -> usize {
    vectors(order) | 1
}

/// Shared memory of a block in bytes.
pub const fn shared_bytes<T>(order: usize) -> usize {
    let words = (STACK + QUEUE + warp::SIZE) as usize * 4;
    WARPS * (words + (QUEUE as usize + 32 * stride(order)) * size_of::<Vec4<T>>())
}

/// Arguments of the group walk.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupWalk<T> {
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Child in octant o of box b at o B + b.
    pub child: View<u32>,
    /// Bit o of item b is set if box b has a child in octant o.
    pub children: View<u32>,
    /// Centre of charge and squared opening distance, by box.
    pub cell: View<Vec4<T>>,
    /// Multipoles, see [`moments`](super::moments).
    pub multipole: View<Vec4<T>>,
    /// First receiver and end of each group.
    pub groups: View<Vec2<u32>>,
    /// One item: the number of groups.
    pub n_groups: View<u32>,
    /// One item, 0 at first: the next group.
    pub ticket: ViewMut<u32>,
    /// A box with at most so many sources, at least 1, acts source by source.
    pub few: u32,
    /// Whether charges have both signs: 0 or 1.
    pub mixed: u32,
    /// ε² of pairs, and of cells of order 1.
    pub softening2: T,
    /// The walk before, for the criterion that is relative to its gradient.
    pub relative: Relative<T>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver in the tree's order.
    pub field: ViewMut<Vec4<T>>,
    /// No items, or two: pairs of receiver and cell, and of receiver and source, are added to them.
    pub counts: ViewMut<u64>,
}

#[inline(always)]
fn group_walk<T: Pair, const P: usize>(args: GroupWalk<T>) {
    let warp = thread::thread_idx_x() as usize / 32;
    let mut arena = Arena::new();
    let len = (STACK + QUEUE + warp::SIZE) as usize;
    let words = arena.array::<u32>(WARPS * len);
    let vectors = arena.array::<Vec4<T>>(WARPS * (QUEUE as usize + 32 * stride(P)));
    let words = words.part(warp * len, len);
    let of_warp = QUEUE as usize + 32 * stride(P);
    let vectors = vectors.part(warp * of_warp, of_warp);
    let memory = WarpMemory {
        stack: words.part(0, STACK as usize),
        cells: words.part(STACK as usize, QUEUE as usize),
        runs: words.part((STACK + QUEUE) as usize, warp::SIZE as usize),
        sources: vectors.part(0, QUEUE as usize),
        staged: vectors.part(QUEUE as usize, 32 * stride(P)),
    };
    let n_groups = args.n_groups.get(0);
    loop {
        let ticket = if warp::lane_id() == 0 { args.ticket.atomic_add(0, 1) } else { 0 };
        let group = warp::shuffle(ticket, 0);
        if group >= n_groups {
            return;
        }
        walk::<T, P>(args, memory, args.groups.get(group as usize));
    }
}

/// A warp's shared memory.
#[derive(Clone, Copy)]
pub(super) struct WarpMemory<T> {
    /// Boxes to be looked at.
    stack: Shared<u32>,
    /// Accepted cells, a ring.
    pub(super) cells: Shared<u32>,
    /// What `Runs` needs.
    runs: Shared<u32>,
    /// Sources of opened leaves, a ring.
    pub(super) sources: Shared<Vec4<T>>,
    /// The multipoles of 32 cells.
    pub(super) staged: Shared<Vec4<T>>,
}

/// A ring of [`QUEUE`] items in which some wait.
#[derive(Clone, Copy)]
struct Ring {
    begin: u32,
    waiting: u32,
}

impl Ring {
    /// Where the item goes that is `after` after the last.
    #[inline(always)]
    fn slot(self, after: u32) -> usize {
        ((self.begin + self.waiting + after) % QUEUE) as usize
    }

    /// Lets go of up to 32 items.
    #[inline(always)]
    fn drop(&mut self, n: u32) {
        self.begin = (self.begin + n) % QUEUE;
        self.waiting -= n;
    }
}

#[inline(always)]
fn walk<T: Pair, const P: usize>(
    args: GroupWalk<T>,
    memory: WarpMemory<T>,
    Vec2([begin, end]): Vec2<u32>,
) {
    let lane = warp::lane_id();
    // Lanes form columns of two receivers each; those of a column take turns with cells and sources.
    let n = end - begin;
    let columns = if n > 32 {
        32
    } else if n > 16 {
        16
    } else {
        8
    };
    let place = |k: u32| begin + lane % columns + columns * k;
    let at = |k: u32| args.receivers.get(place(k).min(end - 1) as usize);
    let mut sums = LaneSums::<T> {
        receivers: [Receiver::new(at(0)), Receiver::new(at(1))],
        totals: [[T::ZERO; 4]; EACH],
        terms: 0,
        turn: lane / columns,
        turns: warp::SIZE / columns,
    };
    let [a, b] = sums.receivers;
    let bounds = ReceiverBounds::around(a.at).with(b.at).over_lanes(columns);
    let nearness = args.relative.nearness([place(0), place(1)].map(|i| i.min(end - 1)));

    let (mut top, mut runs, mut run_at) = (1, Runs::new([0, 0], memory.runs), 0);
    warp::sync_warp();
    memory.stack.set(0, 0);
    warp::sync_warp();
    let (mut cells, mut sources) = (Ring { begin: 0, waiting: 0 }, Ring { begin: 0, waiting: 0 });
    let mut counts = [0u64; 2];
    loop {
        let last = top == 0 && run_at >= runs.total();
        if cells.waiting >= 32 || (last && cells.waiting > 0) {
            let count = cells.waiting.min(32);
            sums.add_cells::<P>(args, memory, cells.begin, count);
            cells.drop(count);
            counts[0] += u64::from(count);
        } else if sources.waiting >= 32 || (last && sources.waiting > 0) {
            let count = sources.waiting.min(32);
            sums.add_sources(memory, sources.begin, count, &bounds, args.softening2);
            sources.drop(count);
            counts[1] += u64::from(count);
        } else if last {
            break;
        } else if run_at < runs.total() {
            let item = runs.next(run_at);
            let count = (runs.total() - run_at).min(32);
            if lane < count {
                memory.sources.set(sources.slot(lane), args.sources.get(item as usize));
            }
            warp::sync_warp();
            sources.waiting += count;
            run_at += count;
        } else {
            let room = (STACK - RESERVE).saturating_sub(top) / 7;
            let count = top.min(32).min(room.max(1));
            let inside = lane < count;
            let box_at = |slot: u32| memory.stack.get(slot as usize) as usize;
            let b = if inside { box_at(top - 1 - lane) } else { 0 };
            warp::sync_warp();
            top -= count;
            let Vec4([first, past, ..]) = args.range.get(b);
            let cell = args.cell.get(b);
            let Vec4([.., opening2]) = cell;
            let opening2 = args.relative.opening2(b, opening2, nearness);
            let few = past - first <= args.few;
            let accepted = inside & !few & (bounds.distance2(cell) > opening2);
            let opened = inside & !few & !accepted;
            let children = if opened { args.children.get(b) } else { 0 };

            let mask = warp::ballot(accepted);
            if accepted {
                memory.cells.set(cells.slot(rank(mask, lane)), b as u32);
            }
            cells.waiting += mask.count_ones();
            for octant in 0..8 {
                let has = children >> octant & 1 == 1;
                let mask = warp::ballot(has);
                if has {
                    let child = args.child.get(octant * args.children.len() + b);
                    memory.stack.set((top + rank(mask, lane)) as usize, child);
                }
                top += mask.count_ones();
            }
            let direct = (inside & few) | (opened & (children == 0));
            runs = Runs::new(if direct { [first, past] } else { [0, 0] }, memory.runs);
            run_at = 0;
            warp::sync_warp();
        }
    }
    for k in 0..EACH {
        let mut field = [0, 1, 2, 3].map(|c| sums.totals[k][c] + sums.receivers[k].part[c]);
        let mut mask = columns;
        while mask < warp::SIZE {
            field = field.map(|sum| sum + warp::shuffle_xor(sum, mask));
            mask *= 2;
        }
        let place = place(k as u32);
        if lane < columns && place < end {
            args.field.set(place as usize, Vec4(field));
        }
    }
    if !args.counts.is_empty() && lane < 2 {
        let count = if lane == 0 { counts[0] } else { counts[1] };
        args.counts.atomic_add(lane as usize, count * u64::from(n));
    }
}

/// How many lanes below this one are in `mask`.
#[inline(always)]
fn rank(mask: u32, lane: u32) -> u32 {
    (mask & ((1 << lane) - 1)).count_ones()
}

kernel! {
    /// With monopoles in f32.
    pub GROUP_WALK_1_F32 = group_walk::<f32, 1>, (GroupWalk<f32>);
    /// With quadrupoles in f32.
    pub GROUP_WALK_3_F32 = group_walk::<f32, 3>, (GroupWalk<f32>);
    /// With octupoles in f32.
    pub GROUP_WALK_4_F32 = group_walk::<f32, 4>, (GroupWalk<f32>);
    /// With hexadecapoles in f32.
    pub GROUP_WALK_5_F32 = group_walk::<f32, 5>, (GroupWalk<f32>);
    /// With monopoles in f64.
    pub GROUP_WALK_1_F64 = group_walk::<f64, 1>, (GroupWalk<f64>);
    /// With quadrupoles in f64.
    pub GROUP_WALK_3_F64 = group_walk::<f64, 3>, (GroupWalk<f64>);
    /// With octupoles in f64.
    pub GROUP_WALK_4_F64 = group_walk::<f64, 4>, (GroupWalk<f64>);
    /// With hexadecapoles in f64.
    pub GROUP_WALK_5_F64 = group_walk::<f64, 5>, (GroupWalk<f64>);
}

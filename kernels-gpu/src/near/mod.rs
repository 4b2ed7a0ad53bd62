//! P2P over lists of boxes (U): each leaf's receivers with the sources of all boxes in its row.
//!
//! A warp is up to 64 receivers of a leaf. Its lanes form 4 or 8 columns that hold the receivers, each lane 1 to 8 of them
//! in registers; the lanes of a column take turns with the sources. The sources of all boxes of a row make one sequence
//! (`Runs`), of which the warp stages 32 at a time in shared memory, so short boxes waste nothing. A stage that holds a
//! source within the receivers' bounds takes the loop that leaves out coincident pairs; such a source is mostly in the
//! receivers' own leaf.
//!
//! Cost in f32: 14 instructions a pair, and per stage of 32 sources about 60.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub(crate) mod runs;
pub mod tasks;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{NearPrecision, NearSum};

use crate::device::shared::{Arena, Shared};
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::direct::pair::{Bounds, Pair, Receiver, nothing};
use crate::kernel;
use runs::Runs;
use tasks::task;

/// Threads of a block.
pub const NEAR_THREADS: u32 = 64;
/// Receivers of a warp at most.
pub const TASK: u32 = 64;
/// Sources that a warp stages at a time.
const STAGE: u32 = 32;
/// Sources that a lane adds plainly.
const PART: u32 = 128;

/// Receivers that a lane has at most.
const fn most<T>() -> u32 {
    if size_of::<T>() == 4 { 8 } else { 4 }
}

/// Receivers whose total sums a lane keeps in shared memory; in f64 the parts suffice.
const fn totals<T>() -> usize {
    if size_of::<T>() == 4 { 8 } else { 0 }
}

/// Shared memory of a block in bytes.
pub const fn shared_bytes<T>() -> usize {
    NEAR_THREADS as usize * (1 + totals::<T>()) * size_of::<Vec4<T>>()
}

/// Arguments of P2P over lists: one warp a task.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Near<T> {
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// The leaf of each row of the lists.
    pub leaves: View<u32>,
    /// Row r of the lists is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose sources act.
    pub items: View<u32>,
    /// The tasks after the first of each row, see [`tasks`].
    pub later: View<u32>,
    /// ε².
    pub softening2: T,
    /// Whether to add to `field` instead of replacing it: 0 or 1.
    pub add: u32,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver in the tree's order.
    pub field: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn near<T: Pair>(args: Near<T>) {
    let Some((row, begin, end)) = task(&args, thread::index() / warp::SIZE as usize) else {
        return;
    };
    let n = end - begin;
    let mut columns = 4;
    while n > columns * most::<T>() {
        columns *= 2;
    }
    let task = Task { row, begin, end, columns };
    match n.div_ceil(columns) {
        1 => sum::<T, 1>(args, task),
        2 => sum::<T, 2>(args, task),
        3 => sum::<T, 3>(args, task),
        4 => sum::<T, 4>(args, task),
        _ if most::<T>() == 4 => {}
        5 => sum::<T, 5>(args, task),
        6 => sum::<T, 6>(args, task),
        7 => sum::<T, 7>(args, task),
        _ => sum::<T, 8>(args, task),
    }
}

/// Receivers `begin..end` of a row, `columns` side by side.
#[derive(Clone, Copy)]
struct Task {
    row: usize,
    begin: u32,
    end: u32,
    columns: u32,
}

/// A task whose lanes hold `R` receivers each.
#[expect(clippy::needless_range_loop, reason = "loops over constants keep the arrays in registers")]
#[inline(always)]
fn sum<T: Pair, const R: usize>(args: Near<T>, task: Task) {
    let lane = warp::lane_id();
    let Task { columns, .. } = task;
    let (column, group, groups) = (lane % columns, lane / columns, warp::SIZE / columns);
    let warp_start = (thread::thread_idx_x() - lane) as usize;
    let mut arena = Arena::new();
    let tile = arena.array(NEAR_THREADS as usize).part(warp_start, STAGE as usize);
    let totals = Totals { of: arena.array(NEAR_THREADS as usize * totals::<T>()) };
    let place = |k: usize| task.begin + column + columns * k as u32;

    let first = args.receivers.get(place(0).min(task.end - 1) as usize);
    let mut receivers = [Receiver::new(first); R];
    let mut bounds = Bounds::around(receivers[0].at);
    for k in 1..R {
        receivers[k] = Receiver::new(args.receivers.get(place(k).min(task.end - 1) as usize));
        bounds = bounds.with(receivers[k].at);
    }
    let bounds = bounds.over_lanes(columns);

    totals.clear::<R>();
    // Terms that a lane has added since the last carry.
    let mut terms = 0;
    let (mut item, last) = (args.offsets.get(task.row), args.offsets.get(task.row + 1));
    while item < last {
        let mut run = [0; 2];
        if item + lane < last {
            let Vec4([begin, end, _, _]) =
                args.range.get(args.items.get((item + lane) as usize) as usize);
            run = [begin, end];
        }
        let runs = Runs::new(run);
        let load = |at: u32| {
            let i = runs.item(at + lane);
            if at + lane < runs.total() { args.sources.get(i as usize) } else { nothing() }
        };
        let mut next = load(0);
        let mut at = 0;
        while at < runs.total() {
            let source = next;
            let masked = warp::any(bounds.holds(source));
            warp::sync_warp();
            tile.set(lane as usize, source);
            warp::sync_warp();
            next = load(at + STAGE);
            // Whole steps for all groups: a stage is filled up with nothing.
            let steps = (runs.total() - at).min(STAGE).div_ceil(groups);
            let end = steps * groups;
            let stage = Stage { tile, group, groups, end, softening2: args.softening2 };
            if masked {
                stage.add_to::<R, true>(&mut receivers);
            } else {
                stage.add_to::<R, false>(&mut receivers);
            }
            terms += steps;
            if terms >= PART {
                terms = 0;
                totals.carry(&mut receivers);
            }
            at += STAGE;
        }
        item += warp::SIZE;
    }
    for k in 0..R {
        store(args, task, place(k), group == k as u32 % groups, totals.sums(k, receivers[k]));
    }
}

/// Sums over many parts, in shared memory: receiver k of thread t at 64 k + t.
#[derive(Clone, Copy)]
struct Totals<T> {
    of: Shared<Vec4<T>>,
}

impl<T: Pair> Totals<T> {
    #[inline(always)]
    fn place(k: usize) -> usize {
        k * NEAR_THREADS as usize + thread::thread_idx_x() as usize
    }

    #[inline(always)]
    fn clear<const R: usize>(self) {
        if totals::<T>() > 0 {
            for k in 0..R {
                self.of.set(Self::place(k), Vec4([T::ZERO; 4]));
            }
        }
    }

    #[inline(always)]
    fn carry<const R: usize>(self, receivers: &mut [Receiver<T>; R]) {
        if totals::<T>() > 0 {
            for (k, receiver) in receivers.iter_mut().enumerate() {
                let Vec4(total) = self.of.get(Self::place(k));
                self.of.set(Self::place(k), Vec4(receiver.carry(total)));
            }
        }
    }

    /// Total and part.
    #[inline(always)]
    fn sums(self, k: usize, receiver: Receiver<T>) -> [T; 4] {
        if totals::<T>() == 0 {
            return receiver.part;
        }
        let Vec4(total) = self.of.get(Self::place(k));
        [0, 1, 2, 3].map(|c| total[c] + receiver.part[c])
    }
}

/// Staged sources, and how a lane goes through them.
#[derive(Clone, Copy)]
struct Stage<T> {
    tile: Shared<Vec4<T>>,
    group: u32,
    groups: u32,
    /// How many sources, filled up to as many for each group.
    end: u32,
    softening2: T,
}

impl<T: Pair> Stage<T> {
    #[inline(always)]
    fn add_to<const R: usize, const MASKED: bool>(self, receivers: &mut [Receiver<T>; R]) {
        // One source at a time, the next on its way: the loops of all R have to fit the instruction cache. The stride is
        // no constant, which keeps the compiler from unrolling them.
        let mut at = self.group;
        let mut next = self.tile.get(at as usize);
        while at < self.end {
            let source = next;
            at += self.groups;
            next = self.tile.get((at % STAGE) as usize);
            for receiver in receivers.iter_mut() {
                receiver.add::<MASKED>(source, self.softening2);
            }
        }
    }
}

/// Adds up what the lanes of a column have summed for one receiver, and writes it from the lane that is its `owner`.
#[inline(always)]
fn store<T: Pair>(args: Near<T>, task: Task, place: u32, owner: bool, mut sums: [T; 4]) {
    let mut mask = task.columns;
    while mask < warp::SIZE {
        sums = sums.map(|sum| sum + warp::shuffle_xor(sum, mask));
        mask *= 2;
    }
    if owner && place < task.end {
        if args.add != 0 {
            let Vec4(old) = args.field.get(place as usize);
            sums = [0, 1, 2, 3].map(|k| old[k] + sums[k]);
        }
        args.field.set(place as usize, Vec4(sums));
    }
}

kernel! {
    /// P2P over lists in f32.
    pub NEAR_F32 = near::<f32>, (Near<f32>);
    /// P2P over lists in f64.
    pub NEAR_F64 = near::<f64>, (Near<f64>);
}

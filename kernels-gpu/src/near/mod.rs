//! P2P over lists of boxes (U): each leaf's receivers with the sources of all boxes in its row.
//!
//! A warp sums for up to [`TASK`] receivers of a leaf ([`tasks`]). Lanes form columns; each lane holds up to 10 receivers in
//! registers. The number of columns is the least that suffices, because the last row of receivers is not full. Lanes of one
//! column take turns with the sources. The sources of all boxes of a row make one sequence (`Runs`), of which the warp stages
//! 32 at a time in shared memory, so short boxes waste nothing.
//!
//! **Coincident pairs** are pairs within a leaf: equal positions have equal keys. Stages with sources of the receivers' leaf
//! take a loop that leaves such pairs out. Elsewhere a pair may still be so close that its squared distance is not normal.
//! Such a pair makes the potential infinite or NaN, and the warp then begins anew with that loop for all sources.
//!
//! Cost in f32: 14.5 instructions a pair of receiver and source, 50 for each stage, about 500 for each task.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub(crate) mod runs;
pub mod tasks;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{NearPrecision, NearSum};

use crate::device::shared::{Arena, Shared};
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::direct::pair::{Pair, Receiver, nothing};
use crate::kernel;
use runs::Runs;
use tasks::NearTask;

/// Largest number of receivers of a warp.
pub const TASK: u32 = 96;
/// Number of sources that a warp stages at a time.
const STAGE: u32 = warp::SIZE;
/// Number of sources that a lane adds between carries.
const PART: u32 = 128;
/// Unrolling of the inner loop in sources.
const UNROLL: u32 = 2;

/// Largest number of receivers of a lane, bounded by registers.
const fn most<T>() -> u32 {
    if size_of::<T>() == 4 { 10 } else { 4 }
}

/// Shared memory of a warp in bytes.
pub const fn shared_bytes<T>() -> usize {
    let vectors = (STAGE + most::<T>() * warp::SIZE) as usize;
    vectors * size_of::<Vec4<T>>() + warp::SIZE as usize * size_of::<u32>()
}

/// Arguments of P2P over lists: one warp a task.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Near<T> {
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Leaf of each row of the lists.
    pub leaves: View<u32>,
    /// Row r of the lists is at `offsets[r] .. offsets[r + 1]` of `items`.
    pub offsets: View<u32>,
    /// Boxes whose sources act.
    pub items: View<u32>,
    /// Tasks after the first of each row, see [`tasks`].
    pub later: View<u32>,
    /// All tasks, sorted: a row, or the number of rows and a slot of `later`.
    pub sorted_tasks: View<u32>,
    /// Squared softening length ε².
    pub softening2: T,
    /// Whether to add to `field` instead of replacing it: 0 or 1.
    pub add: u32,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver in the tree's order.
    pub field: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn near<T: Pair>(args: Near<T>) {
    let Some(task) = NearTask::of_warp(&args, most::<T>()) else { return };
    match task.each {
        1 => sum::<T, 1>(args, task),
        2 => sum::<T, 2>(args, task),
        3 => sum::<T, 3>(args, task),
        4 => sum::<T, 4>(args, task),
        _ if most::<T>() == 4 => {}
        5 => sum::<T, 5>(args, task),
        6 => sum::<T, 6>(args, task),
        7 => sum::<T, 7>(args, task),
        8 => sum::<T, 8>(args, task),
        9 => sum::<T, 9>(args, task),
        _ => sum::<T, 10>(args, task),
    }
}

/// Sums of a task whose lanes hold `R` receivers each.
#[inline(always)]
fn sum<T: Pair, const R: usize>(args: Near<T>, task: NearTask) {
    let own = (thread::thread_idx_x() / warp::SIZE) as usize;
    let mut arena = Arena::after(own * shared_bytes::<T>());
    let stage = Stage {
        tile: arena.array(STAGE as usize),
        shifts: arena.array(warp::SIZE as usize),
        group: warp::lane_id() >> task.fold,
        groups: warp::SIZE >> task.fold,
        softening2: args.softening2,
    };
    let sums = SharedSums { of: arena.array(R * warp::SIZE as usize) };
    let column = task.begin + warp::lane_id() % (1 << task.fold);
    let mut receivers = [Receiver::new(Vec4([T::ZERO; 4])); R];
    for (k, receiver) in receivers.iter_mut().enumerate() {
        let place = (column + ((k as u32) << task.fold)).min(task.end - 1);
        *receiver = Receiver::new(args.receivers.get(place as usize));
    }

    // Whether any source may coincide with a receiver: all bits or none. The compiler does not see that it is none at first,
    // or it would make a loop for each.
    let mut everywhere = warp::or(0);
    loop {
        sums.clear::<R>();
        let pass = RowPass { task, stage, sums, everywhere };
        pass.add(&args, &mut receivers);
        sums.add(&receivers);
        let potentials = receivers.iter().fold(T::ZERO, |sum, receiver| sum + receiver.part[3]);
        if warp::ballot(!potentials.is_finite()) & !everywhere == 0 {
            break;
        }
        everywhere = u32::MAX;
        for receiver in &mut receivers {
            receiver.part = [T::ZERO; 4];
        }
    }
    sums.write(args, task);
}

/// One pass over the sources of all boxes of a task's row.
struct RowPass<T> {
    task: NearTask,
    stage: Stage<T>,
    sums: SharedSums<T>,
    /// Masks coincident pairs in all boxes if not 0, in the receivers' leaf otherwise.
    everywhere: u32,
}

impl<T: Pair> RowPass<T> {
    /// Adds all sources to the receivers; every [`PART`] terms, the receivers' parts are carried to the sums.
    #[inline(always)]
    fn add<const R: usize>(self, args: &Near<T>, receivers: &mut [Receiver<T>; R]) {
        let Self { task, stage, sums, everywhere } = self;
        let lane = warp::lane_id();
        // Terms that a lane has added since the last carry.
        let mut terms = 0;
        let mut item = task.items;
        while item < task.past_items {
            let (mut run, mut own) = ([0; 2], false);
            if item + lane < task.past_items {
                let b = args.items.get((item + lane) as usize);
                own = b == task.leaf;
                let Vec4([begin, end, _, _]) = args.range.get(b as usize);
                run = [begin, end];
            }
            let mut runs = Runs::new(run, stage.shifts);
            let own = if everywhere == 0 { runs.places(own) } else { [0, u32::MAX] };
            let load = |runs: &mut Runs, at: u32| {
                let i = runs.next(at);
                if at + lane < runs.total() { args.sources.get(i as usize) } else { nothing() }
            };
            let mut next = load(&mut runs, 0);
            let mut at = 0;
            while at < runs.total() {
                warp::sync_warp();
                stage.tile.set(lane as usize, next);
                warp::sync_warp();
                next = load(&mut runs, at + STAGE);
                let count = (runs.total() - at).min(STAGE);
                if (at < own[1]) & (at + STAGE > own[0]) {
                    stage.add_to::<R, true>(receivers, count);
                } else {
                    stage.add_to::<R, false>(receivers, count);
                }
                at += STAGE;
                terms += 1 << task.fold;
                if size_of::<T>() == 4 && terms >= PART {
                    terms = 0;
                    sums.carry(receivers);
                }
            }
            item += warp::SIZE;
        }
    }
}

/// Sums of a warp's receivers in shared memory: receiver k of lane l at 32 k + l.
#[derive(Clone, Copy)]
struct SharedSums<T> {
    of: Shared<Vec4<T>>,
}

impl<T: Pair> SharedSums<T> {
    #[inline(always)]
    fn place(k: usize) -> usize {
        32 * k + warp::lane_id() as usize
    }

    #[inline(always)]
    fn clear<const R: usize>(self) {
        for k in 0..R {
            self.of.set(Self::place(k), Vec4([T::ZERO; 4]));
        }
    }

    #[inline(always)]
    fn carry<const R: usize>(self, receivers: &mut [Receiver<T>; R]) {
        for (k, receiver) in receivers.iter_mut().enumerate() {
            let Vec4(total) = self.of.get(Self::place(k));
            self.of.set(Self::place(k), Vec4(receiver.carry(total)));
        }
    }

    /// Adds the receivers' last parts.
    #[inline(always)]
    fn add<const R: usize>(self, receivers: &[Receiver<T>; R]) {
        for (k, receiver) in receivers.iter().enumerate() {
            let Vec4(total) = self.of.get(Self::place(k));
            self.of.set(Self::place(k), Vec4([0, 1, 2, 3].map(|c| total[c] + receiver.part[c])));
        }
        warp::sync_warp();
    }

    /// Adds up the sums of the lanes of each column and writes the field.
    #[inline(always)]
    fn write(self, args: Near<T>, task: NearTask) {
        let columns = 1 << task.fold;
        let mut j = warp::lane_id();
        while task.begin + j < task.end {
            let k = j >> task.fold;
            let mut field = [T::ZERO; 4];
            if args.add != 0 {
                Vec4(field) = args.field.get((task.begin + j) as usize);
            }
            // Each lane begins with another group, which spreads them over the banks.
            let mut at = (k << task.fold) & 31;
            for _ in 0..warp::SIZE >> task.fold {
                let Vec4(part) = self.of.get((32 * k + (at + j % columns) % 32) as usize);
                field = [0, 1, 2, 3].map(|c| field[c] + part[c]);
                at += columns;
            }
            args.field.set((task.begin + j) as usize, Vec4(field));
            j += warp::SIZE;
        }
    }
}

/// Staged sources, and the share of them that a lane takes.
#[derive(Clone, Copy)]
struct Stage<T> {
    tile: Shared<Vec4<T>>,
    /// Scratch memory of `Runs`.
    shifts: Shared<u32>,
    group: u32,
    groups: u32,
    softening2: T,
}

impl<T: Pair> Stage<T> {
    #[inline(always)]
    fn add_to<const R: usize, const MASKED: bool>(
        self,
        receivers: &mut [Receiver<T>; R],
        count: u32,
    ) {
        // Whole steps for all groups: a stage is filled up with nothing. The stride is no constant, which keeps the compiler
        // from unrolling further than the instruction cache goes.
        let unroll = if MASKED { 1 } else { UNROLL };
        let mut at = self.group;
        while at < count + self.group {
            for _ in 0..unroll {
                let source = self.tile.get(at as usize);
                at += self.groups;
                for receiver in receivers.iter_mut() {
                    receiver.add::<MASKED>(source, self.softening2);
                }
            }
        }
    }
}

kernel! {
    /// P2P over lists in f32.
    pub NEAR_F32 = near::<f32>, (Near<f32>);
    /// P2P over lists in f64.
    pub NEAR_F64 = near::<f64>, (Near<f64>);
}

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
//! **Several vectors of charges** share a pair's distance: 8 instructions, beside 6 for each vector. A lane has registers for
//! fewer receivers then, so a warp takes the rows of a task in several passes. Columns, and the sources of each lane, are those
//! of one vector, and so are the bits of the sums.
//!
//! Cost in f32: 14.5 instructions a pair of receiver and source, 50 for each stage, about 500 for each task.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub(crate) mod runs;
mod sums;
pub mod tasks;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{NearPrecision, NearSum};

use crate::device::shared::Arena;
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::direct::pair::{FULL, Pair, Tile, VectorReceiver, VectorSource};
use crate::entry;
#[cfg(not(target_arch = "nvptx64"))]
use crate::{device::Kernel, kernel_of};
use runs::Runs;
use sums::{SharedSums, Stage};
use tasks::NearTask;

/// Largest number of receivers of a warp.
pub const TASK: u32 = 96;
/// Number of sources that a warp stages at a time.
const STAGE: u32 = warp::SIZE;
/// Number of sources that a lane adds between carries.
const PART: u32 = 128;

/// Largest number of vectors of charges of a launch.
pub const MOST_VECTORS: usize = 4;

/// Largest number of receivers of a lane in a pass over the sources, for V vectors of charges. Bounded by registers: three and
/// four a vector for each receiver.
const fn most<T, const V: usize>() -> u32 {
    let single = size_of::<T>() == 4;
    match V {
        1 if single => 10,
        2 if single => 6,
        3 if single => 5,
        1 => 5,
        2 => 3,
        _ if single => 4,
        _ => 2,
    }
}

/// Shared memory of a warp in bytes, for V vectors of charges.
pub const fn shared_bytes<T: Pair, const V: usize>() -> usize {
    let sums = V * (most::<T, V>() * warp::SIZE) as usize * size_of::<Vec4<T>>();
    sums + STAGE as usize * Tile::<T, V>::BYTES + warp::SIZE as usize * size_of::<u32>()
}

/// Arguments of P2P over lists: one warp a task.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Near<T> {
    /// Sources (x, y, z, q) in the tree's order; with several vectors of charges, source i of vector v at v N + i, for N sources.
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
    /// Tasks after the first of each row, and the number of long tasks, see [`tasks`].
    pub later: View<u32>,
    /// All tasks, sorted: a row, or the number of rows and a slot of `later`.
    pub sorted_tasks: View<u32>,
    /// Squared softening length ε².
    pub softening2: T,
    /// Whether to add to `field` instead of replacing it: 0 or 1.
    pub add: u32,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver in the tree's order; with several vectors of charges, receiver i of
    /// vector v at v M + i, for M receivers.
    pub field: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn near<T: Pair, const BITS: u32>(args: Near<T>) {
    let most = most::<T, 1>();
    let Some(task) = NearTask::of_warp(&args, most) else { return };
    match task.each {
        1 => sum::<T, 1, 1, BITS>(args, task, 0),
        2 => sum::<T, 1, 2, BITS>(args, task, 0),
        3 => sum::<T, 1, 3, BITS>(args, task, 0),
        4 => sum::<T, 1, 4, BITS>(args, task, 0),
        5 => sum::<T, 1, 5, BITS>(args, task, 0),
        _ if most == 5 => {}
        6 => sum::<T, 1, 6, BITS>(args, task, 0),
        7 => sum::<T, 1, 7, BITS>(args, task, 0),
        8 => sum::<T, 1, 8, BITS>(args, task, 0),
        9 => sum::<T, 1, 9, BITS>(args, task, 0),
        _ => sum::<T, 1, 10, BITS>(args, task, 0),
    }
}

/// The rows of a task's receivers in passes of equal length, for V vectors of charges.
#[inline(always)]
fn near_vectors<T: Pair, const V: usize, const BITS: u32>(args: Near<T>) {
    let most = most::<T, V>();
    let Some(task) = NearTask::of_warp(&args, self::most::<T, 1>()) else { return };
    let passes = task.each.div_ceil(most);
    let rows = task.each.div_ceil(passes);
    let mut first = 0;
    while first < task.each {
        match rows.min(task.each - first) {
            1 => sum::<T, V, 1, BITS>(args, task, first),
            2 => sum::<T, V, 2, BITS>(args, task, first),
            _ if most == 2 => {}
            3 => sum::<T, V, 3, BITS>(args, task, first),
            _ if most == 3 => {}
            4 => sum::<T, V, 4, BITS>(args, task, first),
            _ if most == 4 => {}
            5 => sum::<T, V, 5, BITS>(args, task, first),
            _ if most == 5 => {}
            _ => sum::<T, V, 6, BITS>(args, task, first),
        }
        first += rows;
    }
}

/// Sums of `R` rows of a task's receivers from row `first` on: of `R` receivers a lane.
#[inline(always)]
fn sum<T: Pair, const V: usize, const R: usize, const BITS: u32>(
    args: Near<T>,
    task: NearTask,
    first: u32,
) {
    let own = (thread::thread_idx_x() / warp::SIZE) as usize;
    let mut arena = Arena::after(own * shared_bytes::<T, V>());
    let stage = Stage {
        tile: Tile::new(&mut arena, STAGE as usize),
        shifts: arena.array(warp::SIZE as usize),
        group: warp::lane_id() >> task.fold,
        groups: warp::SIZE >> task.fold,
        softening2: args.softening2,
    };
    let sums = SharedSums::<T, V> { of: arena.array(V * R * warp::SIZE as usize) };
    let column = task.begin + (first << task.fold) + warp::lane_id() % (1 << task.fold);
    let mut receivers = [VectorReceiver::<T, V>::new(Vec4([T::ZERO; 4])); R];
    for (k, receiver) in receivers.iter_mut().enumerate() {
        let place = (column + ((k as u32) << task.fold)).min(task.end - 1);
        *receiver = VectorReceiver::new(args.receivers.get(place as usize));
    }

    // Whether any source may coincide with a receiver: all bits or none. The compiler does not see that it is none at first,
    // or it would make a loop for each.
    let mut everywhere = warp::or(0);
    loop {
        sums.clear::<R>();
        let pass = RowPass { task, stage, sums, everywhere };
        pass.add::<R, BITS>(&args, &mut receivers);
        sums.add(&receivers);
        let of_all = |sum, of: &VectorReceiver<T, V>| of.parts.iter().fold(sum, |s, p| s + p[3]);
        let potentials = receivers.iter().fold(T::ZERO, of_all);
        if warp::ballot(!potentials.is_finite()) & !everywhere == 0 {
            break;
        }
        everywhere = u32::MAX;
        for receiver in &mut receivers {
            receiver.parts = [[T::ZERO; 4]; V];
        }
    }
    sums.write::<R>(args, task, first);
}

/// One pass over the sources of all boxes of a task's row.
struct RowPass<T, const V: usize> {
    task: NearTask,
    stage: Stage<T, V>,
    sums: SharedSums<T, V>,
    /// Masks coincident pairs in all boxes if not 0, in the receivers' leaf otherwise.
    everywhere: u32,
}

impl<T: Pair, const V: usize> RowPass<T, V> {
    /// Adds all sources to the receivers; every [`PART`] terms, the receivers' parts are carried to the sums.
    #[inline(always)]
    fn add<const R: usize, const BITS: u32>(
        self,
        args: &Near<T>,
        receivers: &mut [VectorReceiver<T, V>; R],
    ) {
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
                if at + lane < runs.total() {
                    VectorSource::load::<V>(args.sources, i as usize)
                } else {
                    VectorSource::nothing()
                }
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
                    stage.add_to::<R, true, BITS>(receivers, count);
                } else {
                    stage.add_to::<R, false, BITS>(receivers, count);
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

/// Entry points of P2P over lists for 1, 2, 3 and 4 vectors of charges, from few bits of 1/r to all, and their table.
macro_rules! near_kernels {
    ($t:ident: $([$one:literal, $($name:literal $vectors:literal),*; $bits:expr])*) => {
        $(
            entry!([$one], near::<$t, { $bits }>, Near<$t>);
            $(entry!([$name], near_vectors::<$t, $vectors, { $bits }>, Near<$t>);)*
        )*

        #[cfg(not(target_arch = "nvptx64"))]
        impl NearPrecision for $t {
            const NEAR: &'static [[Kernel<Near<Self>>; MOST_VECTORS]] = &[$([
                kernel_of!($one, near::<$t, { $bits }>, Near<$t>),
                $(kernel_of!($name, near_vectors::<$t, $vectors, { $bits }>, Near<$t>)),*
            ]),*];
        }
    };
}

near_kernels! {
    f32:
    ["NEAR_F32", "NEAR_2_F32" 2, "NEAR_3_F32" 3, "NEAR_4_F32" 4; FULL]
}

near_kernels! {
    f64:
    ["NEAR_F64_20", "NEAR_2_F64_20" 2, "NEAR_3_F64_20" 3, "NEAR_4_F64_20" 4; 20]
    ["NEAR_F64_40", "NEAR_2_F64_40" 2, "NEAR_3_F64_40" 3, "NEAR_4_F64_40" 4; 40]
    ["NEAR_F64", "NEAR_2_F64" 2, "NEAR_3_F64" 3, "NEAR_4_F64" 4; FULL]
}

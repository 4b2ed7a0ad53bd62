//! Launches of P2P over lists.

use super::tasks::{LANES, NEAR_TASKS, Tasks, Warps, later_slots, later_words};
use super::{MOST_VECTORS, Near, most, shared_bytes};
use crate::device::{Kernel, Vec4, View, warp};
use crate::direct::pair::{Pair, of_accuracy};
use crate::lists::ListRows;
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::sort::{SortError, Sorter};
use expansions::operators::PairAccuracy;
use std::fmt::Debug;

/// Number of tasks from which on blocks are single warps, because P2P then outlasts all launches beside it.
const SMALL_BLOCKS: usize = 1 << 17;

/// Number types of P2P over lists.
pub trait NearPrecision: Pair {
    /// Kernels of this type for 1, 2, 3 and 4 vectors of charges at once, by bits of 1/r as [`BITS`](crate::direct::pair::BITS)
    /// has them; the last serve those that are left out too.
    const NEAR: &'static [[Kernel<Near<Self>>; MOST_VECTORS]];
}

/// Shared memory of a warp in bytes, for 1, 2, 3 and 4 vectors of charges.
const fn shared_by_vectors<T: Pair>() -> [usize; MOST_VECTORS] {
    [shared_bytes::<T, 1>(), shared_bytes::<T, 2>(), shared_bytes::<T, 3>(), shared_bytes::<T, 4>()]
}

/// Driver of sums over the near lists of one tree, and their tasks.
#[derive(Debug)]
pub struct NearSum<M: Launcher> {
    later: Grown<M, u32>,
    keys: Grown<M, u32>,
    sorted_tasks: Grown<M, u32>,
    sorter: Sorter<M, u32>,
    slots: usize,
}

impl<M: Launcher> NearSum<M> {
    /// Driver without tasks.
    pub const fn new() -> Self {
        Self {
            later: Grown::new(),
            keys: Grown::new(),
            sorted_tasks: Grown::new(),
            sorter: Sorter::new(),
            slots: 0,
        }
    }

    /// Finds and sorts the tasks of a tree's leaves, once for each tree. Four launches.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare<T: NearPrecision>(
        &mut self,
        machine: &M,
        range: View<Vec4<u32>>,
        leaves: View<u32>,
        rows: ListRows,
        receivers: usize,
    ) -> Result<(), SortError> {
        let slots = later_slots(receivers);
        let tasks = leaves.len() + slots;
        self.slots = slots;
        self.later.reserve(machine, later_words(slots))?;
        self.later.fill(machine, 0xff)?;
        self.keys.reserve(machine, tasks)?;
        self.keys.fill(machine, 0xff)?;
        let args = Tasks {
            range,
            leaves,
            offsets: rows.offsets,
            items: rows.items,
            most: most::<T, 1>(),
            later: self.later.view_mut(later_words(slots)),
            keys: self.keys.view_mut(tasks),
        };
        machine.launch(&NEAR_TASKS, Grid::over(leaves.len() * LANES as usize, 128), args)?;
        self.sorter.sort(machine, &mut self.keys, &mut self.sorted_tasks, tasks, 8)
    }

    /// Gives back the memory that only [`prepare`](Self::prepare) uses.
    pub fn release_scratch(&mut self) {
        self.keys.release();
        self.sorter.release();
    }

    /// Gives all memory back: the tasks have to be prepared again.
    pub fn release(&mut self) {
        *self = Self::new();
    }

    /// Writes the gradient and potential of the rows' receivers, or adds them to `lists.field` if `lists.add` is 1; fills in
    /// `later` and `sorted_tasks`. 1/r has an accuracy in f64, and all digits of f32 there. One launch. Receivers of no row are
    /// left alone.
    ///
    /// # Errors
    /// If the device fails.
    pub fn sum<T: NearPrecision>(
        &self,
        machine: &M,
        lists: Near<T>,
        accuracy: PairAccuracy,
    ) -> Result<(), MachineError> {
        self.sum_vectors(machine, lists, 1, accuracy)
    }

    /// The sums of several vectors of charges, which share distances, with the bits of each alone. All vectors have the same
    /// positions. One launch for every four vectors.
    ///
    /// # Errors
    /// If the device fails.
    pub fn sum_vectors<T: NearPrecision>(
        &self,
        machine: &M,
        lists: Near<T>,
        vectors: usize,
        accuracy: PairAccuracy,
    ) -> Result<(), MachineError> {
        let tasks = lists.leaves.len() + self.slots;
        if tasks == 0 {
            return Ok(());
        }
        // Small blocks end with their longest task, large ones leave room for those of other launches when they end.
        let warps = if tasks < SMALL_BLOCKS { 4 } else { 1 };
        let threads = Warps::of(tasks as u32).count() * warp::SIZE as usize;
        let grid = Grid::over(threads, warps * warp::SIZE);
        let later = self.later.view(later_words(self.slots));
        let sorted_tasks = self.sorted_tasks.view(tasks);
        let (n_sources, n) = (lists.sources.len() / vectors.max(1), lists.receivers.len());
        let kernels = of_accuracy(T::NEAR, accuracy);
        for first in (0..vectors).step_by(MOST_VECTORS) {
            let count = MOST_VECTORS.min(vectors - first);
            let grid = grid.shared(warps as usize * shared_by_vectors::<T>()[count - 1]);
            let sources = lists.sources.part(first * n_sources, count * n_sources);
            let field = lists.field.part(first * n, count * n);
            let lists = Near { sources, field, later, sorted_tasks, ..lists };
            machine.launch(&kernels[count - 1], grid, lists)?;
        }
        Ok(())
    }
}

impl<M: Launcher> Default for NearSum<M> {
    fn default() -> Self {
        Self::new()
    }
}

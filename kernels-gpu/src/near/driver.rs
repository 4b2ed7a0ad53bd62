//! Launches of P2P over lists.

use super::tasks::{LANES, NEAR_TASKS, Tasks, later_slots};
use super::{NEAR_F32, NEAR_F64, Near, most, shared_bytes};
use crate::device::{Kernel, Vec4, View, warp};
use crate::direct::pair::Pair;
use crate::lists::ListRows;
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use crate::sort::{SortError, Sorter};
use std::fmt::Debug;

/// Number of tasks from which on blocks are single warps, because P2P then outlasts all launches beside it.
const SMALL_BLOCKS: usize = 1 << 17;

/// Number types of P2P over lists.
pub trait NearPrecision: Pair {
    /// Kernel of this type.
    const NEAR: Kernel<Near<Self>>;
}

impl NearPrecision for f32 {
    const NEAR: Kernel<Near<Self>> = NEAR_F32;
}

impl NearPrecision for f64 {
    const NEAR: Kernel<Near<Self>> = NEAR_F64;
}

/// Driver of sums over the near lists of one tree, and their tasks.
#[derive(Debug)]
pub struct NearSum<M: Machine> {
    later: Grown<M, u32>,
    keys: Grown<M, u32>,
    sorted_tasks: Grown<M, u32>,
    sorter: Sorter<M, u32>,
    slots: usize,
}

impl<M: Machine> NearSum<M> {
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
        self.later.reserve(machine, slots)?;
        self.later.fill(machine, 0xff)?;
        self.keys.reserve(machine, tasks)?;
        self.keys.fill(machine, 0xff)?;
        let args = Tasks {
            range,
            leaves,
            offsets: rows.offsets,
            items: rows.items,
            most: most::<T>(),
            later: self.later.view_mut(slots),
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
    /// `later` and `sorted_tasks`. One launch. Receivers of no row are left alone.
    ///
    /// # Errors
    /// If the device fails.
    pub fn sum<T: NearPrecision>(&self, machine: &M, lists: Near<T>) -> Result<(), MachineError> {
        let tasks = lists.leaves.len() + self.slots;
        if tasks == 0 {
            return Ok(());
        }
        // Small blocks end with their longest task, large ones leave room for those of other launches when they end.
        let warps = if tasks < SMALL_BLOCKS { 4 } else { 1 };
        let grid = Grid::over(tasks * warp::SIZE as usize, warps * warp::SIZE);
        let grid = grid.shared(warps as usize * shared_bytes::<T>());
        let (later, sorted_tasks) = (self.later.view(self.slots), self.sorted_tasks.view(tasks));
        machine.launch(&T::NEAR, grid, Near { later, sorted_tasks, ..lists })
    }
}

impl<M: Machine> Default for NearSum<M> {
    fn default() -> Self {
        Self::new()
    }
}

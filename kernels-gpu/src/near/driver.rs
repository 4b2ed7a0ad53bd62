//! Launches of P2P over lists.

use super::tasks::{LANES, NEAR_TASKS, Tasks, later_slots};
use super::{NEAR_F32, NEAR_F64, NEAR_THREADS, Near, most, shared_bytes};
use crate::device::{Kernel, Vec4, View};
use crate::direct::pair::Pair;
use crate::lists::Rows;
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use crate::sort::{SortError, Sorter};
use std::fmt::Debug;

/// What pairs are computed in.
pub trait NearPrecision: Pair {
    /// The kernel.
    const NEAR: Kernel<Near<Self>>;
}

impl NearPrecision for f32 {
    const NEAR: Kernel<Near<Self>> = NEAR_F32;
}

impl NearPrecision for f64 {
    const NEAR: Kernel<Near<Self>> = NEAR_F64;
}

/// Sums over the near lists of one tree, and their tasks.
#[derive(Debug)]
pub struct NearSum<M: Machine> {
    later: Grown<M, u32>,
    keys: Grown<M, u32>,
    order: Grown<M, u32>,
    sorter: Sorter<M, u32>,
    slots: usize,
}

impl<M: Machine> NearSum<M> {
    /// No tasks yet.
    pub const fn new() -> Self {
        Self {
            later: Grown::new(),
            keys: Grown::new(),
            order: Grown::new(),
            sorter: Sorter::new(),
            slots: 0,
        }
    }

    /// Finds the tasks of a tree's leaves and sorts them, to be called once for each tree. Four launches.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare<T: NearPrecision>(
        &mut self,
        machine: &M,
        range: View<Vec4<u32>>,
        leaves: View<u32>,
        rows: Rows,
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
        self.sorter.sort(machine, &mut self.keys, &mut self.order, tasks, 8)
    }

    /// Writes, or adds to `lists.field` if `lists.add` is 1, the gradient and potential of the rows' receivers; `later` is
    /// filled in. One launch. Receivers of no row are left alone.
    ///
    /// # Errors
    /// If the device fails.
    pub fn sum<T: NearPrecision>(&self, machine: &M, lists: Near<T>) -> Result<(), MachineError> {
        let warps = lists.leaves.len() + self.slots;
        if warps == 0 {
            return Ok(());
        }
        let grid = Grid::of(warps as u32, NEAR_THREADS).shared(shared_bytes::<T>());
        let (later, order) = (self.later.view(self.slots), self.order.view(warps));
        machine.launch(&T::NEAR, grid, Near { later, order, ..lists })
    }
}

impl<M: Machine> Default for NearSum<M> {
    fn default() -> Self {
        Self::new()
    }
}

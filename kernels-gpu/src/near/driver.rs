//! Launches of P2P over lists.

use super::tasks::{NEAR_TASKS, Tasks, later_slots};
use super::{NEAR_F32, NEAR_F64, NEAR_THREADS, Near, shared_bytes};
use crate::device::{Kernel, Vec4, View};
use crate::direct::pair::Pair;
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
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
    slots: usize,
}

impl<M: Machine> NearSum<M> {
    /// No tasks yet.
    pub const fn new() -> Self {
        Self { later: Grown::new(), slots: 0 }
    }

    /// Finds the tasks of a tree's leaves, to be called once for each tree: one launch, or none where no leaf has more
    /// than `largest` ≤ 64 receivers.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn prepare(
        &mut self,
        machine: &M,
        range: View<Vec4<u32>>,
        leaves: View<u32>,
        receivers: usize,
        largest: usize,
    ) -> Result<(), MachineError> {
        self.slots = 0;
        if largest <= super::TASK as usize || leaves.is_empty() {
            return Ok(());
        }
        let slots = later_slots(receivers);
        self.later.reserve(machine, slots)?;
        self.later.fill(machine, 0xff)?;
        let args = Tasks { range, leaves, later: self.later.view_mut(slots) };
        machine.launch(&NEAR_TASKS, Grid::over(leaves.len(), 128), args)?;
        self.slots = slots;
        Ok(())
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
        let grid = Grid::over(warps * 32, NEAR_THREADS).shared(shared_bytes::<T>());
        machine.launch(&T::NEAR, grid, Near { later: self.later.view(self.slots), ..lists })
    }
}

impl<M: Machine> Default for NearSum<M> {
    fn default() -> Self {
        Self::new()
    }
}

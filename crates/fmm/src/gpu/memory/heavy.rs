//! Memory of heavy charges on a device, and their direct sum.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::direct::DirectSum;
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::memory::Grown;

use crate::gpu::Number;

/// Charges taken out of the tree's.
pub(crate) struct HeavyMemory<M: Launcher, T: Number> {
    pub(crate) n: usize,
    pub(crate) indices: Grown<M, u32>,
    pub(crate) charges: Grown<M, T>,
    /// (x, y, z, q) in the tree's units.
    pub(crate) sources: Grown<M, Vec4<T>>,
    direct: DirectSum<M, T>,
}

impl<M: Launcher, T: Number> HeavyMemory<M, T> {
    /// None.
    pub(crate) const fn new() -> Self {
        Self {
            n: 0,
            indices: Grown::new(),
            charges: Grown::new(),
            sources: Grown::new(),
            direct: DirectSum::new(),
        }
    }

    /// Forgets all heavy charges.
    pub(crate) fn clear(&mut self) {
        self.n = 0;
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Writes to `sums` what they give at the receivers in the tree's order. Two launches.
    pub(crate) fn sum(
        &mut self,
        machine: &M,
        receivers: View<Vec4<T>>,
        softening: T,
        sums: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        self.direct.sum(machine, self.sources.view(self.n), receivers, softening, sums)
    }
}

//! Memory of errors to expect, by vector and box.

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::operators::ExpectedArrays;
use kernels_gpu::operators::expected::{SIZES, WORST};

/// Bytes of a box.
pub(super) const BYTES: usize =
    size_of::<Vec4<f32>>() + SIZES * size_of::<f32>() + WORST * size_of::<u32>();

/// Memory of errors to expect.
#[derive(Debug)]
pub(crate) struct ExpectedMemory<M: Launcher> {
    /// One a box, whatever the vector.
    frames: Grown<M, Vec4<f32>>,
    sizes: Grown<M, f32>,
    worst: Grown<M, u32>,
}

impl<M: Launcher> ExpectedMemory<M> {
    /// No memory yet.
    pub(crate) const fn new() -> Self {
        Self { frames: Grown::new(), sizes: Grown::new(), worst: Grown::new() }
    }

    /// Takes memory for so many vectors of boxes.
    pub(crate) fn reserve(
        &mut self,
        machine: &M,
        vectors: usize,
        n_boxes: usize,
    ) -> Result<(), MachineError> {
        self.frames.reserve(machine, n_boxes)?;
        self.sizes.reserve(machine, SIZES * vectors * n_boxes)?;
        self.worst.reserve(machine, WORST * vectors * n_boxes)
    }

    /// Errors of a vector, for which memory was taken.
    pub(crate) fn of_vector(&mut self, vector: usize, n_boxes: usize) -> ExpectedArrays {
        let [sizes, worst] = [SIZES, WORST].map(|each| each * n_boxes);
        ExpectedArrays {
            frames: self.frames.view_mut(n_boxes),
            sizes: self.sizes.view_mut((vector + 1) * sizes).part(vector * sizes, sizes),
            worst: self.worst.view_mut((vector + 1) * worst).part(vector * worst, worst),
        }
    }

    /// Gives the memory back.
    pub(crate) fn release(&mut self) {
        *self = Self::new();
    }
}

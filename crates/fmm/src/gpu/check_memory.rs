//! Memory of checks on the device.

use kernels_gpu::check::{FewSum, Inspector, Picker};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Machine;
use kernels_gpu::memory::Grown;

/// Memory of checks.
#[derive(Debug)]
pub(super) struct CheckMemory<M: Machine> {
    pub(super) picker: Picker<M>,
    pub(super) indices: Grown<M, u32>,
    pub(super) at: Grown<M, Vec4<f64>>,
    pub(super) sums: Grown<M, Vec4<f64>>,
    pub(super) wide: Grown<M, Vec4<f64>>,
    pub(super) few: FewSum<M>,
    pub(super) inspector: Inspector<M>,
}

impl<M: Machine> CheckMemory<M> {
    /// No memory yet.
    pub(super) const fn new() -> Self {
        Self {
            picker: Picker::new(),
            indices: Grown::new(),
            at: Grown::new(),
            sums: Grown::new(),
            wide: Grown::new(),
            few: FewSum::new(),
            inspector: Inspector::new(),
        }
    }
}

//! Memory of checks on the device.

use kernels_gpu::check::{FewSum, Inspector, Picker};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;

/// Memory of checks.
#[derive(Debug)]
pub(crate) struct CheckMemory<M: Launcher> {
    pub(crate) picker: Picker<M>,
    pub(crate) indices: Grown<M, u32>,
    pub(crate) at: Grown<M, Vec4<f64>>,
    pub(crate) sums: Grown<M, Vec4<f64>>,
    pub(crate) few: FewSum<M>,
    pub(crate) inspector: Inspector<M>,
}

impl<M: Launcher> CheckMemory<M> {
    /// No memory yet.
    pub(crate) const fn new() -> Self {
        Self {
            picker: Picker::new(),
            indices: Grown::new(),
            at: Grown::new(),
            sums: Grown::new(),
            few: FewSum::new(),
            inspector: Inspector::new(),
        }
    }
}

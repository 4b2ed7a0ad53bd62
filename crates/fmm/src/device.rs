//! Sums over memory of a device: plans whose points, charges and fields never come to the host.
//!
//! A [`DevicePlan`] is generic over the [`Machine`], so that tests run it on the emulator. Memory is that of
//! [`kernels_gpu`](https://docs.rs/farfield-kernels-gpu): [`Grown`] buffers, whose views kernels take. A [`VectorSpace`] is
//! the algebra of such memory, for solvers whose vectors stay there.

pub use crate::gpu::{DevicePlan, Number, Points};
pub use kernels_gpu::device::{Vec4, View, ViewMut};
#[cfg(feature = "cuda")]
pub use kernels_gpu::machine::Cuda;
#[cfg(feature = "emulator")]
pub use kernels_gpu::machine::Emulator;
pub use kernels_gpu::machine::{Machine, MachineError};
pub use kernels_gpu::memory::Grown;
pub use kernels_gpu::vectors::{Multiply, Trace, VectorReal, VectorSpace};
pub use octree::Aabb;

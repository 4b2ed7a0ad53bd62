//! Sums over memory of a device: plans whose points, charges and fields never come to the host.
//!
//! A [`DevicePlan`] is generic over the [`Machine`], so that tests run it on the emulator. Memory is that of
//! [`kernels_gpu`](https://docs.rs/farfield-kernels-gpu): [`Grown`] buffers, which lend their items as a [`DeviceSlice`] or a
//! [`DeviceSliceMut`]. A [`VectorSpace`] is the algebra of such memory, for solvers whose vectors stay there.
//!
//! Slices borrow as those of the host do, so the compiler refuses memory that is used after it was given back:
//!
//! ```compile_fail,E0505
//! # use fmm::device::{DevicePlan, Emulator, Grown};
//! # let mut plan = DevicePlan::<_, f64>::new(Emulator, fmm::Fmm::new())?;
//! # let mut memory = Grown::<Emulator, f64>::new();
//! let charges = memory.slice(3)?;
//! drop(memory);
//! plan.set_charges(charges)?;
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! Launches of kernels of one's own take views, in unsafe code: see
//! [`Unchecked`](https://docs.rs/farfield-kernels-gpu/latest/kernels_gpu/machine/struct.Unchecked.html).

pub use super::{DevicePlan, Number, SetSizes};
pub use kernels_gpu::device::{Plain, Vec4};
#[cfg(feature = "cuda")]
pub use kernels_gpu::machine::Cuda;
#[cfg(feature = "emulator")]
pub use kernels_gpu::machine::Emulator;
pub use kernels_gpu::machine::{Buffer, DeviceSlice, DeviceSliceMut, Machine, MachineError};
pub use kernels_gpu::memory::Grown;
pub use kernels_gpu::vectors::{FieldTrace, VectorSpace};
pub use octree::Aabb;

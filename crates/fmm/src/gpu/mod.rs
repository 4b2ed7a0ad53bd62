//! Plans on a GPU: points, tree, lists, expansions and sums stay in its memory.
//!
//! [`Plan`](crate::Plan) copies positions and charges there and fields back, where
//! [`Fmm::device`](crate::Fmm::device) says so. Programs whose data are on the device already use a
//! `Pipeline`, which takes and gives the device's own buffers.
//!
//! | file | what |
//! |---|---|
//! | `pipeline.rs` | from points in any order to fields in that order: the launches of each stage |
//! | `far.rs` | the far field of the FMM |
//! | `walks.rs` | the same for the treecode |
//! | `heavy.rs` | charges that outweigh all others |
//! | `tuning.rs`, `memory.rs` | leaf capacity and enlargement by a model of the device; what a plan takes of its memory |
//! | `plan.rs` | plans on any device |
//! | `resident.rs`, `evaluation.rs` | the plan on one machine: host slices in, and out, with reports |
//! | `references.rs` | direct sums in f64 for verification |
//! | `pairs.rs` | near pairs for a plan of the host |
//! | `laps.rs`, `number.rs` | seconds per stage; which floats have kernels |

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod evaluation;
#[cfg(feature = "gpu")]
mod far;
#[cfg(feature = "gpu")]
mod heavy;
#[cfg(feature = "gpu")]
mod laps;
#[cfg(feature = "gpu")]
mod memory;
#[cfg(feature = "gpu")]
mod number;
#[cfg(feature = "gpu")]
mod pairs;
#[cfg(feature = "gpu")]
mod pipeline;
#[cfg(feature = "gpu")]
mod plan;
#[cfg(feature = "gpu")]
mod references;
#[cfg(feature = "gpu")]
mod resident;
#[cfg(feature = "gpu")]
mod tuning;
#[cfg(feature = "gpu")]
mod walks;

#[cfg(not(feature = "gpu"))]
pub use absent::OnGpu;
#[cfg(not(feature = "gpu"))]
pub(crate) use absent::{Plan, pair_device};
#[cfg(feature = "gpu")]
pub use number::{Number, OnGpu};
#[cfg(feature = "gpu")]
pub use pipeline::{Pipeline, Shape};
#[cfg(feature = "gpu")]
pub(crate) use plan::{Plan, pair_device};

/// Devices and their memory.
#[cfg(feature = "gpu")]
pub use kernels_gpu::{
    device::{Vec4, View, ViewMut},
    machine::{Buffer, Emulator, Machine, MachineError},
    tree::Sets,
};

/// An NVIDIA GPU.
#[cfg(feature = "cuda")]
pub use kernels_gpu::machine::Cuda;

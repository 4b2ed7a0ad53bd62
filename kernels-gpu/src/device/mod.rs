//! Functions and types that kernels are written with: indices, barriers, shared memory, collectives of warps and blocks,
//! atomics, fast arithmetic.
//!
//! Names follow `cuda_std`. Module `ptx` implements the primitives for GPUs, `host` for the emulator; all other modules are
//! common to both.

#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(not(feature = "emulator"), allow(dead_code))]
pub(crate) mod host;
#[cfg(target_arch = "nvptx64")]
mod ptx;

#[cfg(not(target_arch = "nvptx64"))]
use host::arch;
#[cfg(target_arch = "nvptx64")]
use ptx as arch;

mod array;
mod atomic;
pub mod block;
mod kernel;
mod plain;
pub mod probe;
mod real;
pub mod shared;
pub mod thread;
mod view;
pub mod warp;

pub use arch::trap;
pub use array::Array;
pub use atomic::Atomic;
pub use kernel::Kernel;
pub use plain::{Plain, Vec2, Vec4, Word};
pub use real::{Real, cos_approx, sin_approx, truncated};
pub use view::{View, ViewMut};

//! GPUs: points, tree, lists, expansions and sums stay in the memory of a device.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | the engine on one machine: tree and lists of points, and the report of the plan |
//! | `evaluation.rs` | from charges to fields |
//! | `pipeline.rs` | launches of each stage, from points in any sequence to fields in that sequence |
//! | `far.rs` | launches of the far field of the FMM |
//! | `treecode.rs` | launches of the treecode's walks |
//! | `heavy.rs`, `heavy_memory.rs` | charges that outweigh the others |
//! | `verify.rs` | direct sums in f64 on the device |
//! | `memory.rs` | memory of a plan, estimated before it is taken |
//! | `timers.rs`, `number.rs` | event timers; floats with kernels |

mod engine;
mod evaluation;
mod far;
mod heavy;
mod heavy_memory;
#[cfg(test)]
mod limited_machine;
mod memory;
mod number;
mod pipeline;
mod timers;
mod treecode;
mod verify;

use kernels_gpu::operators::MAX_ORDER;
use kernels_gpu::walk::ORDERS;
use kernels_gpu::walk::groups::GROUP;

use crate::api::M2l;
use crate::choose::{Abilities, Orders};
use crate::engine::Scalar;
pub(crate) use engine::engine;
#[cfg(feature = "cuda")]
pub(crate) use kernels_gpu::machine::Cuda;
#[cfg(feature = "emulator")]
pub(crate) use kernels_gpu::machine::Emulator;
#[cfg(test)]
pub(crate) use limited_machine::LimitedMachine;
pub(crate) use number::Number;
pub(crate) use pipeline::{THREADS, refusal};

/// Abilities of the kernels.
pub(crate) fn abilities<T: Scalar>() -> Abilities {
    let all = Abilities::of_precision(T::BITS);
    Abilities {
        largest_order: MAX_ORDER.min(all.largest_order),
        largest_trial_order: MAX_ORDER.min(all.largest_trial_order),
        walk_orders: Some(Orders::These(&ORDERS)),
        largest_group: GROUP as usize,
        m2l: &[M2l::Rotation],
        ..all
    }
}

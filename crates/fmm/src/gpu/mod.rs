//! GPUs: points, tree, lists, expansions and sums stay in the memory of a device.
//!
//! | file | what |
//! |---|---|
//! | `engine/` | the engine on one machine: tree and lists of points, their memory, and the report of the plan |
//! | `evaluation/` | attempts of an evaluation, vectors of charges to the device, and their fields to the host |
//! | `pipeline/` | launches of each stage, from points in any sequence to fields in that sequence |
//! | `memory/` | memory of a plan, estimated before it is taken, and what is kept from one phase to the next |
//! | `check/` | errors of fields, estimated at picked receivers, and direct sums at some |
//! | `host_slices/` | points, charges and fields on their way from the host and back |
//! | `device.rs` | what programs take from here: plans over memory of a device, and that memory |
//! | `device_plan/` | plans of programs that keep points, charges and fields in the memory of a device |
//! | `parts/` | the engine of points that do not fit at once |
//! | `ranks/` | the engine of one of several devices |
//! | `wire.rs` | memory from device to device |
//! | `unchecked.rs` | machines as the engines take them |
//! | `launches.rs` | what launches share: threads of a block, errors of drivers |
//! | `limited_machine.rs` | a machine of little memory, for tests |
//! | `timers.rs`, `number.rs`, `order.rs` | event timers; floats with kernels; places of points |

mod check;
pub mod device;
mod device_plan;
mod engine;
mod evaluation;
mod host_slices;
mod launches;
#[cfg(test)]
mod limited_machine;
mod memory;
mod number;
mod order;
mod parts;
mod pipeline;
mod ranks;
mod timers;
mod unchecked;
mod wire;

use expansions::operators::PairAccuracy;
use kernels_gpu::operators::{LARGEST_ORDER, MAX_ORDER};
use kernels_gpu::sort::MAX_KEYS;
use kernels_gpu::walk::ORDERS;
use kernels_gpu::walk::groups::GROUP;

use crate::api::{Error, M2l, MemoryEstimate, Precision, Request};
use crate::choose::{
    Abilities, Chooser, Known, Orders, PointStatistics, Scheme, Treecodes, of_gpu,
};
use crate::engine::{ChargeKind, PointCounts, Scalar};
pub use device_plan::{DevicePlan, SetSizes};
pub(crate) use engine::fitting::engine;
use host_slices::staging_bytes;
pub(crate) use launches::{THREADS, refusal};
#[cfg(test)]
pub(crate) use limited_machine::LimitedMachine;
use memory::keeping::Keeping;
pub use number::Number;
pub(crate) use ranks::engine as engine_over;
#[cfg(feature = "cuda")]
pub(crate) use unchecked::cuda;
#[cfg(feature = "emulator")]
pub(crate) use unchecked::emulator;
pub(crate) use unchecked::unchecked;

/// Memory that a request takes for so many points: on the host, staging buffers of copies and results until all are there; on
/// the device, what a plan within the memory limit takes. The host keeps points that are taken in parts.
pub(crate) fn estimate<T: Scalar>(
    request: &Request,
    counts: PointCounts,
) -> Result<MemoryEstimate, Error> {
    let chooser = Chooser::new(*request, abilities::<T>(), of_gpu(T::PRECISION))?;
    let points = PointStatistics::even(&counts);
    let scheme_for = |kind| -> Result<Scheme, Error> {
        let chosen = (chooser.choose(Known::Points(&points), kind)?, points.dimension());
        Ok(memory::likely_scheme(&chooser, counts, chosen, kind))
    };
    let scheme = scheme_for(None)?;
    let demand = memory::demand_of::<T>(counts, &scheme);
    let limit = request.memory_limit.unwrap_or(usize::MAX);
    let ways = Keeping::All..=memory::least(&scheme);
    let device = match demand.keeping_within(limit, ways) {
        Ok(keeping) if demand.n_points() <= MAX_KEYS => demand.memory(keeping),
        _ => {
            let unlike = scheme_for(Some(ChargeKind::Unlike)).unwrap_or(scheme);
            parts::memory_within::<T>(counts, &unlike, limit)?
        }
    };
    let outputs = usize::from(request.outputs.has_potential())
        + 3 * usize::from(request.outputs.has_gradient());
    let of_field = outputs * size_of::<T>() * request.vectors;
    let fields = counts.n_receivers.saturating_mul(of_field);
    let host = match device.taken_in {
        [1, 1] => MemoryEstimate {
            // Those that take the place of the caller's.
            sums: fields,
            staging: staging_bytes::<T>(demand.n_points(), counts.n_receivers),
            ..MemoryEstimate::default()
        },
        _ => parts::host_memory::<T>(counts),
    };
    Ok(MemoryEstimate { fields, device: Some(device), ..host })
}

/// Accuracies of pairs that have kernels in f64.
const PAIRS_OF_F64: &[PairAccuracy] =
    &[PairAccuracy::Digits4, PairAccuracy::Digits12, PairAccuracy::Full];

/// Abilities of the kernels.
pub(crate) fn abilities<T: Scalar>() -> Abilities {
    let all = Abilities::of_precision(T::PRECISION);
    // Plane waves and orders above those of rotation are in f64.
    let (largest, m2l, pair_accuracies): (_, &[M2l], &[PairAccuracy]) = match T::PRECISION {
        Precision::F32 => (MAX_ORDER, &[M2l::Rotation], &[PairAccuracy::Full]),
        Precision::F64 => (LARGEST_ORDER, &[M2l::Rotation, M2l::PlaneWaves], PAIRS_OF_F64),
    };
    Abilities {
        largest_order: largest.min(all.largest_order),
        largest_pairwise: MAX_ORDER,
        largest_trial_order: largest.min(all.largest_trial_order),
        pair_accuracies,
        fewer_digits_in_walks: false,
        treecodes: Treecodes::Walks(Orders::These(&ORDERS)),
        largest_group: GROUP as usize,
        m2l,
        ..all
    }
}

//! GPUs: points, tree, lists, expansions and sums stay in the memory of a device.
//!
//! | file | what |
//! |---|---|
//! | `engine.rs` | the engine on one machine: tree and lists of points, and the report of the plan |
//! | `plan_report.rs` | pairs of a plan, and its report |
//! | `vectors.rs` | vectors of charges to the device, and their fields to the host |
//! | `evaluation.rs` | attempts of an evaluation |
//! | `delivery.rs` | results of attempts on their way to the host |
//! | `looks.rs` | looks of the device at charges and results |
//! | `device_plan.rs` | plans of programs that keep points, charges and fields in the memory of a device |
//! | `run.rs` | one run of a scheme |
//! | `pipeline.rs` | launches of each stage, from points in any sequence to fields in that sequence |
//! | `near.rs`, `far.rs` | launches of near pairs, and of the far field of the FMM |
//! | `together.rs`, `together_memory.rs` | near pairs of several vectors of charges, which share distances |
//! | `results.rs` | sums of a run, to the caller's order and units |
//! | `form.rs` | order of the expansions, and form of M2L |
//! | `treecode.rs` | launches of the treecode's walks |
//! | `ghosts.rs` | boxes and sources of other devices, of a tree over several |
//! | `wire.rs` | memory from device to device |
//! | `launches.rs` | what launches share: threads of a block, errors of drivers |
//! | `ranks/` | the engine of one of several devices |
//! | `heavy.rs`, `heavy_memory.rs` | charges that outweigh the others |
//! | `check/`, `check_memory.rs` | errors of fields, estimated at picked receivers, and direct sums at some |
//! | `host_slices/` | points, charges and fields on their way from the host and back |
//! | `memory/` | memory of a plan, estimated before it is taken |
//! | `keeping.rs`, `lifetimes.rs` | memory that is kept from one phase to the next, or given back |
//! | `state.rs` | memory of an engine, and the choice of what is kept |
//! | `spare.rs` | fields of earlier evaluations, whose memory later ones use
//! | `fitting.rs` | the engine that points fit: all at once, or in parts |
//! | `parts/` | the engine of points that do not fit at once |
//! | `timers.rs`, `number.rs`, `order.rs` | event timers; floats with kernels; places of points |

mod check;
mod check_memory;
mod delivery;
mod device_plan;
mod engine;
mod evaluation;
mod expected_memory;
mod far;
mod fitting;
mod form;
mod ghosts;
mod heavy;
mod heavy_memory;
mod host_slices;
mod keeping;
mod launches;
mod lifetimes;
#[cfg(test)]
mod limited_machine;
mod looks;
mod memory;
mod near;
mod number;
mod order;
mod parts;
mod pipeline;
mod plan_report;
mod ranks;
mod results;
mod run;
mod spare;
mod state;
mod timers;
mod together;
mod together_memory;
mod treecode;
mod vectors;
mod wire;

use expansions::operators::PairAccuracy;
use kernels_gpu::operators::{LARGEST_ORDER, MAX_ORDER};
use kernels_gpu::sort::MAX_KEYS;
use kernels_gpu::walk::ORDERS;
use kernels_gpu::walk::groups::GROUP;

use crate::api::{Error, M2l, MemoryEstimate, Request};
use crate::choose::{
    Abilities, Chooser, Geometry, Orders, PointStatistics, Scheme, Treecodes, of_gpu,
};
use crate::engine::{PointCounts, Scalar, Signs};
pub use device_plan::{DevicePlan, Points};
pub(crate) use fitting::engine;
use host_slices::staging_bytes;
use keeping::Keeping;
#[cfg(feature = "cuda")]
pub(crate) use kernels_gpu::machine::Cuda;
#[cfg(feature = "emulator")]
pub(crate) use kernels_gpu::machine::Emulator;
pub(crate) use launches::{THREADS, refusal};
#[cfg(test)]
pub(crate) use limited_machine::LimitedMachine;
pub use number::Number;
pub(crate) use ranks::engine as engine_over;

/// Memory that a request takes for so many points: on the host, staging buffers of copies and results until all are there; on
/// the device, what a plan within the memory limit takes. The host keeps points that are taken in parts.
pub(crate) fn estimate<T: Scalar>(
    request: &Request,
    counts: PointCounts,
) -> Result<MemoryEstimate, Error> {
    let chooser = Chooser::new(*request, abilities::<T>(), of_gpu(T::BITS))?;
    let points = PointStatistics::even(&counts);
    let scheme_for = |signs| -> Result<Scheme, Error> {
        let chosen = (chooser.choose(Geometry::Points(&points), signs)?, points.dimension());
        Ok(memory::likely_scheme(&chooser, counts, chosen, signs))
    };
    let scheme = scheme_for(None)?;
    let demand = memory::demand_of::<T>(counts, &scheme);
    let limit = request.memory_limit.unwrap_or(usize::MAX);
    let ways = Keeping::All..=memory::least(&scheme);
    let device = match demand.keeping_within(limit, ways) {
        Ok(keeping) if demand.n_points() <= MAX_KEYS => demand.memory(keeping),
        _ => {
            let mixed = scheme_for(Some(Signs::Mixed)).unwrap_or(scheme);
            parts::memory_within::<T>(counts, &mixed, limit)?
        }
    };
    let outputs = usize::from(request.outputs.has_potential())
        + 3 * usize::from(request.outputs.has_gradient());
    let of_field = outputs * size_of::<T>() * request.vectors.max(1);
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
    let all = Abilities::of_precision(T::BITS);
    // Plane waves and orders above those of rotation are in f64.
    let (largest, m2l, pairs): (_, &[M2l], _) = match T::BITS < f64::MANTISSA_DIGITS {
        true => (MAX_ORDER, &[M2l::Rotation], all.pairs),
        false => (LARGEST_ORDER, &[M2l::Rotation, M2l::PlaneWaves], PAIRS_OF_F64),
    };
    Abilities {
        largest_order: largest.min(all.largest_order),
        largest_pairwise: MAX_ORDER,
        largest_trial_order: largest.min(all.largest_trial_order),
        pairs,
        treecodes: Treecodes::Walks(Orders::These(&ORDERS)),
        largest_group: GROUP as usize,
        m2l,
        ..all
    }
}

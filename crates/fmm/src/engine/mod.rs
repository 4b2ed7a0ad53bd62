//! The engine: what every device implements, and what engines share.
//!
//! An engine holds the tree of one set of points, ready for any charges. It asks the [chooser](crate::choose) how, and
//! reports what was chosen.
//!
//! | file | what |
//! |---|---|
//! | `points.rs` | sources and receivers in the caller's order |
//! | `call.rs` | calls of a plan, which all ranks make together |
//! | `charges.rs` | checks of charges, their kind and concentration |
//! | `heavy.rs` | charges that outweigh the others, taken out of a vector |
//! | `folds.rs` | folds that the compiler takes several items at once in |
//! | `units.rs` | units of length and charge in which nothing over- or underflows |
//! | `range.rs` | results that their float type cannot hold |
//! | `compensated.rs`, `random.rs` | compensated sums; pseudo-random bits for picks |
//! | `arrays.rs` | large arrays that are used again |
//! | `pool.rs` | work that runs on the caller's pool as a whole |
//! | `available_memory.rs` | memory that the system leaves |
//! | `tree_size.rs` | boxes of a tree that is not built yet |
//! | `workspace.rs` | memory that evaluations use again |
//! | `scalar.rs` | the float types, and what is instantiated for them |

mod arrays;
mod available_memory;
mod call;
mod charges;
mod compensated;
mod folds;
mod heavy;
mod points;
mod pool;
mod random;
mod range;
mod scalar;
mod tree_size;
mod units;
mod workspace;

use std::fmt;
use std::sync::Arc;

use octree::{InteractionLists, Octree};

use crate::api::{Error, Field, Report, SampledError};

pub(crate) use arrays::{clear, make_room};
pub(crate) use available_memory::available_memory;
pub(crate) use call::{Call, CallKind};
pub(crate) use charges::{ChargeKind, Charges, VectorFacts, participation};
pub(crate) use compensated::Compensated;
#[cfg(feature = "gpu")]
pub(crate) use folds::all_finite;
pub(crate) use folds::{bounds, bounds_of_sets, fold_lanes};
pub(crate) use heavy::{FEW as FEW_HEAVY, Heavy};
pub(crate) use points::{PointCounts, PointSets};
pub(crate) use pool::{made_once, on_pool};
pub(crate) use random::random_bits;
pub(crate) use range::ResultRange;
pub(crate) use scalar::Instantiated;
pub use scalar::Scalar;
pub(crate) use tree_size::TreeSize;
pub(crate) use units::Unit;
#[cfg(feature = "gpu")]
pub(crate) use units::charge_unit;
pub use workspace::Workspace;

/// The coarsest level that has far pairs: boxes of level 1 all touch each other.
pub(crate) const COARSEST_FAR_LEVEL: usize = 2;

/// Builds tree and lists of other points: in the memory of an engine that nobody else has, else in a new one.
pub(crate) fn build<T>(
    engine: &mut Arc<dyn Engine<T>>,
    points: &PointSets<'_, T>,
) -> Result<(), Error> {
    match Arc::get_mut(engine) {
        Some(engine) => engine.build(points)?,
        None => *engine = engine.rebuilt(points)?,
    }
    Ok(())
}

/// A device with points, tree and lists, ready for any charges.
///
/// Engines of devices: `cpu`, `gpu`, at once or in parts, and `hybrid`. Engines of ranks: `ranks` and `gpu::ranks`. The front of
/// a plan wraps one of these: `Front` merges coincident points, and `NarrowEngine` holds positions in f64.
pub(crate) trait Engine<T>: fmt::Debug + Send + Sync {
    /// Builds tree and lists of other points for the same request. Points that are refused leave the engine as it was. A failure of
    /// a device, or its memory, may lose the points: calls that need them are [`Error::PointsLost`] then, until a build succeeds.
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error>;

    /// An engine for the same request with other points; this one keeps its own, which are still in use elsewhere.
    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error>;

    /// [`Self::build`] for positions of f64, if the engine holds such.
    fn build_f64(&mut self, _points: &PointSets<'_, f64>) -> Result<(), Error> {
        Err(Error::PositionsOfF64)
    }

    /// [`Self::rebuilt`] for positions of f64, if the engine holds such.
    fn rebuilt_f64(&self, _points: &PointSets<'_, f64>) -> Result<Arc<dyn Engine<T>>, Error> {
        Err(Error::PositionsOfF64)
    }

    /// Computes the field of each charge vector. A refusal leaves the fields as they were.
    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error>;

    /// [`Self::evaluate`] for charges that were rounded from those `given`, if the engine compares with these.
    fn evaluate_rounded(
        &self,
        _charges: &Charges<'_, T>,
        _given: &[&[f64]],
        _fields: &mut [Field<T>],
        _workspace: &mut Workspace,
    ) -> Result<(), Error> {
        Err(Error::ChargesOfF64)
    }

    /// Errors of a field of these charges, against the direct sum in f64 at about `count` receivers.
    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error>;

    /// [`Self::sample_error`] for a field of charges that were rounded from those `given`.
    fn sample_error_given(
        &self,
        _given: &[f64],
        _field: &Field<T>,
        _count: usize,
    ) -> Result<SampledError, Error> {
        Err(Error::ChargesOfF64)
    }

    /// Whether the engine looks at a single vector of charges, which comes without facts then.
    fn looks_at_charges(&self) -> bool {
        false
    }

    /// Agrees with other ranks, if there are any, that none refuses the call that follows, and that all make the same.
    fn consent(&self, refusal: Option<Error>, _call: Call) -> Result<(), Error> {
        refusal.map_or(Ok(()), Err)
    }

    /// Choices, counts and seconds of planning.
    fn report(&self) -> &Report;

    /// Tree and lists, where they are in the host's memory.
    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        None
    }
}

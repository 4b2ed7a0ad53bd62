//! Float types of plans.

use std::sync::Arc;

use distributed::Communicator;

use super::{Engine, PointCounts, PointSets};
use crate::api::{Error, MemoryEstimate, Precision, Request};

/// `f32` or `f64`.
///
/// Engines are instantiated in this crate, once for each float type, so that crates which use plans build quickly.
pub trait Scalar: expansions::Scalar + octree::Coordinate + bytemuck::Pod + Engines {
    /// Precision of the float type.
    const PRECISION: Precision;
}

impl Scalar for f32 {
    const PRECISION: Precision = Precision::F32;
}

impl Scalar for f64 {
    const PRECISION: Precision = Precision::F64;
}

/// The engines of a float type. Not nameable outside this crate.
pub trait Engines: Sized {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn new_engine(
        request: Request,
        points: &PointSets<'_, Self>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// The engine of one rank of several.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn new_engine_over(
        request: Request,
        communicator: Arc<dyn Communicator>,
        points: &PointSets<'_, Self>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// The engine of a request for positions in f64, of which no digit is lost: those of one rank of several, or all.
    /// Collective.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn new_engine_of_f64(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, f64>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// Memory that a request takes for so many points.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn estimate(request: Request, counts: PointCounts) -> Result<MemoryEstimate, Error>;
}

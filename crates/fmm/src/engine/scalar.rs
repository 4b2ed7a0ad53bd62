//! Float types of plans.

use std::sync::Arc;

use distributed::Communicator;

use super::{Engine, PointCounts, PointSets};
use crate::api::{Error, MemoryEstimate, Precision, Request};

/// `f32` or `f64`.
///
/// Plans are instantiated in this crate, once for each float type, so that crates which use them build quickly.
pub trait Scalar: expansions::Scalar + octree::Coordinate + bytemuck::Pod + Instantiated {
    /// Precision of the float type.
    const PRECISION: Precision;
}

impl Scalar for f32 {
    const PRECISION: Precision = Precision::F32;
}

impl Scalar for f64 {
    const PRECISION: Precision = Precision::F64;
}

/// Code that is instantiated in this crate for each float type. Not nameable outside it.
pub trait Instantiated: Sized {
    /// The engine that a plan holds, for the points of one rank of several, or for all. Collective.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn engine(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, Self>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// [`Self::engine`] for positions in f64, of which no digit is lost. Collective.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn engine_of_f64(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, f64>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// The engine of a request's device, for the points of one rank of several, or for all. Collective.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn device_engine(
        request: Request,
        ranks: Option<&Arc<dyn Communicator>>,
        points: &PointSets<'_, Self>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;

    /// Memory that a request takes for so many points.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn estimate(request: Request, counts: PointCounts) -> Result<MemoryEstimate, Error>;
}

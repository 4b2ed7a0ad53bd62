//! Float types of plans.

use std::sync::Arc;

use super::{Engine, PointSets};
use crate::api::{Error, Request};

/// `f32` or `f64`.
///
/// Engines are instantiated in this crate, once for each float type, so that crates which use plans build quickly.
pub trait Scalar: expansions::Scalar + octree::Coordinate + Engines {}

impl Scalar for f32 {}
impl Scalar for f64 {}

/// The engines of a float type. Not nameable outside this crate.
pub trait Engines: Sized {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn new_engine(
        request: Request,
        points: &PointSets<'_, Self>,
    ) -> Result<Arc<dyn Engine<Self>>, Error>;
}

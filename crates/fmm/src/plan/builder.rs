//! The front door: what is asked for, with defaults for everything.

use octree::Depth;

use crate::choices::{Method, Outputs, Tolerance};
use crate::{Device, Error, Opening, Plan, Scalar};

/// What to compute and how closely; makes a [`Plan`] for given points.
///
/// ```
/// use fmm::{Fmm, Method, Outputs};
///
/// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
/// let plan = Fmm::new()
///     .tolerance(1e-9)
///     .method(Method::Direct)
///     .outputs(Outputs::Potential)
///     .plan(&positions)?;
/// let field = plan.evaluate(&[1.0, 2.0, 3.0])?;
/// assert_eq!(field.potential[0], 2.0 / 1.0 + 3.0 / 2.0);
/// # Ok::<(), fmm::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct Fmm {
    pub(crate) tolerance: Tolerance,
    pub(crate) method: Method,
    pub(crate) outputs: Outputs,
    pub(crate) depth: Option<Depth>,
    pub(crate) softening: f64,
    pub(crate) opening: Option<Opening>,
    pub(crate) group_capacity: Option<usize>,
    pub(crate) vectors: usize,
    pub(crate) device: Device,
}

impl Fmm {
    /// Potential and gradient to six digits, everything else chosen from the points.
    pub fn new() -> Self {
        Self::default()
    }

    /// How accurate the result has to be; a number is [`Tolerance::L2`].
    pub fn tolerance(self, tolerance: impl Into<Tolerance>) -> Self {
        Self { tolerance: tolerance.into(), ..self }
    }

    /// The method; [`Method::Auto`] if not set.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// What to compute; potential and gradient if not set.
    pub fn outputs(self, outputs: Outputs) -> Self {
        Self { outputs, ..self }
    }

    /// The depth of the tree; from a model of the cost if not set. Of no effect on
    /// [`Method::Direct`].
    pub fn depth(self, depth: Depth) -> Self {
        Self { depth: Some(depth), ..self }
    }

    /// Plummer softening: 1/√(r² + ε²) for 1/r, with ε in the unit of the positions. Far pairs are
    /// not softened; unless a depth is set by hand, boxes are kept so large that the tolerance holds
    /// all the same.
    pub fn softening(self, length: f64) -> Self {
        Self { softening: length, ..self }
    }

    /// The treecode's opening criterion; [`Opening::Nakasato`] with a θ for the tolerance if not set.
    /// With a criterion, the tolerance sets the order only: give [`Tolerance::Order`], 1 for
    /// monopoles, 3 for quadrupoles.
    pub fn opening(self, opening: Opening) -> Self {
        Self { opening: Some(opening), ..self }
    }

    /// How many receivers walk the treecode's tree together at most. 1, with leaves of one point, is the
    /// walk of the papers: less accurate at the same criterion, and far slower. On a GPU, at most 64 do.
    pub fn group_capacity(self, receivers: usize) -> Self {
        Self { group_capacity: Some(receivers), ..self }
    }

    /// How many charge vectors will be evaluated at once; 1 if not set. A hint that makes leaves larger, since
    /// pairs cost less a vector when many share them: any number may be evaluated.
    pub fn vectors(self, count: usize) -> Self {
        Self { vectors: count, ..self }
    }

    /// Where to compute; [`Device::Cpu`] if not set.
    pub fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// A plan for points that are sources and receivers at once.
    ///
    /// # Errors
    ///
    /// Positions that are not finite, and requests that cannot be met.
    pub fn plan<T: Scalar>(&self, positions: &[[T; 3]]) -> Result<Plan<T>, Error> {
        Plan::new(*self, positions, None)
    }

    /// A plan for receivers other than the sources. Either may be empty.
    ///
    /// # Errors
    ///
    /// Positions that are not finite, and requests that cannot be met.
    pub fn plan_between<T: Scalar>(
        &self,
        sources: &[[T; 3]],
        receivers: &[[T; 3]],
    ) -> Result<Plan<T>, Error> {
        Plan::new(*self, sources, Some(receivers))
    }
}

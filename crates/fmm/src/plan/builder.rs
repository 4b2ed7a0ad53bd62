//! The builder: what is asked for, with defaults for everything.

use octree::Depth;

use super::points::{Point, Points};
use crate::Plan;
use crate::api::{Device, Error, M2l, Method, Outputs, Request, Tolerance};

/// Request for sums: what to compute and how closely. Makes a [`Plan`] for given points.
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
    request: Request,
}

impl Fmm {
    /// Potential and gradient to six digits, everything else chosen from the points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accuracy of the result; a number is [`Tolerance::L2`].
    pub fn tolerance(self, tolerance: impl Into<Tolerance>) -> Self {
        self.with(|request| request.tolerance = tolerance.into())
    }

    /// The method; [`Method::Auto`] if not set. Options of the treecode are part of [`Method::Treecode`].
    pub fn method(self, method: impl Into<Method>) -> Self {
        self.with(|request| request.method = method.into())
    }

    /// Quantities to compute; potential and gradient if not set.
    pub fn outputs(self, outputs: Outputs) -> Self {
        self.with(|request| request.outputs = outputs)
    }

    /// The form of M2L in [`Method::Fmm`]; the fastest for order and tree if not set. For comparisons: no form by hand
    /// makes an evaluation faster or more accurate than its tolerance asks for.
    pub fn m2l(self, form: M2l) -> Self {
        self.with(|request| request.m2l = Some(form))
    }

    /// The depth of the tree; from a model of the cost if not set. The tree of [`Method::Direct`] is one leaf
    /// whatever the depth.
    pub fn depth(self, depth: Depth) -> Self {
        self.with(|request| request.depth = Some(depth))
    }

    /// Plummer softening: 1/√(r² + ε²) for 1/r, with ε in the unit of the positions. Far pairs are
    /// not softened; unless a depth is set by hand, boxes are kept so large that the tolerance holds
    /// all the same.
    pub fn softening(self, length: f64) -> Self {
        self.with(|request| request.softening = length)
    }

    /// Number of charge vectors that will be evaluated at once; 1 if not set. A hint that makes leaves larger, since
    /// pairs cost less a vector when many share them: any number may be evaluated.
    pub fn vectors(self, count: usize) -> Self {
        self.with(|request| request.vectors = count)
    }

    /// The device that computes; [`Device::Cpu`] if not set.
    pub fn device(self, device: Device) -> Self {
        self.with(|request| request.device = device)
    }

    /// A plan for `&positions`, points that are sources and receivers at once, or for `(&sources, &receivers)`.
    ///
    /// ```
    /// use fmm::Fmm;
    ///
    /// let (sources, receivers) = (vec![[0.0, 0.0, 0.0]], vec![[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    /// let plan = Fmm::new().plan((&sources, &receivers))?;
    /// assert_eq!(plan.evaluate(&[8.0])?.potential, [4.0, 2.0]);
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Positions that are not finite, and requests that cannot be met.
    pub fn plan<'a, P: Point + 'a>(
        &self,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<P::Scalar>, Error> {
        Plan::new(self.request, &points.into().sets())
    }

    fn with(mut self, set: impl FnOnce(&mut Request)) -> Self {
        set(&mut self.request);
        self
    }
}

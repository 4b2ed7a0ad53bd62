//! The builder: what is asked for, with defaults for everything.

use std::sync::Arc;

use distributed::Communicator;
use octree::Depth;

use super::points::{Point, Points};
use crate::Plan;
use crate::api::{Device, Error, M2l, MemoryEstimate, Method, Outputs, Request, Tolerance};
use crate::engine::{PointCounts, Scalar};

/// Request for sums: outputs, tolerance, method, device. [`Self::plan`] makes a [`Plan`] of it for given points.
///
/// Setters store values and cost nothing; [`Self::plan`] checks them. One request makes any number of plans, in `f32` or
/// `f64` as the positions are.
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
    /// Imbalance of work that ranks may have where none is set.
    pub const IMBALANCE_LIMIT: f64 = Request::IMBALANCE_LIMIT;

    /// Request for potential and gradient with a relative L2 error of 1e-6 on the CPU, everything else chosen from the
    /// points.
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

    /// The form of M2L in [`Method::Fmm`]; the fastest for order and tree if not set. For comparisons between forms: the
    /// accuracy is the tolerance's by any of them.
    pub fn m2l(self, form: M2l) -> Self {
        self.with(|request| request.m2l = Some(form))
    }

    /// The depth of the tree; from a model of the cost if not set. The tree of [`Method::Direct`] is one leaf
    /// whatever the depth.
    pub fn depth(self, depth: Depth) -> Self {
        self.with(|request| request.depth = Some(depth))
    }

    /// Plummer softening: 1/√(r² + ε²) for 1/r, with ε in the unit of the positions. Near pairs and the treecode's
    /// monopoles are softened. Other expansions are not: unless a depth is set by hand, boxes are kept so large that the
    /// tolerance holds all the same. [`Method::Auto`] takes the treecode with monopoles where that is faster, as for masses
    /// that are softened by about the distance of neighbours.
    pub fn softening(self, length: f64) -> Self {
        self.with(|request| request.softening = length)
    }

    /// The softening length that was set, 0 if none.
    pub fn softening_length(&self) -> f64 {
        self.request.softening
    }

    /// Number of charge vectors that will be evaluated at once; 1 if not set. A hint that makes leaves larger, since
    /// pairs cost less a vector when many share them: any number may be evaluated. 0 counts as 1.
    pub fn vectors(self, count: usize) -> Self {
        self.with(|request| request.vectors = count.max(1))
    }

    /// The device that computes; [`Device::Cpu`] if not set.
    pub fn device(self, device: Device) -> Self {
        self.with(|request| request.device = device)
    }

    /// Bytes that a plan and an evaluation may take together; what the machine has available if not set: on Linux the
    /// least of its available memory, of what the control group leaves, and of two thirds of the address space that is left
    /// (`ulimit -v`); elsewhere without limit. Memory is estimated before it is taken, by [`Self::estimate`] and again when
    /// the tree stands and for each evaluation.
    ///
    /// The memory is that of the host; for a plan on a GPU, it is that of the GPU, by default what is free there. Points that do
    /// not fit a GPU are taken in parts, see [`DeviceMemory`](crate::DeviceMemory). Ranks of one host share what it has
    /// available: the needs of all of them together have to fit. A limit that is set is that of each rank.
    ///
    /// ```
    /// use fmm::{Error, Fmm};
    ///
    /// let positions: Vec<[f64; 3]> = (0..5000).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    /// let refused = Fmm::new().memory_limit(100_000).plan(&positions);
    /// assert!(matches!(refused, Err(Error::MemoryLimit { limit: 100_000, .. })));
    /// ```
    pub fn memory_limit(self, bytes: usize) -> Self {
        self.with(|request| request.memory_limit = Some(bytes))
    }

    /// Imbalance of work above which ranks are cut anew, the largest work of a rank over the mean, minus 1;
    /// [`Self::IMBALANCE_LIMIT`] if not set. A plan of one process does not look at it.
    ///
    /// [`Self::plan_over`] cuts by numbers of points at first, and again by the work that ranks count in their lists where
    /// that is more uneven, which about doubles the time of planning. [`Plan::update_positions`] keeps the cuts while the
    /// work between them is within the limit. [`f64::INFINITY`] leaves the first cuts as they are: for plans that are
    /// evaluated once. Ranks with a GPU each have as many receivers each as can be, and do not look at the limit.
    pub fn imbalance_limit(self, limit: f64) -> Self {
        self.with(|request| request.imbalance_limit = limit)
    }

    /// Memory that a plan in `T` and an evaluation of [`Self::vectors`] would take for so many points, from a model of
    /// points that fill a cube evenly. `n_receivers` is `None` where the receivers are the sources.
    ///
    /// Clusters may take twice as much; [`Report::bytes`](crate::Report::bytes) tells in the end. For a GPU,
    /// [`MemoryEstimate::device`] has the memory there, within [`Self::memory_limit`] if that is set; the rest is the host's
    /// copies of points and fields.
    ///
    /// ```
    /// use fmm::{Fmm, Method};
    ///
    /// let million = Fmm::new().tolerance(1e-6).estimate::<f64>(1_000_000, None)?;
    /// assert!((100_000_000..1_000_000_000).contains(&million.total()));
    /// println!("{million}"); // by part
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of [`Self::plan`] that concern the settings.
    pub fn estimate<T: Scalar>(
        &self,
        n_sources: usize,
        n_receivers: Option<usize>,
    ) -> Result<MemoryEstimate, Error> {
        let one_set = n_receivers.is_none();
        let n_receivers = n_receivers.unwrap_or(n_sources);
        T::estimate(self.request, PointCounts { n_sources, n_receivers, one_set })
    }

    /// A plan for `&positions`, points that are sources and receivers at once, or for `(&sources, &receivers)`.
    ///
    /// Points are slices, vectors or arrays of a [`Point`] type, N sources and M receivers; either set may be empty. The
    /// plan copies them. Cost: O(N log N + M log M) at most, and tables of the order.
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
    /// - [`Error::Tree`], [`Error::PairTooClose`]: positions that are not finite, too large or too near each other, a depth that no
    ///   tree has.
    /// - [`Error::ToleranceOutOfReach`], [`Error::OrderOutOfReach`], [`Error::OrderOnDevice`], [`Error::TreecodeOrder`],
    ///   [`Error::DenseOrder`], [`Error::WalksOutOfReach`]: more accuracy than the precision or the device has.
    /// - [`Error::Tolerance`], [`Error::Softening`], [`Error::SofteningTooLong`], [`Error::ImbalanceLimit`], [`Error::Opening`],
    ///   [`Error::OpeningTooWide`], [`Error::NoGuarantee`], [`Error::DepthUnproven`], [`Error::NoGroupCapacity`],
    ///   [`Error::M2lUnused`], [`Error::M2lForm`], [`Error::TreecodeOnHybrid`]: settings that make no sense, alone or together.
    /// - [`Error::TooManyPoints`], [`Error::TooManyNearBoxes`]: more than the kernels of a GPU number.
    /// - [`Error::MemoryLimit`]: points, tree, lists and expansions that take more memory than there is.
    /// - [`Error::DeviceNotBuilt`], [`Error::DeviceMemory`] and, with the feature `cuda`, `Error::Device`: no such device in
    ///   this build or machine, or too little memory there.
    pub fn plan<'a, P: Point + 'a>(
        &self,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<P::Scalar>, Error> {
        Plan::new(self.request, None, &points.into().sets())
    }

    /// A plan over several ranks, of which this is one, with the points that it brings: the sum is over the points of all
    /// ranks, and the field is that of this rank's receivers. Ranks are threads or processes of MPI, see
    /// [`distributed`].
    ///
    /// All ranks make the same calls in the same order: this one, and each of the plan's. Tree, order and checks are those of one
    /// process that has all points, one rank's after the other's; the result is its result but for rounding. Points travel
    /// to ranks that own stretches of the Morton curve, and results travel back. A rank may bring no points. An error on one
    /// rank is an [`Error::Rank`] on all.
    ///
    /// Ranks may have different devices. Where each has a GPU, [`Device::Cuda`], points, multipoles and results go from device to
    /// device, by address where ranks are threads. Where some have cores alone, a rank of [`Device::Cuda`] works as one of
    /// [`Device::Hybrid`], and its report says so. The direct sum copies all sources to every rank. Ranks with a GPU each
    /// have no walks: their treecode goes on lists where no criterion is asked for, and other criteria are refused.
    ///
    /// ```
    /// use distributed::threads;
    /// use fmm::Fmm;
    ///
    /// // Two ranks with a point each.
    /// let potentials = threads::run(2, |ranks| {
    ///     let position = [[ranks.rank() as f64, 0.0, 0.0]];
    ///     let plan = Fmm::new().plan_over(&ranks, &position)?;
    ///     Ok::<_, fmm::Error>(plan.evaluate(&[1.0 + ranks.rank() as f64])?.potential[0])
    /// })?;
    /// assert_eq!(potentials.into_iter().collect::<Result<Vec<f64>, _>>()?, [2.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Rank`] on all ranks, with the number of the rank that failed first and the message of its error: one of
    /// [`Self::plan`], or [`Error::WalkOverGpus`], [`Error::RequestsDiffer`], [`Error::SetsDiffer`].
    pub fn plan_over<'a, P: Point + 'a>(
        &self,
        ranks: &Arc<dyn Communicator>,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<P::Scalar>, Error> {
        Plan::new(self.request, Some(ranks), &points.into().sets())
    }

    /// A plan in f32 for positions of f64, which keep the digits that f32 has no room for: they are taken relative to the
    /// centre of their box, and each evaluation is checked against the positions as they are. Where f32 does not keep the
    /// tolerance, an evaluation is done in f64, and the report says so; [`Tolerance::Guaranteed`](crate::Tolerance::Guaranteed)
    /// always takes f64.
    ///
    /// The plan keeps the positions in f64 beside those in f32, and has no octree to look at. Its points move by
    /// [`Plan::update_positions`], and [`Plan::evaluate_f64`] takes charges in f64.
    ///
    /// ```
    /// use fmm::Fmm;
    ///
    /// let positions: Vec<[f64; 3]> = (0..100).map(|i| [6.4e6 + 0.01 * f64::from(i), 0.0, 0.0]).collect();
    /// let field = Fmm::new().tolerance(1e-4).plan_f32(&positions)?.evaluate(&vec![1.0; 100])?;
    /// let exact = Fmm::new().plan(&positions)?.evaluate(&vec![1.0; 100])?;
    /// assert!((f64::from(field.potential[0]) / exact.potential[0] - 1.0).abs() < 1e-4);
    /// # Ok::<(), fmm::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of [`Self::plan`].
    pub fn plan_f32<'a, P: Point<Scalar = f64> + 'a>(
        &self,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<f32>, Error> {
        self.plan_of_f64(points)
    }

    /// The plan of [`Self::plan_f32`] over several ranks, as [`Self::plan_over`].
    ///
    /// # Errors
    ///
    /// Errors of [`Self::plan_over`].
    pub fn plan_f32_over<'a, P: Point<Scalar = f64> + 'a>(
        &self,
        ranks: &Arc<dyn Communicator>,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<f32>, Error> {
        self.plan_of_f64_over(ranks, points)
    }

    /// A plan in `T` for positions of f64, for programs that are generic over the precision: [`Self::plan_f32`], or
    /// [`Self::plan`] in f64.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::plan`].
    pub fn plan_of_f64<'a, T: Scalar, P: Point<Scalar = f64> + 'a>(
        &self,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<T>, Error> {
        Plan::of_f64(self.request, None, &points.into().sets())
    }

    /// The plan of [`Self::plan_of_f64`] over several ranks, as [`Self::plan_over`].
    ///
    /// # Errors
    ///
    /// Errors of [`Self::plan_over`].
    pub fn plan_of_f64_over<'a, T: Scalar, P: Point<Scalar = f64> + 'a>(
        &self,
        ranks: &Arc<dyn Communicator>,
        points: impl Into<Points<'a, P>>,
    ) -> Result<Plan<T>, Error> {
        Plan::of_f64(self.request, Some(ranks), &points.into().sets())
    }

    /// The settings.
    #[cfg(feature = "gpu")]
    pub(crate) fn request(self) -> Request {
        self.request
    }

    fn with(mut self, set: impl FnOnce(&mut Request)) -> Self {
        set(&mut self.request);
        self
    }
}

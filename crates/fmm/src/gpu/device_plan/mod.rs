//! Plans over memory of a device: points, charges and fields stay there from one sum to the next.

mod field;
mod rounded;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::PoisonError;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{DeviceSlice, DeviceSliceMut, Grid, Launcher, Machine, Unchecked};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::{PICK, Pick};
use octree::{Aabb, Cube};

use crate::api::{Device, Error, Report, Request, Seconds};
use crate::choose::{Fill, Known, PointStatistics, Spread, spread_indices};
use crate::engine::{Heavy, PointCounts, Scalar, VectorFacts};
use crate::gpu::engine::GpuEngine;
use crate::gpu::engine::state::State;
use crate::gpu::launches::{THREADS, refusal, too_many};
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::memory::{demand_of, likely_scheme};
use crate::gpu::{Number, unchecked};
use crate::plan::Fmm;

/// A sum whose points, charges and field stay in the memory of a device: the request of an [`Fmm`], with its tolerance.
///
/// The method is chosen as for a [`Plan`](crate::Plan), and each evaluation is checked on the device and repeated until the
/// tolerance holds. The host sees the bounds, a sample of √N points when the tree is chosen, numbers of boxes and the
/// receivers of a check; nothing else crosses the bus, and from the second round on no memory is allocated unless the tree
/// grows. Many coincident points are not merged, and points that crowd boxes of the deepest level are summed directly: right,
/// but slow. Pairs nearer than 10⁻¹² (f32) or 10⁻¹⁰² (f64) of the points' extent may count as coincident and be
/// left out; there are such pairs only beside a coordinate of 0, where floats are dense, and a [`Plan`](crate::Plan) finds them. Charges of which few outweigh all others are copied to the host once.
///
/// ```
/// # #[cfg(feature = "emulator")] {
/// use fmm::Fmm;
/// use fmm::device::{DevicePlan, Emulator, Grown, SetSizes, Vec4};
///
/// let machine = Emulator; // or `Cuda::new(0)?`
/// let points = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]].map(Vec4);
/// let mut plan = DevicePlan::<_, f64>::new(machine, Fmm::new().tolerance(1e-6))?;
/// // Programs launch a kernel that writes there, or copy from memory of their own.
/// plan.points_mut(SetSizes::Both(3))?.upload(&machine, &points)?;
/// plan.build()?;
/// let mut charges = Grown::new();
/// charges.upload(&machine, &[1.0, 2.0, 3.0])?;
/// plan.set_charges(charges.slice(3)?)?;
/// let field = plan.evaluate()?; // (∂Φ/∂x, ∂Φ/∂y, ∂Φ/∂z, Φ), on the device
/// let mut first = [Vec4::default()];
/// field.part(0..1)?.download(&machine, &mut first)?;
/// assert!((first[0].0[3] - (2.0 / 1.0 + 3.0 / 2.0)).abs() < 1e-6);
/// # }
/// # Ok::<(), fmm::Error>(())
/// ```
///
/// A field is not used after the evaluation that writes its memory again, and points not while the plan reads them:
///
/// ```compile_fail,E0499
/// # use fmm::device::{DevicePlan, Emulator};
/// # let mut plan = DevicePlan::<_, f64>::new(Emulator, fmm::Fmm::new())?;
/// let field = plan.evaluate()?;
/// plan.evaluate()?;
/// println!("{field:?}");
/// # Ok::<(), fmm::Error>(())
/// ```
///
/// ```compile_fail,E0499
/// # use fmm::device::{DevicePlan, Emulator, SetSizes, Vec4};
/// # let mut plan = DevicePlan::<_, f64>::new(Emulator, fmm::Fmm::new())?;
/// let mut points = plan.points_mut(SetSizes::Both(1))?;
/// plan.build()?;
/// points.upload(&Emulator, &[Vec4([0.0; 4])])?;
/// # Ok::<(), fmm::Error>(())
/// ```
pub struct DevicePlan<M: Machine, T: Number> {
    engine: GpuEngine<Unchecked<M>, T>,
    counts: PointCounts,
    sample: Sample<Unchecked<M>>,
    /// The way in which the points filled space when the tree was chosen.
    spread: Option<Spread>,
    /// Number of charges that were set.
    n_charges: usize,
    heavy: Heavy<T>,
    /// Facts about the charges.
    facts: VectorFacts,
    report: Report,
    /// Number of receivers of the field, once it is evaluated.
    n_field: usize,
}

/// Sizes of the sets of points of a [`DevicePlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetSizes {
    /// Points that are sources and receivers.
    Both(usize),
    /// Sources, then receivers.
    Apart(usize, usize),
}

/// Points that tell how all fill space.
struct Sample<M: Machine> {
    /// Indices of the sampled points.
    indices: Grown<M, u32>,
    len: usize,
    /// Number of all points.
    of: Option<usize>,
    points: Grown<M, Vec4<f64>>,
}

/// Spread of the points, and the side of the cube around them.
struct Filling {
    spread: Spread,
    side: f64,
}

impl Fill for Filling {
    fn spread(&self) -> Spread {
        self.spread.clone()
    }

    fn side(&self) -> Option<f64> {
        Some(self.side)
    }
}

impl<M, T> DevicePlan<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// A plan for a request on a machine, without points. The machine takes the place of the request's device, and one vector
    /// that of its vectors. Its outputs are those for which the tolerance holds; the other numbers of the field come along.
    ///
    /// # Errors
    ///
    /// Errors of [`Fmm::plan`] that concern the settings or the device.
    pub fn new(machine: M, request: Fmm) -> Result<Self, Error> {
        let device = Device::Cuda(machine.index());
        let request = Request { device, vectors: 1, ..request.request() };
        let engine = GpuEngine::new(unchecked(machine), request)?;
        Ok(Self {
            engine,
            counts: PointCounts { n_sources: 0, n_receivers: 0, one_set: true },
            sample: Sample { indices: Grown::new(), len: 0, of: None, points: Grown::new() },
            spread: None,
            n_charges: 0,
            heavy: Heavy::default(),
            facts: VectorFacts::default(),
            report: Report::default(),
            n_field: 0,
        })
    }

    /// Memory for points (x, y, z, any), sources first, with any content: to be written before [`Self::build`]. The tree of the
    /// points before is given up.
    ///
    /// # Errors
    ///
    /// `Error::Device`: a failure of the device; [`Error::TooManyPoints`].
    pub fn points_mut(&mut self, sizes: SetSizes) -> Result<DeviceSliceMut<'_, Vec4<T>>, Error> {
        self.counts = match sizes {
            SetSizes::Both(n) => PointCounts { n_sources: n, n_receivers: n, one_set: true },
            SetSizes::Apart(n_sources, n_receivers) => {
                PointCounts { n_sources, n_receivers, one_set: false }
            }
        };
        let n = match sizes {
            SetSizes::Both(n) => n,
            SetSizes::Apart(n_sources, n_receivers) => n_sources.saturating_add(n_receivers),
        };
        if u32::try_from(n).is_err() {
            return Err(too_many(n));
        }
        self.n_field = 0;
        let machine = self.engine.machine.clone();
        let state = self.state();
        state.build.lose_points();
        state.n_points = n;
        state.points.reserve(&machine, n)?;
        Ok(state.points.slice_mut(n)?)
    }

    /// Chooses what acts for the points that were written, and builds tree and lists.
    ///
    /// # Errors
    ///
    /// Errors of [`Fmm::plan`]. The plan has no tree of the points then.
    pub fn build(&mut self) -> Result<(), Error> {
        let bounds = self.bounds()?;
        self.build_within(bounds)
    }

    /// [`Self::build`] for points whose `bounds` are known to the caller: all points are finite and within them, which is not looked
    /// at again. Points outside have wrong results.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::build`].
    pub fn build_within(&mut self, bounds: Aabb) -> Result<(), Error> {
        self.spread = None;
        self.rebuild_within(bounds)
    }

    /// Builds tree and lists of points that were written again and have these bounds, with the method and the leaves that
    /// [`Self::build`] chose: what a simulation needs between outputs. Nothing is looked at but the bounds, and the check of
    /// the evaluation tells whether the choice still holds.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::build`].
    pub fn rebuild_within(&mut self, bounds: Aabb) -> Result<(), Error> {
        let corners = [bounds.min, bounds.max];
        let cube = Cube::bounding(corners.into_iter().take(2 * usize::from(!self.is_empty())))?;
        let (is_new, spread) = match self.spread.take() {
            Some(spread) => (false, spread),
            None => (true, self.look()?),
        };
        let filling = Filling { spread, side: cube.side() };
        let statistics = PointStatistics::of(self.counts, &filling);
        let scheme = self.engine.chooser.choose(Known::Points(&statistics), None)?;
        let dimension = statistics.dimension();
        self.spread = Some(filling.spread);
        let counts = self.counts;
        if is_new {
            let machine = self.engine.machine.clone();
            let limit = self.engine.request.memory_limit;
            let likely = likely_scheme(&self.engine.chooser, counts, (scheme, dimension), None);
            let state = self.state();
            let demand = demand_of::<T>(counts, &likely);
            let (kept, limits) = (state.pipeline.keeping, (limit, Keeping::Phase));
            let room = state.build.find_room(&machine, &demand, kept, limits)?;
            state.grant(room);
        }
        self.engine.build_tree(counts, (scheme, dimension), cube, Seconds::default())
    }

    /// Copies charges, one a source, for the evaluations that follow.
    ///
    /// # Errors
    ///
    /// [`Error::ChargeCount`], [`Error::ChargeNotFinite`], `Error::Device`. The charges before are lost then.
    pub fn set_charges(&mut self, charges: DeviceSlice<'_, T>) -> Result<(), Error> {
        let (found, expected) = (charges.len(), self.counts.n_sources);
        if found != expected {
            return Err(Error::ChargeCount { vector: 0, found, expected });
        }
        (self.n_charges, self.heavy) = (0, Heavy::default());
        let machine = self.engine.machine.clone();
        let charges = charges.view_for(&machine)?;
        let facts = match self.state().pipeline.look_at_charges(charges)? {
            Ok(facts) => facts,
            Err(index) => {
                let mut value = [T::narrow(0.0)];
                machine.read(charges.part(index, 1), &mut value)?;
                return Err(Error::ChargeNotFinite { vector: 0, index, value: value[0].widen() });
            }
        };
        self.facts = facts;
        // The tree, which tells whether expansions act, may be built after this.
        let takes_heavy = facts.have_heavy(&self.engine.request, true);
        let state = self.state();
        state.charges.reserve(&machine, found)?;
        machine.copy(charges, machine.home(), state.charges.view_mut(found))?;
        if takes_heavy {
            let mut light = vec![T::narrow(0.0); found];
            machine.read(charges, &mut light)?;
            let heavy = Heavy::take_from(&mut light);
            self.state().light.upload(&machine, &light)?;
            self.heavy = heavy;
        }
        self.n_charges = found;
        Ok(())
    }

    /// Report of the last evaluation.
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn is_empty(&self) -> bool {
        self.counts.n_sources + self.counts.n_receivers == 0
    }

    fn state(&mut self) -> &mut State<Unchecked<M>, T> {
        self.engine.state.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bounds of all points.
    fn bounds(&mut self) -> Result<Aabb, Error> {
        let (machine, n_sources) = (self.engine.machine.clone(), self.counts.n_sources);
        let State { pipeline, points, n_points, .. } = self.state();
        let points = points.view(*n_points);
        pipeline.tree.bounds(&machine, points, n_sources).map_err(refusal)
    }

    /// The way in which the points fill space, by a sample.
    fn look(&mut self) -> Result<Spread, Error> {
        let PointCounts { n_sources, n_receivers, one_set } = self.counts;
        let state = self.engine.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let all = state.points.view(state.n_points);
        let points = match !one_set && n_receivers > n_sources {
            true => all.part(n_sources, n_receivers),
            false => all.part(0, n_sources),
        };
        self.sample.look(&self.engine.machine, points)
    }
}

impl<M: Launcher> Sample<M> {
    /// The spread of points.
    fn look<T: Number>(&mut self, machine: &M, points: View<Vec4<T>>) -> Result<Spread, Error> {
        let n = points.len();
        if self.of != Some(n) {
            let indices: Vec<u32> = spread_indices(n).map(|index| index as u32).collect();
            self.indices.upload(machine, &indices)?;
            (self.len, self.of) = (indices.len(), Some(n));
        }
        let len = self.len;
        self.points.reserve(machine, len)?;
        let (which, picked) = (self.indices.view(len), self.points.view_mut(len));
        if len > 0 {
            let pick = Pick { points, which, factor: 1.0, picked };
            machine.launch(&PICK(), Grid::over(len, THREADS), pick)?;
        }
        let mut sample = vec![Vec4::default(); len];
        self.points.download(machine, &mut sample)?;
        let sample: Vec<[f64; 3]> =
            sample.into_iter().map(|Vec4([x, y, z, _])| [x, y, z]).collect();
        Ok(Spread::of_sample(&sample, n))
    }
}

impl<M: Machine, T: Number> fmt::Debug for DevicePlan<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DevicePlan")
            .field("engine", &self.engine)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

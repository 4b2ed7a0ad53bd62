//! The engine of one GPU: tree and lists of points, and the report of the plan.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::machine::Machine;
use kernels_gpu::memory::Grown;
use kernels_gpu::tree::Sets;
use octree::{Aabb, Cube, InteractionLists, Octree};

use super::Number;
use super::form::Form;
use super::host_slices::{packed, send_points, unpack};
use super::memory::{Demand, expected_boxes};
use super::pipeline::Pipeline;
use super::timers::Timers;
use crate::api::{Error, Field, Report, Request, SampledError, Seconds, Stage};
use crate::choose::{self, Algorithm, Chooser, Geometry, PointStatistics, Scheme, TreeStatistics};
use crate::engine::{Charges, Engine, PointCounts, PointSets, Scalar, Workspace};

/// The engine of one machine.
pub(super) struct GpuEngine<M: Machine, T: Number> {
    name: String,
    pub(super) request: Request,
    pub(super) chooser: Chooser,
    pub(super) machine: M,
    pub(super) tree: TreeStatistics,
    pub(super) report: Report,
    pub(super) state: Mutex<State<M, T>>,
}

/// Memory that evaluations use by turns.
pub(crate) struct State<M: Machine, T: Number> {
    pub(super) pipeline: Pipeline<M, T>,
    pub(super) sets: Sets,
    /// Points in the caller's order, (x, y, z, 0).
    pub(super) points: Grown<M, Vec4<T>>,
    pub(super) n_points: usize,
    /// Whether expansions or cells are in use.
    pub(super) expands: bool,
    pub(super) charges: Grown<M, T>,
    /// Charges with zeros for the heavy ones, where there are some.
    pub(super) light: Grown<M, T>,
    /// The field in the caller's order; before, points on their way into the tree.
    pub(super) field: Grown<M, Vec4<T>>,
    /// Fields that take the place of the caller's, once it is sure that none fails.
    spare: Vec<Field<T>>,
    /// Memory that was found free for the points before.
    pub(super) held: usize,
}

impl<M: Machine, T: Number> State<M, T> {
    /// The receivers in the caller's order.
    pub(super) fn receivers(&self, n_receivers: usize) -> View<Vec4<T>> {
        let first = if self.sets == Sets::One { 0 } else { self.n_points - n_receivers };
        self.points.view(self.n_points).part(first, n_receivers)
    }
}

impl<M: Machine + Clone, T: Scalar + Number> State<M, T> {
    /// Takes the memory of evaluations now: they do not fail for want of memory.
    fn reserve(&mut self, machine: &M, demand: &mut Demand) -> Result<(), Error> {
        demand.n_boxes = self.pipeline.tree().n_boxes();
        self.held = demand.bytes();
        self.charges.reserve(machine, demand.n_sources)?;
        self.field.reserve(machine, demand.n_receivers)?;
        if let Some(form) = demand.form {
            self.pipeline.reserve(form)?;
        }
        Ok(())
    }

    /// Pairs of the lists, and whether expansions or cells are in use. A walk makes its lists as it goes.
    fn count_pairs(&mut self, machine: &M, scheme: &Scheme) -> Result<PairCounts, Error> {
        let Pipeline { tree, lists, counts, .. } = &mut self.pipeline;
        let walks = scheme.algorithm.walks();
        let pairs = if walks {
            PairCounts::default()
        } else if tree.n_boxes() > 1 {
            lists.census(machine, tree, counts)?
        } else {
            let p2p = tree.n_sources() as u64 * tree.n_receivers() as u64;
            PairCounts { p2p, ..PairCounts::default() }
        };
        self.expands = walks || pairs.m2l + pairs.m2p + pairs.p2l > 0;
        Ok(pairs)
    }
}

/// Memory of points by a scheme, before their tree is known.
pub(super) fn demand_of<T>(counts: PointCounts, scheme: &Scheme) -> Demand {
    let PointCounts { n_sources, n_receivers, one_set } = counts;
    let n_points = if one_set { n_sources } else { n_sources + n_receivers };
    Demand {
        n_sources,
        n_receivers,
        n_points,
        n_boxes: expected_boxes(scheme.tree.depth, n_points),
        form: reserved_form(scheme),
        float_bytes: size_of::<T>(),
    }
}

/// The expansions that memory is reserved for: those of the scheme, of order 0 for the direct sum, none for walks.
fn reserved_form(scheme: &Scheme) -> Option<Form> {
    (!scheme.algorithm.walks()).then(|| Form::of(scheme.algorithm))
}

/// The engine of a machine, with its points.
pub(crate) fn engine<M, T>(
    machine: M,
    name: &str,
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    let mut engine = GpuEngine::new(machine, name.to_owned(), request)?;
    engine.build(points)?;
    Ok(Arc::new(engine))
}

impl<M, T> GpuEngine<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// An engine without points.
    pub(super) fn new(machine: M, name: String, request: Request) -> Result<Self, Error> {
        let chooser = Chooser::new(request, super::abilities::<T>(), choose::of_gpu(T::BITS))?;
        let no_points = PointSets::<T> { sources: &[], receivers: None };
        let statistics = PointStatistics::new(&no_points);
        let scheme = chooser.choose(Geometry::Points(&statistics), None)?;
        let state = State {
            pipeline: Pipeline::new(machine.clone())?,
            sets: Sets::One,
            points: Grown::new(),
            n_points: 0,
            expands: false,
            charges: Grown::new(),
            light: Grown::new(),
            field: Grown::new(),
            spare: Vec::new(),
            held: 0,
        };
        Ok(Self {
            name,
            request,
            chooser,
            machine,
            tree: TreeStatistics::without_lists(statistics.counts, scheme, statistics.dimension()),
            report: Report::default(),
            state: Mutex::new(state),
        })
    }

    /// State that evaluations share. The cores' pool must not be used under this lock: its thread could take another
    /// evaluation of the same plan, and wait for itself.
    pub(super) fn state(&self) -> MutexGuard<'_, State<M, T>> {
        // State that a panic left is overwritten by the next evaluation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Report of the plan.
    fn plan_report(&self, tree: &TreeStatistics, pairs: PairCounts, seconds: Seconds) -> Report {
        let (scheme, counts, state) = (&tree.scheme, tree.counts, self.state());
        let built = state.pipeline.tree();
        let on_lists = matches!(scheme.algorithm, Algorithm::TreecodeLists { .. });
        let mut report = Report {
            n_sources: counts.n_sources,
            n_receivers: counts.n_receivers,
            method: scheme.algorithm.method(&self.request),
            opening: scheme.algorithm.opening(),
            device: self.request.device,
            instructions: self.name.clone().into(),
            precision: T::NAME,
            tolerance: self.request.tolerance,
            leaf_capacity: scheme.tree.depth.leaf_capacity(),
            levels: built.n_levels(),
            boxes: built.n_boxes(),
            leaves: built.n_leaves(),
            p2p_pairs: pairs.p2p,
            m2l_pairs: if on_lists { 0 } else { pairs.m2l },
            m2p_pairs: pairs.m2p + if on_lists { pairs.far_m2p } else { 0 },
            p2l_pairs: pairs.p2l,
            bytes: state.held,
            seconds,
            ..Report::default()
        };
        if state.expands {
            scheme.report(&mut report);
        }
        report
    }

    /// Builds tree and lists of the points on the device in a cube, by a scheme for points of a dimension.
    pub(super) fn build_tree(
        &mut self,
        counts: PointCounts,
        (scheme, dimension): (Scheme, f64),
        cube: Cube,
        seconds: Seconds,
    ) -> Result<(), Error> {
        let Self { machine, state, .. } = self;
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.sets = match counts.one_set {
            true => Sets::One,
            false => Sets::Two { n_sources: counts.n_sources },
        };
        let view = state.points.view(state.n_points);
        let locals = !matches!(scheme.algorithm, Algorithm::TreecodeLists { .. });
        let built = state.pipeline.build(view, state.sets, scheme.tree, locals, cube)?;
        let mut census = Timers::start(machine)?;
        let pairs = state.count_pairs(machine, &scheme)?;
        census.end(Stage::Transfer)?;
        let mut seconds = seconds + built.seconds()?;
        census.count(&mut seconds)?;

        let state = &*state;
        let alone = match !counts.one_set && self.request.is_relative() && state.expands {
            true => state.pipeline.tree().receivers_alone(machine)?,
            false => 0,
        };
        let built = state.pipeline.tree();
        let tree = TreeStatistics {
            far_pairs: pairs.m2l as usize,
            remote: 2 * alone > counts.n_receivers as u64,
            ..TreeStatistics::without_lists(counts, scheme, dimension)
        }
        .with_boxes(built.level_starts(), built.n_leaves());
        // The tree tells the faster form of M2L.
        let scheme = match scheme.algorithm {
            Algorithm::Fmm { .. } => self.chooser.choose(Geometry::Tree(&tree), None)?,
            _ => scheme,
        };
        let tree = TreeStatistics { scheme, ..tree };
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.reserve(&self.machine, &mut demand_of::<T>(counts, &scheme))?;
        let report = self.plan_report(&tree, pairs, seconds);
        (self.tree, self.report) = (tree, report);
        Ok(())
    }
}

impl<M, T> Engine<T> for GpuEngine<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn build(&mut self, sets: &PointSets<'_, T>) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let statistics = PointStatistics::new(sets);
        let counts = statistics.counts;
        let chosen = seconds.time(Stage::Transfer, || {
            let scheme = self.chooser.choose(Geometry::Points(&statistics), None)?;
            Ok::<_, Error>((scheme, statistics.dimension()))
        })?;
        let Self { machine, state, .. } = self;
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let demand = demand_of::<T>(counts, &chosen.0);
        demand.fits(machine, state.held)?;
        let n = sets.n_points();
        let cube = seconds.time(Stage::Transfer, || {
            // Positions that are refused are refused before the old points go.
            let packed = packed(machine, &mut state.field, sets)?;
            let Aabb { min, max } = send_points(machine, sets, packed)?;
            let cube = Cube::bounding([min, max].into_iter().take(2 * n.min(1)))?;
            state.points.reserve(machine, n)?;
            state.n_points = n;
            unpack(machine, packed.read_only(), state.points.view_mut(n))?;
            Ok::<_, Error>(cube)
        })?;
        self.build_tree(counts, chosen, cube, seconds)
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        engine(self.machine.clone(), &self.name, self.request, points)
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        _workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let report = Report {
            n_vectors: charges.vectors.len(),
            // The checks are the host's work on what is copied.
            seconds: self.report.seconds + Seconds::of_stage(Stage::Transfer, charges.seconds),
            ..self.report.clone()
        };
        let mut spare = std::mem::take(&mut self.state().spare);
        spare.resize_with(fields.len(), Field::default);
        for (k, field) in spare.iter_mut().enumerate() {
            self.evaluate_vector(k, charges, field, &report)?;
        }
        fields.swap_with_slice(&mut spare);
        self.state().spare = spare;
        Ok(())
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.check(charges, field, count)
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        None
    }
}

impl<M: Machine, T: Number> fmt::Debug for GpuEngine<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuEngine")
            .field("name", &self.name)
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

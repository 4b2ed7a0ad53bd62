//! The engine of one GPU: tree and lists of points, and the report of the plan.
//!
//! | file | what |
//! |---|---|
//! | `state.rs` | memory of an engine, and the choice of what is kept |
//! | `spare.rs` | fields of earlier evaluations, whose memory later ones use |
//! | `plan_report.rs` | pairs of a plan, and its report |
//! | `fitting.rs` | the engine that points fit: all at once, or in parts |

pub(super) mod fitting;
pub(super) mod plan_report;
pub(super) mod spare;
pub(super) mod state;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gpu::machine::Launcher;
use kernels_gpu::near::MOST_VECTORS;
use octree::Cube;

use crate::api::{Error, Field, Report, Request, SampledError, Seconds, Stage};
use crate::choose::{self, Chooser, Known, PointStatistics, Scheme, TreeStatistics};
use crate::engine::{Charges, Engine, PointCounts, PointSets, Scalar, Workspace};
use crate::gpu::Number;
use crate::gpu::launches::sets_of;
use crate::gpu::memory::{demand_of, least, likely_scheme};
use crate::gpu::pipeline::Pipeline;
use crate::gpu::pipeline::form::Expansions;
use crate::gpu::timers::Timers;
use plan_report::{Built, expands};
use state::State;

/// The engine of one machine.
pub(super) struct GpuEngine<M: Launcher, T: Number> {
    pub(super) request: Request,
    pub(super) chooser: Chooser,
    pub(super) machine: M,
    pub(super) tree: TreeStatistics,
    pub(super) report: Report,
    pub(super) state: Mutex<State<M, T>>,
}

impl<M, T> GpuEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// An engine without points.
    pub(super) fn new(machine: M, request: Request) -> Result<Self, Error> {
        let chooser =
            Chooser::new(request, crate::gpu::abilities::<T>(), choose::of_gpu(T::PRECISION))?;
        let no_points = PointSets::<T> { sources: &[], receivers: None };
        let statistics = PointStatistics::new(&no_points);
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        let state = State::new(Pipeline::new(machine.clone(), request.is_relative())?);
        Ok(Self {
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
        state.build.lose_points();
        state.sets = sets_of(counts);
        let view = state.points.view(state.n_points);
        let far_by = scheme.algorithm.far_by();
        let built = state.pipeline.build(view, state.sets, scheme.shape, far_by, cube)?;
        let mut census = Timers::start(machine)?;
        let pairs = state.pipeline.count_pairs(&scheme)?;
        census.end(Stage::Transfer)?;
        let expands = expands(&scheme, pairs);
        let mut seconds = seconds + built.seconds()?;
        census.count(&mut seconds)?;

        let state = &*state;
        let alone = match expands && counts.ask_for_alone(&self.request) {
            true => state.pipeline.tree().receivers_alone(machine)?,
            false => 0,
        };
        let built = state.pipeline.tree();
        let tree = TreeStatistics {
            far_pairs: pairs.m2l as usize,
            alone: alone as usize,
            expands,
            ..TreeStatistics::without_lists(counts, scheme, dimension)
        }
        .with_boxes(built.level_starts(), built.n_leaves());
        // The tree tells the faster form of M2L.
        let scheme = tree.refined(&self.chooser, None)?;
        let tree = TreeStatistics { scheme, ..tree };
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let limit = self.request.memory_limit;
        state.reserve(&self.machine, counts, Expansions::of(&scheme), limit)?;
        state.build.end();
        let built = Built::of(state.pipeline.tree(), pairs, state.memory);
        let report =
            Report { seconds, ..built.report::<T>(&self.request, self.machine.name(), &tree) };
        (self.tree, self.report) = (tree, report);
        Ok(())
    }
}

impl<M, T> Engine<T> for GpuEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn build(&mut self, sets: &PointSets<'_, T>) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let Self { machine, state, request, chooser, .. } = self;
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let choose = || {
            let statistics = PointStatistics::new(sets);
            let scheme = chooser.choose(Known::Points(&statistics), None)?;
            Ok::<_, Error>((statistics.counts, (scheme, statistics.dimension())))
        };
        let (sent, chosen) =
            seconds.time(Stage::Transfer, || state.send_beside(machine, sets, choose));
        let (sent, (counts, chosen)) = (sent?, chosen?);
        let likely = likely_scheme(chooser, counts, chosen, None);
        let (demand, least) = (demand_of::<T>(counts, &likely), least(&likely));
        let (kept, limits) = (state.pipeline.keeping, (request.memory_limit, least));
        let room = state.build.find_room(machine, &demand, kept, limits)?;
        let cube =
            seconds.time(Stage::Transfer, || state.take_points(machine, sets, room, sent))?;
        self.build_tree(counts, chosen, cube, seconds)
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        let mut engine = Self::new(self.machine.clone(), self.request)?;
        engine.build(points)?;
        Ok(Arc::new(engine))
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
        self.state().build.check_built()?;
        let mut spare = self.state().spare.take();
        let written = spare.exchange(fields, |fields| {
            let mut chunks = fields.chunks_mut(MOST_VECTORS).enumerate();
            chunks.try_for_each(|(k, fields)| {
                self.evaluate_vectors(k * MOST_VECTORS, charges, fields, &report)
            })
        });
        self.state().spare = spare;
        written
    }

    fn looks_at_charges(&self) -> bool {
        true
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.state().build.check_built()?;
        self.check(charges, field, count)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl<M: Launcher, T: Number> fmt::Debug for GpuEngine<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuEngine")
            .field("name", &self.machine.name())
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

//! The engine of one of several devices: each rank has a GPU, and owns a stretch of the Morton curve.
//!
//! Points go to their owners from device to device, and results back. A device builds the tree of its own points, and gets
//! from the others the boxes and sources that its receivers need (Hu, Gumerov & Duraiswami 2011, sections 3 and 4). What
//! passes through the host does not grow with the number of points, where the ranks are threads of one process.
//!
//! | file | what |
//! |---|---|
//! | `cuts.rs` | cuts of the curve, from a sample of the points |
//! | `way.rs` | points on their way to owners, results on their way back |
//! | `plan.rs` | from points to tree and lists; the report of the plan |
//! | `evaluation.rs` | from charges to fields |
//! | `charges.rs` | charges on their way, heavy ones apart |
//! | `check.rs` | the error of an evaluation, estimated at receivers of all ranks |

mod charges;
mod check;
mod cuts;
mod evaluation;
mod plan;
#[cfg(test)]
mod tests;
mod way;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use distributed::Communicator;
use kernels_gpu::device::{Plain, Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::OwnerOrder;

use crate::api::{Error, Field, Report, Request, SampledError};
use crate::choose::{self, Abilities, Chooser, TreeStatistics, Treecodes};
use crate::engine::{Call, Charges, Engine, PointSets, Scalar, Workspace};
use crate::gpu::Number;
use crate::gpu::engine::spare::SpareFields;
use crate::gpu::host_slices::packed_len;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::memory::{BuildState, Demand};
use crate::gpu::pipeline::Pipeline;
use crate::gpu::wire::Wire;
use crate::ranks::{Group, Receivers};
use way::Way;

/// Least that a rank keeps: points as they were brought stay for the check.
const MOST_SPARING: Keeping = Keeping::Phase;

/// The engine of one rank and its machine.
struct RankEngine<M: Launcher, T: Number> {
    request: Request,
    chooser: Chooser,
    machine: M,
    wire: Wire,
    tree: TreeStatistics,
    report: Report,
    state: Mutex<State<M, T>>,
}

/// Memory of the rank on its device.
pub(crate) struct State<M: Launcher, T: Number> {
    pipeline: Pipeline<M, T>,
    /// Points that the rank brought, (x, y, z, 0): sources, then receivers if they are others.
    points: Grown<M, Vec4<T>>,
    counts: Counts,
    /// Receivers that all ranks brought.
    all_receivers: Receivers,
    /// Ways of sources and of receivers; `None` where every rank keeps what it brought, for the direct sum.
    ways: Option<Ways<M>>,
    /// Charges as brought, by owner, and those of owned sources.
    charges: [Grown<M, T>; 3],
    /// Fields at owned receivers, by the ranks that brought them, and as brought.
    fields: [Grown<M, Vec4<T>>; 3],
    /// Sources of all ranks, for the direct sum.
    everywhere: Grown<M, Vec4<T>>,
    /// Builds of tree, lists and ways, and the memory of the pipeline.
    build: BuildState,
    /// Fields that take the place of the caller's, once it is sure that none fails.
    spare: SpareFields<T>,
}

/// Numbers of points that a rank brought and that it owns.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sources: usize,
    /// Receivers; as many as sources where they are the sources.
    receivers: usize,
    /// Both sets together.
    points: usize,
}

/// Ways of the two sets.
struct Ways<M: Launcher> {
    sources: Way<M>,
    /// `None`: the receivers are the sources.
    receivers: Option<Way<M>>,
}

impl<M: Launcher> Ways<M> {
    fn receivers(&self) -> &Way<M> {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }

    /// Orders of sources and of receivers.
    fn into_orders(self) -> [OwnerOrder<M>; 2] {
        let of_receivers = self.receivers.map_or_else(OwnerOrder::new, Way::into_order);
        [self.sources.into_order(), of_receivers]
    }

    fn bytes(&self) -> usize {
        self.sources.bytes() + self.receivers.as_ref().map_or(0, Way::bytes)
    }
}

impl<M: Launcher, T: Number> State<M, T> {
    fn new(pipeline: Pipeline<M, T>) -> Self {
        Self {
            pipeline,
            points: Grown::new(),
            counts: Counts::default(),
            all_receivers: Receivers::default(),
            ways: None,
            charges: [Grown::new(), Grown::new(), Grown::new()],
            fields: [Grown::new(), Grown::new(), Grown::new()],
            everywhere: Grown::new(),
            build: BuildState::new(),
            spare: SpareFields::new(),
        }
    }

    /// Receivers as the rank brought them.
    fn receivers(&self) -> View<Vec4<T>> {
        let Counts { receivers, points, .. } = self.counts;
        self.points.view(points).part(points - receivers, receivers)
    }

    /// Takes the memory of what travels these ways.
    fn reserve_carried(&mut self, machine: &M, ways: &Ways<M>) -> Result<(), MachineError> {
        let Counts { sources, receivers, .. } = self.counts;
        let [_, sorted, brought] = &mut self.fields;
        sorted.reserve(machine, sources.max(receivers))?;
        let owned = ways.sources.n_owned().max(ways.receivers().n_owned());
        brought.reserve(machine, receivers.max(packed_len(owned)))?;
        for (charges, n) in self.charges.iter_mut().zip([sources, sources, ways.sources.n_owned()])
        {
            charges.reserve(machine, n)?;
        }
        Ok(())
    }

    /// Bytes that a rank takes beside those of the pipeline: points, charges and fields on their way, and boxes of other ranks.
    fn carried_bytes(&self) -> usize {
        let [_, sorted, brought] = &self.fields;
        let orders = self.ways.as_ref().map_or(0, Ways::bytes);
        let ghosts = self.pipeline.ghosts.as_ref().map_or(0, |ghosts| ghosts.bytes());
        bytes_of([sorted, brought, &self.everywhere]) + bytes_of(&self.charges) + orders + ghosts
    }
}

impl<M: Launcher, T: Scalar + Number> State<M, T> {
    /// Finds memory for a plan beside what travels, or refuses it. What is kept of it follows.
    fn find_room(
        &mut self,
        machine: &M,
        demand: &Demand,
        limit: Option<usize>,
    ) -> Result<(), Error> {
        let (kept, limits) = (self.pipeline.keeping, (limit, MOST_SPARING));
        let room = self.build.find_room(machine, demand, kept, limits)?;
        self.pipeline.keeping = self.build.grant(room);
        Ok(())
    }
}

/// Bytes of arrays.
fn bytes_of<'a, M: Launcher + 'a, A: Plain>(
    arrays: impl IntoIterator<Item = &'a Grown<M, A>>,
) -> usize {
    arrays.into_iter().map(Grown::capacity).sum::<usize>() * size_of::<A>()
}

/// Abilities of ranks: multipoles of other ranks come for lists, which are known before the charges, and not for walks.
fn abilities<T: Scalar>() -> Abilities {
    Abilities { treecodes: Treecodes::OnLists, ..crate::gpu::abilities::<T>() }
}

/// The engine of a rank on a machine, which has these of all points. `reach` tells whether machines of one process reach each
/// other's memory. Collective.
pub(crate) fn engine<M, T>(
    machine: impl FnOnce() -> Result<M, Error>,
    reach: bool,
    request: Request,
    communicator: Arc<dyn Communicator>,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    let group = Group::new(communicator);
    let engine = group.phase(|| {
        let machine = machine()?;
        let wire = Wire::new(group.clone(), reach);
        let pipeline = Pipeline::new(machine.clone(), request.is_relative())?;
        let state = State::new(pipeline);
        RankEngine::new(machine, request, wire, points, state)
    })?;
    Ok(Arc::new(engine))
}

impl<M, T> RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The engine with its points, in memory that there is. Collective.
    fn new(
        machine: M,
        request: Request,
        wire: Wire,
        points: &PointSets<'_, T>,
        mut state: State<M, T>,
    ) -> Result<Self, Error> {
        let chooser = Chooser::new(request, abilities::<T>(), choose::of_gpu(T::PRECISION))?;
        let plan = plan::Planned::new(&machine, &wire, &request, &chooser, points, &mut state)?;
        let report = plan.report(&wire, &request, machine.name(), &state)?;
        let tree = plan.tree;
        state.build.end();
        let state = Mutex::new(state);
        Ok(Self { request, chooser, machine, wire, tree, report, state })
    }

    fn state(&self) -> MutexGuard<'_, State<M, T>> {
        // State that a panic left is overwritten by the next evaluation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M, T> Engine<T> for RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        let Self { request, chooser, machine, wire, tree, report, state } = self;
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        (*tree, *report) = wire.group().phase(|| {
            let plan = plan::Planned::new(machine, wire, request, chooser, points, state)?;
            Ok((plan.tree, plan.report(wire, request, machine.name(), state)?))
        })?;
        state.build.end();
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        let engine = self.wire.group().phase(|| {
            let machine = self.machine.clone();
            let mut pipeline = Pipeline::new(machine.clone(), self.request.is_relative())?;
            // Tables of operators move there; this engine makes them again if it is used.
            pipeline.operators = std::mem::take(&mut self.state().pipeline.operators);
            let state = State::new(pipeline);
            Self::new(machine, self.request, self.wire.clone(), points, state)
        })?;
        Ok(Arc::new(engine))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        _workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let mut spare = self.state().spare.take();
        let group = self.wire.group();
        let written = spare.exchange(fields, |fields| {
            group.phase(|| {
                self.state().build.check_built()?;
                self.evaluate_all(charges, fields)
            })
        });
        self.state().spare = spare;
        written
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.wire.group().phase(|| {
            self.state().build.check_built()?;
            self.compare(charges, field, count)
        })
    }

    fn looks_at_charges(&self) -> bool {
        true
    }

    fn consent(&self, refusal: Option<Error>, call: Call) -> Result<(), Error> {
        self.wire.group().consent(refusal, call)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl<M: Launcher, T: Number> fmt::Debug for RankEngine<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RankEngine")
            .field("name", &self.machine.name())
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

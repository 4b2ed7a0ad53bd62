//! The engine of points that do not fit a device at once: receivers, and sources if need be, are taken in parts.
//!
//! Parts are stretches of the Morton curve. A part of the receivers and one of the sources are two sets of a plan, whose tree
//! lies in the cube around all points; results of the parts of the sources are added on the host. One part follows the other
//! in the memory of a device, and each evaluation builds all trees again. The check is one of the whole sum.
//!
//! Cost: r parts of receivers and s of sources copy the points r + s times and sort them as often; M2L, whose boxes are those
//! of the sources, is done r times, near pairs once. The host keeps points and indices in Morton order.
//!
//! | file | what |
//! |---|---|
//! | `set.rs` | points in Morton order, on the host |
//! | `plan.rs` | the numbers of parts; tree and lists of each, counted |
//! | `evaluation.rs` | from charges to fields |
//! | `check.rs` | direct sums at some receivers, over all sources |

mod check;
mod evaluation;
mod plan;
mod set;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Launcher;
use octree::Cube;

use crate::api::{Error, Field, Report, Request, SampledError};
use crate::choose::{Chooser, TreeStatistics};
use crate::engine::{Charges, Engine, PointSets, Scalar, Workspace};
use crate::gpu::Number;
use crate::gpu::engine::state::State;
use crate::gpu::pipeline::Pipeline;
use crate::gpu::pipeline::form::Expansions;
pub(super) use plan::{host_memory, memory_within};
use set::SortedSet;

/// The engine of a machine, with points that do not fit there at once.
pub(super) fn engine<M, T>(
    machine: M,
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    Ok(Arc::new(PartsEngine::new(machine, request, points)?))
}

/// The engine of one machine that takes points in parts.
struct PartsEngine<M: Launcher, T: Number> {
    request: Request,
    chooser: Chooser,
    machine: M,
    /// The smallest cube around all points.
    cube: Cube,
    sources: SortedSet<T>,
    /// `None`: the receivers are the sources.
    receivers: Option<SortedSet<T>>,
    /// Numbers of parts of sources and of receivers.
    parts: [usize; 2],
    /// Expansions that a pair of parts has room for: those of unlike charges, which take a higher order.
    reserved: Expansions,
    tree: TreeStatistics,
    report: Report,
    memory: Mutex<Memory<M, T>>,
}

/// Memory that parts use by turns. It has nothing from one pair to the next.
struct Memory<M: Launcher, T: Number> {
    /// Memory of the device.
    state: State<M, T>,
    /// Points on their way to the device.
    host: Vec<Vec4<T>>,
}

impl<M: Launcher, T: Number> Memory<M, T> {
    fn new(state: State<M, T>) -> Self {
        Self { state, host: Vec::new() }
    }
}

impl<M, T> PartsEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    fn receivers(&self) -> &SortedSet<T> {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }

    /// Gives back all memory, which the next evaluation takes again.
    fn release(&self) -> Result<(), Error> {
        let mut memory = self.memory();
        let pipeline = Pipeline::new(self.machine.clone(), self.request.is_relative())?;
        *memory = Memory::new(State::new(pipeline));
        Ok(())
    }

    /// Memory that evaluations share, for one pair of parts at a time. The cores' pool must not be used under this lock: its
    /// thread could take another evaluation of the same plan, and wait for itself.
    fn memory(&self) -> MutexGuard<'_, Memory<M, T>> {
        // What a panic left is overwritten by the next pair.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M, T> Engine<T> for PartsEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        self.release()?;
        *self = Self::new(self.machine.clone(), self.request, points)?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        self.release()?;
        engine(self.machine.clone(), self.request, points)
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        _workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let done = (0..fields.len()).map(|k| self.evaluate_vector(k, charges));
        let done: Vec<Field<T>> = done.collect::<Result<_, _>>()?;
        fields.iter_mut().zip(done).for_each(|(field, done)| *field = done);
        Ok(())
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.compare(charges, field, count)
    }

    fn report(&self) -> &Report {
        &self.report
    }
}

impl<M: Launcher, T: Number> fmt::Debug for PartsEngine<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartsEngine")
            .field("name", &self.machine.name())
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

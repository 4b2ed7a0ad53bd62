//! Memory of the engines of one device, and the choice of what is kept there.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::tree::Sets;

use super::Number;
use super::form::Expansions;
use super::keeping::Keeping;
use super::memory::Demand;
use super::pipeline::Pipeline;
use crate::api::{DeviceMemory, Error, Field};
use crate::engine::{PointCounts, Scalar};

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
    pub(super) field: Grown<M, Vec4<T>>,
    pub(super) host_field: Vec<Vec4<T>>,
    /// Fields of all vectors but the last, until it is sure that none fails.
    pub(super) done: Vec<Field<T>>,
    /// Memory that the points before took.
    pub(super) memory: DeviceMemory,
    /// Least that may be kept.
    least: Keeping,
    /// Bytes that were found free.
    granted: usize,
}

impl<M: Machine, T: Number> State<M, T> {
    /// No points yet.
    pub(super) fn new(pipeline: Pipeline<M, T>) -> Self {
        Self {
            pipeline,
            sets: Sets::One,
            points: Grown::new(),
            n_points: 0,
            expands: false,
            charges: Grown::new(),
            light: Grown::new(),
            field: Grown::new(),
            host_field: Vec::new(),
            done: Vec::new(),
            memory: DeviceMemory::default(),
            least: Keeping::All,
            granted: 0,
        }
    }

    /// Whether the field takes the place of the points as they came.
    pub(super) fn shares(&self) -> bool {
        self.pipeline.keeping == Keeping::Least
    }

    /// The receivers in the caller's order, if they are kept.
    pub(super) fn receivers(&self, n_receivers: usize) -> View<Vec4<T>> {
        let first = if self.sets == Sets::One { 0 } else { self.n_points - n_receivers };
        self.points.view(self.n_points).part(first, n_receivers)
    }

    /// Memory of the field in the caller's order, which has been reserved.
    pub(super) fn field_mut(&mut self, n_receivers: usize) -> ViewMut<Vec4<T>> {
        let memory = if self.shares() { &mut self.points } else { &mut self.field };
        memory.view_mut(n_receivers)
    }
}

impl<M: Machine + Clone, T: Scalar + Number> State<M, T> {
    /// Finds memory for a plan: decides what is kept, no less than `least`, or refuses.
    pub(super) fn grant(
        &mut self,
        machine: &M,
        demand: &Demand,
        limit: Option<usize>,
        least: Keeping,
    ) -> Result<(), Error> {
        let before = (self.memory.peak, self.pipeline.keeping);
        self.pipeline.keeping = demand.keeping(machine, before, limit, least)?;
        self.granted = demand.memory(self.pipeline.keeping).peak;
        self.least = least;
        if self.shares() {
            self.field.release();
            self.charges.release();
        }
        Ok(())
    }

    /// Takes the memory of evaluations now: they do not fail for want of memory.
    pub(super) fn reserve(
        &mut self,
        machine: &M,
        counts: PointCounts,
        expansions: Expansions,
        limit: Option<usize>,
    ) -> Result<(), Error> {
        let granted = self.granted.max(self.memory.peak);
        let kept = self.pipeline.keep_what_fits(expansions, granted, limit, self.least);
        // Points that moved have taken the place of the old ones, and are not refused.
        kept.or_else(|refusal| if self.memory.peak > 0 { Ok(()) } else { Err(refusal) })?;
        self.memory = self.pipeline.memory(expansions);
        if self.shares() {
            self.field.release();
            self.charges.release();
        } else {
            self.charges.reserve(machine, counts.n_sources)?;
            self.field.reserve(machine, counts.n_receivers)?;
        }
        if let Expansions::OnLists(form) = expansions {
            self.pipeline.reserve(form)?;
        }
        Ok(())
    }

    /// Copies charges to the device, in the caller's order. They wait in the memory of the field, where that is shared and
    /// they are needed but once.
    pub(super) fn take_charges(
        &mut self,
        machine: &M,
        charges: &[T],
        n_receivers: usize,
        once: bool,
    ) -> Result<View<T>, MachineError> {
        let n = charges.len();
        if self.shares() && once && n <= 4 * n_receivers {
            let memory = self.field_mut(n_receivers).numbers().part(0, n);
            machine.write(charges, memory)?;
            return Ok(memory.read_only());
        }
        self.charges.upload(machine, charges)?;
        Ok(self.charges.view(n))
    }
}

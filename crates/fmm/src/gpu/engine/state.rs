//! Memory of the engines of one device, and the choice of what is kept there.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;
use kernels_gpu::tree::Sets;
use octree::Cube;

use super::spare::SpareFields;
use crate::api::{DeviceMemory, Error};
use crate::engine::{PointCounts, PointSets, Scalar};
use crate::gpu::Number;
use crate::gpu::host_slices::{
    bounds_of_sent, cube_around, inspect, packed, packed_len, send_points, unpack,
};
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::memory::together::{ChargeMemory, Together};
use crate::gpu::memory::{BuildState, Room};
use crate::gpu::pipeline::Pipeline;
use crate::gpu::pipeline::form::Expansions;

/// Points of the host on their way to the device, before memory was found for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// Points that are not sent yet.
    Not,
    /// Points in the memory of the field, which is there and which nobody needs between evaluations. The device has begun to
    /// find their bounds.
    Before,
}

/// Points whose copy wakes the pool, at least: it takes a core as long as others take to wake.
const MANY: usize = 1 << 17;

/// Memory that evaluations use by turns.
pub(crate) struct State<M: Launcher, T: Number> {
    pub(crate) pipeline: Pipeline<M, T>,
    pub(crate) sets: Sets,
    /// Points in the caller's order, (x, y, z, 0), as long as they are kept.
    pub(crate) points: Grown<M, Vec4<T>>,
    pub(crate) n_points: usize,
    pub(crate) build: BuildState,
    pub(crate) charges: Grown<M, T>,
    /// Charges with zeros for the heavy ones, where there are some.
    pub(crate) light: Grown<M, T>,
    /// The field in the caller's order; before, points on their way into the tree.
    pub(crate) field: Grown<M, Vec4<T>>,
    /// Memory of several vectors, until points move.
    pub(crate) together: Option<Together<M, T>>,
    /// Fields that take the place of the caller's, once it is sure that none fails.
    pub(crate) spare: SpareFields<T>,
    /// Memory that the points before took.
    pub(crate) memory: DeviceMemory,
}

impl<M: Launcher, T: Number> State<M, T> {
    /// No points yet.
    pub(crate) fn new(pipeline: Pipeline<M, T>) -> Self {
        Self {
            pipeline,
            sets: Sets::One,
            points: Grown::new(),
            n_points: 0,
            build: BuildState::new(),
            charges: Grown::new(),
            light: Grown::new(),
            field: Grown::new(),
            together: None,
            spare: SpareFields::new(),
            memory: DeviceMemory::default(),
        }
    }

    /// Whether the least is kept: tree and lists alone between evaluations.
    pub(crate) fn keeps_least(&self) -> bool {
        self.pipeline.keeping == Keeping::Least
    }

    /// Gives back points as they came, charges and field: the tree has what it needs of them.
    pub(crate) fn end_build(&mut self) {
        self.points.release();
        self.field.release();
        self.charges.release();
    }

    /// Gives back charges that the tree's sources have, and that are not needed again, if the least is kept.
    pub(crate) fn end_charges(&mut self) {
        if self.keeps_least() {
            self.charges.release();
        }
    }

    /// Takes the memory of charges, all and light ones, for another vector's.
    pub(crate) fn take_charges(&mut self) -> ChargeMemory<M, T> {
        [std::mem::take(&mut self.charges), std::mem::take(&mut self.light)]
    }

    /// The receivers in the caller's order, if they are kept.
    pub(crate) fn receivers(&self, n_receivers: usize) -> View<Vec4<T>> {
        let first = if self.sets == Sets::One { 0 } else { self.n_points - n_receivers };
        self.points.view(self.n_points).part(first, n_receivers)
    }

    /// Ends an evaluation whose results have arrived from the memory of `field`.
    pub(crate) fn end_evaluation(&mut self, field: Grown<M, Vec4<T>>) {
        if self.keeps_least() {
            self.pipeline.sums.release();
            self.charges.release();
            self.light.release();
        } else {
            self.field = field;
        }
    }
}

impl<M: Launcher + Clone, T: Scalar + Number> State<M, T> {
    /// Uses memory that was found.
    pub(crate) fn grant(&mut self, room: Room) {
        self.pipeline.keeping = self.build.grant(room);
        self.together = None;
        if self.keeps_least() {
            self.field.release();
            self.charges.release();
        }
    }

    /// Works while points travel to the device, if there is memory for them before any was found for a plan.
    pub(super) fn send_beside<R: Send>(
        &mut self,
        machine: &M,
        points: &PointSets<'_, T>,
        work: impl FnOnce() -> R + Send,
    ) -> (Result<Sent, Error>, R)
    where
        M: Sync,
    {
        let len = packed_len(points.counts().n_points()).max(points.n_receivers());
        if self.pipeline.keeping > Keeping::All || self.field.capacity() < len {
            return (Ok(Sent::Not), work());
        }
        let packed = match packed(machine, &mut self.field, points) {
            Ok(packed) => packed,
            Err(error) => return (Err(error.into()), work()),
        };
        let send = || Ok(send_points(machine, points, packed)?);
        let tree = &mut self.pipeline.tree;
        let begin = |()| {
            tree.begin_packed_bounds(machine, packed.read_only())?;
            Ok(Sent::Before)
        };
        if points.counts().n_points() < MANY {
            // The device finds the bounds meanwhile.
            return (send().and_then(begin), work());
        }
        let (sent, worked) = parallel::join(send, work);
        (sent.and_then(begin), worked)
    }

    /// Brings points of the host to the device, with memory that was found for them. Gives the cube around them. Positions
    /// that are refused are refused before the old points go.
    pub(super) fn take_points(
        &mut self,
        machine: &M,
        points: &PointSets<'_, T>,
        room: Room,
        sent: Sent,
    ) -> Result<Cube, Error> {
        let (n, keeping) = (points.counts().n_points(), self.pipeline.keeping.max(room.keeping));
        if keeping > Keeping::All {
            // Old points make room for the new ones, which the cores look at once more.
            cube_around(inspect(points)?, n)?;
            self.build.lose_points();
        }
        self.grant(room);
        self.pipeline.begin_build();
        let packed = packed(machine, &mut self.field, points)?;
        let tree = &mut self.pipeline.tree;
        if sent == Sent::Not || keeping > Keeping::All {
            send_points(machine, points, packed)?;
            tree.begin_packed_bounds(machine, packed.read_only())?;
        }
        let cube = cube_around(bounds_of_sent(machine, tree, points)?, n)?;
        self.build.lose_points();
        self.points.reserve(machine, n)?;
        self.n_points = n;
        unpack(machine, packed.read_only(), self.points.view_mut(n))?;
        let kept = if self.keeps_least() { 0 } else { points.n_receivers() };
        if keeping > Keeping::All && packed_len(n) > kept {
            self.field.release();
        }
        Ok(cube)
    }

    /// Takes the memory of evaluations now, unless the least is kept: they do not fail for want of memory.
    pub(crate) fn reserve(
        &mut self,
        machine: &M,
        counts: PointCounts,
        expansions: Expansions,
        limit: Option<usize>,
    ) -> Result<(), Error> {
        let granted = self.build.granted().max(self.memory.peak);
        let waiting =
            self.field.capacity() * size_of::<Vec4<T>>() + self.charges.capacity() * size_of::<T>();
        let limits = (limit, self.build.least());
        let kept = self.pipeline.keep_what_fits(expansions, granted, waiting, limits);
        // Points that moved have taken the place of the old ones, and are not refused.
        kept.or_else(|refusal| if self.memory.peak > 0 { Ok(()) } else { Err(refusal) })?;
        self.memory = self.pipeline.memory(expansions);
        self.build.hold(self.pipeline.held(expansions));
        if self.keeps_least() {
            self.end_build();
            return Ok(());
        }
        self.charges.reserve(machine, counts.n_sources)?;
        self.field.reserve(machine, counts.n_receivers)?;
        if let Expansions::OnLists(form) = expansions {
            self.pipeline.reserve(form)?;
        }
        Ok(())
    }
}

//! State that builds leave on a device: whether the points have a tree there, and the memory that was found for them.

use kernels_gpu::machine::Launcher;

use super::demand::{Before, Demand};
use super::keeping::Keeping;
use crate::api::Error;

/// State of the points of an engine between one build and the next.
#[derive(Debug)]
pub(crate) struct BuildState {
    /// Whether tree and lists are those of the points.
    is_built: bool,
    /// Bytes that are there between evaluations.
    held: usize,
    /// Bytes that were found free.
    granted: usize,
    /// Least that may be kept.
    least: Keeping,
}

/// Memory that was found for a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) keeping: Keeping,
    /// Least that may be kept.
    least: Keeping,
    bytes: usize,
}

impl BuildState {
    /// No points yet.
    pub(crate) const fn new() -> Self {
        Self { is_built: false, held: 0, granted: 0, least: Keeping::All }
    }

    /// Whether tree and lists are those of the points.
    pub(crate) fn is_built(&self) -> bool {
        self.is_built
    }

    /// Refuses to sum over points whose tree was not finished.
    pub(crate) fn check_built(&self) -> Result<(), Error> {
        if self.is_built { Ok(()) } else { Err(Error::PointsLost) }
    }

    /// Gives up the tree of the points before. Points are lost until a build ends.
    pub(crate) fn lose_points(&mut self) {
        self.is_built = false;
    }

    /// Ends a build: tree and lists are those of the points.
    pub(crate) fn end(&mut self) {
        self.is_built = true;
    }

    /// Finds memory for a plan that keeps no less than `least`, or refuses it; the plan before keeps what `kept` tells. Nothing
    /// changes.
    pub(crate) fn find_room<M: Launcher>(
        &self,
        machine: &M,
        demand: &Demand,
        kept: Keeping,
        (limit, least): (Option<usize>, Keeping),
    ) -> Result<Room, Error> {
        let before = Before { held: self.held, granted: self.granted, keeping: kept };
        let keeping = demand.keeping(machine, before, limit, least)?;
        Ok(Room { keeping, least, bytes: demand.memory(keeping).peak })
    }

    /// Uses memory that was found. Gives what is kept of it.
    pub(crate) fn grant(&mut self, Room { keeping, least, bytes }: Room) -> Keeping {
        (self.least, self.granted) = (least, bytes);
        keeping
    }

    /// Bytes that were found free.
    pub(crate) fn granted(&self) -> usize {
        self.granted
    }

    /// Least that may be kept.
    pub(crate) fn least(&self) -> Keeping {
        self.least
    }

    /// Counts the bytes that are there between evaluations.
    pub(crate) fn hold(&mut self, bytes: usize) {
        self.held = bytes;
    }
}

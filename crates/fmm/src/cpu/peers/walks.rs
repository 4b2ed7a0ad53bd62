//! Walks among several processes: what a process brings to them, and what it sees of the others.

use octree::Aabb;

use crate::api::{Error, Seconds};
use crate::choose::Walk;
use crate::cpu::cells::{CellData, CellTables};
use crate::cpu::clumps::Clumps;
use crate::cpu::geometry::Geometry;

/// The other processes, as walks see them.
pub(crate) trait WalkPeers<T>: Sync {
    /// Makes the cells that the walks of this process may reach, its own and those of others, and brings the sources of
    /// others that they may open. Cell 0 is the root of the whole tree. Collective.
    fn make_cells(
        &self,
        own: &OwnWalks<'_, T>,
        cells: &mut CellData<T>,
        seen: &mut SeenPoints<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error>;
}

/// Walks of a process's groups, with its part of the sources.
#[derive(Clone, Copy)]
pub(crate) struct OwnWalks<'a, T> {
    pub(crate) geometry: &'a Geometry<T>,
    pub(crate) tables: CellTables<'a, T>,
    pub(crate) walk: &'a Walk,
    /// Distance below which cells are opened, in the plan's unit.
    pub(crate) least: f64,
    /// Share of a group's extent below which cells are opened.
    pub(crate) least_share: f64,
    /// Magnitudes of the earlier gradient in tree order, if the criterion takes one.
    pub(crate) gradients: &'a [f64],
    /// Charges in tree order.
    pub(crate) charges: &'a [T],
}

/// Points that the walks of a process see, in the order of the whole tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenPoints<T> {
    /// Coordinates of the sources, one array an axis.
    pub(crate) coordinates: [Vec<T>; 3],
    pub(crate) charges: Vec<T>,
    /// Clumps, with sources by their places among these.
    pub(crate) clumps: Clumps,
    /// Groups of which this process has a part.
    pub(crate) cut_groups: Vec<GroupPart>,
}

/// Part of a group of receivers that several processes have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPart {
    /// Tree position of the first receiver here.
    pub(crate) start: usize,
    /// Bounds of the whole group.
    pub(crate) bounds: Aabb,
    /// The smallest magnitude of the earlier gradient in the whole group.
    pub(crate) gradient: f64,
}

impl<T> SeenPoints<T> {
    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.charges.len() * size_of::<T>()
    }
}

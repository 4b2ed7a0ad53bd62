//! Launches that bring points into the order of their owners.

use super::{Parted, THREADS};
use crate::device::{Vec4, View, ViewMut};
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use crate::partition::owners::{
    self, CountOwners, OWNER_STARTS, OwnedPoints, OwnerStarts, PartPoints, TILE, shared_bytes,
};
use crate::scan::Scanner;
use crate::sort::{MAX_KEYS, SortError};
use crate::tree::morton::MAX_LEVEL;
use crate::tree::points::Lattice;
use octree::Cube;
use std::vec;
use std::vec::Vec;

/// Order of points by their owners, in memory that is kept from one set of points to the next.
#[derive(Debug)]
pub struct OwnerOrder<M: Machine> {
    cuts: Grown<M, u64>,
    /// Number of points before each owner of each tile, then of all.
    before: Grown<M, u32>,
    permutation: Grown<M, u32>,
    /// First place of each owner, then the number of points.
    pub starts: Vec<usize>,
}

impl<M: Machine> OwnerOrder<M> {
    /// No points yet.
    pub const fn new() -> Self {
        Self {
            cuts: Grown::new(),
            before: Grown::new(),
            permutation: Grown::new(),
            starts: Vec::new(),
        }
    }

    /// Counts the `points` of each owner in `cube`. `cuts` are the first codes of the second owner and those after it. Four
    /// launches; the host waits. [`place`](Self::place) follows.
    ///
    /// # Errors
    /// If there are too many points, or the device fails or has not enough memory.
    pub fn count<T: Parted>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        cube: &Cube,
        cuts: &[u64],
    ) -> Result<(), SortError> {
        let (n, n_owners) = (points.len(), cuts.len() + 1);
        if n > MAX_KEYS {
            return Err(SortError::TooManyKeys { count: n });
        }
        self.starts = vec![0; n_owners + 1];
        let n_tiles = n.div_ceil(TILE);
        if n_tiles == 0 {
            return Ok(());
        }
        self.cuts.upload(machine, cuts)?;
        self.before.reserve(machine, n_owners * n_tiles + 1)?;
        let counts = self.before.view_mut(n_owners * n_tiles + 1);
        let args = CountOwners { of: self.owned(points, cube), counts };
        machine.launch(&T::COUNT_OWNERS, self.tiles(n), args)?;
        Scanner::new().exclusive(machine, counts)?;
        let mut starts = Grown::<M, u32>::new();
        starts.reserve(machine, n_owners + 1)?;
        let args = OwnerStarts {
            before: counts.read_only(),
            n_tiles: n_tiles as u32,
            starts: starts.view_mut(n_owners + 1),
        };
        machine.launch(&OWNER_STARTS, Grid::over(n_owners + 1, THREADS), args)?;
        let mut on_host = vec![0_u32; n_owners + 1];
        starts.download(machine, &mut on_host)?;
        self.starts = on_host.into_iter().map(|start| start as usize).collect();
        Ok(self.permutation.reserve(machine, n)?)
    }

    /// Puts the same points of the same cube in their places, each owner's in the order in which they were: those of the owner
    /// `own` in `staying`, the others at their places in `leaving`, which has n. One launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn place<T: Parted>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        cube: &Cube,
        own: usize,
        [leaving, staying]: [ViewMut<Vec4<T>>; 2],
    ) -> Result<(), MachineError> {
        let n = points.len();
        if n == 0 {
            return Ok(());
        }
        let args = PartPoints {
            of: self.owned(points, cube),
            before: self.before.view((self.starts.len() - 1) * n.div_ceil(TILE) + 1),
            own: own as u32,
            permutation: self.permutation.view_mut(n),
            leaving,
            staying,
        };
        machine.launch(&T::PART_POINTS, self.tiles(n), args)
    }

    fn owned<T>(&self, points: View<Vec4<T>>, cube: &Cube) -> OwnedPoints<T> {
        let cuts = self.cuts.view(self.starts.len() - 2);
        OwnedPoints { points, lattice: Lattice::new(cube, MAX_LEVEL), cuts }
    }

    fn tiles(&self, n: usize) -> Grid {
        let shared = shared_bytes(self.starts.len() - 1);
        Grid::of(n.div_ceil(TILE) as u32, owners::THREADS).shared(shared)
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Index of each point in the order of owners, n items, once points are in their places.
    pub fn permutation(&self) -> View<u32> {
        self.permutation.view(self.n())
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> usize {
        (self.permutation.capacity() + self.before.capacity()) * size_of::<u32>()
    }
}

impl<M: Machine> Default for OwnerOrder<M> {
    fn default() -> Self {
        Self::new()
    }
}

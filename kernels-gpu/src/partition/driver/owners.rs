//! Launches that bring points into the order of their owners.

use super::{THREADS, places_of};
use crate::device::{Real, Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::partition::owners::{
    self, COUNT_OWNERS, CountOwners, OWNER_STARTS, OwnedPoints, OwnerStarts, PART_POINTS,
    PartPoints, TILE, first_tile, shared_bytes,
};
use crate::scan::Scanner;
use crate::sort::{MAX_KEYS, SortError};
use crate::tree::morton::MAX_LEVEL;
use crate::tree::points::Lattice;
use octree::Cube;
use std::ops::Range;
use std::vec;
use std::vec::Vec;

/// Order of points by their owners, in memory that is kept from one set of points to the next.
#[derive(Debug)]
pub struct OwnerOrder<M: Launcher> {
    cuts: Grown<M, Vec4<u32>>,
    /// Number of points before each owner of each tile, then of all.
    before: Grown<M, u32>,
    permutation: Grown<M, u32>,
    n_pieces: usize,
    /// First place of each piece of each owner, then the number of points.
    pieces: Vec<usize>,
    /// First place of each owner, then the number of points.
    starts: Vec<usize>,
}

/// Points (x, y, z, any), and the cube of the tree that owners share.
#[derive(Clone, Copy, Debug)]
pub struct PointsInCube<'c, T> {
    /// The points.
    pub points: View<Vec4<T>>,
    /// The cube, which holds them.
    pub cube: &'c Cube,
}

impl<M: Launcher> OwnerOrder<M> {
    /// No points yet.
    pub const fn new() -> Self {
        Self {
            cuts: Grown::new(),
            before: Grown::new(),
            permutation: Grown::new(),
            n_pieces: 1,
            pieces: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Counts the `points` of each owner, in `n_pieces` pieces. `cuts` are the first codes of the second owner and those
    /// after it. Four launches; the host waits. [`place`](Self::place) follows.
    ///
    /// # Errors
    /// If there are too many points, or the device fails or has not enough memory.
    ///
    /// # Panics
    /// If there is no piece.
    pub fn count<T: Real>(
        &mut self,
        machine: &M,
        points: PointsInCube<'_, T>,
        cuts: &[u64],
        n_pieces: usize,
    ) -> Result<(), SortError> {
        assert!(n_pieces > 0, "no piece");
        let (n, n_owners) = (points.points.len(), cuts.len() + 1);
        if n > MAX_KEYS {
            return Err(SortError::TooManyKeys { count: n });
        }
        self.n_pieces = n_pieces;
        self.pieces = vec![0; n_owners * n_pieces + 1];
        let n_tiles = n.div_ceil(TILE);
        if n_tiles > 0 {
            self.cuts.upload(machine, &places_of(cuts))?;
            self.before.reserve(machine, n_owners * n_tiles + 1)?;
            let counts = self.before.view_mut(n_owners * n_tiles + 1);
            let args = CountOwners { of: self.owned(points, n_owners, 0), counts };
            machine.launch(&COUNT_OWNERS(), tiles(0..n_tiles, n_owners), args)?;
            Scanner::new().exclusive(machine, counts)?;
            let mut starts = Grown::<M, u32>::new();
            starts.reserve(machine, self.pieces.len())?;
            let args = OwnerStarts {
                before: counts.read_only(),
                n_tiles: n_tiles as u32,
                n_pieces: n_pieces as u32,
                starts: starts.view_mut(self.pieces.len()),
            };
            machine.launch(&OWNER_STARTS, Grid::over(self.pieces.len(), THREADS), args)?;
            let mut on_host = vec![0_u32; self.pieces.len()];
            starts.download(machine, &mut on_host)?;
            self.pieces = on_host.into_iter().map(|start| start as usize).collect();
        }
        self.starts = self.pieces.iter().copied().step_by(n_pieces).collect();
        Ok(self.permutation.reserve(machine, n)?)
    }

    /// Puts a piece of the same points in their places, each owner's in the order in which they were: those of
    /// the owner `own` in `staying`, the coordinates of the others at their places in `leaving`, which has 3 n. One launch.
    ///
    /// # Errors
    /// If the device fails.
    pub fn place<T: Real>(
        &mut self,
        machine: &M,
        points: PointsInCube<'_, T>,
        own: usize,
        piece: usize,
        leaving: ViewMut<T>,
        staying: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        let (n, n_owners) = (points.points.len(), self.starts.len() - 1);
        let n_tiles = n.div_ceil(TILE);
        let [first, next] =
            [piece, piece + 1].map(|piece| first_tile(piece, n_tiles, self.n_pieces));
        if first == next {
            return Ok(());
        }
        let args = PartPoints {
            of: self.owned(points, n_owners, first),
            before: self.before.view(n_owners * n_tiles + 1),
            own: own as u32,
            permutation: self.permutation.view_mut(n),
            leaving,
            staying,
        };
        machine.launch(&PART_POINTS(), tiles(first..next, n_owners), args)
    }

    /// First place of each owner, then the number of points.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Places of a piece of an owner's points.
    pub fn piece(&self, owner: usize, piece: usize) -> Range<usize> {
        let at = owner * self.n_pieces + piece;
        self.pieces[at]..self.pieces[at + 1]
    }

    fn owned<T>(
        &self,
        PointsInCube { points, cube }: PointsInCube<'_, T>,
        n_owners: usize,
        first_tile: usize,
    ) -> OwnedPoints<T> {
        let (lattice, cuts) = (Lattice::new(cube, MAX_LEVEL), self.cuts.view(n_owners - 1));
        OwnedPoints { points, lattice, cuts, first_tile: first_tile as u32 }
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

impl<M: Launcher> Default for OwnerOrder<M> {
    fn default() -> Self {
        Self::new()
    }
}

fn tiles(tiles: Range<usize>, n_owners: usize) -> Grid {
    Grid::of(tiles.len() as u32, owners::THREADS).shared(shared_bytes(n_owners))
}

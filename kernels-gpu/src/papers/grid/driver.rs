//! Alg. 5 of Hu, Gumerov and Duraiswami (2012), Build-fmm-data-structures: the launches that build a grid, and its arrays.

use super::Ranks;
use super::bookmarks::{COLLECT_BOXES, CollectBoxes, MARK_BOXES, MarkBoxes};
use super::neighbors::{COUNT_NEIGHBORS, LIST_NEIGHBORS, ListNeighbors, Neighbors, TOTALS, Totals};
use super::sort::{BIN, Bin, PLACE, Place};
use crate::device::{Real, Vec2, Vec4, View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::scan::Scanner;
use crate::tree::points::Lattice;
use crate::tree::{CubeFinder, TreeError};
use octree::Cube;

/// Number of threads of a block, one item each.
const THREADS: u32 = 256;

/// Deepest level: 2²⁷ bins, half a GiB.
pub const MAX_GRID_LEVEL: u32 = 9;

/// Error of building a grid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// Level whose histogram would not fit.
    #[error(
        "level {level} has too many bins; give at most {MAX_GRID_LEVEL}, or build a tree of uniform depth"
    )]
    TooDeep {
        /// Level asked for.
        level: u32,
    },
    /// Points that no grid can have, or an error of the device.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// Error of the device.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// One set of points by boxes. Lengths: n points, `n_boxes` non-empty boxes.
#[derive(Debug)]
pub struct BoxedPoints<M: Launcher, T: Real> {
    /// SortedSrc, SortedRecv: n points in the order of boxes.
    pub sorted: Grown<M, Vec4<T>>,
    /// SrcBookmark, RecvBookmark: n_boxes + 1 places in `sorted`; box i holds `bookmark[i]..bookmark[i + 1]`.
    pub bookmark: Grown<M, u32>,
    /// SrcNonEmptyBoxIndex, RecvNonEmptyBoxIndex: the Morton index of each of the n_boxes boxes, ascending.
    pub non_empty_box_index: Grown<M, u32>,
    /// RecvPermutationIdx, and the same for sources: n items, sorted place → the caller's index.
    pub permutation: Grown<M, u32>,
    n_points: usize,
    n_boxes: usize,
    ranks: Grown<M, Vec2<u32>>,
    bits: Grown<M, u32>,
    before: Grown<M, u32>,
    n_words: usize,
}

/// Data structures of one level for separate sources and receivers, in the memory of a device. Rebuilding reuses the
/// memory, which only grows.
#[derive(Debug)]
pub struct UniformGrid<M: Launcher, T: Real> {
    level: u32,
    cube: Option<Cube>,
    n_neighbors: usize,
    sources: BoxedPoints<M, T>,
    receivers: BoxedPoints<M, T>,
    neighbor_bookmark: Grown<M, u32>,
    neighbor_list: Grown<M, u32>,
    /// Bins, one a box, used for both sets in turn.
    bins: Grown<M, u32>,
    totals: Grown<M, u32>,
    scanner: Scanner<M>,
    cube_finder: CubeFinder<M>,
}

impl<M: Launcher, T: Real> UniformGrid<M, T> {
    /// Grid without points.
    pub const fn new() -> Self {
        Self {
            level: 0,
            cube: None,
            n_neighbors: 0,
            sources: BoxedPoints::new(),
            receivers: BoxedPoints::new(),
            neighbor_bookmark: Grown::new(),
            neighbor_list: Grown::new(),
            bins: Grown::new(),
            totals: Grown::new(),
            scanner: Scanner::new(),
            cube_finder: CubeFinder::new(),
        }
    }

    /// Alg. 5: all structures of `level` for `points`, of which the first `n_sources` are sources and the others receivers.
    /// 25 launches; the host waits for the cube and for the numbers of boxes and neighbours.
    ///
    /// # Errors
    /// If a coordinate is not finite, the level too deep, or the device fails or has not enough memory.
    pub fn rebuild(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        n_sources: usize,
        level: u32,
    ) -> Result<(), GridError> {
        if level > MAX_GRID_LEVEL {
            return Err(GridError::TooDeep { level });
        }
        let n_sources = n_sources.min(points.len());
        let cube = self.cube_finder.find(machine, points, n_sources)?;
        (self.level, self.cube) = (level, Some(cube));
        let n_bins = 1 << (3 * level);
        self.bins.reserve(machine, n_bins + 1)?;

        // Alg. 1 and 3.
        let lattice = Lattice::new(&cube, level);
        let parts = [
            (&mut self.sources, points.part(0, n_sources)),
            (&mut self.receivers, points.part(n_sources, points.len() - n_sources)),
        ];
        for (set, points) in parts {
            self.bins.fill(machine, 0)?;
            let bins = self.bins.view_mut(n_bins + 1);
            set.sort(machine, points, bins, lattice, &mut self.scanner)?;
            set.collect(machine, bins.read_only(), &mut self.scanner)?;
        }

        self.list_neighbors(machine, n_bins)
    }

    /// Alg. 4, Get-E2-neighbor-list-and-bookmark, for boxes of `n_bins` bins. The host waits for the numbers of boxes and
    /// neighbours.
    fn list_neighbors(&mut self, machine: &M, n_bins: usize) -> Result<(), GridError> {
        let level = self.level;
        let most_boxes = self.receivers.n_points.min(n_bins);
        self.neighbor_bookmark.reserve(machine, most_boxes + 1)?;
        self.totals.reserve(machine, 3)?;
        let bookmark = self.neighbor_bookmark.view_mut(most_boxes + 1);
        let (sources, receivers) = (self.sources.ranks(), self.receivers.ranks());
        let args = ListNeighbors {
            sources,
            receivers,
            receiver_box_index: self.receivers.non_empty_box_index.view(most_boxes),
            bookmark,
            list: ViewMut::EMPTY,
            level,
        };
        machine.launch(&COUNT_NEIGHBORS, Grid::over(most_boxes, THREADS), args)?;
        self.scanner.exclusive(machine, bookmark)?;
        let totals = self.totals.view_mut(3);
        let of_all = Totals { sources, receivers, bookmark: bookmark.read_only(), totals };
        machine.launch(&TOTALS, Grid::of(1, 32), of_all)?;
        let mut totals = [0; 3];
        self.totals.download(machine, &mut totals)?;
        let [n_source_boxes, n_receiver_boxes, n_neighbors] = totals.map(|n| n as usize);
        (self.sources.n_boxes, self.receivers.n_boxes) = (n_source_boxes, n_receiver_boxes);
        self.n_neighbors = n_neighbors;

        self.neighbor_list.reserve(machine, n_neighbors)?;
        let args = ListNeighbors {
            receiver_box_index: self.receivers.non_empty_box_index.view(n_receiver_boxes),
            list: self.neighbor_list.view_mut(n_neighbors),
            ..args
        };
        machine.launch(&LIST_NEIGHBORS, Grid::over(n_receiver_boxes, THREADS), args)?;
        Ok(())
    }

    /// Arrays of Alg. 2: NeighborBookmark, NeighborList and SrcBookmark.
    pub fn neighbors(&self) -> Neighbors {
        Neighbors {
            bookmark: self.neighbor_bookmark.view(self.receivers.n_boxes + 1),
            list: self.neighbor_list.view(self.n_neighbors),
            source_bookmark: self.sources.bookmark.view(self.sources.n_boxes + 1),
        }
    }

    /// NeighborBookmark, in memory: n_boxes + 1 places in the list, one row a receiver box.
    pub fn neighbor_bookmark(&self) -> &Grown<M, u32> {
        &self.neighbor_bookmark
    }

    /// NeighborList, in memory: ranks of source boxes.
    pub fn neighbor_list(&self) -> &Grown<M, u32> {
        &self.neighbor_list
    }

    /// Number of items of NeighborList.
    pub fn n_neighbors(&self) -> usize {
        self.n_neighbors
    }

    /// Sources by boxes.
    pub fn sources(&self) -> &BoxedPoints<M, T> {
        &self.sources
    }

    /// Receivers by boxes.
    pub fn receivers(&self) -> &BoxedPoints<M, T> {
        &self.receivers
    }

    /// Cube of level 0, if there are points.
    pub fn cube(&self) -> Option<&Cube> {
        self.cube.as_ref()
    }

    /// Level of the boxes.
    pub fn level(&self) -> u32 {
        self.level
    }
}

impl<M: Launcher, T: Real> Default for UniformGrid<M, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Launcher, T: Real> BoxedPoints<M, T> {
    const fn new() -> Self {
        Self {
            sorted: Grown::new(),
            bookmark: Grown::new(),
            non_empty_box_index: Grown::new(),
            permutation: Grown::new(),
            n_points: 0,
            n_boxes: 0,
            ranks: Grown::new(),
            bits: Grown::new(),
            before: Grown::new(),
            n_words: 0,
        }
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    /// Number of non-empty boxes.
    pub fn n_boxes(&self) -> usize {
        self.n_boxes
    }

    /// Ranks of the non-empty boxes.
    pub fn ranks(&self) -> Ranks {
        Ranks { bits: self.bits.view(self.n_words), before: self.before.view(self.n_words + 1) }
    }

    /// Alg. 1, Parallel-Pseudo-Sort. `bins` has one item a box and one more, all 0; afterwards their prefix sums.
    fn sort(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        bins: ViewMut<u32>,
        lattice: Lattice,
        scanner: &mut Scanner<M>,
    ) -> Result<(), MachineError> {
        let n = points.len();
        self.n_points = n;
        self.ranks.reserve(machine, n)?;
        self.sorted.reserve(machine, n)?;
        self.permutation.reserve(machine, n)?;
        let args = Bin { points, bins, ranks: self.ranks.view_mut(n), lattice };
        machine.launch(&BIN(), Grid::over(n, THREADS), args)?;
        scanner.exclusive(machine, bins)?;
        let args = Place {
            points,
            ranks: self.ranks.view(n),
            scanned_bins: bins.read_only(),
            sorted: self.sorted.view_mut(n),
            permutation: self.permutation.view_mut(n),
        };
        machine.launch(&PLACE(), Grid::over(n, THREADS), args)
    }

    /// Alg. 3, Get-bookmark-and-box-index.
    fn collect(
        &mut self,
        machine: &M,
        scanned_bins: View<u32>,
        scanner: &mut Scanner<M>,
    ) -> Result<(), MachineError> {
        let n_bins = scanned_bins.len() - 1;
        let most_boxes = self.n_points.min(n_bins);
        self.n_words = n_bins.div_ceil(32);
        self.bits.reserve(machine, self.n_words)?;
        self.before.reserve(machine, self.n_words + 1)?;
        self.bookmark.reserve(machine, most_boxes + 1)?;
        self.non_empty_box_index.reserve(machine, most_boxes)?;
        let (bits, before) =
            (self.bits.view_mut(self.n_words), self.before.view_mut(self.n_words + 1));
        let args = MarkBoxes { scanned_bins, bits, counts: before };
        machine.launch(&MARK_BOXES, Grid::over(n_bins, THREADS), args)?;
        scanner.exclusive(machine, before)?;
        let args = CollectBoxes {
            ranks: self.ranks(),
            scanned_bins,
            bookmark: self.bookmark.view_mut(most_boxes + 1),
            non_empty_box_index: self.non_empty_box_index.view_mut(most_boxes),
        };
        machine.launch(&COLLECT_BOXES, Grid::over(self.n_words, THREADS), args)
    }
}

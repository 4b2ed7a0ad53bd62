//! The flat data structures of Hu, Gumerov and Duraiswami (2012), by their names: one level of boxes, sources
//! and receivers apart, empty boxes skipped.
//!
//! | paper | here | cost |
//! |---|---|---|
//! | Alg. 1 Parallel-Pseudo-Sort | [`pseudo_sort`] | O(N + M) |
//! | Alg. 2 Access-Source-E2-neighborhood | [`Grid::e2_sources`] | O(points found) |
//! | Alg. 3 Get-bookmark-and-box-index | [`bookmarks_and_box_indices`] | O(N + M) |
//! | Alg. 4 Get-E2-neighbor-list-and-bookmark | [`Grid::neighbors`] | 27 look-ups a receiver box |
//! | Alg. 5 Build-fmm-data-structures | [`Grid::build`] | O(N + M) for a fixed level |
//! | E4 query | [`Grid::e4_boxes`] | 216 look-ups |
//!
//! [`Octree`](crate::Octree) with [`Depth::Uniform`](crate::Depth::Uniform) holds the same boxes of all levels.

mod bookmarks;
mod ranks;

pub use bookmarks::bookmarks_and_box_indices;

use std::ops::Range;

use crate::boxes::coordinate::Coordinate;
use crate::boxes::cube::Cube;
use crate::boxes::key::Key;
use crate::boxes::neighborhood::{e2_codes, e4};
use crate::error::{Error, PointSet};
use crate::morton::MAX_LEVEL;
use crate::sort::pseudo_sort;
use crate::tree::csr::{Csr, Rows};
use crate::tree::points;
use ranks::Ranks;

/// Receiver boxes that one task takes.
const TASK: usize = 1 << 10;

/// The data structures of one level for separate sources and receivers.
#[derive(Debug, Clone)]
pub struct Grid<C> {
    cube: Cube,
    level: u8,
    sources: Boxes<C>,
    receivers: Boxes<C>,
    source_ranks: Ranks,
    neighbors: Csr,
}

/// One set of points, sorted by boxes.
#[derive(Debug, Clone)]
pub struct Boxes<C> {
    /// SortedSrc, SortedRecv: the points in sorted order.
    pub sorted: Vec<[C; 3]>,
    /// SrcBookmark, RecvBookmark: n + 1 places in `sorted`; box i holds `bookmark[i]..bookmark[i + 1]`.
    pub bookmark: Vec<u32>,
    /// SrcNonEmptyBoxIndex, RecvNonEmptyBoxIndex: the Morton index of each of the n boxes, ascending.
    pub non_empty_box_index: Vec<u64>,
    /// RecvPermutationIdx, and the same for sources: sorted place → the caller's index.
    pub permutation: Vec<u32>,
}

impl<C: Coordinate> Grid<C> {
    /// Alg. 5: all structures of `level` for `sources` and `receivers`.
    ///
    /// # Errors
    /// [`Error::TooDeep`]; [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooManyPoints`]: points that no tree holds.
    pub fn build(sources: &[[C; 3]], receivers: &[[C; 3]], level: u8) -> Result<Grid<C>, Error> {
        if level > MAX_LEVEL {
            return Err(Error::TooDeep { level });
        }
        let source_bounds = points::bounds(sources, PointSet::Sources)?;
        let cube =
            Cube::around(source_bounds.union(points::bounds(receivers, PointSet::Receivers)?))?;
        let sources = Boxes::sort(&cube, sources, level);
        let receivers = Boxes::sort(&cube, receivers, level);
        let source_ranks = Ranks::new(level, &sources.non_empty_box_index);
        let neighbors = neighbor_list(level, &receivers.non_empty_box_index, &source_ranks);
        Ok(Grid { cube, level, sources, receivers, source_ranks, neighbors })
    }

    /// The sources found by the E2 neighbours of receiver box `i` (Alg. 2), as ranges of the sorted
    /// sources, one a neighbour.
    pub fn e2_sources(&self, i: usize) -> impl Iterator<Item = Range<usize>> {
        self.neighbors.row(i).iter().map(|&s| self.sources.range(s as usize))
    }

    /// The non-empty source boxes in E4 of receiver box `i`: at most 189.
    pub fn e4_boxes(&self, i: usize) -> impl Iterator<Item = u32> {
        let key = Key::from_code(self.level, self.receivers.non_empty_box_index[i]);
        e4(key).filter_map(|key| self.source_ranks.rank(key.code()))
    }

    /// NeighborList and NeighborBookmark (Alg. 4): row i holds the non-empty source boxes in E2 of the i-th
    /// non-empty receiver box, as ranks in the sources' `non_empty_box_index`.
    pub fn neighbors(&self) -> &Csr {
        &self.neighbors
    }

    /// The sources by boxes.
    pub fn sources(&self) -> &Boxes<C> {
        &self.sources
    }

    /// The receivers by boxes.
    pub fn receivers(&self) -> &Boxes<C> {
        &self.receivers
    }

    /// The cube of level 0.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The level of the boxes.
    pub fn level(&self) -> u8 {
        self.level
    }
}

impl<C: Coordinate> Boxes<C> {
    fn sort(cube: &Cube, points: &[[C; 3]], level: u8) -> Boxes<C> {
        let sort = pseudo_sort(&points::codes(cube, points, level));
        let (bookmark, non_empty_box_index) = bookmarks_and_box_indices(&sort.codes);
        let point = |i: usize| points[sort.permutation[i] as usize];
        let sorted = parallel::collect(points.len(), 1 << 13, point);
        Boxes { sorted, bookmark, non_empty_box_index, permutation: sort.permutation }
    }

    /// Number of non-empty boxes.
    pub fn n_boxes(&self) -> usize {
        self.non_empty_box_index.len()
    }

    /// The points of the i-th non-empty box, as places in `sorted`.
    pub fn range(&self, i: usize) -> Range<usize> {
        self.bookmark[i] as usize..self.bookmark[i + 1] as usize
    }
}

/// Alg. 4: the neighbours of a chunk of receiver boxes one after the other, then the chunks joined. The paper
/// reserves 27 slots a box and compacts them; a chunk that knows its own end needs no empty slots.
fn neighbor_list(level: u8, receivers: &[u64], sources: &Ranks) -> Csr {
    let parts = parallel::map_parts(receivers.chunks(TASK), |_, chunk| {
        let mut rows = Rows::default();
        for &code in chunk {
            let neighbors = e2_codes(Key::from_code(level, code));
            rows.items.extend(neighbors.filter_map(|code| sources.rank(code)));
            rows.close_row();
        }
        rows
    });
    Csr::concat(&parts.iter().collect::<Vec<_>>())
}

//! Driver of trees on a device: the launches that build a tree, and its arrays.

mod cube;
mod host;
mod merge;
mod order;
mod views;

pub(crate) use cube::CubeFinder;
pub use host::HostTree;
pub(crate) use host::items_of;

use super::NONE;
use super::boxes::{
    self, COUNT_BOXES, COUNTS, CountBoxes, LEVEL_STARTS, LevelStarts, NUMBER_BOXES, NumberBoxes,
    STARTS,
};
use super::error::TreeError;
use super::family::{LINK_BOXES, LinkBoxes};
use super::morton::{SLOTS, level_begun_at};
use super::starts::{SortedPoints, Split};
use crate::device::{Real, Vec4, View};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::partition::Part;
use crate::partition::cuts::Cut;
use crate::scan::Scanner;
use crate::sort::Sorter;
use octree::{Cube, Depth, SplitRule};

/// Number of threads of a block where each thread has one item.
const THREADS: u32 = 256;

/// Division of the points into sources and receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sets {
    /// One set: all points are sources and receivers.
    One,
    /// Two sets: the first `n_sources` points are sources, the others receivers.
    Two {
        /// Number of sources.
        n_sources: usize,
    },
}

/// Tree in the memory of a device. Rebuilding reuses the memory, which only grows.
///
/// N points, B boxes, L leaves. Arrays of sources and of receivers have one entry a point; if sources are receivers,
/// both names give the same array.
#[derive(Debug)]
pub struct Tree<M: Launcher> {
    n_sources: usize,
    n_receivers: usize,
    one_set: bool,
    cube: Cube,
    deepest: u32,
    /// First box of each slot, B, B + L, and the flag that a box of the level that should suffice holds too many
    /// points.
    starts: [u32; STARTS],

    sorter: Sorter<M, u64>,
    scanner: Scanner<M>,
    cube_finder: CubeFinder<M>,
    is_crowded: Grown<M, u32>,
    levels: Grown<M, u32>,
    counts: Grown<M, u32>,

    /// Sorted keys of all points, and their permutation.
    keys: Grown<M, u64>,
    permutation: Grown<M, u32>,
    /// Arrays of two sets.
    sources_before: Grown<M, u32>,
    source_keys: Grown<M, u64>,
    receiver_keys: Grown<M, u64>,
    source_permutation: Grown<M, u32>,
    receiver_permutation: Grown<M, u32>,

    level_start: Grown<M, u32>,
    first: Grown<M, u32>,
    level: Grown<M, u32>,
    key: Grown<M, u64>,
    range: Grown<M, Vec4<u32>>,
    parent: Grown<M, u32>,
    child: Grown<M, u32>,
    children: Grown<M, u32>,
    leaves: Grown<M, u32>,
}

impl<M: Launcher> Tree<M> {
    /// Builds the tree of `points`: see [`rebuild`](Self::rebuild).
    ///
    /// # Errors
    /// As [`rebuild`](Self::rebuild).
    pub fn build<T: Real>(
        machine: &M,
        points: View<Vec4<T>>,
        sets: Sets,
        depth: Depth,
        enlarged: f64,
    ) -> Result<Self, TreeError> {
        let mut tree = Self::of_no_points(Cube::bounding([])?);
        tree.rebuild(machine, points, sets, depth, enlarged)?;
        Ok(tree)
    }

    fn of_no_points(cube: Cube) -> Self {
        Self {
            n_sources: 0,
            n_receivers: 0,
            one_set: true,
            cube,
            deepest: 0,
            starts: [0; STARTS],
            sorter: Sorter::new(),
            scanner: Scanner::new(),
            cube_finder: CubeFinder::new(),
            is_crowded: Grown::new(),
            levels: Grown::new(),
            counts: Grown::new(),
            keys: Grown::new(),
            permutation: Grown::new(),
            sources_before: Grown::new(),
            source_keys: Grown::new(),
            receiver_keys: Grown::new(),
            source_permutation: Grown::new(),
            receiver_permutation: Grown::new(),
            level_start: Grown::new(),
            first: Grown::new(),
            level: Grown::new(),
            key: Grown::new(),
            range: Grown::new(),
            parent: Grown::new(),
            child: Grown::new(),
            children: Grown::new(),
            leaves: Grown::new(),
        }
    }

    /// Builds the tree of `points` (x, y, z and anything; sources first if there are two sets) in the memory of the old
    /// tree. The cube is [enlarged](Cube::enlarged) by the factor `enlarged`.
    ///
    /// # Errors
    /// If a coordinate is not finite, the depth is impossible, or the device fails or has not enough memory.
    pub fn rebuild<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        sets: Sets,
        depth: Depth,
        enlarged: f64,
    ) -> Result<(), TreeError> {
        self.count_points(points.len(), sets);
        // The cube, on the host.
        let cube = self.cube_finder.find(machine, points, self.n_sources)?.enlarged(enlarged);
        self.build_in(machine, points, depth, &Part::whole(cube))
    }

    /// Builds the part of a tree over several devices that holds `points`, all of which lie in the interval of `part`, in
    /// the memory of the old tree. Boxes are those of the whole tree in which there are points here.
    ///
    /// # Errors
    /// As [`rebuild`](Self::rebuild).
    pub fn rebuild_part<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        sets: Sets,
        depth: Depth,
        part: &Part,
    ) -> Result<(), TreeError> {
        self.count_points(points.len(), sets);
        self.build_in(machine, points, depth, part)
    }

    /// Gives back the memory that only a build uses: keys, their sort, and boxes on their way.
    pub fn release_scratch(&mut self) {
        self.sorter.release();
        self.keys.release();
        self.levels.release();
        self.counts.release();
        self.first.release();
        self.sources_before.release();
        self.source_keys.release();
        self.receiver_keys.release();
        if !self.one_set {
            self.permutation.release();
        }
    }

    fn count_points(&mut self, n: usize, sets: Sets) {
        self.one_set = sets == Sets::One;
        (self.n_sources, self.n_receivers) = match sets {
            Sets::One => (n, n),
            Sets::Two { n_sources } => (n_sources.min(n), n - n_sources.min(n)),
        };
    }

    fn build_in<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        depth: Depth,
        part: &Part,
    ) -> Result<(), TreeError> {
        let deepest = u32::from(SplitRule::new(part.cube, depth)?.deepest());
        let n = points.len();
        let was_crowded = self.is_crowded();
        self.starts = [0; STARTS];
        self.cube = part.cube;
        self.deepest = deepest;
        if n == 0 {
            return Ok(self.level_start.upload(machine, &self.starts)?);
        }

        // Few levels take few passes to sort, and do unless some boxes are crowded. Which keys are used in the end depends
        // on the points alone, but the trial is spared if it failed last time.
        let capacity = depth.leaf_capacity().map_or(0, |c| u32::try_from(c).unwrap_or(u32::MAX));
        let enough = if capacity > 0 { enough_levels(n, capacity).min(deepest) } else { deepest };
        let ends = [part.interval.start, part.interval.end];
        let begun = ends.map(|end| u32::from(level_begun_at(end)));
        let enough = enough.max(begun[0]).max(begun[1]);
        self.deepest = if was_crowded { deepest } else { enough };
        let split =
            |deepest| Split { capacity, enough, cuts: ends.map(|end| Cut::before(end, deepest)) };
        self.sort(machine, points)?;
        self.count_boxes(machine, split(self.deepest))?;
        let level = if self.is_crowded() { deepest } else { enough };
        if level != self.deepest {
            self.deepest = level;
            self.sort(machine, points)?;
            self.count_boxes(machine, split(level))?;
        }
        Ok(self.number_boxes(machine)?)
    }

    fn is_crowded(&self) -> bool {
        self.starts[STARTS - 1] > 0
    }

    /// Finds the levels at which boxes start, and the number of boxes. The host waits.
    fn count_boxes(&mut self, machine: &M, split: Split) -> Result<(), MachineError> {
        let n = self.n_points();
        let (tiles, n_counts) = tiles_and_counts(n);
        self.levels.reserve(machine, n)?;
        self.counts.reserve(machine, n_counts)?;
        self.level_start.reserve(machine, STARTS)?;
        let args = CountBoxes {
            points: self.points(),
            split,
            levels: self.levels.view_mut(n),
            counts: self.counts.view_mut(n_counts),
            is_crowded: self.is_crowded.view_mut(1),
        };
        let grid = Grid::of(tiles as u32, boxes::THREADS).shared(boxes::SHARED);
        machine.launch(&COUNT_BOXES, grid, args)?;
        self.scanner.exclusive(machine, self.counts.view_mut(n_counts))?;
        let args = LevelStarts {
            counts: self.counts.view(n_counts),
            is_crowded: self.is_crowded.view(1),
            starts: self.level_start.view_mut(STARTS),
            n_tiles: tiles as u32,
        };
        machine.launch(&LEVEL_STARTS, Grid::over(STARTS, THREADS), args)?;
        self.level_start.download(machine, &mut self.starts)
    }

    /// Numbers the boxes and links them.
    fn number_boxes(&mut self, machine: &M) -> Result<(), MachineError> {
        let n = self.n_points();
        let (tiles, n_counts) = tiles_and_counts(n);
        let (n_boxes, n_leaves) = (self.n_boxes(), self.n_leaves());
        self.first.reserve(machine, n_boxes)?;
        self.reserve_boxes(machine, n_boxes, n_leaves)?;
        let points = self.points();
        let args = NumberBoxes {
            keys: points.keys,
            levels: self.levels.view(n),
            counts: self.counts.view(n_counts),
            first: self.first.view_mut(n_boxes),
            level: self.level.view_mut(n_boxes),
            key: self.key.view_mut(n_boxes),
            children: self.children.view_mut(n_boxes),
            leaves: self.leaves.view_mut(n_leaves),
            deepest: self.deepest,
        };
        let grid = Grid::of(tiles as u32, boxes::THREADS).shared(boxes::SHARED);
        machine.launch(&NUMBER_BOXES, grid, args)?;
        let args = LinkBoxes {
            points,
            level_start: self.level_start(),
            first: self.first.view(n_boxes),
            level: self.level.view(n_boxes),
            key: self.key.view(n_boxes),
            range: self.range.view_mut(n_boxes),
            parent: self.parent.view_mut(n_boxes),
            child: self.child.view_mut(8 * n_boxes),
            children: self.children.view_mut(n_boxes),
        };
        machine.launch(&LINK_BOXES, Grid::over(n_boxes, THREADS), args)
    }

    /// Takes the memory of boxes; none has a child yet.
    fn reserve_boxes(
        &mut self,
        machine: &M,
        n_boxes: usize,
        n_leaves: usize,
    ) -> Result<(), MachineError> {
        self.level.reserve(machine, n_boxes)?;
        self.key.reserve(machine, n_boxes)?;
        self.range.reserve(machine, n_boxes)?;
        self.parent.reserve(machine, n_boxes)?;
        self.child.reserve(machine, 8 * n_boxes)?;
        self.children.reserve(machine, n_boxes)?;
        self.leaves.reserve(machine, n_leaves)?;
        self.child.fill(machine, NONE as u8)
    }

    fn points(&self) -> SortedPoints {
        let (deepest, n) = (self.deepest, self.n_points());
        let keys = self.keys.view(n);
        if self.one_set {
            let (sources_before, receiver_keys) = (View::EMPTY, View::EMPTY);
            return SortedPoints {
                keys,
                sources_before,
                source_keys: keys,
                receiver_keys,
                deepest,
            };
        }
        SortedPoints {
            keys,
            sources_before: self.sources_before.view(n + 1),
            source_keys: self.source_keys.view(self.n_sources),
            receiver_keys: self.receiver_keys.view(self.n_receivers),
            deepest,
        }
    }
}

/// Level of keys that suffices for most sets of points: four passes of the sort for up to 3·10⁵ full leaves, then five.
fn enough_levels(n: usize, capacity: u32) -> u32 {
    if n / capacity as usize <= 300_000 { 10 } else { 13 }
}

/// Number of tiles of points, and the length of their counts.
fn tiles_and_counts(n: usize) -> (usize, usize) {
    let tiles = n.div_ceil(boxes::TILE);
    (tiles, COUNTS * tiles + 1)
}

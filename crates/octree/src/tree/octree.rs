//! The tree: non-empty boxes level by level, and the permutation that sorts the points by boxes.

use std::ops::Range;

use crate::boxes::cube::Cube;
use crate::boxes::key::Key;

/// Depth of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// All leaves at this level, at most [`MAX_LEVEL`](crate::MAX_LEVEL): Hu, Gumerov and Duraiswami's
    /// fixed grid without its empty boxes. Centres are rounded below [`Cube::exact_level`].
    Uniform(u8),
    /// A box with more sources or more receivers than this is split, down to [`MAX_LEVEL`](crate::MAX_LEVEL) or as
    /// [`Cube::exact_level`] allows. A box of few points that all coincide, as keys tell, is a leaf.
    Adaptive {
        /// Sources, and receivers, that a leaf holds at most; 1 (Nakasato's tree) or more.
        leaf_capacity: usize,
    },
    /// Rule of [`Depth::Adaptive`] above `max_level`; boxes of `max_level` are not split.
    AdaptiveTo {
        /// Sources, and receivers, that a leaf above `max_level` holds at most; 1 or more.
        leaf_capacity: usize,
        /// Deepest level allowed, at most [`MAX_LEVEL`](crate::MAX_LEVEL).
        max_level: u8,
    },
}

impl Depth {
    /// Largest number of points in a leaf; `None` for [`Depth::Uniform`].
    pub fn leaf_capacity(self) -> Option<usize> {
        match self {
            Depth::Uniform(_) => None,
            Depth::Adaptive { leaf_capacity } | Depth::AdaptiveTo { leaf_capacity, .. } => {
                Some(leaf_capacity)
            }
        }
    }
}

/// A linear octree over sources and receivers.
///
/// Boxes are numbered level by level, in Morton order inside a level; only boxes with a source or a receiver
/// exist. Points are in tree order: the Morton order of their leaves, the caller's order inside a leaf of
/// coincident keys. Building costs O(N + M) for a fixed depth, and gives the same tree for any number of threads.
#[derive(Debug, Clone)]
pub struct Octree {
    pub(crate) cube: Cube,
    /// n_levels + 1 box numbers: level l holds `level_starts[l]..level_starts[l + 1]`.
    pub(crate) level_starts: Vec<usize>,
    /// Key of each box.
    pub(crate) keys: Vec<Key>,
    /// Parent of each box; 0 for the root, which is not read.
    pub(crate) parents: Vec<u32>,
    /// n_boxes + 1 box numbers: the children of b are `child_starts[b]..child_starts[b + 1]`.
    pub(crate) child_starts: Vec<u32>,
    /// Leaves in Morton order.
    pub(crate) leaves: Vec<u32>,
    /// Leaves below each box b: `leaves[leaf_ranges[b].0..leaf_ranges[b].1]`.
    pub(crate) leaf_ranges: Vec<(u32, u32)>,
    pub(crate) sources: Points,
    /// `None`: the receivers are the sources.
    pub(crate) receivers: Option<Points>,
    pub(crate) seconds: BuildSeconds,
}

/// Permutation and ranges of one set of points.
#[derive(Debug, Clone, Default)]
pub(crate) struct Points {
    /// Tree position → the caller's index.
    pub(crate) permutation: Vec<u32>,
    /// First tree position of each box and one past the last.
    pub(crate) ranges: Vec<(u32, u32)>,
}

/// Seconds of building, by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BuildSeconds {
    /// Bounding cube and keys.
    pub keys: f64,
    /// Pseudo-sort.
    pub sort: f64,
    /// Boxes and leaves.
    pub boxes: f64,
}

impl Octree {
    /// The cube of level 0.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// Number of boxes.
    pub fn n_boxes(&self) -> usize {
        self.keys.len()
    }

    /// Number of levels, the root's included; 0 without points.
    pub fn n_levels(&self) -> usize {
        self.level_starts.len() - 1
    }

    /// The boxes of a level below [`n_levels`](Octree::n_levels).
    pub fn level(&self, level: usize) -> Range<usize> {
        self.level_starts[level]..self.level_starts[level + 1]
    }

    /// The key of box `b`.
    pub fn key(&self, b: usize) -> Key {
        self.keys[b]
    }

    /// The keys of all boxes.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The number of the box with this key; `None` where the tree has no such box. O(log boxes).
    pub fn find(&self, key: Key) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// The box that holds `b`; `None` for the root.
    pub fn parent(&self, b: usize) -> Option<usize> {
        (b > 0).then(|| self.parents[b] as usize)
    }

    /// The children of `b` in Morton order; empty for a leaf.
    pub fn children(&self, b: usize) -> Range<usize> {
        self.child_starts[b] as usize..self.child_starts[b + 1] as usize
    }

    /// Whether `b` has no children.
    pub fn is_leaf(&self, b: usize) -> bool {
        self.child_starts[b] == self.child_starts[b + 1]
    }

    /// Leaves of all levels in Morton order.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves
    }

    /// The leaves at or below `b` in Morton order.
    pub fn leaves_below(&self, b: usize) -> &[u32] {
        let (start, end) = self.leaf_ranges[b];
        &self.leaves[start as usize..end as usize]
    }

    /// The sources in `b`, as tree positions.
    pub fn sources(&self, b: usize) -> Range<usize> {
        self.sources.range(b)
    }

    /// The receivers in `b`, as tree positions.
    pub fn receivers(&self, b: usize) -> Range<usize> {
        self.receiver_points().range(b)
    }

    /// Number of sources.
    pub fn n_sources(&self) -> usize {
        self.sources.permutation.len()
    }

    /// Number of receivers.
    pub fn n_receivers(&self) -> usize {
        self.receiver_points().permutation.len()
    }

    /// Tree position → the caller's index of a source.
    pub fn source_permutation(&self) -> &[u32] {
        &self.sources.permutation
    }

    /// Tree position → the caller's index of a receiver: the paper's RecvPermutationIdx. The same slice
    /// as [`source_permutation`](Octree::source_permutation) when the receivers are the sources.
    pub fn receiver_permutation(&self) -> &[u32] {
        &self.receiver_points().permutation
    }

    /// Whether one set is both.
    pub fn sources_are_receivers(&self) -> bool {
        self.receivers.is_none()
    }

    /// Seconds of building, by phase.
    pub fn seconds(&self) -> BuildSeconds {
        self.seconds
    }

    /// The tree in `cube` that has neither boxes nor points yet.
    pub(crate) fn without_boxes(cube: Cube) -> Octree {
        Octree {
            cube,
            level_starts: vec![0],
            keys: Vec::new(),
            parents: Vec::new(),
            child_starts: Vec::new(),
            leaves: Vec::new(),
            leaf_ranges: Vec::new(),
            sources: Points::default(),
            receivers: None,
            seconds: BuildSeconds::default(),
        }
    }

    /// Sets the leaves in Morton order, and for each box the range of those below it, from keys and children.
    pub(crate) fn find_leaves(&mut self) {
        let n_boxes = self.n_boxes();
        // Upward: how many leaves are below each box.
        let mut ranges = vec![(0, 0); n_boxes];
        for b in (0..n_boxes).rev() {
            let below: u32 = ranges[self.children(b)].iter().map(|range| range.1).sum();
            ranges[b].1 = if self.is_leaf(b) { 1 } else { below };
        }
        // Downward: where they begin.
        let mut leaves = vec![0; ranges.first().map_or(0, |root| root.1 as usize)];
        for b in 0..n_boxes {
            let (mut start, _) = ranges[b];
            if self.is_leaf(b) {
                leaves[start as usize] = b as u32;
            }
            for child in &mut ranges[self.children(b)] {
                let end = start + child.1;
                *child = (start, end);
                start = end;
            }
        }
        (self.leaves, self.leaf_ranges) = (leaves, ranges);
    }

    fn receiver_points(&self) -> &Points {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }
}

impl Points {
    fn range(&self, b: usize) -> Range<usize> {
        let (start, end) = self.ranges[b];
        start as usize..end as usize
    }
}

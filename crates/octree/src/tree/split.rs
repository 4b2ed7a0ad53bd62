//! The rule that splits boxes, and the points of a box as ranges of sorted codes.

use crate::boxes::cube::Cube;
use crate::boxes::key::Key;
use crate::error::Error;
use crate::morton::MAX_LEVEL;
use crate::tree::bookmarks::octant_bookmarks;
use crate::tree::octree::Depth;

/// Points of one code that make up a leaf wherever they are alone, at most. More go down to the deepest level, where
/// few leaves touch theirs: a chain of 21 boxes costs less than the near pairs of so many points with one leaf more.
const FEW_OF_ONE_CODE: u64 = 1024;

/// Cube and depth of a tree: all that decides, with the points, which boxes are split.
///
/// Processes that agree on the rule build parts of one tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitRule {
    cube: Cube,
    depth: Depth,
    deepest: u8,
}

impl SplitRule {
    /// The rule of trees of this `depth` in `cube`.
    ///
    /// # Errors
    /// [`Error::TooDeep`]; [`Error::NoLeafCapacity`]: a leaf capacity of 0.
    pub fn new(cube: Cube, depth: Depth) -> Result<SplitRule, Error> {
        let deepest = match depth {
            Depth::Uniform(level) | Depth::AdaptiveTo { max_level: level, .. }
                if level > MAX_LEVEL =>
            {
                return Err(Error::TooDeep { level });
            }
            _ if depth.leaf_capacity() == Some(0) => return Err(Error::NoLeafCapacity),
            Depth::Uniform(level) => level,
            Depth::Adaptive { .. } => cube.exact_level(),
            Depth::AdaptiveTo { max_level, .. } => cube.exact_level().min(max_level),
        };
        Ok(SplitRule { cube, depth, deepest })
    }

    /// The cube of level 0.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// The depth of the tree.
    pub fn depth(&self) -> Depth {
        self.depth
    }

    /// The level below which no box is split.
    pub fn deepest(&self) -> u8 {
        self.deepest
    }

    /// Whether a box of `level` is split. `largest`: the larger of its numbers of sources and of receivers;
    /// `coincide`: whether all of them have one code at the [`deepest`](SplitRule::deepest) level.
    pub(crate) fn splits(&self, level: u8, largest: u64, coincide: impl FnOnce() -> bool) -> bool {
        let below = level < self.deepest;
        match self.depth.leaf_capacity() {
            None => below,
            Some(leaf_capacity) => {
                below
                    && largest > leaf_capacity as u64
                    && (largest > FEW_OF_ONE_CODE || !coincide())
            }
        }
    }
}

/// Sorted codes at level `deepest` of the points that a process has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SortedCodes<'a> {
    pub(crate) sources: &'a [u64],
    /// `None`: the receivers are the sources.
    pub(crate) receivers: Option<&'a [u64]>,
    pub(crate) deepest: u8,
}

/// A box and its points, as ranges of sorted codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) key: Key,
    pub(crate) sources: (u32, u32),
    pub(crate) receivers: (u32, u32),
}

impl SortedCodes<'_> {
    /// The box of all points.
    pub(crate) fn root(&self) -> Node {
        let sources = (0, self.sources.len() as u32);
        let receivers = self.receivers.map_or(sources, |codes| (0, codes.len() as u32));
        Node { key: Key::root(), sources, receivers }
    }

    /// A box that is not below the deepest level. O(log N).
    pub(crate) fn node(&self, key: Key) -> Node {
        let below = 3 * (self.deepest - key.level());
        let ends = [key.code() << below, (key.code() + 1) << below];
        let range = |codes: &[u64]| {
            let [start, end] = ends.map(|end| codes.partition_point(|&code| code < end) as u32);
            (start, end)
        };
        let sources = range(self.sources);
        Node { key, sources, receivers: self.receivers.map_or(sources, range) }
    }

    /// Sources, and receivers where they are another set, before a code at [`MAX_LEVEL`]. O(log N).
    pub(crate) fn points_before(&self, code: u64) -> u64 {
        let below = 3 * (MAX_LEVEL - self.deepest);
        let before = |codes: &[u64]| codes.partition_point(|&own| own << below < code) as u64;
        before(self.sources) + self.receivers.map_or(0, before)
    }

    /// The eight octants of a box above the deepest level, empty ones included.
    pub(crate) fn octants(&self, node: &Node) -> [Node; 8] {
        let shift = 3 * (self.deepest - node.key.level() - 1);
        let octants = |codes: &[u64], (start, end): (u32, u32)| {
            octant_bookmarks(codes, start..end, |code| code >> shift & 7)
        };
        let sources = octants(self.sources, node.sources);
        let receivers = self.receivers.map_or(sources, |codes| octants(codes, node.receivers));
        [0, 1, 2, 3, 4, 5, 6, 7].map(|octant| Node {
            key: node.key.child(octant as u8),
            sources: (sources[octant], sources[octant + 1]),
            receivers: (receivers[octant], receivers[octant + 1]),
        })
    }

    /// The lowest and the highest code in a box; `None` without points.
    pub(crate) fn code_range(&self, node: &Node) -> Option<(u64, u64)> {
        let ends = |codes: &[u64], (start, end): (u32, u32)| {
            (start < end).then(|| (codes[start as usize], codes[end as usize - 1]))
        };
        let sources = ends(self.sources, node.sources);
        let receivers = self.receivers.and_then(|codes| ends(codes, node.receivers));
        match (sources, receivers) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (one, other) => one.or(other),
        }
    }
}

impl Node {
    /// Whether the box has no point.
    pub(crate) fn is_empty(&self) -> bool {
        self.sources.0 == self.sources.1 && self.receivers.0 == self.receivers.1
    }

    /// The larger of the numbers of sources and of receivers.
    pub(crate) fn largest(&self) -> u64 {
        let size = |(start, end): (u32, u32)| u64::from(end - start);
        size(self.sources).max(size(self.receivers))
    }
}

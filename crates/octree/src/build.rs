//! Building the tree: keys, pseudo-sort, then boxes level by level from the sorted keys.

use std::time::Instant;

use rayon::prelude::*;

use crate::bookmarks::octant_bookmarks;
use crate::coordinate::Coordinate;
use crate::cube::Cube;
use crate::error::{Error, PointSet};
use crate::key::Key;
use crate::morton::MAX_LEVEL;
use crate::octree::{BuildSeconds, Depth, Octree, Points};
use crate::points;
use crate::sort::{Sorted, pseudo_sort};

/// Boxes that one task splits.
const TASK: usize = 256;

/// Points of one code that make up a leaf wherever they are alone, at most. More go down to the deepest level, where
/// few leaves touch theirs: a chain of 21 boxes costs less than the near pairs of so many points with one leaf more.
const FEW_OF_ONE_CODE: usize = 1024;

impl Octree {
    /// The tree of points that are sources and receivers at once: sorted once, ranges kept once.
    pub fn build<C: Coordinate>(sources: &[[C; 3]], depth: Depth) -> Result<Octree, Error> {
        build(sources, None, depth, 1.0)
    }

    /// The tree of two separate sets. Either may be empty.
    pub fn build_between<C: Coordinate>(
        sources: &[[C; 3]],
        receivers: &[[C; 3]],
        depth: Depth,
    ) -> Result<Octree, Error> {
        build(sources, Some(receivers), depth, 1.0)
    }

    /// The tree of one set, or of two, in a cube [enlarged](Cube::enlarged) by `factor`. Factors above 1 tune the
    /// number of points in a leaf on evenly spread points, where levels give factors of 8 only.
    pub fn build_enlarged<C: Coordinate>(
        sources: &[[C; 3]],
        receivers: Option<&[[C; 3]]>,
        depth: Depth,
        factor: f64,
    ) -> Result<Octree, Error> {
        build(sources, receivers, depth, factor)
    }
}

fn build<C: Coordinate>(
    sources: &[[C; 3]],
    receivers: Option<&[[C; 3]]>,
    depth: Depth,
    enlarged: f64,
) -> Result<Octree, Error> {
    match depth {
        Depth::Uniform(level) if level > MAX_LEVEL => return Err(Error::TooDeep { level }),
        _ if depth.leaf_capacity() == Some(0) => return Err(Error::NoLeafCapacity),
        _ => {}
    }

    // Bounding cube and keys, as deep as the tree can be.
    let clock = Instant::now();
    let mut bounds = points::bounds(sources, PointSet::Sources)?;
    if let Some(receivers) = receivers {
        bounds = bounds.union(points::bounds(receivers, PointSet::Receivers)?);
    }
    let cube = Cube::around(bounds)?.enlarged(enlarged);
    let deepest = match depth {
        Depth::Uniform(level) => level,
        Depth::Adaptive { .. } => cube.exact_level(),
        Depth::AdaptiveTo { max_level, .. } => cube.exact_level().min(max_level),
    };
    let source_codes = points::codes(&cube, sources, deepest);
    let receiver_codes = receivers.map(|receivers| points::codes(&cube, receivers, deepest));
    let mut seconds = BuildSeconds { keys: clock.elapsed().as_secs_f64(), ..Default::default() };

    let clock = Instant::now();
    let sources = pseudo_sort(&source_codes);
    let receivers = receiver_codes.map(|codes| pseudo_sort(&codes));
    seconds.sort = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let splitter = Splitter {
        sources: &sources.codes,
        receivers: receivers.as_ref().map(|sorted| sorted.codes.as_slice()),
        depth,
        deepest,
    };
    let mut tree = splitter.tree(cube)?;
    (tree.leaves, tree.leaf_ranges) = leaves(&tree);
    tree.sources.permutation = sources.permutation;
    if let (Some(points), Some(Sorted { permutation, .. })) = (&mut tree.receivers, receivers) {
        points.permutation = permutation;
    }
    tree.seconds = BuildSeconds { boxes: clock.elapsed().as_secs_f64(), ..seconds };
    Ok(tree)
}

/// Sorted codes and rules that decide the split of a box.
struct Splitter<'a> {
    /// Sorted Morton indices at level `deepest`.
    sources: &'a [u64],
    receivers: Option<&'a [u64]>,
    depth: Depth,
    deepest: u8,
}

/// A box under construction.
#[derive(Clone, Copy)]
struct Node {
    key: Key,
    sources: (u32, u32),
    receivers: (u32, u32),
}

impl Splitter<'_> {
    /// The tree without leaves and permutations, top-down: each level is split in parallel.
    fn tree(&self, cube: Cube) -> Result<Octree, Error> {
        let mut tree = Octree {
            cube,
            level_starts: vec![0],
            keys: Vec::new(),
            parents: Vec::new(),
            child_starts: Vec::new(),
            leaves: Vec::new(),
            leaf_ranges: Vec::new(),
            sources: Points::default(),
            receivers: self.receivers.map(|_| Points::default()),
            seconds: BuildSeconds::default(),
        };
        let sources = (0, self.sources.len() as u32);
        let receivers = self.receivers.map_or(sources, |codes| (0, codes.len() as u32));
        let mut level = vec![Node { key: Key::root(), sources, receivers }];
        if sources.1 == 0 && receivers.1 == 0 {
            level.clear();
        }
        tree.parents.extend(level.iter().map(|_| 0));
        while !level.is_empty() {
            let start = tree.keys.len();
            let children_start = start + level.len();
            tree.keys.extend(level.iter().map(|node| node.key));
            tree.sources.ranges.extend(level.iter().map(|node| node.sources));
            if let Some(points) = &mut tree.receivers {
                points.ranges.extend(level.iter().map(|node| node.receivers));
            }
            tree.level_starts.push(children_start);

            let parts: Vec<(Vec<Node>, Vec<u8>)> =
                level.par_chunks(TASK).map(|chunk| self.split_all(chunk)).collect();
            let mut next = Vec::with_capacity(parts.iter().map(|part| part.0.len()).sum());
            let mut child = children_start as u32;
            let mut parent = start as u32;
            for (nodes, counts) in parts {
                next.extend(nodes);
                for count in counts {
                    tree.child_starts.push(child);
                    tree.parents.extend((0..count).map(|_| parent));
                    child += u32::from(count);
                    parent += 1;
                }
            }
            level = next;
            let count = children_start + level.len();
            if count > i32::MAX as usize {
                return Err(Error::TooManyBoxes { count });
            }
        }
        tree.child_starts.push(tree.keys.len() as u32);
        Ok(tree)
    }

    /// The children of `nodes`, and how many each one has.
    fn split_all(&self, nodes: &[Node]) -> (Vec<Node>, Vec<u8>) {
        let mut children = Vec::with_capacity(8 * nodes.len());
        let counts = nodes.iter().map(|node| {
            let before = children.len();
            if self.splits(node) {
                self.split(node, &mut children);
            }
            (children.len() - before) as u8
        });
        let counts = counts.collect();
        (children, counts)
    }

    fn splits(&self, node: &Node) -> bool {
        let below = node.key.level() < self.deepest;
        match self.depth.leaf_capacity() {
            None => below,
            Some(leaf_capacity) => {
                let size = |(start, end): (u32, u32)| (end - start) as usize;
                let largest = size(node.sources).max(size(node.receivers));
                let is_split = || largest > FEW_OF_ONE_CODE || !self.coincide(node);
                below && largest > leaf_capacity && is_split()
            }
        }
    }

    /// Whether all points of a box have one code.
    fn coincide(&self, node: &Node) -> bool {
        let ends = |codes: &[u64], (start, end): (u32, u32)| {
            (start < end).then(|| (codes[start as usize], codes[end as usize - 1]))
        };
        let sources = ends(self.sources, node.sources);
        let receivers = self.receivers.and_then(|codes| ends(codes, node.receivers));
        match (sources, receivers) {
            (Some(a), Some(b)) => a.0.min(b.0) == a.1.max(b.1),
            (Some(a), None) | (None, Some(a)) => a.0 == a.1,
            (None, None) => true,
        }
    }

    fn split(&self, node: &Node, children: &mut Vec<Node>) {
        let shift = 3 * (self.deepest - node.key.level() - 1);
        let octants = |codes: &[u64], (start, end): (u32, u32)| {
            octant_bookmarks(codes, start..end, |code| code >> shift & 7)
        };
        let sources = octants(self.sources, node.sources);
        let receivers = self.receivers.map_or(sources, |codes| octants(codes, node.receivers));
        children.extend((0..8).filter_map(|octant| {
            let child = Node {
                key: node.key.child(octant as u8),
                sources: (sources[octant], sources[octant + 1]),
                receivers: (receivers[octant], receivers[octant + 1]),
            };
            let filled = child.sources.0 < child.sources.1 || child.receivers.0 < child.receivers.1;
            filled.then_some(child)
        }));
    }
}

/// The leaves in Morton order, and for each box the range of those below it.
fn leaves(tree: &Octree) -> (Vec<u32>, Vec<(u32, u32)>) {
    let n_boxes = tree.n_boxes();
    // Upward: how many leaves are below each box.
    let mut ranges = vec![(0, 0); n_boxes];
    for b in (0..n_boxes).rev() {
        let below: u32 = ranges[tree.children(b)].iter().map(|range| range.1).sum();
        ranges[b].1 = if tree.is_leaf(b) { 1 } else { below };
    }
    // Downward: where they begin.
    let mut leaves = vec![0; ranges.first().map_or(0, |root| root.1 as usize)];
    for b in 0..n_boxes {
        let (mut start, _) = ranges[b];
        if tree.is_leaf(b) {
            leaves[start as usize] = b as u32;
        }
        for child in &mut ranges[tree.children(b)] {
            let end = start + child.1;
            *child = (start, end);
            start = end;
        }
    }
    (leaves, ranges)
}

//! Building the tree: keys, pseudo-sort, then boxes level by level from the sorted keys.

use std::time::Instant;

use crate::boxes::coordinate::Coordinate;
use crate::boxes::cube::Cube;
use crate::boxes::key::Key;
use crate::error::Error;
use crate::sort::{Sorted, pseudo_sort};
use crate::tree::octree::{BuildSeconds, Depth, Octree, Points};
use crate::tree::points;
use crate::tree::split::{Node, SortedCodes, SplitRule};

/// Boxes that one task splits.
const TASK: usize = 256;

impl Octree {
    /// The tree of points that are sources and receivers at once: sorted once, ranges kept once.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooManyPoints`]: points that no tree holds; [`Error::TooManyBoxes`];
    /// [`Error::TooDeep`], [`Error::NoLeafCapacity`]: a depth that there is not.
    pub fn build<C: Coordinate>(sources: &[[C; 3]], depth: Depth) -> Result<Octree, Error> {
        build(sources, None, depth, 1.0)
    }

    /// The tree of two separate sets. Either may be empty.
    ///
    /// # Errors
    /// Errors of [`build`](Octree::build).
    pub fn build_between<C: Coordinate>(
        sources: &[[C; 3]],
        receivers: &[[C; 3]],
        depth: Depth,
    ) -> Result<Octree, Error> {
        build(sources, Some(receivers), depth, 1.0)
    }

    /// The tree of one set, or of two, in a cube [enlarged](Cube::enlarged) by `factor`. Factors above 1 tune the
    /// number of points in a leaf on evenly spread points, where levels give factors of 8 only.
    ///
    /// # Errors
    /// Errors of [`build`](Octree::build).
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
    let clock = Instant::now();
    let cube = Cube::around(points::bounds_of(sources, receivers)?)?.enlarged(enlarged);
    let rule = SplitRule::new(cube, depth)?;
    let seconds = clock.elapsed().as_secs_f64();
    let mut tree = build_in(&rule, sources, receivers, &|_| false)?;
    tree.seconds.keys += seconds;
    Ok(tree)
}

/// The tree of checked points in a given cube. Boxes above the deepest level for which `is_shared` holds are split
/// whatever they hold.
pub(crate) fn build_in<C: Coordinate>(
    rule: &SplitRule,
    sources: &[[C; 3]],
    receivers: Option<&[[C; 3]]>,
    is_shared: &(dyn Fn(Key) -> bool + Sync),
) -> Result<Octree, Error> {
    // Keys as deep as the tree can be.
    let clock = Instant::now();
    let deepest = rule.deepest();
    let source_codes = points::codes(rule.cube(), sources, deepest);
    let receiver_codes = receivers.map(|points| points::codes(rule.cube(), points, deepest));
    let mut seconds = BuildSeconds { keys: clock.elapsed().as_secs_f64(), ..Default::default() };

    let clock = Instant::now();
    let sources = pseudo_sort(&source_codes);
    let receivers = receiver_codes.map(|codes| pseudo_sort(&codes));
    seconds.sort = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let codes = SortedCodes {
        sources: &sources.codes,
        receivers: receivers.as_ref().map(|sorted| sorted.codes.as_slice()),
        deepest,
    };
    let mut tree = Splitter { codes, rule, is_shared }.tree()?;
    tree.find_leaves();
    tree.sources.permutation = sources.permutation;
    if let (Some(points), Some(Sorted { permutation, .. })) = (&mut tree.receivers, receivers) {
        points.permutation = permutation;
    }
    tree.seconds = BuildSeconds { boxes: clock.elapsed().as_secs_f64(), ..seconds };
    Ok(tree)
}

/// Sorted codes and rules that decide the split of a box.
struct Splitter<'a> {
    codes: SortedCodes<'a>,
    rule: &'a SplitRule,
    is_shared: &'a (dyn Fn(Key) -> bool + Sync),
}

impl Splitter<'_> {
    /// The tree without leaves and permutations, top-down: each level is split in parallel.
    fn tree(&self) -> Result<Octree, Error> {
        let mut tree = Octree::without_boxes(*self.rule.cube());
        tree.receivers = self.codes.receivers.map(|_| Points::default());
        let mut level = vec![self.codes.root()];
        level.retain(|root| !root.is_empty());
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

            let parts = parallel::map_parts(level.chunks(TASK), |_, chunk| self.split_all(chunk));
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
                let octants = self.codes.octants(node).into_iter();
                children.extend(octants.filter(|child| !child.is_empty()));
            }
            (children.len() - before) as u8
        });
        let counts = counts.collect();
        (children, counts)
    }

    fn splits(&self, node: &Node) -> bool {
        let level = node.key.level();
        let coincide =
            || self.codes.code_range(node).is_none_or(|(lowest, highest)| lowest == highest);
        level < self.rule.deepest() && (self.is_shared)(node.key)
            || self.rule.splits(level, node.largest(), coincide)
    }
}

//! Clumps: points in crowded leaves of the deepest level, which the tree cannot split, and the near pairs among them.
//!
//! A tree ends at level 21, or where the centres of boxes round. Clusters that are small beside the distances between
//! them lie in a few leaves of that level, whose near pairs are quadratic. The near pairs among crowded leaves are
//! therefore taken out of list U, and an engine of the clump alone sums them: its cube is the clump's, so its tree
//! begins where this one ends.
//!
//! Leaves that are not crowded keep their list U, but for those that touch a leaf so crowded that clumps of both are
//! worth it.
//!
//! | file | what |
//! |---|---|
//! | `level.rs` | the level at which trees with crowded leaves end |
//! | `inner.rs` | engines of clumps, and what they add to the fields |
//! | `ring.rs` | neighbours of crowded leaves that are not crowded, but many together |
//! | `room.rs` | memory of their evaluations |

mod inner;
mod level;
mod ring;
mod room;

use std::collections::BTreeMap;
use std::ops::Range;

use octree::neighborhood::e2;
use octree::{Csr, Octree};

use crate::choose::TreeShape;
pub(super) use inner::{InnerEngine, inner_engines};
pub(super) use level::last_level;
use ring::rings;
pub(super) use room::InnerRoom;

/// Points of a leaf, at least, that make it crowded. Their pairs with 27 leaves of as many points take 17 µs a point at
/// 0.3 ns a pair, five times an FMM of them alone; an engine for fewer saves little.
const CROWDED: usize = 2048;

/// Points of a crowded leaf over those of an ordinary leaf, at least.
const OVER_CAPACITY: usize = 8;

/// The number of points above which a leaf is crowded.
fn crowded(shape: &TreeShape) -> usize {
    let of_capacity = OVER_CAPACITY * shape.depth.leaf_capacity().unwrap_or(0);
    // Groups of receivers do not reach beyond a crowded leaf.
    CROWDED.max(of_capacity).max(shape.group_capacity.unwrap_or(0))
}

/// Leaves of sources and leaves of receivers, crowded on one side at least, each of which touches all of the other side:
/// all pairs of a receiver and a source are near.
#[derive(Clone, Debug)]
pub(crate) struct Clump {
    /// Source leaves, ascending.
    leaves: Vec<u32>,
    /// Sources as tree positions, ascending.
    pub(crate) sources: Vec<Range<usize>>,
    /// Receivers as tree positions, ascending.
    pub(crate) receivers: Vec<Range<usize>>,
}

/// All clumps of a tree. No two have a pair of points in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clumps {
    pub(crate) all: Vec<Clump>,
    /// Clumps that have the receivers of a leaf.
    by_leaf: BTreeMap<u32, Vec<usize>>,
}

impl Clumps {
    /// Clumps of a tree of this shape that ends at `level`.
    pub(crate) fn new(tree: &Octree, shape: &TreeShape, level: usize) -> Self {
        let mut clumps = Self::default();
        let crowded = Boxes::above(tree, level, crowded(shape));
        let rings = rings(&crowded, shape, level);
        for (sources, receivers) in crowded.by_neighbors().into_iter().chain(rings) {
            for leaf in &receivers {
                clumps.by_leaf.entry(*leaf).or_default().push(clumps.all.len());
            }
            clumps.all.push(Clump {
                sources: joined(sources.iter().map(|leaf| tree.sources(*leaf as usize))),
                receivers: joined(receivers.iter().map(|leaf| tree.receivers(*leaf as usize))),
                leaves: sources,
            });
        }
        clumps
    }

    /// Takes the pairs of clumps out of lists U.
    pub(crate) fn take_from(&self, near: &mut Csr) {
        if !self.all.is_empty() {
            near.retain(|receiver, source| {
                self.of_leaf(receiver).all(|clump| clump.leaves.binary_search(&source).is_err())
            });
        }
    }

    /// The clumps that have the receivers of a leaf.
    pub(crate) fn of_leaf(&self, leaf: usize) -> impl Iterator<Item = &Clump> + Clone {
        let numbers = self.by_leaf.get(&(leaf as u32)).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.all[*number])
    }
}

/// Boxes of one level with many sources or receivers.
struct Boxes<'a> {
    tree: &'a Octree,
    /// Box numbers, ascending, and so in Morton order.
    boxes: Vec<usize>,
    /// Receivers of a box with clumped receivers, and sources of its neighbours, are more than this.
    limit: usize,
}

impl<'a> Boxes<'a> {
    /// Boxes of a level with more points than `limit`.
    fn above(tree: &'a Octree, level: usize, limit: usize) -> Self {
        let points = |b: &usize| tree.sources(*b).len().max(tree.receivers(*b).len());
        let boxes = if level < tree.n_levels() { tree.level(level) } else { 0..0 };
        let boxes = boxes.filter(|b| points(b) > limit).collect();
        Self { tree, boxes, limit }
    }

    /// Boxes with sources that touch a box, itself included, ascending.
    fn near(&self, b: usize) -> Vec<u32> {
        let tree = self.tree;
        let place = |key| self.boxes.binary_search_by_key(&key, |other| tree.key(*other)).ok();
        let near = e2(tree.key(b)).filter_map(place).map(|place| self.boxes[place]);
        let near = near.filter(|other| !tree.sources(*other).is_empty());
        let mut near: Vec<u32> = near.map(|other| other as u32).collect();
        near.sort_unstable();
        near
    }

    /// Boxes with many receivers, by their neighbours with many sources.
    fn by_neighbors(&self) -> BTreeMap<Vec<u32>, Vec<u32>> {
        let mut rows = BTreeMap::<Vec<u32>, Vec<u32>>::new();
        let receive = |b: &usize| self.tree.receivers(*b).len() > self.limit;
        for b in self.boxes.iter().copied().filter(receive) {
            let near = self.near(b);
            if self.n_sources(&near) > self.limit {
                rows.entry(near).or_default().push(b as u32);
            }
        }
        rows
    }

    fn n_sources(&self, boxes: &[u32]) -> usize {
        boxes.iter().map(|b| self.tree.sources(*b as usize).len()).sum()
    }
}

impl Clump {
    /// Whether sources at these tree positions are among the clump's.
    pub(crate) fn has_sources_in(&self, [start, end]: [u32; 2]) -> bool {
        let after = self.sources.partition_point(|run| run.end <= start as usize);
        start < end && self.sources.get(after).is_some_and(|run| run.start < end as usize)
    }

    /// Takes the clump's leaves out of runs of leaves.
    pub(crate) fn take_from_runs(&self, runs: &mut Vec<Range<usize>>) {
        let left = runs.iter().flat_map(|run| {
            let mut start = run.start;
            let inside =
                self.sources.iter().filter(|own| own.start < run.end && own.end > run.start);
            let mut left: Vec<Range<usize>> = Vec::new();
            for own in inside {
                left.push(start..own.start.max(start));
                start = own.end;
            }
            left.push(start.min(run.end)..run.end);
            left
        });
        *runs = left.filter(|run| !run.is_empty()).collect();
    }

    /// Whether the receivers are the sources, in a tree of one set.
    pub(crate) fn is_one_set(&self) -> bool {
        self.sources == self.receivers
    }
}

/// Ranges with those joined that follow each other.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined
}

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
//! | `census.rs`, `boxes.rs` | boxes with many points, counted over all processes; neighbours among them |
//! | `level.rs` | the level at which trees with crowded leaves end |
//! | `inner.rs` | engines of clumps in one process |
//! | `ring.rs` | neighbours of crowded leaves that are not crowded, but many together |
//! | `points.rs` | points of a clump about an origin of their own |
//! | `room.rs` | memory of their evaluations, and what they add to the sums |

mod boxes;
mod census;
mod inner;
mod level;
mod points;
mod ring;
mod room;

use std::collections::BTreeMap;
use std::ops::Range;

use octree::{InteractionLists, Key, Octree};

use crate::api::Error;
use crate::choose::TreeShape;
use boxes::Boxes;
pub(crate) use census::{BoxCount, Census, neighborhoods};
pub(super) use inner::{InnerEngine, inner_engines};
pub(crate) use level::last_level;
pub(crate) use points::{ClumpPoints, Ends};
use ring::rings;
pub(crate) use room::InnerRoom;

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
struct ClumpLeaves {
    /// Keys of the source leaves, ascending.
    sources: Vec<Key>,
    /// Keys of the receiver leaves, ascending.
    receivers: Vec<Key>,
}

/// Clumps of a tree as leaves, the same in all processes that have a part of it. No two have a pair of points in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClumpKeys {
    all: Vec<ClumpLeaves>,
    /// Clumps that have the receivers of a leaf.
    by_receiver: BTreeMap<Key, Vec<usize>>,
}

impl ClumpKeys {
    /// Clumps of a tree of this shape that ends at `level`. Collective.
    pub(crate) fn new(census: &dyn Census, shape: &TreeShape, level: usize) -> Result<Self, Error> {
        let mut clumps = Self::default();
        let crowded = Boxes::above(census, level, crowded(shape))?;
        let rings = rings(census, &crowded, shape)?;
        let keys = |boxes: Vec<BoxCount>| boxes.into_iter().map(|count| count.key).collect();
        for (sources, receivers) in crowded.by_neighbors().into_iter().chain(rings) {
            let leaves = ClumpLeaves { sources: keys(sources), receivers: keys(receivers) };
            for leaf in &leaves.receivers {
                clumps.by_receiver.entry(*leaf).or_default().push(clumps.all.len());
            }
            clumps.all.push(leaves);
        }
        Ok(clumps)
    }

    /// Whether a clump sums the pairs of a receiver leaf and a source leaf.
    pub(crate) fn has_pair(&self, receiver: Key, source: Key) -> bool {
        let numbers = self.by_receiver.get(&receiver).map_or(&[][..], Vec::as_slice);
        numbers.iter().any(|number| self.all[*number].sources.binary_search(&source).is_ok())
    }

    /// Whether there are no clumps.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a clump has sources in a box.
    pub(crate) fn has_sources_in(&self, clump: usize, key: Key) -> bool {
        self.all[clump].sources.iter().any(|leaf| key.contains(*leaf))
    }

    /// Clumps with receivers of each of `n` processes, ascending; `owner` names that of a leaf.
    pub(crate) fn by_owner(&self, n: usize, owner: impl Fn(Key) -> usize) -> Vec<Vec<usize>> {
        let mut owned = vec![Vec::new(); n];
        for (clump, leaves) in self.all.iter().enumerate() {
            for of_owner in leaves.receivers.iter().map(|leaf| owner(*leaf)) {
                if owned[of_owner].last() != Some(&clump) {
                    owned[of_owner].push(clump);
                }
            }
        }
        owned
    }

    /// Takes the pairs of clumps out of lists U of a tree.
    pub(crate) fn take_from(&self, tree: &Octree, lists: &mut InteractionLists) {
        if !self.all.is_empty() {
            lists.retain_near(|b, s| !self.has_pair(tree.key(b), tree.key(s)));
        }
    }
}

/// Points of a clump in a tree.
#[derive(Clone, Debug)]
pub(crate) struct Clump {
    /// Sources as tree positions, ascending.
    pub(crate) sources: Vec<Range<usize>>,
    /// Receivers as tree positions, ascending.
    pub(crate) receivers: Vec<Range<usize>>,
    /// Whether the leaves of the receivers are those of the sources.
    pub(crate) is_square: bool,
}

/// All clumps of a tree, in the order of their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clumps {
    pub(crate) all: Vec<Clump>,
    /// Clumps that have the receivers of a leaf.
    by_leaf: BTreeMap<u32, Vec<usize>>,
}

impl Clumps {
    /// The clumps in a tree of which a process has the sources at the tree positions `own`, without those of others.
    pub(crate) fn of(tree: &Octree, keys: &ClumpKeys, own: Range<usize>) -> Self {
        let is_own = |run: &Range<usize>| own.start <= run.start && run.end <= own.end;
        let boxes = |keys: &[Key]| -> Vec<usize> {
            keys.iter().filter_map(|key| tree.find(*key)).collect()
        };
        let clump = |leaves: &ClumpLeaves| {
            let (from, to) = (boxes(&leaves.sources), boxes(&leaves.receivers));
            Clump {
                sources: joined(from.into_iter().map(|b| tree.sources(b)).filter(is_own)),
                receivers: joined(to.into_iter().map(|b| tree.receivers(b))),
                is_square: leaves.sources == leaves.receivers,
            }
        };
        let by_receiver = keys.by_receiver.iter();
        let by_leaf =
            by_receiver.filter_map(|(key, which)| Some((tree.find(*key)? as u32, which.clone())));
        Self { all: keys.all.iter().map(clump).collect(), by_leaf: by_leaf.collect() }
    }

    /// The clumps with other sources, one list of runs a clump.
    pub(crate) fn with_sources(&self, sources: Vec<Vec<Range<usize>>>) -> Self {
        let clumps = self.all.iter().zip(sources);
        let all = clumps.map(|(clump, sources)| Clump { sources, ..clump.clone() }).collect();
        Self { all, by_leaf: self.by_leaf.clone() }
    }

    /// The clumps that have the receivers of a leaf.
    pub(crate) fn of_leaf(&self, leaf: usize) -> impl Iterator<Item = &Clump> + Clone {
        let numbers = self.by_leaf.get(&(leaf as u32)).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.all[*number])
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

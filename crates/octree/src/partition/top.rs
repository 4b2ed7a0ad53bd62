//! The top of the tree of all points, which every rank knows: the boxes that several ranks share, and their children.

use std::ops::Range;

use super::cuts::Partition;
use super::totals::Totals;
use crate::boxes::key::Key;
use crate::tree::octree::Octree;

/// A box at the top of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopBox {
    /// The box.
    pub key: Key,
    /// Sources in it, on all ranks.
    pub n_sources: u64,
    /// Receivers in it, on all ranks.
    pub n_receivers: u64,
    /// The rank that has all of its points; `None` for a shared box.
    pub owner: Option<usize>,
    /// Numbers of its children at the top; empty where one rank has all points.
    pub children: Range<usize>,
    /// Number of the box in this rank's part; `None` where the rank has no point of it.
    pub in_part: Option<usize>,
}

/// The root, and the children of shared boxes, as far as they hold points: the same on all ranks but for `in_part`.
///
/// Boxes are in the order of keys. Below the boxes with one owner, each rank has its own part of the tree: both together are
/// the whole tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopTree {
    boxes: Vec<TopBox>,
}

impl TopTree {
    /// The top, counted by one sum over all processes of O(ranks × l_par) values. `part`: this rank's part,
    /// [`Octree::build_part`].
    pub fn collect(part: &Octree, partition: &Partition, totals: &mut dyn Totals) -> TopTree {
        let shared = partition.shared_boxes();
        let below = shared.iter().flat_map(|key| key.children());
        let keys: Vec<Key> = std::iter::once(Key::root()).chain(below).collect();
        let places: Vec<Option<usize>> = keys.iter().map(|&key| part.find(key)).collect();
        let count = |place: &Option<usize>| {
            place.map_or([0; 2], |b| {
                [part.sources(b), part.receivers(b)].map(|run| run.len() as u64)
            })
        };
        let mut counts: Vec<u64> = places.iter().flat_map(count).collect();
        totals.sum(&mut counts);
        let mut boxes = Vec::new();
        for ((&key, count), &in_part) in keys.iter().zip(counts.chunks_exact(2)).zip(&places) {
            let (n_sources, n_receivers) = (count[0], count[1]);
            if n_sources + n_receivers > 0 {
                let owners = partition.owners(key);
                let owner = (owners.len() == 1).then_some(owners.start);
                boxes.push(TopBox { key, n_sources, n_receivers, owner, children: 0..0, in_part });
            }
        }
        // The order of keys is that of levels: children of one box after those of the box before.
        let mut next = 1;
        for at in 0..boxes.len() {
            let start = next;
            while boxes.get(next).is_some_and(|child| child.key.parent() == Some(boxes[at].key)) {
                next += 1;
            }
            boxes[at].children = start..next;
        }
        TopTree { boxes }
    }

    /// The boxes, in the order of keys.
    pub fn boxes(&self) -> &[TopBox] {
        &self.boxes
    }

    /// Numbers of the boxes that a rank has all points of, and whose parents are shared.
    pub fn owned_by(&self, rank: usize) -> impl Iterator<Item = usize> {
        let owned = self.boxes.iter().enumerate();
        owned.filter(move |(_, top)| top.owner == Some(rank)).map(|(at, _)| at)
    }

    /// Receivers of all ranks in each octant of box `at`; `None` where one rank has all of them.
    pub fn receivers_by_octant(&self, at: usize) -> Option<[usize; 8]> {
        let top = &self.boxes[at];
        if top.owner.is_some() {
            return None;
        }
        let mut counts = [0; 8];
        for child in &self.boxes[top.children.clone()] {
            counts[usize::from(child.key.octant())] = child.n_receivers as usize;
        }
        Some(counts)
    }
}

//! The halo: records of the own boxes that another rank can have in its lists.

use super::cuts::Partition;
use super::region::{Region, Sight};
use crate::boxes::key::Key;
use crate::tree::octree::Octree;

/// Counts of a box, for another rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxRecord {
    /// The box.
    pub key: Key,
    /// Sources in the box.
    pub n_sources: u32,
    /// Receivers in the box.
    pub n_receivers: u32,
    /// Whether the box is a leaf of the tree.
    pub is_leaf: bool,
}

impl BoxRecord {
    /// The record as three words, to be sent.
    pub fn to_words(self) -> [u64; 3] {
        let receivers = u64::from(self.n_receivers) << 1 | u64::from(self.is_leaf);
        [self.key.raw(), u64::from(self.n_sources), receivers]
    }

    /// The record of [`to_words`](BoxRecord::to_words); `None` for words that are no record.
    pub fn from_words([raw, sources, receivers]: [u64; 3]) -> Option<BoxRecord> {
        Some(BoxRecord {
            key: Key::from_raw(raw)?,
            n_sources: u32::try_from(sources).ok()?,
            n_receivers: u32::try_from(receivers >> 1).ok()?,
            is_leaf: receivers & 1 == 1,
        })
    }
}

/// The records that the owner of `tree`, a part made by [`Octree::build_part`], sends to `rank`: all of its boxes whose
/// parents the region of `rank` sees, in the order of keys. Shared boxes are known to all ranks and not among them.
///
/// A box of level l ≥ 1 can be in a list U, V, W or X of a box of `rank`, or contain one that is, only if its parent
/// touches a box u of the region, or the ancestor of u at level l − 1 where u is deeper. Children are sent all or none.
///
/// O(records and shared boxes × at most 27 boxes of the region), because the descent from the root stops at boxes that
/// the region does not see.
pub fn halo(tree: &Octree, partition: &Partition, rank: usize) -> Vec<BoxRecord> {
    let region = Region::new(partition, rank);
    let mut records = Vec::new();
    let mut level: Vec<(usize, Sight)> = Vec::new();
    if tree.n_boxes() > 0 {
        level.push((0, region.sight_of_root()));
    }
    while !level.is_empty() {
        let mut next = Vec::new();
        for (b, sight) in level {
            if sight.is_empty() {
                continue;
            }
            for child in tree.children(b) {
                let key = tree.key(child);
                if !partition.is_shared(key) {
                    records.push(record(tree, child));
                }
                if !tree.is_leaf(child) {
                    next.push((child, region.sight(&sight, key)));
                }
            }
        }
        level = next;
    }
    records
}

fn record(tree: &Octree, b: usize) -> BoxRecord {
    BoxRecord {
        key: tree.key(b),
        n_sources: tree.sources(b).len() as u32,
        n_receivers: tree.receivers(b).len() as u32,
        is_leaf: tree.is_leaf(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_records() {
        let record = BoxRecord {
            key: Key::from_code(21, (1 << 63) - 1),
            n_sources: u32::MAX,
            n_receivers: 7,
            is_leaf: true,
        };
        assert_eq!(BoxRecord::from_words(record.to_words()), Some(record));
        for words in [[0, 1, 1], [2, 1, 1], [1, 1 << 32, 1], [1, 1, 1 << 33]] {
            assert_eq!(BoxRecord::from_words(words), None);
        }
    }
}

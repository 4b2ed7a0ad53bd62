//! Shared boxes: their points on each rank, known to all.

use std::ops::Range;

use super::cuts::Partition;
use super::totals::Totals;
use crate::boxes::key::Key;
use crate::tree::octree::Octree;

/// The boxes with a cut strictly inside, in the order of keys, and how many points each owner has in them.
///
/// Boxes without points are listed too: the order is the partition's and the same on all ranks, so that sums over
/// ranks, such as those of multipole coefficients, can be taken in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedBoxes {
    keys: Vec<Key>,
    /// Ranks from the first owner to the last of each box.
    owners: Vec<Range<usize>>,
    /// n_boxes + 1 places in `counts`.
    starts: Vec<usize>,
    /// Sources and receivers of each owner in each box.
    counts: Vec<[u64; 2]>,
}

impl SharedBoxes {
    /// The shared boxes, counted by one sum over all processes of O(ranks × l_par) values. `tree`: this rank's
    /// part, [`Octree::build_part`].
    pub fn collect(
        tree: &Octree,
        partition: &Partition,
        rank: usize,
        totals: &mut dyn Totals,
    ) -> SharedBoxes {
        let keys = partition.shared_boxes();
        let owners: Vec<Range<usize>> = keys.iter().map(|&key| partition.owners(key)).collect();
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(owners.iter().map(|ranks| {
            end += ranks.len();
            end
        }));
        let mut counts = vec![0; 2 * end];
        for ((&key, ranks), &start) in keys.iter().zip(&owners).zip(&starts) {
            if let (true, Some(b)) = (ranks.contains(&rank), tree.find(key)) {
                let at = 2 * (start + rank - ranks.start);
                counts[at] = tree.sources(b).len() as u64;
                counts[at + 1] = tree.receivers(b).len() as u64;
            }
        }
        totals.sum(&mut counts);
        let counts = counts.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        SharedBoxes { keys, owners, starts, counts }
    }

    /// Keys of the boxes, ascending.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The place of a box in [`keys`](SharedBoxes::keys).
    pub fn find(&self, key: Key) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }

    /// Sources and receivers of box `i` on all ranks.
    pub fn totals(&self, i: usize) -> [u64; 2] {
        let counts = &self.counts[self.starts[i]..self.starts[i + 1]];
        counts.iter().fold([0; 2], |sum, count| [sum[0] + count[0], sum[1] + count[1]])
    }

    /// The owners of box `i`, each with its numbers of sources and receivers there.
    pub fn by_owner(&self, i: usize) -> impl Iterator<Item = (usize, [u64; 2])> {
        let counts = &self.counts[self.starts[i]..self.starts[i + 1]];
        self.owners[i].clone().zip(counts.iter().copied())
    }
}

//! The local essential tree: all boxes that a rank's interaction lists can name, of all ranks, in one structure.

use rayon::prelude::*;

use super::cuts::Partition;
use super::halo::BoxRecord;
use super::region::Region;
use super::shared::SharedBoxes;
use crate::boxes::key::Key;
use crate::error::{Error, RecordFault};
use crate::tree::octree::Octree;

/// Holder of the points of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The rank itself has all of them.
    Own,
    /// Several ranks can have some: a cut lies inside the box.
    Shared,
    /// Another rank, by number, has all of them.
    Remote(u32),
}

/// The local essential tree of a rank: its own boxes, shared boxes, and remote boxes that its lists can name.
///
/// Boxes are numbered as in an [`Octree`], level by level and in Morton order inside a level. [`tree`] has no points;
/// its ranges have the lengths that the whole tree has, so that [`InteractionLists`](crate::InteractionLists) come out
/// as those of the whole tree. A truncated box, one that is split but whose children are not here, is a leaf of the
/// structure. A truncated box touches no box of the rank, so it can only be far (V), in `m2p` (W), or in `near` in place
/// of the leaves below it where it has too few sources for `m2p`.
///
/// [`tree`]: EssentialTree::tree
#[derive(Debug)]
pub struct EssentialTree<'a> {
    pub(super) rank: usize,
    pub(super) partition: &'a Partition,
    /// The rank's part of the tree.
    pub(super) part: &'a Octree,
    pub(super) shared: &'a SharedBoxes,
    pub(super) tree: Octree,
    pub(super) holders: Vec<Holder>,
    /// Number of each box in `part`; [`ABSENT`] where this rank has no point of it.
    pub(super) in_part: Vec<u32>,
    is_truncated: Vec<bool>,
}

/// Number of a box that a part does not have.
pub(super) const ABSENT: u32 = u32::MAX;

/// A box on its way into the structure.
#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    counts: [u64; 2],
    is_leaf: bool,
    holder: Holder,
    in_part: u32,
}

impl<'a> EssentialTree<'a> {
    /// Merges the part of `rank` with the records that the others sent: `halos[k]` is what rank k made by
    /// [`halo`](super::halo) for `rank`; the rank's own entry is not read. O(n log n) for n boxes.
    ///
    /// # Errors
    /// [`Error::WrongRecord`]: records that do not fit the tree; [`Error::TooManyBoxes`].
    pub fn assemble(
        part: &'a Octree,
        partition: &'a Partition,
        rank: usize,
        shared: &'a SharedBoxes,
        halos: &[Vec<BoxRecord>],
    ) -> Result<EssentialTree<'a>, Error> {
        let mut entries = own_entries(part, partition);
        entries.extend(shared_entries(part, partition, rank, shared));
        for (k, records) in halos.iter().enumerate().filter(|&(k, _)| k != rank) {
            for record in records {
                if partition.owners(record.key) != (k..k + 1) {
                    let reason = RecordFault::NotTheOwner;
                    return Err(Error::WrongRecord { key: record.key, rank: k, reason });
                }
            }
            entries.extend(records.iter().map(|record| Entry {
                key: record.key,
                counts: [record.n_sources, record.n_receivers].map(u64::from),
                is_leaf: record.is_leaf,
                holder: Holder::Remote(k as u32),
                in_part: ABSENT,
            }));
        }
        entries.par_sort_unstable_by_key(|entry| entry.key);
        let tree = structure(part, &entries)?;
        let truncated = |(b, entry): (usize, &Entry)| !entry.is_leaf && tree.is_leaf(b);
        Ok(EssentialTree {
            rank,
            partition,
            part,
            shared,
            holders: entries.iter().map(|entry| entry.holder).collect(),
            in_part: entries.iter().map(|entry| entry.in_part).collect(),
            is_truncated: entries.iter().enumerate().map(truncated).collect(),
            tree,
        })
    }

    /// Boxes, links and leaves. Ranges of points have the right lengths, at most 2³² − 1, and no meaning otherwise.
    pub fn tree(&self) -> &Octree {
        &self.tree
    }

    /// The holder of the points of each box.
    pub fn holders(&self) -> &[Holder] {
        &self.holders
    }

    /// Whether box `b` is split in the whole tree and has no children here.
    pub fn is_truncated(&self, b: usize) -> bool {
        self.is_truncated[b]
    }

    /// The number of box `b` in this rank's part of the tree; `None` where the rank has no point in it.
    pub fn in_part(&self, b: usize) -> Option<usize> {
        (self.in_part[b] != ABSENT).then_some(self.in_part[b] as usize)
    }

    /// Whether this rank has receivers in box `b`.
    pub(super) fn has_receivers(&self, b: usize) -> bool {
        self.in_part(b).is_some_and(|b| !self.part.receivers(b).is_empty())
    }

    /// Sources and receivers in shared box `b`, rank by rank.
    pub(super) fn by_owner(&self, b: usize) -> impl Iterator<Item = (usize, [u64; 2])> {
        let place = self.shared.find(self.tree.key(b));
        place.into_iter().flat_map(|i| self.shared.by_owner(i))
    }
}

/// The boxes that the rank owns.
fn own_entries(part: &Octree, partition: &Partition) -> Vec<Entry> {
    let own = |b: &usize| !partition.is_shared(part.key(*b));
    let entry = |b: usize| Entry {
        key: part.key(b),
        counts: [part.sources(b).len(), part.receivers(b).len()].map(|n| n as u64),
        is_leaf: part.is_leaf(b),
        holder: Holder::Own,
        in_part: b as u32,
    };
    (0..part.n_boxes()).filter(own).map(entry).collect()
}

/// The shared boxes with points whose parents the rank's region sees.
fn shared_entries(
    part: &Octree,
    partition: &Partition,
    rank: usize,
    shared: &SharedBoxes,
) -> Vec<Entry> {
    let region = Region::new(partition, rank);
    let entry = |(i, &key): (usize, &Key)| Entry {
        key,
        counts: shared.totals(i),
        is_leaf: false,
        holder: Holder::Shared,
        in_part: part.find(key).map_or(ABSENT, |b| b as u32),
    };
    let keys = shared.keys().iter().enumerate();
    let entries = keys.filter(|&(_, &key)| region.has(key)).map(entry);
    entries.filter(|entry| entry.counts != [0, 0]).collect()
}

/// The tree of sorted entries.
fn structure(part: &Octree, entries: &[Entry]) -> Result<Octree, Error> {
    let n_boxes = entries.len();
    if n_boxes > i32::MAX as usize {
        return Err(Error::TooManyBoxes { count: n_boxes });
    }
    let mut tree = Octree::without_boxes(*part.cube());
    tree.keys = entries.iter().map(|entry| entry.key).collect();
    let range = |count: u64| (0, u32::try_from(count).unwrap_or(u32::MAX));
    tree.sources.ranges = entries.iter().map(|entry| range(entry.counts[0])).collect();
    if !part.sources_are_receivers() {
        let receivers = tree.receivers.insert(Default::default());
        receivers.ranges = entries.iter().map(|entry| range(entry.counts[1])).collect();
    }
    for b in 0..n_boxes {
        if b > 0 && tree.keys[b].level() > tree.keys[b - 1].level() {
            tree.level_starts.push(b);
        }
    }
    if n_boxes > 0 {
        tree.level_starts.push(n_boxes);
    }
    // Parents and children, by one step through both for each box.
    tree.child_starts.push(n_boxes.min(1) as u32);
    let mut parent = 0;
    for (b, entry) in entries.iter().enumerate() {
        let Some(above) = entry.key.parent() else {
            tree.parents.push(0);
            continue;
        };
        while parent < b && entries[parent].key < above {
            parent += 1;
            tree.child_starts.push(b as u32);
        }
        let reason = match entries[parent].key == above {
            false => Some(RecordFault::NoParent),
            true if entries[parent].is_leaf => Some(RecordFault::BelowLeaf),
            true if entries[b - 1].key == entry.key => Some(RecordFault::Twice),
            true => None,
        };
        if let (Some(reason), Holder::Remote(rank)) = (reason, entry.holder) {
            return Err(Error::WrongRecord { key: entry.key, rank: rank as usize, reason });
        }
        tree.parents.push(parent as u32);
    }
    tree.child_starts.resize(n_boxes + 1, n_boxes as u32);
    tree.find_leaves();
    Ok(tree)
}

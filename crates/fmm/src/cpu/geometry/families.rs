//! Families of boxes, in the sequence in which plane waves are sent and received.
//!
//! A family is the children of a box. For each axis, the families of a level are cut into slabs across it. Waves
//! travel from a slab to itself and to the two next to it, so that no more than three slabs of waves are kept,
//! whatever the size of the tree. Families that neither receive nor are near one that does along an axis are left out
//! there: other processes' families around a process's own are such, and sources away from all receivers.

use std::ops::Range;

use expansions::operators::{NO_ROW, WaveAxis};
use octree::geometry::{direction_offset, direction_places};
use octree::{Key, Octree};

/// Bytes of a family: its parent, its neighbours, and its place along each axis.
pub(in crate::cpu) const FAMILY_BYTES: usize = 4 + 27 * 4 + 3 * 12;

/// Families whose neighbours one task finds: some 50 µs of work.
const TASK: usize = 64;

/// The families of a level.
#[derive(Clone, Debug)]
pub(crate) struct WaveLevel {
    /// The boxes whose children they are, in Morton order.
    parents: Vec<u32>,
    /// For each family, the places in `parents` of those that touch its parent and have sources, or [`NO_ROW`]: the
    /// one at offset (x, y, z) at (x + 1) + 3 (y + 1) + 9 (z + 1).
    neighbors: Vec<[u32; 27]>,
    axes: [Slabs; 3],
}

/// The families along an axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slabs {
    /// Families that take part, slab by slab, in Morton order within one.
    pub(crate) order: Vec<u32>,
    /// Range of each slab in `order`.
    pub(crate) slabs: Vec<Range<usize>>,
    /// For each family its slab and its place there, if it takes part.
    pub(crate) places: Vec<(u32, u32)>,
}

/// Boxes that matter for waves, by number.
pub(crate) struct Roles<'a> {
    /// Whether a box has sources.
    pub(crate) acts: &'a (dyn Fn(usize) -> bool + Sync),
    /// Whether a box has receivers.
    pub(crate) receives: &'a (dyn Fn(usize) -> bool + Sync),
}

/// All levels that have far pairs, in slabs of at least `slab` families.
pub(crate) fn wave_levels(tree: &Octree, roles: &Roles<'_>, slab: usize) -> Vec<WaveLevel> {
    let level = |level| WaveLevel::new(tree, level, roles, slab);
    (1..tree.n_levels().saturating_sub(1)).map(level).collect()
}

impl WaveLevel {
    /// The children of the boxes of `level`.
    fn new(tree: &Octree, level: usize, roles: &Roles<'_>, slab: usize) -> Self {
        let boxes = tree.level(level);
        let parents: Vec<u32> =
            boxes.filter(|b| !tree.is_leaf(*b)).map(|parent| parent as u32).collect();
        let keys: Vec<Key> = parents.iter().map(|parent| tree.key(*parent as usize)).collect();
        let neighbors = parallel::collect(keys.len(), TASK, |family| {
            let at = keys[family].coordinates();
            let mut row = [NO_ROW; 27];
            for (i, neighbor) in row.iter_mut().enumerate() {
                let place = direction_places(i);
                let end = 1_u32 << level;
                let to = [0, 1, 2].map(|axis| (at[axis] + place[axis] as u32).wrapping_sub(1));
                if to.iter().any(|c| *c >= end) {
                    continue;
                }
                let key = Key::from_coordinates(level as u8, to);
                if let Ok(found) = keys.binary_search(&key)
                    && (roles.acts)(parents[found] as usize)
                {
                    *neighbor = found as u32;
                }
            }
            row
        });
        let receives: Vec<bool> =
            parents.iter().map(|parent| (roles.receives)(*parent as usize)).collect();
        let axes = WaveAxis::ALL.map(|axis| {
            let takes_part = taking_part(axis, &neighbors, &receives);
            let along = |key: &Key| key.coordinates()[axis.coordinate()];
            Slabs::new(&keys.iter().map(along).collect::<Vec<u32>>(), &takes_part, slab)
        });
        Self { parents, neighbors, axes }
    }

    pub(crate) fn slabs(&self, axis: WaveAxis) -> &Slabs {
        &self.axes[axis as usize]
    }

    pub(crate) fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The families with sources around a family, with their offsets.
    pub(crate) fn neighbors(&self, family: usize) -> impl Iterator<Item = (usize, [i32; 3])> {
        with_offsets(&self.neighbors[family])
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.parents.len() * FAMILY_BYTES
    }
}

/// The families of a row of neighbours, with their offsets.
fn with_offsets(row: &[u32; 27]) -> impl Iterator<Item = (usize, [i32; 3])> {
    let found = row.iter().enumerate().filter(|(_, found)| **found != NO_ROW);
    found.map(|(i, found)| (*found as usize, direction_offset(i)))
}

/// Whether each family receives, or sends to one that does, along an axis.
fn taking_part(axis: WaveAxis, neighbors: &[[u32; 27]], receives: &[bool]) -> Vec<bool> {
    let mut takes_part = receives.to_vec();
    for (row, _) in neighbors.iter().zip(receives).filter(|(_, receives)| **receives) {
        for (family, offset) in with_offsets(row) {
            takes_part[family] |= axis.slot(offset).is_some();
        }
    }
    takes_part
}

impl Slabs {
    /// From each family's coordinate along the axis. Families that take no part have no place.
    fn new(coordinates: &[u32], takes_part: &[bool], slab: usize) -> Self {
        let mut order: Vec<u32> =
            (0..coordinates.len() as u32).filter(|family| takes_part[*family as usize]).collect();
        order.sort_by_key(|family| coordinates[*family as usize]);
        let coordinate = |place: usize| coordinates[order[place] as usize];
        let mut slabs: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for end in 1..=order.len() {
            let last = end == order.len();
            if last || (end - start >= slab && coordinate(end) != coordinate(end - 1)) {
                slabs.push(start..end);
                start = end;
            }
        }
        let mut places = vec![(0, 0); coordinates.len()];
        for (slab, range) in slabs.iter().enumerate() {
            for (place, family) in order[range.clone()].iter().enumerate() {
                places[*family as usize] = (slab as u32, place as u32);
            }
        }
        Self { order, slabs, places }
    }
}

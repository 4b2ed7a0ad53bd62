//! The arrays of a tree, for kernels that use it.

use super::{SLOTS, Tree};
use crate::device::{Vec4, View};
use crate::machine::Machine;
use crate::tree::morton::MAX_LEVEL;
use octree::Cube;
use std::ops::Range;

/// What the tree holds. Views stay valid until the tree is built again or dropped.
impl<M: Machine> Tree<M> {
    /// The cube of level 0.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// Whether sources are receivers.
    pub fn sources_are_receivers(&self) -> bool {
        self.one_set
    }

    /// All points: N.
    pub fn n_points(&self) -> usize {
        if self.one_set { self.n_sources } else { self.n_sources + self.n_receivers }
    }

    /// How many sources.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// How many receivers.
    pub fn n_receivers(&self) -> usize {
        self.n_receivers
    }

    /// How many boxes: B.
    pub fn n_boxes(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// How many leaves: L.
    pub fn n_leaves(&self) -> usize {
        (self.starts[SLOTS + 1] - self.starts[SLOTS]) as usize
    }

    /// One more than the deepest level; 0 without points.
    pub fn n_levels(&self) -> usize {
        (0..=MAX_LEVEL as usize).take_while(|&level| !self.level_range(level).is_empty()).count()
    }

    /// The boxes of a level.
    pub fn level_range(&self, level: usize) -> Range<usize> {
        self.starts[8 * level] as usize..self.starts[8 * level + 8] as usize
    }

    /// The boxes of a level in one octant of their parents, in Morton order.
    pub fn slot(&self, level: usize, octant: usize) -> Range<usize> {
        let slot = 8 * level + octant;
        self.starts[slot] as usize..self.starts[slot + 1] as usize
    }

    /// 8 · 22 + 1 items, on the host: the first box of each slot 8 · level + octant, then B.
    pub fn level_starts(&self) -> &[u32] {
        &self.starts[..=SLOTS]
    }

    /// The same on the device.
    pub fn level_start(&self) -> View<u32> {
        self.level_start.view(SLOTS + 1)
    }

    /// B items: source begin, source end, receiver begin, receiver end, as places in the sorted sets.
    pub fn range(&self) -> View<Vec4<u32>> {
        self.range.view(self.n_boxes())
    }

    /// B items: the box above, `NONE` for the root.
    pub fn parent(&self) -> View<u32> {
        self.parent.view(self.n_boxes())
    }

    /// 8 B items: octant o's child of box b, or `NONE`, is item o B + b.
    pub fn child(&self) -> View<u32> {
        self.child.view(8 * self.n_boxes())
    }

    /// B items: bit o is set if there is a child in octant o; 0 for a leaf.
    pub fn children(&self) -> View<u32> {
        self.children.view(self.n_boxes())
    }

    /// B items: the level.
    pub fn level(&self) -> View<u32> {
        self.level.view(self.n_boxes())
    }

    /// B items: the key at the box's level, without marker bit.
    pub fn key(&self) -> View<u64> {
        self.key.view(self.n_boxes())
    }

    /// L items: the leaves in Morton order.
    pub fn leaves(&self) -> View<u32> {
        self.leaves.view(self.n_leaves())
    }

    /// Sorted place of a source → the caller's index.
    pub fn source_permutation(&self) -> View<u32> {
        let permutation = if self.one_set { &self.permutation } else { &self.source_permutation };
        permutation.view(self.n_sources)
    }

    /// Sorted place of a receiver → the caller's index among the receivers.
    pub fn receiver_permutation(&self) -> View<u32> {
        let permutation = if self.one_set { &self.permutation } else { &self.receiver_permutation };
        permutation.view(self.n_receivers)
    }
}

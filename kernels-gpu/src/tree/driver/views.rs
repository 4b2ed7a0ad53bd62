//! Arrays of a tree, for kernels that use it.

use super::{SLOTS, Tree};
use crate::device::{Vec4, View};
use crate::machine::Launcher;
use crate::tree::morton::MAX_LEVEL;
use octree::Cube;
use std::ops::Range;

/// Contents of the tree. Views stay valid until the tree is built again or dropped.
impl<M: Launcher> Tree<M> {
    /// Cube of level 0.
    pub fn cube(&self) -> &Cube {
        &self.cube
    }

    /// Whether sources are receivers.
    pub fn sources_are_receivers(&self) -> bool {
        self.one_set
    }

    /// Number of points N.
    pub fn n_points(&self) -> usize {
        if self.one_set { self.n_sources } else { self.n_sources + self.n_receivers }
    }

    /// Number of sources.
    pub fn n_sources(&self) -> usize {
        self.n_sources
    }

    /// Number of receivers.
    pub fn n_receivers(&self) -> usize {
        self.n_receivers
    }

    /// Number of boxes B.
    pub fn n_boxes(&self) -> usize {
        self.starts[SLOTS] as usize
    }

    /// Number of leaves L.
    pub fn n_leaves(&self) -> usize {
        (self.starts[SLOTS + 1] - self.starts[SLOTS]) as usize
    }

    /// Number of levels; 0 without points.
    pub fn n_levels(&self) -> usize {
        (0..=MAX_LEVEL as usize).take_while(|&level| !self.level_range(level).is_empty()).count()
    }

    /// Boxes of a level.
    pub fn level_range(&self, level: usize) -> Range<usize> {
        self.starts[8 * level] as usize..self.starts[8 * level + 8] as usize
    }

    /// Boxes of a level in one octant of their parents, in Morton order.
    pub fn slot(&self, level: usize, octant: usize) -> Range<usize> {
        let slot = 8 * level + octant;
        self.starts[slot] as usize..self.starts[slot + 1] as usize
    }

    /// First box of each slot 8 · level + octant, then B: 8 · [`LEVELS`](octree::morton::LEVELS) + 1 items on the host.
    pub fn level_starts(&self) -> &[u32] {
        &self.starts[..=SLOTS]
    }

    /// First box of each slot, then B: 8 · [`LEVELS`](octree::morton::LEVELS) + 1 items on the device.
    pub fn level_start(&self) -> View<u32> {
        self.level_start.view(SLOTS + 1)
    }

    /// Points of each box (source begin, source end, receiver begin, receiver end) as places in the sorted sets, B
    /// items.
    pub fn range(&self) -> View<Vec4<u32>> {
        self.range.view(self.n_boxes())
    }

    /// Parent of each box, `NONE` for the root, B items.
    pub fn parent(&self) -> View<u32> {
        self.parent.view(self.n_boxes())
    }

    /// Child of box b in octant o, or `NONE`, at o B + b, 8 B items.
    pub fn child(&self) -> View<u32> {
        self.child.view(8 * self.n_boxes())
    }

    /// Octants with children, B items: bit o is set if there is a child in octant o; 0 for a leaf.
    pub fn children(&self) -> View<u32> {
        self.children.view(self.n_boxes())
    }

    /// Level of each box, B items.
    pub fn level(&self) -> View<u32> {
        self.level.view(self.n_boxes())
    }

    /// Key of each box at its own level, without marker bit, B items.
    pub fn key(&self) -> View<u64> {
        self.key.view(self.n_boxes())
    }

    /// Leaves in Morton order, L items.
    pub fn leaves(&self) -> View<u32> {
        self.leaves.view(self.n_leaves())
    }

    /// Permutation of the sources: sorted place → the caller's index.
    pub fn source_permutation(&self) -> View<u32> {
        let permutation = if self.one_set { &self.permutation } else { &self.source_permutation };
        permutation.view(self.n_sources)
    }

    /// Permutation of the receivers: sorted place → the caller's index among the receivers.
    pub fn receiver_permutation(&self) -> View<u32> {
        let permutation = if self.one_set { &self.permutation } else { &self.receiver_permutation };
        permutation.view(self.n_receivers)
    }
}

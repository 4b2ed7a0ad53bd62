//! Groups of receivers that walk the tree together.

use std::ops::Range;

use crate::octree::Octree;

/// Consecutive receivers that share one walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverGroup {
    /// Box that holds all of them: the group itself, or the parent of the siblings that make up the group.
    pub cell: usize,
    /// Receivers as tree positions; never empty.
    pub receivers: Range<usize>,
}

/// Groups of at most `largest` receivers (at least 1) that cover all receivers in tree order. O(boxes).
///
/// A box with too many receivers is halved along z, its halves along y, their halves along x: groups are the
/// largest of these parts with few enough receivers, and pieces of leaves that have too many. Groups are fuller
/// than boxes, of which each has eight times as many receivers as its children, and hardly less compact. They
/// may be larger than leaves: small leaves keep the lists short, large groups share the lists among more.
pub fn receiver_groups(tree: &Octree, largest: usize) -> Vec<ReceiverGroup> {
    let mut division = Division { tree, largest: largest.max(1), groups: Vec::new() };
    if tree.n_boxes() > 0 {
        division.divide(0);
    }
    division.groups
}

struct Division<'a> {
    tree: &'a Octree,
    largest: usize,
    groups: Vec<ReceiverGroup>,
}

impl Division<'_> {
    fn divide(&mut self, b: usize) {
        let receivers = self.tree.receivers(b);
        let children = self.tree.children(b);
        if receivers.len() <= self.largest || children.is_empty() {
            for start in receivers.clone().step_by(self.largest) {
                self.push(b, start, receivers.end.min(start + self.largest));
            }
        } else {
            self.divide_siblings(b, children, 4);
        }
    }

    /// Siblings that differ in the octants' bit `bit` and the bits below.
    fn divide_siblings(&mut self, parent: usize, siblings: Range<usize>, bit: u8) {
        let tree = self.tree;
        if siblings.is_empty() {
            return;
        }
        let (first, last) = (siblings.start, siblings.end - 1);
        let (start, end) = (tree.receivers(first).start, tree.receivers(last).end);
        if bit == 0 {
            self.divide(first);
        } else if end - start <= self.largest {
            self.push(parent, start, end);
        } else {
            let is_lower = |b: &usize| tree.key(*b).octant() & bit == 0;
            let middle = siblings.start + siblings.clone().take_while(is_lower).count();
            self.divide_siblings(parent, siblings.start..middle, bit / 2);
            self.divide_siblings(parent, middle..siblings.end, bit / 2);
        }
    }

    fn push(&mut self, cell: usize, start: usize, end: usize) {
        if start < end {
            self.groups.push(ReceiverGroup { cell, receivers: start..end });
        }
    }
}

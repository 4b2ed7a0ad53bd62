//! Groups of receivers that walk the tree together.

use std::ops::Range;

use crate::tree::octree::Octree;

/// Consecutive receivers that share one walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverGroup {
    /// Box that holds all of them: the group itself, or the parent of the siblings that make up the group.
    pub cell: usize,
    /// Receivers as tree positions; never empty.
    pub receivers: Range<usize>,
}

/// A group of the whole tree of which a part of the tree has some receivers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutGroup {
    /// Number of the group among those of the part.
    pub index: usize,
    /// Name of the group in all parts: the raw key of its box, and the first and one past the last octant of its siblings.
    pub name: [u64; 2],
}

/// Groups of at most `largest` receivers (at least 1) that cover all receivers in tree order. O(boxes).
///
/// A box with too many receivers is halved along z, its halves along y, their halves along x: groups are the
/// largest of these parts with few enough receivers, and pieces of leaves that have too many. Groups are fuller
/// than boxes, of which each has eight times as many receivers as its children, and hardly less compact. They
/// may be larger than leaves: small leaves keep the lists short, large groups share the lists among more.
pub fn receiver_groups(tree: &Octree, largest: usize) -> Vec<ReceiverGroup> {
    part_receiver_groups(tree, largest, |_| None).0
}

/// The groups of [`receiver_groups`] in the tree of all points, as far as a part of it has their receivers, and those that
/// others have receivers of. `elsewhere` gives, for a box of the part whose points are not all here, the number of
/// receivers that all parts have in each of its octants; `None` for the others. O(boxes).
pub fn part_receiver_groups(
    part: &Octree,
    largest: usize,
    elsewhere: impl Fn(usize) -> Option<[usize; 8]>,
) -> (Vec<ReceiverGroup>, Vec<CutGroup>) {
    let (groups, cut) = (Vec::new(), Vec::new());
    let mut division =
        Division { tree: part, largest: largest.max(1), elsewhere: &elsewhere, groups, cut };
    if part.n_boxes() > 0 {
        division.divide(0);
    }
    (division.groups, division.cut)
}

struct Division<'a> {
    tree: &'a Octree,
    largest: usize,
    elsewhere: &'a dyn Fn(usize) -> Option<[usize; 8]>,
    groups: Vec<ReceiverGroup>,
    cut: Vec<CutGroup>,
}

/// Siblings of some octants.
struct Siblings {
    parent: usize,
    /// Siblings that are here, as box numbers.
    here: Range<usize>,
    octants: Range<usize>,
    /// Receivers in each octant of the parent; `None` where all are here.
    counts: Option<[usize; 8]>,
}

impl Division<'_> {
    fn divide(&mut self, b: usize) {
        let receivers = self.tree.receivers(b);
        let children = self.tree.children(b);
        let counts = (self.elsewhere)(b);
        let n_receivers = counts.map_or(receivers.len(), |counts| counts.iter().sum());
        let siblings = Siblings { parent: b, here: children, octants: 0..8, counts };
        if n_receivers <= self.largest {
            self.push(&siblings, receivers, n_receivers);
        } else if siblings.here.is_empty() {
            for start in receivers.clone().step_by(self.largest) {
                let piece = start..receivers.end.min(start + self.largest);
                let n_receivers = piece.len();
                self.push(&siblings, piece, n_receivers);
            }
        } else {
            self.divide_siblings(&siblings);
        }
    }

    fn divide_siblings(&mut self, siblings: &Siblings) {
        let tree = self.tree;
        let Siblings { parent, here, octants, counts } = siblings;
        if here.is_empty() {
            return;
        }
        let receivers = tree.receivers(here.start).start..tree.receivers(here.end - 1).end;
        let n_receivers =
            counts.map_or(receivers.len(), |counts| counts[octants.clone()].iter().sum());
        if octants.len() == 1 {
            self.divide(here.start);
        } else if n_receivers <= self.largest {
            self.push(siblings, receivers, n_receivers);
        } else {
            let half = (octants.start + octants.end) / 2;
            let is_lower = |b: &usize| usize::from(tree.key(*b).octant()) < half;
            let middle = here.start + here.clone().take_while(is_lower).count();
            let parts =
                [(here.start..middle, octants.start..half), (middle..here.end, half..octants.end)];
            for (here, octants) in parts {
                self.divide_siblings(&Siblings { parent: *parent, here, octants, counts: *counts });
            }
        }
    }

    /// Adds a group of so many receivers, of which these are here.
    fn push(&mut self, of: &Siblings, receivers: Range<usize>, n_receivers: usize) {
        if receivers.is_empty() {
            return;
        }
        if receivers.len() < n_receivers {
            let octants = (of.octants.start << 8 | of.octants.end) as u64;
            let name = [self.tree.key(of.parent).raw(), octants];
            self.cut.push(CutGroup { index: self.groups.len(), name });
        }
        self.groups.push(ReceiverGroup { cell: of.parent, receivers });
    }
}

//! Interaction lists of a [`crate::tree`]: pairs of boxes that interact, by operator.
//!
//! | list | literature | row | source boxes | operator |
//! |---|---|---|---|---|
//! | `near` | U, leaves of E2 | leaf | leaves that touch the row's leaf | P2P |
//! | far | V, E4 | – | boxes of the same level that do not touch, but whose parents do | M2L |
//! | `m2p` | W | leaf | smaller boxes that do not touch, but whose parents do | M2P |
//! | `p2l` | X | box | larger leaves that do not touch the box, but touch its parent | P2L |
//!
//! Pairs are those of `octree::InteractionLists`, in another order. All lists follow from the colleagues of each box
//! ([`colleagues`]). Colleagues also give the far boxes without a list: the far box at an offset is a child of a
//! colleague of the parent; offset and octant tell which. Boxes without a receiver have empty rows, and boxes without a
//! source are never listed.

pub mod census;
pub mod colleagues;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod near;
pub mod p2l;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{HostListRows, HostLists, Lists};

pub use octree::geometry::DIRECTIONS;

use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::scan::sum_of;
use crate::tree::NONE;
use crate::tree::morton::{adjacent, coordinates_of};

/// Rows of a list of boxes, one after the other (compressed sparse rows).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListRows {
    /// Places in `items`, n_rows + 1: row i is `offsets[i]..offsets[i + 1]`.
    pub offsets: View<u32>,
    /// Boxes of all rows, and of other lists.
    pub items: View<u32>,
}

/// Limits below which small boxes of W or X are summed directly instead, as in `octree::ListOptions`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Limits {
    /// Number of sources below which a W box is summed leaf by leaf, in `near`.
    pub min_sources_for_m2p: u32,
    /// Number of receivers of a box below which an X leaf is summed by every leaf of the box, in `near`.
    pub min_receivers_for_p2l: u32,
}

/// Arrays of a tree that lists are made from; the tree's methods of the same names describe them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListBoxes {
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Parent of each box.
    pub parent: View<u32>,
    /// Children, 8 B items.
    pub child: View<u32>,
    /// Octants with children of each box.
    pub children: View<u32>,
    /// Level of each box.
    pub level: View<u32>,
    /// Key of each box.
    pub key: View<u64>,
    /// Colleagues, 27 B items: colleague of box b in direction d at d · B + b.
    pub colleague: View<u32>,
}

impl ListBoxes {
    #[inline(always)]
    fn len(self) -> usize {
        self.parent.len()
    }

    #[inline(always)]
    fn is_leaf(self, b: u32) -> bool {
        self.children.get(b as usize) == 0
    }

    #[inline(always)]
    fn colleague(self, b: u32, direction: usize) -> u32 {
        self.colleague.get(direction * self.len() + b as usize)
    }

    #[inline(always)]
    fn n_sources(self, b: u32) -> u32 {
        let Vec4([begin, end, ..]) = self.range.get(b as usize);
        end - begin
    }

    #[inline(always)]
    fn n_receivers(self, b: u32) -> u32 {
        let Vec4([.., begin, end]) = self.range.get(b as usize);
        end - begin
    }

    #[inline(always)]
    fn coordinates(self, b: u32) -> [u32; 3] {
        coordinates_of(self.key.get(b as usize))
    }

    /// Leaf of the level of box `b` or above that covers the place in `direction` of the box, if the leaf has sources.
    /// A larger leaf that covers several places is found from the first of them only.
    #[inline(always)]
    fn leaf_beside(self, b: u32, direction: usize) -> Option<u32> {
        let leaf = self.colleague(b, direction);
        let found = leaf != NONE && self.is_leaf(leaf) && self.n_sources(leaf) > 0;
        (found && self.is_first(b, direction, leaf)).then_some(leaf)
    }

    #[inline(always)]
    fn is_first(self, b: u32, direction: usize, leaf: u32) -> bool {
        if self.level.get(leaf as usize) == self.level.get(b as usize) {
            return true;
        }
        // The places that a box covers are a box: it is enough to look back along each axis.
        let elsewhere = |stride: usize| {
            direction / stride % 3 >= 1 && self.colleague(b, direction - stride) == leaf
        };
        !(elsewhere(1) || elsewhere(3) || elsewhere(9))
    }

    /// X leaf of box `b`, whose coordinates are `at`, in `direction` of its parent.
    #[inline(always)]
    fn bigger_leaf(self, b: u32, at: [u32; 3], direction: usize) -> Option<u32> {
        let leaf = self.leaf_beside(self.parent.get(b as usize), direction)?;
        let down = self.level.get(b as usize) - self.level.get(leaf as usize);
        // The leaf covers the place beside the parent: its coordinates are that place's, some levels up.
        let at_leaf = beside(at.map(|c| c >> 1), direction).map(|c| c >> (down - 1));
        let touches = adjacent(at_leaf, at, down);
        (!touches).then_some(leaf)
    }
}

/// Coordinates in `direction` of a box at `at`, for a place inside the cube.
#[inline(always)]
fn beside(at: [u32; 3], direction: usize) -> [u32; 3] {
    let along = |axis: usize, stride: usize| {
        at[axis].wrapping_add((direction / stride % 3) as u32).wrapping_sub(1)
    };
    [along(0, 1), along(1, 3), along(2, 9)]
}

/// Output arrays of a list.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListOutput {
    /// Counts when counting; places of the first items when filling.
    pub places: ViewMut<u32>,
    /// Offsets of the rows of `near`, `m2p` and `p2l`, one list after the other, and the end. When filling only.
    pub offsets: ViewMut<u32>,
    /// Items of all rows. When filling only.
    pub items: ViewMut<u32>,
}

/// Arguments of [`LIST_ENDS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListEnds {
    /// Scanned counts: one a leaf for `near`, one a leaf for `m2p`, one a box for `p2l`, then the sum.
    pub places: View<u32>,
    /// Word with the sum of all counts, as the scan leaves it.
    pub total: View<u64>,
    /// Output, four items: ends of `near`, `m2p` and `p2l`, modulo 2³², and the sum of all counts over 2³².
    pub ends: ViewMut<u32>,
    /// Number of leaves.
    pub n_leaves: u32,
}

fn list_ends(args: ListEnds) {
    let i = thread::index();
    if i < 3 {
        let end = args.n_leaves as usize * (i + 1);
        args.ends.set(i, args.places.get(if i < 2 { end } else { args.places.len() - 1 }));
    } else if i == 3 {
        args.ends.set(i, (sum_of(args.total.get(0)) >> 32) as u32);
    }
}

kernel! {
    /// Ends of the lists: four threads.
    pub LIST_ENDS = list_ends, (ListEnds);
}

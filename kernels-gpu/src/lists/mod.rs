//! Interaction lists of a [`crate::tree`]: which boxes act on which, and how.
//!
//! | list | literature | row | source boxes | operator |
//! |---|---|---|---|---|
//! | `near` | U, leaves of E2 | leaf | leaves that touch it | P2P |
//! | far | V, E4 | – | same level, does not touch, but the parents do | M2L |
//! | `m2p` | W | leaf | smaller, does not touch, but its parent does | M2P |
//! | `p2l` | X | box | bigger leaf, does not touch, but touches the parent | P2L |
//!
//! The same pairs as `octree::InteractionLists`, in another order. All follow from the colleagues of each box
//! ([`colleagues`]), which also name the far boxes without a list: the one at an offset is a child of a colleague of the
//! parent, and the offset and the octant tell which. Boxes without a receiver have empty rows, and boxes without a source
//! are never listed.

pub mod census;
pub mod colleagues;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod near;
pub mod p2l;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{HostListRows, HostLists, Lists};

use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::NONE;
use crate::tree::morton::{adjacent, coordinates_of};

/// Directions from a box to those around it and itself: (dz + 1) · 9 + (dy + 1) · 3 + dx + 1.
pub const DIRECTIONS: usize = 27;

/// Rows of box numbers, one after the other (compressed sparse rows).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListRows {
    /// n_rows + 1 places in `items`: row i is `offsets[i]..offsets[i + 1]`.
    pub offsets: View<u32>,
    /// The boxes of all rows, and of other lists.
    pub items: View<u32>,
}

/// When a small box of W or X is summed directly instead, as `octree::ListOptions` says.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Limits {
    /// A W box with fewer sources is summed leaf by leaf, in `near`.
    pub min_sources_for_m2p: u32,
    /// An X leaf of a box with fewer receivers is summed by every leaf of the box, in `near`.
    pub min_receivers_for_p2l: u32,
}

/// The arrays of a tree that lists are made from; each is described at the tree's method of the same name.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListBoxes {
    /// B items: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// B items.
    pub parent: View<u32>,
    /// 8 B items.
    pub child: View<u32>,
    /// B items.
    pub children: View<u32>,
    /// B items.
    pub level: View<u32>,
    /// B items.
    pub key: View<u64>,
    /// 27 B items: direction d's colleague of box b is item d · B + b.
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

    /// The leaf of the level of box `b` or above that covers the place in `direction` of it, if it has sources. A bigger
    /// leaf that covers several places is found from the first of them only.
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

    /// The X leaf of box `b`, whose coordinates are `at`, in `direction` of its parent.
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

/// The coordinates in `direction` of a box at `at`, for a place inside the cube.
#[inline(always)]
fn beside(at: [u32; 3], direction: usize) -> [u32; 3] {
    let along = |axis: usize, stride: usize| {
        at[axis].wrapping_add((direction / stride % 3) as u32).wrapping_sub(1)
    };
    [along(0, 1), along(1, 3), along(2, 9)]
}

/// Where a list goes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListOutput {
    /// Counts when counting; the places of the first items when filling.
    pub places: ViewMut<u32>,
    /// n_rows of `near`, `m2p` and `p2l`, one after the other, and one more: the rows' offsets. When filling only.
    pub offsets: ViewMut<u32>,
    /// The items. When filling only.
    pub items: ViewMut<u32>,
}

/// Arguments of [`LIST_ENDS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListEnds {
    /// The scanned counts: one a leaf for `near` and again for `m2p`, then one a box for `p2l`, then the sum.
    pub places: View<u32>,
    /// Three items: where `near`, `m2p` and `p2l` end.
    pub ends: ViewMut<u32>,
    /// How many leaves.
    pub n_leaves: u32,
}

fn list_ends(args: ListEnds) {
    let i = thread::index();
    if i < 3 {
        let end = args.n_leaves as usize * (i + 1);
        args.ends.set(i, args.places.get(if i < 2 { end } else { args.places.len() - 1 }));
    }
}

kernel! {
    /// Three threads.
    pub LIST_ENDS = list_ends, (ListEnds);
}

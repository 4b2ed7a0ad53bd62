//! Arguments of the group walk.

use super::relative::Relative;
use crate::device::{Vec2, Vec4, View, ViewMut};

/// Arguments of the group walk.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupWalk<T> {
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Points of each box: source begin, source end, receiver begin, receiver end.
    pub range: View<Vec4<u32>>,
    /// Child in octant o of box b at o B + b.
    pub child: View<u32>,
    /// Octants with children: bit o of item b is set if box b has a child in octant o.
    pub children: View<u32>,
    /// Centre of charge and squared opening distance, by box.
    pub cell: View<Vec4<T>>,
    /// Multipoles, see [`moments`](super::moments).
    pub multipole: View<Vec4<T>>,
    /// First receiver and end of each group.
    pub groups: View<Vec2<u32>>,
    /// Number of groups, one item.
    pub n_groups: View<u32>,
    /// Number of the next group, one item, 0 at first.
    pub ticket: ViewMut<u32>,
    /// Largest number of sources of a box that acts source by source, 1 or more.
    pub few: u32,
    /// Whether charges have both signs: 0 or 1.
    pub mixed: u32,
    /// Squared softening length ε² of pairs, and of cells of order 1.
    pub softening2: T,
    /// Arrays of the relative criterion.
    pub relative: Relative<T>,
    /// Output: gradient and potential (gx, gy, gz, Φ) by receiver in the tree's order.
    pub field: ViewMut<Vec4<T>>,
    /// Output, added to: numbers of pairs of receivers and cells, and of receivers and sources. Two items, or none.
    pub counts: ViewMut<u64>,
}

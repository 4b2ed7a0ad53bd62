//! L2L: what a box's local expansion is for its children.

use alloc::vec::Vec;

use crate::Scalar;
use crate::coaxial::Kind;
use crate::parent_child::ParentChild;
use crate::translation::{RowPair, translate};

/// The eight translations from a parent's centre to a child's. Cost: 2p³ multiply-adds a child.
///
/// Yokota & Barba, sec. 9.3.1; the rotation form is that of Cheng, Greengard & Rokhlin (1999).
#[derive(Clone, Debug)]
pub struct L2l<T>(ParentChild<T>);

impl<T: Scalar> L2l<T> {
    /// Tables for expansions of order `order`.
    pub fn new(order: usize) -> Self {
        Self(ParentChild::new(order, Kind::L2l))
    }

    /// Numbers that the tables of an order take, about.
    pub const fn table_numbers(order: usize) -> usize {
        ParentChild::<T>::table_numbers(order)
    }

    /// Memory of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Adds the parents' local expansions, seen from the children's centres, to the children's:
    /// `pairs[o]` are the rows `[parent, child]` of the children in octant o (bit 0 is x, 1 y, 2 z).
    pub fn apply(&self, pairs: &[Vec<RowPair>; 8], parents: &[T], children: &mut [T]) {
        translate(self.0.order(), self.0.batches(pairs), parents, children);
    }
}

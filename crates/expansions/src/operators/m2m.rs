//! M2M: the multipole of a box from those of its children.

use alloc::vec::Vec;

use crate::Scalar;
use crate::coaxial::Kind;
use crate::parent_child::ParentChild;
use crate::translation::{RowPair, translate};

/// The eight translations from a child's centre to its parent's. Cost: 2p³ multiply-adds a child.
///
/// Yokota & Barba, sec. 9.3.1; the rotation form is that of Cheng, Greengard & Rokhlin (1999).
#[derive(Clone, Debug)]
pub struct M2m<T>(ParentChild<T>);

impl<T: Scalar> M2m<T> {
    /// Tables for expansions of order `order`.
    pub fn new(order: usize) -> Self {
        Self(ParentChild::new(order, Kind::M2m))
    }

    /// Numbers that the tables of an order take, about.
    pub const fn table_numbers(order: usize) -> usize {
        ParentChild::<T>::table_numbers(order)
    }

    /// Memory of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Adds the children's multipoles, seen from the parents' centres, to the parents':
    /// `pairs[o]` are the rows `[child, parent]` of the children in octant o (bit 0 is x, 1 y, 2 z).
    pub fn apply(&self, pairs: &[Vec<RowPair>; 8], children: &[T], parents: &mut [T]) {
        translate(self.0.order(), self.0.batches(pairs), children, parents);
    }
}

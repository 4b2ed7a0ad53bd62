//! Copies of a tree's arrays on the host, for work of the host and for inspection.

use super::Tree;
use crate::device::{Plain, Vec4};
use crate::machine::{Launcher, MachineError};
use crate::memory::Grown;
use std::vec;
use std::vec::Vec;

/// Copies of the arrays of a [`Tree`], as its methods of the same names describe them.
#[derive(Clone, Debug, Default)]
pub struct HostTree {
    /// First box of each slot, then the number of boxes B.
    pub level_start: Vec<u32>,
    /// Points of each box.
    pub range: Vec<Vec4<u32>>,
    /// Parent of each box.
    pub parent: Vec<u32>,
    /// Children, 8 B items.
    pub child: Vec<u32>,
    /// Octants with children of each box.
    pub children: Vec<u32>,
    /// Level of each box.
    pub level: Vec<u32>,
    /// Key of each box.
    pub key: Vec<u64>,
    /// Leaves in Morton order.
    pub leaves: Vec<u32>,
    /// Permutation of the sources.
    pub source_permutation: Vec<u32>,
    /// Permutation of the receivers.
    pub receiver_permutation: Vec<u32>,
}

impl<M: Launcher> Tree<M> {
    /// Copies the arrays to the host.
    ///
    /// # Errors
    /// If a copy or a launch before it fails.
    pub fn to_host(&self, machine: &M) -> Result<HostTree, MachineError> {
        let n_boxes = self.n_boxes();
        let (source_permutation, receiver_permutation) = if self.one_set {
            (&self.permutation, &self.permutation)
        } else {
            (&self.source_permutation, &self.receiver_permutation)
        };
        Ok(HostTree {
            level_start: self.level_starts().to_vec(),
            range: items_of(machine, &self.range, n_boxes)?,
            parent: items_of(machine, &self.parent, n_boxes)?,
            child: items_of(machine, &self.child, 8 * n_boxes)?,
            children: items_of(machine, &self.children, n_boxes)?,
            level: items_of(machine, &self.level, n_boxes)?,
            key: items_of(machine, &self.key, n_boxes)?,
            leaves: items_of(machine, &self.leaves, self.n_leaves())?,
            source_permutation: items_of(machine, source_permutation, self.n_sources)?,
            receiver_permutation: items_of(machine, receiver_permutation, self.n_receivers)?,
        })
    }
}

/// Copy of the first `len` items of `memory`.
pub(crate) fn items_of<M: Launcher, T: Plain>(
    machine: &M,
    memory: &Grown<M, T>,
    len: usize,
) -> Result<Vec<T>, MachineError> {
    let mut items = vec![T::default(); len];
    memory.download(machine, &mut items)?;
    Ok(items)
}

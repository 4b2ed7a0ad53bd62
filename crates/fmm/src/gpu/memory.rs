//! What a plan takes of a device's memory: estimated before it is made, reserved when the tree is known.

use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::coefficients::groups;
use octree::Depth;

use super::Number;
use super::pipeline::{Pipeline, TOP};
use crate::Error;

/// Bytes a point: keys and orders, and the sort's copies of both.
const TREE_OF_POINT: usize = 40;

/// Bytes a box: its own arrays and colleagues.
const TREE_OF_BOX: usize = 240;

/// Items of all lists, a box.
const LIST_ITEMS: usize = 48;

/// Vectors of four numbers that the treecode has of a box.
const CELL: usize = 24;

/// The size of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub(super) n_sources: usize,
    pub(super) n_receivers: usize,
    /// Both sets together.
    pub(super) n_points: usize,
    pub(super) n_boxes: usize,
    /// Of the FMM's expansions; `None` for the treecode.
    pub(super) order: Option<usize>,
    /// Of a number.
    pub(super) float_bytes: usize,
}

impl Demand {
    /// Bytes of points, charges, sums, tree, lists and expansions.
    pub(super) fn bytes(&self) -> usize {
        let vector = 4 * self.float_bytes;
        // In the caller's order and in the tree's.
        let points = 2 * self.n_points * vector + self.n_sources * self.float_bytes;
        let sums = 2 * self.n_receivers * vector;
        let tree = self.n_points * TREE_OF_POINT + self.n_boxes * TREE_OF_BOX;
        let of_box = match self.order {
            Some(order) => 4 * LIST_ITEMS + 2 * groups(order) * vector,
            None => CELL * vector,
        };
        points + sums + tree + self.n_boxes * of_box
    }

    /// Refuses what `machine`, of whose memory this plan holds `held` bytes already, has no room for.
    pub(super) fn fits<M: Machine>(&self, machine: &M, held: usize) -> Result<(), Error> {
        let (needed, free) = (self.bytes(), machine.free_bytes()?.saturating_add(held));
        if needed > free { Err(Error::DeviceMemory { needed, free }) } else { Ok(()) }
    }
}

/// About how many boxes a tree of evenly spread points has.
pub(super) fn expected_boxes(depth: Depth, n_points: usize) -> usize {
    let grid = |level: u8| 8usize.saturating_pow(u32::from(level)).saturating_mul(8) / 7;
    // Leaves hold between an eighth of the capacity and all of it.
    let leaves = |capacity: usize| 3 * n_points / capacity.max(1) + 1;
    match depth {
        Depth::Uniform(level) => grid(level).min(n_points.saturating_mul(usize::from(level) + 1)),
        Depth::Adaptive { leaf_capacity } => leaves(leaf_capacity) * 8 / 7,
        Depth::AdaptiveTo { leaf_capacity, max_level } => {
            grid(max_level).min(leaves(leaf_capacity) * 8 / 7)
        }
    }
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Whether the tree is deep enough for anything to be far from anything.
    pub(super) fn has_far(&self) -> bool {
        self.tree.n_levels() > TOP
    }

    /// Takes the memory of an evaluation by expansions of `order`.
    pub(super) fn reserve(&mut self, order: usize) -> Result<(), MachineError> {
        let (n_boxes, n_receivers) = (self.tree.n_boxes(), self.tree.n_receivers());
        self.sums.reserve(&self.machine, n_receivers)?;
        if self.has_far() {
            let length = groups(order) * n_boxes;
            self.multipole.reserve(&self.machine, length)?;
            self.local.reserve(&self.machine, length)?;
            self.leaf_of.reserve(&self.machine, n_receivers)?;
        }
        Ok(())
    }

    /// Memory of tree, lists and expansions in bytes.
    pub fn bytes(&self) -> usize {
        let points = self.sources.capacity() + self.receivers.capacity() + self.sums.capacity();
        let expansions = self.multipole.capacity() + self.local.capacity();
        let tree = TREE_OF_POINT * self.tree.n_points() + TREE_OF_BOX * self.tree.n_boxes();
        let lists: usize = self.lists.n_items().iter().sum();
        (points + expansions) * 4 * size_of::<T>() + tree + 4 * lists
    }
}

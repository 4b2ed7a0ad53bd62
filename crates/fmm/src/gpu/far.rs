//! The far field of the FMM on a device: up, across and down the tree.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::{self, Accumulation, Boxes, FarBoxes, Geometry, L2pArrays, M2pArrays};
use octree::Cube;

use super::Number;
use super::pipeline::Pipeline;
use super::timers::Timers;
use crate::api::Stage;
use crate::engine::COARSEST_FAR_LEVEL;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Sums through expansions, by the `operators`-th tables, added to `more` unless that is empty. All on `machine`,
    /// in memory that has been reserved.
    pub(super) fn far_field(
        &mut self,
        machine: &M,
        operators: usize,
        more: View<Vec4<T>>,
        timers: &mut Timers<'_, M>,
    ) -> Result<View<Vec4<T>>, MachineError> {
        let (n_boxes, n_receivers) = (self.tree.n_boxes(), self.tree.n_receivers());
        let add = !more.is_empty();
        if !(add || self.locals) {
            self.more.fill(machine, 0)?;
        }
        let sums = self.more.view_mut(n_receivers);
        let length = self.operators[operators].length(n_boxes);
        let (multipole, local) = (self.multipole.view_mut(length), self.local.view_mut(length));
        let leaf_of = self.leaf_of.view_mut(n_receivers);
        let (operators, tree) = (&self.operators[operators], self.boxes());
        let (sources, receivers) = (self.sorted_sources(), self.sorted_receivers());
        let [_, n_m2p, n_p2l] = self.lists.n_items();

        operators.upward(machine, &tree, sources, multipole, COARSEST_FAR_LEVEL)?;
        timers.end(Stage::P2m)?;
        let multipole = multipole.read_only();
        let (leaves, rows) = (self.tree.leaves(), self.lists.m2p());
        let of_leaves = M2pArrays { leaves, rows, receivers, multipole, field: sums };
        if !self.locals {
            operators.m2p(machine, &tree, of_leaves, FarBoxes::Included)?;
            timers.end(Stage::M2p)?;
            return Ok(sums.read_only());
        }
        operators.far(machine, &tree, multipole, local)?;
        timers.end(Stage::M2l)?;
        if n_p2l > 0 {
            operators.p2l(machine, &tree, self.lists.p2l(), sources, local)?;
            timers.end(Stage::P2l)?;
        }
        operators.downward(machine, &tree, local)?;
        timers.end(Stage::L2l)?;
        operators::label(machine, &tree, leaf_of)?;
        let (leaf_of, local) = (leaf_of.read_only(), local.read_only());
        let of_receivers = L2pArrays { leaf_of, receivers, local, field: sums };
        let accumulation = if add { Accumulation::Add } else { Accumulation::Overwrite };
        operators.l2p(machine, &tree, of_receivers, accumulation)?;
        timers.end(Stage::L2p)?;
        if n_m2p > 0 {
            operators.m2p(machine, &tree, of_leaves, FarBoxes::Excluded)?;
            timers.end(Stage::M2p)?;
        }
        Ok(sums.read_only())
    }

    /// The tree of the last points as the operators see it, in the pipeline's unit of length.
    pub(super) fn boxes(&self) -> operators::Tree<'_, T> {
        let tree = &self.tree;
        let cube: &Cube = tree.cube();
        let corner = cube.corner().map(|c| self.unit.shrink(c));
        let boxes = Boxes {
            cube: Geometry::new(corner, self.unit.shrink(cube.side())),
            count: tree.n_boxes() as u32,
            key: tree.key(),
            level: tree.level(),
            range: tree.range(),
            parent: tree.parent(),
            child: tree.child(),
            colleague: self.lists.colleague(),
            level_start: tree.level_start(),
        };
        operators::Tree { boxes, level_start: tree.level_starts(), leaves: tree.leaves() }
    }
}

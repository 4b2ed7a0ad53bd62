//! The far field of the FMM on a device: up, across and down the tree.

use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::operators::{self, Boxes, Geometry};
use octree::Cube;

use super::Number;
use super::laps::Laps;
use super::pipeline::{Pipeline, TOP};
use crate::stopwatch::Stage;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Adds to `sums` what comes through expansions, by the `operators`-th tables.
    pub(super) fn far_field(
        &mut self,
        operators: usize,
        sums: ViewMut<Vec4<T>>,
        laps: &mut Laps<'_, M>,
    ) -> Result<(), MachineError> {
        let (operators, machine) = (&self.operators[operators], &self.machine);
        let (n_boxes, n_receivers) = (self.tree.n_boxes(), self.tree.n_receivers());
        let length = operators.length(n_boxes);
        self.multipole.reserve(machine, length)?;
        self.local.reserve(machine, length)?;
        self.leaf_of.reserve(machine, n_receivers)?;
        let (multipole, local) = (self.multipole.view_mut(length), self.local.view_mut(length));
        let leaf_of = self.leaf_of.view_mut(n_receivers);
        let (sources, receivers) = (self.sorted_sources(), self.sorted_receivers());
        let tree = self.boxes();
        let [_, n_m2p, n_p2l] = self.lists.n_items();

        operators.upward(machine, &tree, sources, multipole, TOP)?;
        laps.end(Stage::P2m)?;
        let multipole = multipole.read_only();
        let (leaves, rows) = (self.tree.leaves(), self.lists.m2p());
        if !self.locals {
            operators.m2p(machine, &tree, leaves, rows, receivers, multipole, sums, true)?;
            return laps.end(Stage::M2p);
        }
        operators.far(machine, &tree, multipole, local)?;
        laps.end(Stage::M2l)?;
        if n_p2l > 0 {
            operators.p2l(machine, &tree, self.lists.p2l(), sources, local)?;
            laps.end(Stage::P2l)?;
        }
        operators.downward(machine, &tree, local)?;
        laps.end(Stage::L2l)?;
        operators::label(machine, &tree, leaf_of)?;
        operators.l2p(
            machine,
            &tree,
            leaf_of.read_only(),
            receivers,
            local.read_only(),
            sums,
            true,
        )?;
        laps.end(Stage::L2p)?;
        if n_m2p > 0 {
            operators.m2p(machine, &tree, leaves, rows, receivers, multipole, sums, false)?;
            laps.end(Stage::M2p)?;
        }
        Ok(())
    }

    /// The tree of the last points as the operators see it, in the pipeline's unit of length.
    pub fn boxes(&self) -> operators::Tree<'_, T> {
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

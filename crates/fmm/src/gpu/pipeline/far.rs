//! The far field of the FMM on a device: up, across and down the tree.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::operators::{
    self, Accumulation, Boxes, FarBoxes, Geometry, L2pArrays, M2pArrays, Operators,
};
use kernels_gpu::tree::Tree;
use octree::Cube;

use super::Pipeline;
use super::form::Form;
use crate::api::{Error, Stage};
use crate::choose::{FarBy, wave_error};
use crate::engine::COARSEST_FAR_LEVEL;
use crate::gpu::Number;
use crate::gpu::timers::Timers;

/// Expansions that are ready for the receivers.
#[derive(Clone, Copy)]
pub(crate) struct Far<T> {
    /// Place of their tables.
    place: usize,
    /// Multipoles of all boxes of the lists.
    multipole: View<Vec4<T>>,
}

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// The place of a form's tables, which are made if they are not there.
    pub(crate) fn prepare(&mut self, Form { order, waves }: Form) -> Result<usize, MachineError> {
        let fits = |of: &Operators<M, T>| of.order() == order && of.has_waves() == waves;
        if let Some(place) = self.operators.iter().position(fits) {
            return Ok(place);
        }
        self.operators.push(match waves {
            true => Operators::with_waves(&self.machine, order, wave_error(order))?,
            false => Operators::new(&self.machine, order)?,
        });
        Ok(self.operators.len() - 1)
    }

    /// Numbers of scratch memory that the operators at a place take.
    pub(crate) fn scratch_length(&self, place: usize) -> usize {
        let length = |tree: &Tree<M>| self.operators[place].scratch_length(tree.level_starts());
        length(&self.tree).max(length(self.list_tree()))
    }

    /// Multipoles of all boxes, and local expansions where there are some, by the tables at `place`: of the sources in the tree's
    /// order, alone and with those of other devices behind them. All on `machine`, in memory that has been reserved.
    pub(crate) fn far_boxes(
        &mut self,
        machine: &M,
        place: usize,
        [sources, all_sources]: [View<Vec4<T>>; 2],
        timers: &mut Timers<M>,
    ) -> Result<Far<T>, Error> {
        let length = self.operators[place].length(self.list_tree().n_boxes());
        let own_length = self.operators[place].length(self.tree.n_boxes());
        let multipole = self.multipole.view_mut(own_length);
        let local = self.local.view_mut(length);
        let scratch_length = self.scratch_length(place);
        let scratch = self.scratch.view_mut(scratch_length);
        let [.., n_p2l] = self.lists.n_items();

        let own = self.boxes_of(&self.tree);
        let operators = &self.operators[place];
        operators.p2m(machine, &own, sources, multipole)?;
        timers.end(Stage::P2m)?;
        operators.m2m(machine, &own, multipole, COARSEST_FAR_LEVEL, scratch)?;
        timers.end(Stage::M2m)?;
        let mut multipole = multipole.read_only();
        if let Some(ghosts) = &mut self.ghosts {
            multipole = ghosts.merge_rows(machine, &self.tree, multipole, operators.length(1))?;
            timers.end(Stage::Exchange)?;
        }
        let (operators, tree) = (&self.operators[place], self.boxes_of(self.list_tree()));
        let far = Far { place, multipole };
        if self.far_by == FarBy::M2p {
            return Ok(far);
        }
        operators.far(machine, &tree, multipole, local, scratch)?;
        timers.end(Stage::M2l)?;
        if n_p2l > 0 {
            operators.p2l(machine, &tree, self.lists.p2l(), all_sources, local)?;
            timers.end(Stage::P2l)?;
        }
        operators.downward(machine, &tree, local, scratch)?;
        timers.end(Stage::L2l)?;
        Ok(far)
    }

    /// Sums through the expansions at the receivers, added to `more` unless that is empty, in memory of their own.
    pub(super) fn more_sums(
        &mut self,
        machine: &M,
        far: Far<T>,
        more: View<Vec4<T>>,
        timers: &mut Timers<M>,
    ) -> Result<View<Vec4<T>>, Error> {
        let n_receivers = self.tree.n_receivers();
        let accumulation = match more.is_empty() {
            true => Accumulation::Overwrite,
            false => Accumulation::Add,
        };
        if more.is_empty() && self.far_by == FarBy::M2p {
            self.more.fill(machine, 0)?;
        }
        let sums = self.more.view_mut(n_receivers);
        // Few threads look for errors, beside the many of the receivers.
        let side = machine.fork()?;
        let found = self.find_expected(&side, far, 0);
        let summed = self.far_receivers(machine, far, (sums, accumulation), timers);
        machine.join(&side)?;
        found?;
        summed?;
        Ok(sums.read_only())
    }

    /// Adds to the sums over near pairs those through the expansions.
    pub(super) fn add_far(
        &mut self,
        machine: &M,
        far: Far<T>,
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let n_receivers = self.tree.n_receivers();
        let sums = self.sums.view_mut(n_receivers);
        self.far_receivers(machine, far, (sums, Accumulation::Add), timers)?;
        self.end_leaves();
        self.find_expected(machine, far, 0)?;
        self.end_multipoles();
        Ok(())
    }

    /// L2P and M2P.
    pub(super) fn far_receivers(
        &mut self,
        machine: &M,
        Far { place, multipole }: Far<T>,
        (sums, accumulation): (ViewMut<Vec4<T>>, Accumulation),
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let leaf_of = self.leaf_of.view_mut(self.tree.n_receivers());
        let (operators, tree) = (&self.operators[place], self.boxes_of(self.list_tree()));
        let (leaves, rows) = (self.list_tree().leaves(), self.lists.m2p());
        let receivers = self.sorted_receivers();
        let of_leaves = M2pArrays { leaves, rows, receivers, multipole, field: sums };
        if self.far_by == FarBy::M2p {
            operators.m2p(machine, &tree, of_leaves, FarBoxes::Included)?;
            return Ok(timers.end(Stage::M2p)?);
        }
        let length = operators.length(self.list_tree().n_boxes());
        operators::label(machine, &tree, leaf_of)?;
        let (leaf_of, local) = (leaf_of.read_only(), self.local.view(length));
        let of_receivers = L2pArrays { leaf_of, receivers, local, field: sums };
        operators.l2p(machine, &tree, of_receivers, accumulation)?;
        timers.end(Stage::L2p)?;
        let [_, n_m2p, _] = self.lists.n_items();
        if n_m2p > 0 {
            operators.m2p(machine, &tree, of_leaves, FarBoxes::Excluded)?;
            timers.end(Stage::M2p)?;
        }
        Ok(())
    }

    /// Memory for the errors to expect of all vectors.
    pub(crate) fn reserve_expected(&mut self) -> Result<(), MachineError> {
        let vectors = self.together.as_ref().map_or(1, |together| together.vectors);
        let n_boxes = self.list_tree().n_boxes();
        self.expected.reserve(&self.machine, vectors, n_boxes)
    }

    /// The errors to expect of a vector's expansions, where there are local ones and a check asks.
    pub(super) fn find_expected(
        &mut self,
        machine: &M,
        Far { place, multipole }: Far<T>,
        vector: usize,
    ) -> Result<(), Error> {
        if !(self.far_by == FarBy::M2l && self.checked) {
            return Ok(());
        }
        let n_boxes = self.list_tree().n_boxes();
        self.expected.reserve(&self.machine, vector + 1, n_boxes)?;
        let output = self.expected.of_vector(vector, n_boxes);
        let (operators, tree) = (&self.operators[place], self.boxes_of(self.list_tree()));
        let local = self.local.view(operators.length(n_boxes));
        let expansions = [multipole, local];
        Ok(operators.expected_errors(machine, &tree, expansions, self.lists.m2p(), output)?)
    }

    /// A tree as the operators see it, in the pipeline's unit of length.
    pub(crate) fn boxes_of<'t>(&self, tree: &'t Tree<M>) -> operators::Tree<'t, T> {
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

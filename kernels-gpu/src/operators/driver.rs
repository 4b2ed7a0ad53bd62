//! Launches the operators on a tree.

use super::arrays::{ExpectedArrays, L2pArrays, M2pArrays, Tree};
use super::coefficients::groups;
use super::entries::{EXPANSION_SIZES, LABEL, Operator, Table, WORST_FAR, WORST_IN_LEAVES};
use super::expected::{self, BoxErrors, ExpansionSizes, WorstFar, WorstInLeaves};
use super::far_tables;
use super::large::Large;
use super::options::{Accumulation, FarBoxes, Translation};
use super::set::{OperatorSet, small_table_order};
use super::small::l2l::L2l;
use super::small::l2p::{L2p, Label};
use super::small::m2l::{self, M2l};
use super::small::m2l_any;
use super::small::m2m::{self, M2m};
use super::small::m2p::M2p;
use super::small::p2l::{self, P2l};
use super::small::p2m::{self, P2m};
use super::small::tables;
use super::{LARGEST_ORDER, MAX_ORDER, Order};
use crate::device::{Kernel, Real, Vec4, View, ViewMut, warp};
use crate::lists::ListRows;
use crate::machine::{Buffer, Grid, Launcher, MachineError};
use std::ops::Range;

/// Threads of a block where nothing else asks for a number.
const THREADS: u32 = 128;

/// The operators of one order, with their tables on the device.
#[derive(Debug)]
pub struct Operators<M: Launcher, T: Real> {
    order: usize,
    constants: M::Buffer<T>,
    to_parent: M::Buffer<Vec4<T>>,
    to_child: M::Buffer<Vec4<T>>,
    ways: M::Buffer<Vec4<T>>,
    factors: M::Buffer<Vec4<T>>,
    far: M::Buffer<u32>,
    left: M::Buffer<f32>,
    large: Option<Large<M, T>>,
}

impl<M: Launcher, T: Operator> Operators<M, T> {
    /// Tables of the [small](OperatorSet::Small) set for expansions of `order` degrees, 1 … [`MAX_ORDER`]; other orders are
    /// brought into this range.
    ///
    /// # Errors
    /// If the device has no memory for them: [`OperatorSet::table_numbers`].
    pub fn new(machine: &M, order: usize) -> Result<Self, MachineError> {
        let given = order.clamp(1, MAX_ORDER);
        Self::of(machine, given, given, None)
    }

    /// Tables of the [large](OperatorSet::Large) set, with plane waves whose error of 1/r, in sides of a box, is at most
    /// `error`, for the orders 1 … [`largest_order`](Self::largest_order); other orders are brought into this range. In a
    /// precision without that set, they are those of [`new`](Self::new).
    ///
    /// # Errors
    /// If the device has no memory for them: [`OperatorSet::table_numbers`].
    pub fn with_large_set(machine: &M, order: usize, error: f64) -> Result<Self, MachineError> {
        let order = order.clamp(1, Self::largest_order());
        let large = match T::large() {
            Some(kernels) => Some(Large::new(machine, kernels, order, error)?),
            None => None,
        };
        Self::of(machine, order, small_table_order(order), large)
    }

    /// The largest order in this precision.
    pub fn largest_order() -> usize {
        if T::large().is_some() { LARGEST_ORDER } else { MAX_ORDER }
    }

    /// The set of kernels.
    pub fn set(&self) -> OperatorSet {
        if self.large.is_some() { OperatorSet::Large } else { OperatorSet::Small }
    }

    /// Numbers of all tables, indices among them.
    pub fn table_numbers(&self) -> usize {
        let records = [&self.to_parent, &self.to_child, &self.ways, &self.factors];
        self.constants.len()
            + records.map(|records| 4 * records.len()).iter().sum::<usize>()
            + self.far.len()
            + self.left.len()
            + self.large.as_ref().map_or(0, Large::table_numbers)
    }

    /// Numbers of scratch memory for a tree whose levels begin at `level_start`: 8 numbers a level, and B.
    pub fn scratch_length(&self, level_start: &[u32]) -> usize {
        self.large.as_ref().map_or(0, |large| large.scratch_length(level_start))
    }

    /// L2P and M2P by the kernels of large orders, if the order is large.
    fn large_at_points(&self) -> Option<&Large<M, T>> {
        self.large.as_ref().filter(|_| self.order > MAX_ORDER)
    }

    /// P2M, M2M, L2L and P2L by the kernels of large orders, if those were made and no kernel is unrolled for the order: in f64, the
    /// kernels of any order take five times as long at order 15.
    fn large_translations<A>(&self, unrolled: Table<A>) -> Option<&Large<M, T>> {
        let is_unrolled = self.order <= MAX_ORDER && self.kernel(unrolled).0 > 0;
        self.large.as_ref().filter(|_| !is_unrolled)
    }

    fn of(
        machine: &M,
        order: usize,
        tabled: usize,
        large: Option<Large<M, T>>,
    ) -> Result<Self, MachineError> {
        Ok(Self {
            order,
            large,
            constants: machine.buffer_of(&tables::constants())?,
            to_parent: machine.buffer_of(&tables::octants(tabled, Translation::M2m))?,
            to_child: machine.buffer_of(&tables::octants(tabled, Translation::L2l))?,
            ways: machine.buffer_of(&tables::ways(tabled))?,
            factors: machine.buffer_of(&m2l_any::factors(tabled))?,
            far: machine.buffer_of(&far_tables::far_entries())?,
            left: machine.buffer_of(&far_tables::left(order))?,
        })
    }

    /// Number of degrees.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Groups of four numbers that the expansions of `boxes` boxes take.
    pub fn length(&self, boxes: usize) -> usize {
        groups(self.order) * boxes
    }

    /// Multipoles of the leaves: P2M.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn p2m(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        sources: View<Vec4<T>>,
        multipole: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        if let Some(large) = self.large_translations(T::m2m()) {
            return large.p2m(machine, tree, sources, multipole);
        }
        let (order, boxes) = (self.argument(), tree.boxes);
        let args = P2m { order, boxes, leaves: tree.leaves, sources, multipole };
        let grid = Grid::over(tree.leaves.len() * p2m::LANES, THREADS);
        machine.launch(self.kernel(T::p2m()).1, grid, args)
    }

    /// Multipoles of all boxes with children, from those of the leaves, level by level up to level `top`: M2M. `scratch` has
    /// [`scratch_length`](Self::scratch_length) numbers, here and below.
    ///
    /// M2L and M2P of an FMM need the levels from 2 on.
    ///
    /// # Errors
    /// If the device refuses a launch.
    pub fn m2m(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: ViewMut<Vec4<T>>,
        top: usize,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        if let Some(large) = self.large_translations(T::m2m()) {
            return large.m2m(machine, tree, multipole, top, scratch);
        }
        let (order, boxes) = (self.argument(), tree.boxes);
        let (_, kernel) = self.kernel(T::m2m());
        for level in (top..tree.levels().saturating_sub(1)).rev() {
            let Range { start: first, end } = tree.level(level);
            let ways = self.to_parent.view();
            let args = M2m { order, boxes, first, end, ways, multipole };
            let grid = Grid::of((end - first).div_ceil(warp::SIZE), m2m::WARPS as u32 * warp::SIZE);
            machine.launch(kernel, grid.shared(m2m::shared_bytes::<T>()), args)?;
        }
        Ok(())
    }

    /// Local expansions of all boxes due to their far boxes: M2L. What was in `local` is overwritten.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn m2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        if let Some(large) = &self.large {
            return large.m2l(machine, tree, multipole, local, scratch);
        }
        let blocks = tree.blocks_by_slot();
        if blocks == 0 {
            return Ok(());
        }
        let (order, boxes, far) = (self.argument(), tree.boxes, self.far.view());
        let (factors, ways) = (self.factors.view(), self.ways.view());
        let args = M2l { order, boxes, far, factors, ways, multipole, local };
        let (degrees, kernel) = self.kernel(T::m2l());
        let (warps, shared) = if degrees == 0 {
            (m2l_any::warps::<T>(), m2l_any::shared_bytes::<T>(self.order))
        } else {
            (m2l::WARPS, m2l::shared_bytes::<T>(degrees))
        };
        let grid = Grid::of(blocks, warps as u32 * warp::SIZE).shared(shared);
        machine.launch(kernel, grid, args)
    }

    /// Adds to local expansions the sources of far leaves that are near in size only (list X, one row a box): P2L.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn p2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        ListRows { offsets, items }: ListRows,
        sources: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        if let Some(large) = self.large_translations(T::p2l()) {
            return large.p2l(machine, tree, ListRows { offsets, items }, sources, local);
        }
        let args =
            P2l { order: self.argument(), boxes: tree.boxes, offsets, items, sources, local };
        let grid = Grid::over(tree.boxes.count as usize * p2l::LANES, THREADS);
        machine.launch(self.kernel(T::p2l()).1, grid, args)
    }

    /// Adds the local expansions of boxes to those of their children, level by level: L2L. Expansions count from level 2.
    ///
    /// # Errors
    /// If the device refuses a launch.
    pub fn l2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        local: ViewMut<Vec4<T>>,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        if let Some(large) = self.large_translations(T::l2l()) {
            return large.l2l(machine, tree, local, scratch);
        }
        let (order, boxes, ways) = (self.argument(), tree.boxes, self.to_child.view());
        let (_, kernel) = self.kernel(T::l2l());
        for level in 3..tree.levels() {
            let Range { start: first, end } = tree.level(level);
            let args = L2l { order, boxes, first, end, ways, local };
            machine.launch(kernel, Grid::over((end - first) as usize, THREADS), args)?;
        }
        Ok(())
    }

    /// Potential and gradient of the leaves' local expansions at their receivers: L2P.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn l2p(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        arrays: L2pArrays<T>,
        accumulation: Accumulation,
    ) -> Result<(), MachineError> {
        if let Some(large) = self.large_at_points() {
            return large.l2p(machine, tree, arrays, accumulation);
        }
        let L2pArrays { leaf_of, receivers, local, field } = arrays;
        let (order, boxes, add) = (self.argument(), tree.boxes, accumulation.flag());
        let args = L2p { order, boxes, leaf_of, receivers, local, field, add };
        machine.launch(self.kernel(T::l2p()).1, Grid::over(receivers.len(), THREADS), args)
    }

    /// Writes the errors to expect of these expansions: [`SIZES`](expected::SIZES) numbers and [`WORST`](expected::WORST)
    /// boxes a box, as [`BoxErrors`] has them. Rows are those of list W. Three launches.
    ///
    /// # Errors
    /// If the device refuses a launch.
    pub fn expected_errors(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        [multipole, local]: [View<Vec4<T>>; 2],
        ListRows { offsets, items }: ListRows,
        output: ExpectedArrays,
    ) -> Result<(), MachineError> {
        let (order, boxes, leaves) = (self.order as u32, tree.boxes, tree.leaves);
        let ExpectedArrays { frames, sizes, worst } = output;
        let args = ExpansionSizes { order, boxes, multipole, local, frames, sizes };
        machine.launch(&EXPANSION_SIZES(), Grid::over(boxes.count as usize, THREADS), args)?;
        let args = WorstFar { boxes, left: self.left.view(), sizes, worst };
        let grid = Grid::over(boxes.count as usize * warp::SIZE as usize, THREADS);
        machine.launch(&WORST_FAR(), grid, args)?;
        let BoxErrors { frames, sizes, .. } = output.read_only();
        let args = WorstInLeaves { order, boxes, leaves, offsets, items, frames, sizes, worst };
        let grid = Grid::over(leaves.len() * expected::LANES, THREADS);
        machine.launch(&WORST_IN_LEAVES(), grid, args)
    }

    /// Adds to the field at the receivers of the leaves the multipoles of the boxes in their rows (list W): M2P.
    ///
    /// # Errors
    /// If the device refuses the launch.
    pub fn m2p(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        arrays: M2pArrays<T>,
        far_boxes: FarBoxes,
    ) -> Result<(), MachineError> {
        let far = match far_boxes {
            FarBoxes::Included => self.far.view(),
            FarBoxes::Excluded => View::EMPTY,
        };
        if let Some(large) = self.large_at_points() {
            return large.m2p(machine, tree, arrays, far);
        }
        let M2pArrays { leaves, rows, receivers, multipole, field } = arrays;
        let (order, boxes, ListRows { offsets, items }) = (self.argument(), tree.boxes, rows);
        let args = M2p { order, boxes, leaves, offsets, items, far, receivers, multipole, field };
        let grid = Grid::over(leaves.len() * warp::SIZE as usize, THREADS);
        machine.launch(self.kernel(T::m2p()).1, grid, args)
    }

    fn argument(&self) -> Order<T> {
        Order { degrees: self.order as u32, constants: self.constants.view() }
    }

    /// The kernel of this order, or else that of any order, which tables without some orders have last; and its number of degrees or 0.
    fn kernel<A>(&self, table: Table<A>) -> (usize, &'static Kernel<A>) {
        let own = table.iter().find(|(degrees, _)| *degrees == self.order);
        let (degrees, kernel) = own.unwrap_or(&table[table.len() - 1]);
        (*degrees, kernel)
    }
}

/// Writes the leaf of each receiver to `leaf_of`.
///
/// # Errors
/// If the device refuses the launch.
pub fn label<M: Launcher, T: Real>(
    machine: &M,
    tree: &Tree<'_, T>,
    leaf_of: ViewMut<u32>,
) -> Result<(), MachineError> {
    let args = Label { leaves: tree.leaves, range: tree.boxes.range, leaf_of };
    let grid = Grid::over(tree.leaves.len() * warp::SIZE as usize, THREADS);
    machine.launch(&LABEL, grid, args)
}

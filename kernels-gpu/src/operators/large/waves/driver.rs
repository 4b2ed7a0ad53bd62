//! M2L by plane waves: part by part of the quadratures, all levels at once.

use super::families::NumberFamilies;
use super::gather::{Gather, WAVES};
use super::radiate::Radiate;
use crate::device::{Real, Vec4, View, ViewMut, warp};
use crate::machine::{Buffer, Grid, Launcher, MachineError};
use crate::operators::Accumulation;
use crate::operators::arrays::Tree;
use crate::operators::large::Large;
use crate::operators::large::blocks::{Collect, THREADS};
use crate::operators::large::copies::Copy;
use crate::operators::large::grids::{far_levels, grid};
use crate::operators::large::parts::{PLACES, Part};
use crate::operators::large::tables::Matrix;
use crate::operators::large::translations::launch;
use expansions::layout::n_coefficients;
use expansions::numerics::waves::N_NUMBERS;
use expansions::operators::WaveAxis;

/// Boxes from the first level with far boxes on, their families, and memory for both.
#[derive(Clone, Copy, Debug)]
struct Arrays<T> {
    first: usize,
    count: usize,
    families: View<u32>,
    family_of: View<u32>,
    multipoles: ViewMut<T>,
    /// Multipoles in the frame of an axis, or local expansions from there.
    turned: ViewMut<T>,
    /// Local expansions in the frame.
    locals: ViewMut<T>,
    modes: [ViewMut<T>; 2],
    waves: ViewMut<T>,
    sets: ViewMut<T>,
}

impl<M: Launcher, T: Real> Large<M, T> {
    /// Local expansions of all boxes due to their far boxes: M2L. What was in `local` is overwritten.
    pub(crate) fn m2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        let families = self.families(machine, tree)?;
        let arrays = self.arrays(tree, families.each_ref().map(Buffer::view), scratch);
        let copy = Copy {
            boxes: tree.boxes,
            coefficients: n_coefficients(self.order) as u32,
            first: arrays.first as u32,
            count: arrays.count as u32,
            begin: 0,
            flag: 0,
            from: multipole,
            groups: local,
            rows: arrays.multipoles,
        };
        machine.launch(&self.kernels.rows_of, self.by_coefficient(arrays.count), copy)?;
        for (number, axis) in WaveAxis::ALL.into_iter().enumerate() {
            let turns = number.checked_sub(1).map(|turned| &self.shifts.turns[turned]);
            let mut multipoles = arrays.multipoles;
            if let Some([into, _]) = turns {
                self.turn(machine, into, [multipoles, arrays.turned], arrays.count)?;
                multipoles = arrays.turned;
            }
            let zero = Copy { flag: 2, rows: arrays.locals, ..copy };
            machine.launch(&self.kernels.rows_of, self.by_coefficient(arrays.count), zero)?;
            for part in self.parts.iter().filter(|part| part.axis == axis) {
                self.send(machine, tree, &arrays, part, multipoles.read_only())?;
                self.receive(machine, tree, &arrays, part)?;
            }
            let mut locals = arrays.locals;
            if let Some([_, back]) = turns {
                self.turn(machine, back, [locals, arrays.turned], arrays.count)?;
                locals = arrays.turned;
            }
            let flag = u32::from(number > 0);
            let copy = Copy { flag, rows: locals, ..copy };
            let grid = self.by_group(arrays.first + arrays.count);
            machine.launch(&self.kernels.groups_of, grid, copy)?;
        }
        Ok(())
    }

    /// Finds the boxes with children.
    fn families(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
    ) -> Result<[M::Buffer<u32>; 2], MachineError> {
        let [first, end, _] = far_levels(tree.level_start);
        let count = tree.boxes.count as usize;
        // No leaf is a family, and no box of the deepest level.
        let most = (count - tree.leaves.len()).min(end.saturating_sub(first));
        let mut families = machine.allocate(most)?;
        let mut family_of = machine.allocate(count)?;
        let mut numbered = machine.allocate(1)?;
        machine.fill(0xff, &mut families)?;
        machine.fill(0, &mut numbered)?;
        let args = NumberFamilies {
            child: tree.boxes.child,
            count: tree.boxes.count,
            first: first as u32,
            numbered: numbered.view_mut(),
            families: families.view_mut(),
            family_of: family_of.view_mut(),
        };
        machine.launch(&self.kernels.number_families, Grid::over(count, THREADS), args)?;
        Ok([families, family_of])
    }

    fn arrays(
        &self,
        tree: &Tree<'_, T>,
        [families, family_of]: [View<u32>; 2],
        scratch: ViewMut<T>,
    ) -> Arrays<T> {
        let [.., first] = far_levels(tree.level_start);
        let (count, mut start) = (tree.boxes.count as usize - first, 0);
        let mut take = |length: usize| {
            start += length;
            scratch.part(start - length, length)
        };
        let [sent, waves, modes] = self.lengths;
        let expansions = n_coefficients(self.order) * count;
        Arrays {
            first,
            count,
            families,
            family_of,
            multipoles: take(expansions),
            turned: take(expansions),
            locals: take(expansions),
            modes: [take(modes / 2 * count), take(modes / 2 * count)],
            waves: take(waves * count),
            sets: take(sent * families.len()),
        }
    }

    /// Turns expansions into a frame, or back.
    fn turn(
        &self,
        machine: &M,
        matrix: &Matrix,
        [from, to]: [ViewMut<T>; 2],
        count: usize,
    ) -> Result<(), MachineError> {
        let product =
            self.product(matrix, [from.read_only(); 2], [to; 2], count, Accumulation::Overwrite);
        launch(machine, &self.kernels.plain, product)
    }

    /// Multipoles to modes, modes to the families' sets of waves.
    fn send(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        arrays: &Arrays<T>,
        part: &Part,
        multipoles: View<T>,
    ) -> Result<(), MachineError> {
        let Arrays { first, count, families, modes, sets, .. } = *arrays;
        let product =
            self.product(&part.out, [multipoles; 2], modes, count, Accumulation::Overwrite);
        launch(machine, &self.kernels.folded, product)?;
        let args = Radiate {
            tables: self.tables(),
            blocks: part.radiate.each_ref().map(|matrix| self.blocks(matrix)),
            numbers: self.numbers_of(part),
            boxes: tree.boxes,
            octants: self.octants(part.axis),
            modes: modes.map(ViewMut::read_only),
            first: first as u32,
            count: count as u32,
            families,
            bounded: part.axis.bounded() as u32,
            waves: part.n_waves as u32,
            sets,
        };
        let of_both_ways = 2 * part.radiate[0].len();
        machine.launch(&self.kernels.radiate, tasks_grid(families.len(), of_both_ways), args)
    }

    /// The families' sets of waves to the waves of boxes, to modes, to local expansions.
    fn receive(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        arrays: &Arrays<T>,
        part: &Part,
    ) -> Result<(), MachineError> {
        let Arrays { first, count, families, family_of, modes, waves, sets, locals, .. } = *arrays;
        let args = Gather {
            numbers: self.numbers_of(part),
            boxes: tree.boxes,
            octants: self.octants(part.axis),
            directions: self.places_of(part.axis, 0),
            first: first as u32,
            count: count as u32,
            families,
            family_of,
            waves: part.n_waves as u32,
            sets: sets.read_only(),
            received: waves,
        };
        let of_both_ways = 2 * part.n_waves.div_ceil(WAVES);
        let kernel = &self.kernels.gather[part.axis.bounded()];
        machine.launch(kernel, tasks_grid(families.len(), of_both_ways), args)?;
        let collect = Collect {
            tables: self.tables(),
            blocks: part.collect.each_ref().map(|matrix| self.blocks(matrix)),
            received: waves.read_only(),
            modes,
            count: count as u32,
            waves: part.n_waves as u32,
        };
        let of_both_ways = 2 * part.collect.iter().map(Matrix::len).sum::<usize>();
        machine.launch(&self.kernels.collect, tasks_grid(count, of_both_ways), collect)?;
        let modes = modes.map(ViewMut::read_only);
        let product = self.product(&part.back, modes, [locals; 2], count, Accumulation::Add);
        launch(machine, &self.kernels.unfolded, product)
    }

    fn numbers_of(&self, part: &Part) -> View<T> {
        self.numbers.view().part(part.numbers, part.n_waves * N_NUMBERS)
    }

    fn octants(&self, axis: WaveAxis) -> View<u32> {
        self.places_of(axis, 1)
    }

    fn places_of(&self, axis: WaveAxis, which: usize) -> View<u32> {
        let start = axis.bounded() * PLACES.iter().sum::<usize>();
        self.places.view().part(start + which * PLACES[0], PLACES[which])
    }
}

/// Grid of a lane an item and `tasks` warps for each.
fn tasks_grid(items: usize, tasks: usize) -> Grid {
    grid(items, tasks.div_ceil(THREADS as usize / warp::SIZE as usize))
}

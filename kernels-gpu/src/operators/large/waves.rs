//! M2L by plane waves: part by part of the quadratures, all levels at once.

use super::blocks::THREADS;
use super::copies::Copy;
use super::driver::Large;
use super::gather::{Gather, WAVES};
use super::grids::{far_levels, grid};
use super::parts::{PLACES, Part};
use super::radiate::Radiate;
use super::tables::Matrix;
use super::translations::launch;
use crate::device::{Real, Vec4, View, ViewMut, warp};
use crate::machine::{Buffer, Machine, MachineError};
use crate::operators::arrays::Tree;
use expansions::layout::n_coefficients;
use expansions::numerics::waves::N_NUMBERS;
use expansions::operators::WaveAxis;

/// Boxes from the first level with far boxes on, their families, and memory for both.
#[derive(Clone, Copy, Debug)]
struct Arrays<T> {
    first: usize,
    count: usize,
    families: [u32; 2],
    multipoles: ViewMut<T>,
    /// Multipoles in the frame of an axis, or local expansions from there.
    turned: ViewMut<T>,
    /// Local expansions in the frame.
    locals: ViewMut<T>,
    modes: [ViewMut<T>; 2],
    waves: ViewMut<T>,
    sets: ViewMut<T>,
}

impl<M: Machine, T: Real> Large<M, T> {
    /// Local expansions of all boxes due to their far boxes. What was in `local` is overwritten.
    pub(crate) fn far(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        let arrays = self.arrays(tree, scratch);
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

    fn arrays(&self, tree: &Tree<'_, T>, scratch: ViewMut<T>) -> Arrays<T> {
        let [first_family, end_of_families, first] = far_levels(tree.level_start);
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
            families: [first_family as u32, end_of_families as u32],
            multipoles: take(expansions),
            turned: take(expansions),
            locals: take(expansions),
            modes: [take(modes / 2 * count), take(modes / 2 * count)],
            waves: take(waves * count),
            sets: take(sent * end_of_families),
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
        let product = self.product(matrix, [from.read_only(); 2], [to; 2], count, false);
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
        let product = self.product(&part.out, [multipoles; 2], modes, count, false);
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
        machine.launch(&self.kernels.radiate, families_grid(families, of_both_ways), args)
    }

    /// The families' sets of waves to the waves of boxes, to modes, to local expansions.
    fn receive(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        arrays: &Arrays<T>,
        part: &Part,
    ) -> Result<(), MachineError> {
        let Arrays { first, count, families, modes, waves, sets, locals, .. } = *arrays;
        let args = Gather {
            numbers: self.numbers_of(part),
            boxes: tree.boxes,
            octants: self.octants(part.axis),
            directions: self.places_of(part.axis, 0),
            first: first as u32,
            count: count as u32,
            families,
            waves: part.n_waves as u32,
            sets: sets.read_only(),
            received: waves,
        };
        let of_both_ways = 2 * part.n_waves.div_ceil(WAVES);
        let kernel = &self.kernels.gather[part.axis.bounded()];
        machine.launch(kernel, families_grid(families, of_both_ways), args)?;
        let half = part.n_waves / 2 * count;
        for (way, modes) in modes.into_iter().enumerate() {
            for (k, matrix) in part.collect.iter().enumerate() {
                let row = |mirrored: usize| 2 * (2 * way + k) + mirrored;
                let from =
                    [0, 1].map(|mirrored| waves.read_only().part(row(mirrored) * half, half));
                let product = self.product(matrix, from, [modes; 2], count, false);
                launch(machine, &self.kernels.unfolded, product)?;
            }
        }
        let modes = modes.map(ViewMut::read_only);
        let product = self.product(&part.back, modes, [locals; 2], count, true);
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

/// Grid of a lane a family and `tasks` warps for each.
fn families_grid([first, end]: [u32; 2], tasks: usize) -> crate::machine::Grid {
    grid((end - first) as usize, tasks.div_ceil(THREADS as usize / warp::SIZE as usize))
}

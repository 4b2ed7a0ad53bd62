//! M2M and L2L of large orders: shifts along z, y and x with quarter turns between them, for all children of a level.

use super::blocks::{Apply, Shift, THREADS};
use super::copies::Copy;
use super::driver::Large;
use super::grids::grid_of;
use super::tables::Matrix;
use crate::device::{Kernel, Real, Vec4, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::operators::Accumulation;
use crate::operators::arrays::Tree;
use crate::operators::options::Translation;
use expansions::layout::n_coefficients;
use std::ops::Range;

/// Boxes of a level, and memory for two expansions of each.
#[derive(Clone, Copy, Debug)]
struct Level<T> {
    first: usize,
    count: usize,
    rows: [ViewMut<T>; 2],
}

impl<M: Launcher, T: Real> Large<M, T> {
    /// Multipoles of all boxes with children, from those of the leaves up to level `top`: M2M.
    pub(crate) fn m2m(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        multipole: ViewMut<Vec4<T>>,
        top: usize,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        for level in (top..tree.levels().saturating_sub(1)).rev() {
            let children = self.level(tree.level(level + 1), scratch);
            let parents = tree.level(level);
            let mut copy = self.copy(tree, &children, 0, multipole);
            machine.launch(&self.kernels.rows_of, self.by_coefficient(children.count), copy)?;
            self.translate(machine, tree, &children, Translation::M2m)?;
            (copy.begin, copy.rows) = (parents.start, children.rows[1]);
            let grid = self.by_group(parents.len());
            machine.launch(&self.kernels.sum_children, grid, copy)?;
        }
        Ok(())
    }

    /// Adds the local expansions of boxes to those of their children, from level 2 down: L2L.
    pub(crate) fn l2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        local: ViewMut<Vec4<T>>,
        scratch: ViewMut<T>,
    ) -> Result<(), MachineError> {
        for level in 3..tree.levels() {
            let children = self.level(tree.level(level), scratch);
            let mut copy = self.copy(tree, &children, 1, local);
            machine.launch(&self.kernels.rows_of, self.by_coefficient(children.count), copy)?;
            self.translate(machine, tree, &children, Translation::L2l)?;
            (copy.begin, copy.rows) = (children.first as u32, children.rows[1]);
            let grid = self.by_group(children.count);
            machine.launch(&self.kernels.groups_of, grid, copy)?;
        }
        Ok(())
    }

    fn level(&self, boxes: Range<u32>, scratch: ViewMut<T>) -> Level<T> {
        let (first, count) = (boxes.start as usize, boxes.len());
        let length = n_coefficients(self.order) * count;
        Level { first, count, rows: [0, 1].map(|k| scratch.part(k * length, length)) }
    }

    fn copy(
        &self,
        tree: &Tree<'_, T>,
        level: &Level<T>,
        flag: u32,
        groups: ViewMut<Vec4<T>>,
    ) -> Copy<T> {
        Copy {
            boxes: tree.boxes,
            coefficients: n_coefficients(self.order) as u32,
            first: level.first as u32,
            count: level.count as u32,
            begin: 0,
            flag,
            from: groups.read_only(),
            groups,
            rows: level.rows[0],
        }
    }

    /// Takes the first rows of a level's boxes to the second ones, between their centres and those of their parents.
    fn translate(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        level: &Level<T>,
        translation: Translation,
    ) -> Result<(), MachineError> {
        // Lengths are in sides of the parent: the first shift of M2M changes the unit, and the last one of L2L.
        let [along_z, along_y, along_x] = match translation {
            Translation::M2m => {
                let [changing, keeping] = &self.shifts.m2m;
                [changing, keeping, keeping]
            }
            Translation::L2l => {
                let [changing, keeping] = &self.shifts.l2l;
                [keeping, keeping, changing]
            }
        };
        let [y, x] = &self.shifts.turns;
        let mut rows = level.rows;
        let mut next = |matrix: &Matrix| {
            let [from, to] = rows;
            rows = [to, from];
            self.product(
                matrix,
                [from.read_only(); 2],
                [to; 2],
                level.count,
                Accumulation::Overwrite,
            )
        };
        let shift = |apply: Apply<T>, bit: u32| {
            let (boxes, first) = (tree.boxes, level.first as u32);
            let args = Shift { apply, boxes, first, bit };
            machine.launch(&self.kernels.shift, grid_of(&apply), args)
        };
        shift(next(along_z), 2)?;
        for ([into, back], along, bit) in [(y, along_y, 1), (x, along_x, 0)] {
            launch(machine, &self.kernels.plain, next(into))?;
            shift(next(along), bit)?;
            launch(machine, &self.kernels.plain, next(back))?;
        }
        Ok(())
    }

    /// Grid of a lane an item and a coefficient.
    pub(super) fn by_coefficient(&self, items: usize) -> Grid {
        by_row(items, n_coefficients(self.order))
    }

    /// Grid of a lane an item and a group of four coefficients.
    pub(super) fn by_group(&self, items: usize) -> Grid {
        by_row(items, n_coefficients(self.order).div_ceil(4))
    }
}

fn by_row(items: usize, rows: usize) -> Grid {
    let Grid { blocks: [x, _], .. } = Grid::over(items, THREADS);
    Grid { blocks: [x, rows as u32], threads: THREADS, shared_bytes: 0 }
}

/// Launches a product.
pub(super) fn launch<M: Launcher, T: Real>(
    machine: &M,
    kernel: &Kernel<Apply<T>>,
    apply: Apply<T>,
) -> Result<(), MachineError> {
    machine.launch(kernel, grid_of(&apply), apply)
}

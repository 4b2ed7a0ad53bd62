//! Tables of an order on the device, and the launches that have one kernel.

use super::blocks::{Apply, THREADS, Tables};
use super::entries::LargeKernels;
use super::grids::far_levels;
use super::parts::{Part, Shifts, places};
use super::points::constants::{self, Constants};
use super::points::from_points::FromPoints;
use super::points::series;
use super::points::to_points::{L2p, M2p};
use super::tables::{Matrices, Matrix};

use crate::device::{Real, Vec4, View, ViewMut, warp};
use crate::lists::ListRows;
use crate::machine::{Buffer, Grid, Launcher, MachineError};
use crate::operators::Accumulation;
use crate::operators::arrays::{L2pArrays, M2pArrays, Tree};
use crate::operators::small::m2p::Listed;
use expansions::layout::n_coefficients;
use expansions::operators::Waves;
use std::fmt;
use std::vec::Vec;

/// Numbers that a family sends at once, approximately: the waves of a part of a quadrature, for which there is memory.
const LONGEST: usize = 4096;

/// The operators of one order, with their tables on the device.
pub(crate) struct Large<M: Launcher, T: Real> {
    pub(super) order: usize,
    pub(super) kernels: &'static LargeKernels<T>,
    constants: M::Buffer<T>,
    blocks: M::Buffer<Vec4<u32>>,
    columns: M::Buffer<u32>,
    rows: M::Buffer<u32>,
    entries: M::Buffer<Vec4<T>>,
    pub(super) numbers: M::Buffer<T>,
    /// For each axis the directions of the families on either side, nine each, and the octants of its frame.
    pub(super) places: M::Buffer<u32>,
    pub(super) shifts: Shifts,
    pub(super) parts: Vec<Part>,
    /// Most numbers of a family's sets, and of a box's waves and modes.
    pub(super) lengths: [usize; 3],
}

impl<M: Launcher, T: Real> Large<M, T> {
    /// Tables for expansions of `order` degrees, and for plane waves with an error of at most `error`.
    pub(crate) fn new(
        machine: &M,
        kernels: &'static LargeKernels<T>,
        order: usize,
        error: f64,
    ) -> Result<Self, MachineError> {
        let waves = Waves::<f64>::in_parts(order, error, LONGEST);
        let mut matrices = Matrices::new();
        let mut numbers = Vec::new();
        let shifts = Shifts::new(order, &waves, &mut matrices);
        let parts =
            waves.parts().iter().map(|part| Part::new(order, part, &mut matrices, &mut numbers));
        let parts = parts.collect();
        Ok(Self {
            order,
            kernels,
            constants: machine.buffer_of(&constants::numbers(order))?,
            blocks: machine.buffer_of(&matrices.blocks)?,
            columns: machine.buffer_of(&matrices.columns)?,
            rows: machine.buffer_of(&matrices.rows)?,
            entries: machine.buffer_of(&matrices.entries)?,
            numbers: machine.buffer_of(&numbers)?,
            places: machine.buffer_of(&places())?,
            shifts,
            parts,
            lengths: Waves::<f64>::lengths(order, error, LONGEST),
        })
    }

    /// Numbers of scratch memory for a tree whose levels begin at `level_start`.
    pub(crate) fn scratch_length(&self, level_start: &[u32]) -> usize {
        let [first_family, end_of_families, first] = far_levels(level_start);
        let boxes = level_start.last().map_or(0, |count| *count as usize);
        let [sent, waves, modes] = self.lengths;
        let far = (boxes - first) * (3 * n_coefficients(self.order) + waves + modes);
        let translations = 2 * n_coefficients(self.order) * (boxes - first_family);
        translations.max(far + end_of_families * sent)
    }

    /// Numbers of all tables, indices among them.
    pub(crate) fn table_numbers(&self) -> usize {
        4 * (self.blocks.len() + self.entries.len())
            + [self.columns.len(), self.rows.len(), self.places.len()].iter().sum::<usize>()
            + self.constants.len()
            + self.numbers.len()
    }

    /// P2M at the leaves.
    pub(crate) fn p2m(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        sources: View<Vec4<T>>,
        multipole: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        let args = FromPoints {
            constants: self.constants(),
            boxes: tree.boxes,
            leaves: tree.leaves,
            offsets: View::EMPTY,
            sources,
            expansions: multipole,
        };
        let grid = Grid::over(tree.leaves.len() * self.lanes(), THREADS);
        machine.launch(&self.kernels.p2m, grid, args)
    }

    /// P2L over a list of one row a box.
    pub(crate) fn p2l(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        ListRows { offsets, items }: ListRows,
        sources: View<Vec4<T>>,
        local: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        let args = FromPoints {
            constants: self.constants(),
            boxes: tree.boxes,
            leaves: items,
            offsets,
            sources,
            expansions: local,
        };
        let grid = Grid::over(tree.boxes.count as usize * self.lanes(), THREADS);
        machine.launch(&self.kernels.p2l, grid, args)
    }

    /// L2P at all receivers.
    pub(crate) fn l2p(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        L2pArrays { receivers, local, field, .. }: L2pArrays<T>,
        accumulation: Accumulation,
    ) -> Result<(), MachineError> {
        let (constants, boxes, leaves) = (self.constants(), tree.boxes, tree.leaves);
        let add = accumulation.flag();
        let args = L2p { constants, boxes, leaves, receivers, local, field, add };
        machine.launch(&self.kernels.l2p, by_leaf::<T>(leaves.len()), args)
    }

    /// M2P over list W, and over the far boxes unless `far` is empty.
    pub(crate) fn m2p(
        &self,
        machine: &M,
        tree: &Tree<'_, T>,
        M2pArrays { leaves, rows, receivers, multipole, field }: M2pArrays<T>,
        far: View<u32>,
    ) -> Result<(), MachineError> {
        let ListRows { offsets, items } = rows;
        let listed = Listed { leaves, offsets, items, far };
        let (constants, boxes) = (self.constants(), tree.boxes);
        let args = M2p { constants, boxes, listed, receivers, multipole, field };
        machine.launch(&self.kernels.m2p, by_leaf::<T>(leaves.len()), args)
    }

    /// Lanes of a box of P2M or P2L: a warp an azimuthal index m.
    fn lanes(&self) -> usize {
        self.order * warp::SIZE as usize
    }

    fn constants(&self) -> Constants<T> {
        Constants { degrees: self.order as u32, numbers: self.constants.view() }
    }

    pub(super) fn tables(&self) -> Tables<T> {
        Tables {
            columns: self.columns.view(),
            rows: self.rows.view(),
            entries: self.entries.view(),
        }
    }

    /// The blocks of a matrix.
    pub(super) fn blocks(&self, matrix: &Matrix) -> View<Vec4<u32>> {
        self.blocks.view().part(matrix.start, matrix.len())
    }

    /// A product with a matrix on `count` boxes.
    pub(super) fn product(
        &self,
        matrix: &Matrix,
        from: [View<T>; 2],
        to: [ViewMut<T>; 2],
        count: usize,
        accumulation: Accumulation,
    ) -> Apply<T> {
        let (tables, blocks) = (self.tables(), self.blocks(matrix));
        Apply { tables, blocks, from, to, count: count as u32, add: accumulation.flag() }
    }
}

impl<M: Launcher, T: Real> fmt::Debug for Large<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Large").field("order", &self.order).finish_non_exhaustive()
    }
}

/// Scratch numbers of a family and of a box that M2L by plane waves takes, with a quadrature of an error.
pub fn wave_numbers(order: usize, error: f64) -> [usize; 2] {
    let [sent, waves, modes] = Waves::<f64>::lengths(order, error, LONGEST);
    [sent, 3 * n_coefficients(order) + waves + modes]
}

/// Grid of a block a leaf, with room for a part of an expansion.
fn by_leaf<T>(leaves: usize) -> Grid {
    Grid::of(leaves as u32, THREADS).shared(series::shared_bytes::<T>())
}

//! Matrices as the host puts them together for the device.

use super::blocks::{NO_ROW, ODD, block};
use crate::device::{Real, Vec4};
use crate::operators::options::Translation;
use expansions::layout::index;
use expansions::numerics::coaxial::shift_factor;
use expansions::operators::wave_tables::MatrixBlock;
use std::ops::Range;
use std::vec::Vec;

/// Rows of a block at most.
const ROWS: usize = 8;

/// Places of the blocks of a matrix.
pub(super) type Matrix = Range<usize>;

/// Blocks of matrices, one matrix after the other.
#[derive(Debug)]
pub(super) struct Matrices<T> {
    pub(super) blocks: Vec<Vec4<u32>>,
    pub(super) columns: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) entries: Vec<Vec4<T>>,
}

/// Way in which two blocks belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// One block, or two with the same rows.
    Rows,
    /// The same in groups of four rows.
    RowsByFour,
    /// Two with the same columns.
    Columns,
}

/// Whether a shift takes an expansion from the unit of length of one box to that of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LengthUnit {
    /// A unit of the other box.
    Changed,
    /// The same unit.
    Kept,
}

impl<T: Real> Matrices<T> {
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), columns: Vec::new(), rows: Vec::new(), entries: Vec::new() }
    }

    /// Appends a matrix whose results have the places below `end`; other rows are left out.
    pub(super) fn push<'a>(
        &mut self,
        blocks: impl IntoIterator<Item = MatrixBlock<'a, f64>>,
        pairing: Pairing,
        end: usize,
    ) -> Matrix {
        let first = self.blocks.len();
        let most = if pairing == Pairing::RowsByFour { 4 } else { ROWS };
        for block in blocks {
            let halves = if pairing == Pairing::Columns { 2 } else { 1 };
            let n_rows = block.rows.len() / halves;
            for start in (0..n_rows).step_by(most) {
                self.push_rows(&block, halves, start..n_rows.min(start + most), end);
            }
        }
        first..self.blocks.len()
    }

    /// Appends some rows of one block, or of each of two with the same columns.
    fn push_rows(
        &mut self,
        of: &MatrixBlock<'_, f64>,
        halves: usize,
        rows: Range<usize>,
        end: usize,
    ) {
        let n_rows = of.rows.len() / halves;
        let padded = if rows.len() > 4 { ROWS } else { 4 };
        let starts = [self.entries.len(), self.columns.len(), self.rows.len()].map(|n| n as u32);
        let columns = [of.n_first, of.columns.len() - of.n_first].map(|n| n as u32);
        self.blocks.push(block(starts, columns, padded as u32));
        self.columns.extend_from_slice(of.columns);
        for half in 0..halves {
            let all = &of.rows[half * n_rows..][rows.clone()];
            let place = |row: &u32| if ((row & !ODD) as usize) < end { *row } else { NO_ROW };
            self.rows.extend(all.iter().map(place));
            self.rows.extend((all.len()..padded).map(|_| NO_ROW));
        }
        for column in of.entries.chunks_exact(halves * n_rows) {
            for half in column.chunks_exact(n_rows) {
                let entry = |k: usize| rows.clone().nth(k).map_or(0.0, |row| half[row]);
                let group =
                    |first: usize| Vec4([0, 1, 2, 3].map(|k| T::from_f64(entry(first + k))));
                self.entries.extend((0..padded).step_by(4).map(group));
            }
        }
    }

    /// Appends the shift between the centres of a child on the upper side and of its parent, along one axis. The factors
    /// of the units of length, 2^{-n} for multipoles and 2^{-n-1} for local expansions, belong to one of three shifts.
    pub(super) fn push_shift(
        &mut self,
        order: usize,
        translation: Translation,
        length_unit: LengthUnit,
    ) -> Matrix {
        let first = self.blocks.len();
        let degrees =
            |m: usize| (m..order).filter(|n| n % 2 == 0).chain((m..order).filter(|n| n % 2 == 1));
        for m in 0..order {
            let entry = |row: usize, column: usize| {
                let (low, high, unit) = match translation {
                    Translation::M2m => (column, row, 0.5_f64.powi(column as i32)),
                    Translation::L2l => (row, column, 0.5_f64.powi(row as i32 + 1)),
                };
                let shift = match low <= high {
                    true => shift_factor(m, high, low) * 0.25_f64.powi((high - low) as i32),
                    false => 0.0,
                };
                match length_unit {
                    LengthUnit::Changed => shift * unit,
                    LengthUnit::Kept => shift,
                }
            };
            for sine in [false, true].into_iter().take(1 + usize::from(m > 0)) {
                let signed = if sine { -(m as isize) } else { m as isize };
                let place = |n: usize| index(n, signed) as u32;
                let columns: Vec<u32> = degrees(m).map(place).collect();
                let rows: Vec<u32> =
                    (m..order).map(|n| place(n) | if n % 2 == 1 { ODD } else { 0 }).collect();
                let entries: Vec<f64> = degrees(m)
                    .flat_map(|column| (m..order).map(move |row| (row, column)))
                    .map(|(row, column)| entry(row, column))
                    .collect();
                let n_first = (m..order).filter(|n| n % 2 == 0).count();
                let block =
                    MatrixBlock { rows: &rows, columns: &columns, n_first, entries: &entries };
                self.push([block], Pairing::Rows, order * order);
            }
        }
        first..self.blocks.len()
    }
}

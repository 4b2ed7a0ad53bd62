//! Small dense matrices that take lanes from one array to another.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::matrix::{BLOCK, with_constant};

/// Matrices of at most [`BLOCK`] rows, each with the places of its columns in one array and of its rows in another.
#[derive(Clone, Debug)]
pub(crate) struct Blocks<T> {
    steps: Vec<Step>,
    /// By columns.
    entries: Vec<T>,
    columns: Vec<u32>,
    rows: Vec<u32>,
}

/// One matrix: how large, and where its parts begin.
#[derive(Clone, Copy, Debug)]
struct Step {
    n_rows: u32,
    n_columns: u32,
    entries: u32,
    columns: u32,
    rows: u32,
}

impl<T: Real> Blocks<T> {
    /// No matrices yet.
    pub(crate) fn new() -> Self {
        Self { steps: Vec::new(), entries: Vec::new(), columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds the matrix with `entry(row, column)` for the places `rows` of the output and `columns` of the input.
    pub(crate) fn push(
        &mut self,
        rows: &[u32],
        columns: &[u32],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        let at_columns = self.columns.len() as u32;
        self.columns.extend_from_slice(columns);
        let n_blocks = rows.len().div_ceil(BLOCK);
        for block in 0..n_blocks {
            let part = rows.len() * block / n_blocks..rows.len() * (block + 1) / n_blocks;
            self.steps.push(Step {
                n_rows: part.len() as u32,
                n_columns: columns.len() as u32,
                entries: self.entries.len() as u32,
                columns: at_columns,
                rows: self.rows.len() as u32,
            });
            self.rows.extend_from_slice(&rows[part.clone()]);
            for column in 0..columns.len() {
                self.entries.extend(part.clone().map(|row| T::narrow(entry(row, column))));
            }
        }
    }

    /// Writes the products with `x` to the rows' places in `y`.
    #[inline(always)]
    pub(crate) fn apply<V: Lanes<Scalar = T>>(&self, x: &[V], y: &mut [V]) {
        for step in &self.steps {
            let (n_rows, n_columns) = (step.n_rows as usize, step.n_columns as usize);
            let entries = &self.entries[step.entries as usize..][..n_rows * n_columns];
            let columns = &self.columns[step.columns as usize..][..n_columns];
            let rows = &self.rows[step.rows as usize..][..n_rows];
            with_constant!(n_rows, multiply(entries, columns, x, rows, y));
        }
    }
}

/// A matrix of `ROWS` rows.
#[inline(always)]
fn multiply<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    columns: &[u32],
    x: &[V],
    rows: &[u32],
    y: &mut [V],
) {
    let Some(rows) = rows.first_chunk::<ROWS>() else { return };
    let mut sums = [V::zero(); ROWS];
    for (entries, column) in entries.as_chunks::<ROWS>().0.iter().zip(columns) {
        let x = x[*column as usize];
        for (sum, entry) in sums.iter_mut().zip(entries) {
            *sum = V::splat(*entry).mul_add(x, *sum);
        }
    }
    for (row, sum) in rows.iter().zip(sums) {
        y[*row as usize] = sum;
    }
}

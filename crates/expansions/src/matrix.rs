//! Small dense matrices that act on columns of lanes.
//!
//! A translation is made of many small matrices, each applied to a batch of expansions, one
//! expansion a lane. Rows are stored in blocks, so that a block's sums stay in registers while the
//! columns stream past once.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

/// Rows in a full block: with vectors of double width, 8 sums and 2 operands fit the registers.
const BLOCK: usize = 4;

/// A matrix stored by blocks of [`BLOCK`] rows, within a block by columns; the last block holds the
/// remaining rows.
#[derive(Clone, Debug)]
pub(crate) struct BlockMatrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<T>,
}

impl<T: Real> BlockMatrix<T> {
    /// The matrix with `entry(row, column)`.
    pub(crate) fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity(rows * columns);
        for start in (0..rows).step_by(BLOCK) {
            let block = start..rows.min(start + BLOCK);
            for column in 0..columns {
                entries.extend(block.clone().map(|row| T::narrow(entry(row, column))));
            }
        }
        Self { rows, columns, entries }
    }

    /// Calls `put(row, Σ_column entry · x[column])` for every row.
    #[inline(always)]
    pub(crate) fn multiply<V: Lanes<Scalar = T>>(&self, x: &[V], mut put: impl FnMut(usize, V)) {
        let x = &x[..self.columns];
        let full = self.rows / BLOCK;
        let (blocks, rest) = self.entries.split_at(full * BLOCK * self.columns);
        if self.columns > 0 {
            for (block, entries) in blocks.chunks_exact(BLOCK * self.columns).enumerate() {
                multiply_block::<V, BLOCK>(entries, x, block * BLOCK, &mut put);
            }
        }
        match self.rows % BLOCK {
            1 => multiply_block::<V, 1>(rest, x, full * BLOCK, &mut put),
            2 => multiply_block::<V, 2>(rest, x, full * BLOCK, &mut put),
            3 => multiply_block::<V, 3>(rest, x, full * BLOCK, &mut put),
            _ => (),
        }
    }
}

#[inline(always)]
fn multiply_block<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    x: &[V],
    first_row: usize,
    put: &mut impl FnMut(usize, V),
) {
    let mut sums = [V::zero(); ROWS];
    for (column, x) in entries.chunks_exact(ROWS).zip(x) {
        for (sum, entry) in sums.iter_mut().zip(column) {
            *sum = V::splat(*entry).mul_add(*x, *sum);
        }
    }
    for (k, sum) in sums.into_iter().enumerate() {
        put(first_row + k, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplies_every_shape() {
        for rows in 0..11 {
            for columns in rows.min(1)..7 {
                let entry = |i: usize, j: usize| (i * 10 + j) as f64;
                let matrix = BlockMatrix::<f64>::new(rows, columns, entry);
                let x: Vec<f64> = (0..columns).map(|j| 1.0 + j as f64).collect();
                let mut seen = vec![f64::NAN; rows];
                matrix.multiply(&x, |row, sum| seen[row] = sum);
                for (i, sum) in seen.into_iter().enumerate() {
                    assert_eq!(sum, (0..columns).map(|j| entry(i, j) * x[j]).sum::<f64>());
                }
            }
        }
    }
}

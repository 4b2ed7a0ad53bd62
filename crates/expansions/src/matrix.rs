//! Dense matrices that act on vectors of expansions: one expansion a lane.

use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Lanes, Real};

/// Rows of a part: the sums of that many rows stay in registers while the columns are read once.
pub(crate) const BLOCK: usize = 16;

/// Calls `$function::<V, N>(arguments)` for the constant N that equals `$n`: 1 … 16, or 1 … 8 where the function
/// keeps the sums of two matrices in registers.
macro_rules! with_constant {
    ($n:expr, 16, $function:ident $arguments:tt) => {
        with_constant!($n, [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16], $function $arguments)
    };
    ($n:expr, 8, $function:ident $arguments:tt) => {
        with_constant!($n, [1 2 3 4 5 6 7 8], $function $arguments)
    };
    ($n:expr, [$($value:literal)*], $function:ident $arguments:tt) => {
        match $n {
            $($value => $function::<V, $value> $arguments,)*
            _ => (),
        }
    };
}
pub(crate) use with_constant;

/// Block-diagonal matrix that acts in place. Each square block is stored in parts of at most [`BLOCK`] rows, as even
/// as can be, and within a part by columns.
#[derive(Clone, Debug)]
pub(crate) struct BlockDiagonal<T> {
    steps: Vec<Step>,
    entries: Vec<T>,
}

/// Part of the rows of a block.
#[derive(Clone, Copy, Debug)]
struct Step {
    rows: u8,
    columns: u16,
    /// Whether the next part belongs to the next block.
    last: bool,
    /// First of the part's entries.
    start: u32,
}

impl<T: Real> BlockDiagonal<T> {
    /// Matrix without blocks.
    pub(crate) fn new() -> Self {
        Self { steps: Vec::new(), entries: Vec::new() }
    }

    /// Appends the n × n block with `entry(row, column)`, twice if it `repeats`.
    pub(crate) fn push(&mut self, n: usize, repeats: bool, entry: impl Fn(usize, usize) -> f64) {
        let first = self.steps.len();
        for rows in parts(n, BLOCK) {
            self.steps.push(Step {
                rows: rows.len() as u8,
                columns: n as u16,
                last: rows.end == n,
                start: self.entries.len() as u32,
            });
            for column in 0..n {
                self.entries.extend(rows.clone().map(|row| T::narrow(entry(row, column))));
            }
        }
        if repeats {
            self.steps.extend_from_within(first..);
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.steps.as_slice()) + size_of_val(self.entries.as_slice())
    }

    /// Replaces x by A x, where component i of x stands at `x[at[i]]`. `part` is room for the columns of
    /// the largest block.
    #[inline(always)]
    pub(crate) fn multiply<V: Lanes<Scalar = T>>(
        &self,
        x: &mut [V],
        mut at: &[u32],
        part: &mut [V],
    ) {
        let mut written = 0;
        for Step { rows, columns, last, start } in &self.steps {
            let (rows, columns) = (usize::from(*rows), usize::from(*columns));
            let entries = &self.entries[*start as usize..][..rows * columns];
            if rows == columns {
                with_constant!(rows, 16, multiply_in_place(entries, x, at));
            } else {
                if written == 0 {
                    for (part, at) in part.iter_mut().zip(&at[..columns]) {
                        *part = x[*at as usize];
                    }
                }
                with_constant!(
                    rows,
                    16,
                    multiply_rows(entries, &part[..columns], x, &at[written..])
                );
                written += rows;
            }
            if *last {
                at = &at[columns..];
                written = 0;
            }
        }
    }
}

/// Ranges of at most `longest` rows, as even as can be, that cover 0..n.
pub(crate) fn parts(n: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let count = n.div_ceil(longest);
    (0..count).map(move |part| n * part / count..n * (part + 1) / count)
}

/// Products of `ROWS` rows with x, whose component i stands at `x[at[i]]`.
#[inline(always)]
pub(crate) fn product<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    at: &[u32],
    x: &[V],
) -> [V; ROWS] {
    let mut sums = [V::zero(); ROWS];
    for (entries, at) in entries.as_chunks::<ROWS>().0.iter().zip(at) {
        let x = x[*at as usize];
        for (sum, entry) in sums.iter_mut().zip(entries) {
            *sum = V::splat(*entry).mul_add(x, *sum);
        }
    }
    sums
}

/// Multiplies in place by a block of `ROWS` rows.
#[inline(always)]
fn multiply_in_place<V: Lanes, const ROWS: usize>(entries: &[V::Scalar], x: &mut [V], at: &[u32]) {
    let Some(at) = at.first_chunk::<ROWS>() else { return };
    let sums = product::<V, ROWS>(entries, at, x);
    for (at, sum) in at.iter().zip(&sums) {
        x[*at as usize] = *sum;
    }
}

/// Multiplies by `ROWS` rows of a larger block.
#[inline(always)]
fn multiply_rows<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    x: &[V],
    to: &mut [V],
    at: &[u32],
) {
    let Some(at) = at.first_chunk::<ROWS>() else { return };
    let mut sums = [V::zero(); ROWS];
    for (entries, x) in entries.as_chunks::<ROWS>().0.iter().zip(x) {
        for (sum, entry) in sums.iter_mut().zip(entries) {
            *sum = V::splat(*entry).mul_add(*x, *sum);
        }
    }
    for (at, sum) in at.iter().zip(&sums) {
        to[*at as usize] = *sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplies_every_size_where_the_numbers_stand() {
        let entry = |i: usize, j: usize| ((i * 10 + j) % 17) as f64;
        for n in 0..40 {
            let mut blocks = BlockDiagonal::new();
            blocks.push(2, false, entry);
            blocks.push(n, true, entry);
            let n_all = 2 + 2 * n;
            let x: Vec<f64> = (0..n_all).map(|j| 1.0 + j as f64).collect();
            let at: Vec<u32> = (0..n_all as u32).rev().collect();
            let mut seen: Vec<f64> = x.iter().rev().copied().collect();
            blocks.multiply(&mut seen, &at, &mut vec![0.0; n_all]);
            seen.reverse();
            for (start, n) in [(0, 2), (2, n), (2 + n, n)] {
                for i in 0..n {
                    let sum: f64 = (0..n).map(|j| entry(i, j) * x[start + j]).sum();
                    assert_eq!(seen[start + i], sum);
                }
            }
        }
    }
}

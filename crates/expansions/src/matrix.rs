//! Dense matrices, large and small, that act on columns of lanes: one expansion a lane.

use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Lanes, Real};

/// Rows whose sums stay in registers while the columns stream past once.
pub(crate) const BLOCK: usize = 16;

/// Calls `$function::<V, N>(arguments)` for the constant N that equals `$n`, which is 1 … [`BLOCK`].
macro_rules! with_constant {
    ($n:expr, $function:ident($($argument:expr),*)) => {
        match $n {
            1 => $function::<V, 1>($($argument),*),
            2 => $function::<V, 2>($($argument),*),
            3 => $function::<V, 3>($($argument),*),
            4 => $function::<V, 4>($($argument),*),
            5 => $function::<V, 5>($($argument),*),
            6 => $function::<V, 6>($($argument),*),
            7 => $function::<V, 7>($($argument),*),
            8 => $function::<V, 8>($($argument),*),
            9 => $function::<V, 9>($($argument),*),
            10 => $function::<V, 10>($($argument),*),
            11 => $function::<V, 11>($($argument),*),
            12 => $function::<V, 12>($($argument),*),
            13 => $function::<V, 13>($($argument),*),
            14 => $function::<V, 14>($($argument),*),
            15 => $function::<V, 15>($($argument),*),
            16 => $function::<V, 16>($($argument),*),
            _ => (),
        }
    };
}
pub(crate) use with_constant;

/// Square matrices along a diagonal. Each is stored by blocks of at most [`BLOCK`] rows of like
/// number, within a block by columns.
#[derive(Clone, Debug)]
pub(crate) struct BlockDiagonal<T> {
    steps: Vec<Step>,
    entries: Vec<T>,
}

/// A block of rows of a matrix.
#[derive(Clone, Copy, Debug)]
struct Step {
    rows: u8,
    columns: u16,
    /// Whether the next block is of the next matrix.
    last: bool,
    /// Where its entries begin.
    start: u32,
}

impl<T: Real> BlockDiagonal<T> {
    /// No matrices yet.
    pub(crate) fn new() -> Self {
        Self { steps: Vec::new(), entries: Vec::new() }
    }

    /// Adds the n × n matrix with `entry(row, column)`, and the same once more if it `repeats`.
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

    /// Replaces x by A x, where the i-th of x stands at `x[at[i]]`. `part` is room for the columns of
    /// the largest matrix.
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
                with_constant!(rows, multiply_in_place(entries, x, at));
            } else {
                if written == 0 {
                    for (part, at) in part.iter_mut().zip(&at[..columns]) {
                        *part = x[*at as usize];
                    }
                }
                with_constant!(rows, multiply_rows(entries, &part[..columns], x, &at[written..]));
                written += rows;
            }
            if *last {
                at = &at[columns..];
                written = 0;
            }
        }
    }
}

/// The parts of `n` rows, as even as can be, of at most `longest`.
pub(crate) fn parts(n: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let count = n.div_ceil(longest);
    (0..count).map(move |part| n * part / count..n * (part + 1) / count)
}

/// The sums of `ROWS` rows over the columns, the i-th of which stands at `x[at[i]]`.
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

/// A whole matrix of `ROWS` rows.
#[inline(always)]
fn multiply_in_place<V: Lanes, const ROWS: usize>(entries: &[V::Scalar], x: &mut [V], at: &[u32]) {
    let Some(at) = at.first_chunk::<ROWS>() else { return };
    let sums = product::<V, ROWS>(entries, at, x);
    for (at, sum) in at.iter().zip(sums) {
        x[*at as usize] = sum;
    }
}

/// `ROWS` rows of a matrix.
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
    for (at, sum) in at.iter().zip(sums) {
        to[*at as usize] = sum;
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

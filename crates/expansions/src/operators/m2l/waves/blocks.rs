//! Block-sparse matrices from one array of vectors to another; [`BlockDiagonal`](crate::matrix::BlockDiagonal) is
//! the square counterpart that acts in place.
//!
//! Conversions for two opposite directions share most of the work: both need the sum and the difference of the same
//! two products. [`Folded`] computes sum and difference of two products, [`Unfolded`] the products of a sum and of a
//! difference.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::matrix::{BLOCK, parts, product, with_constant};

/// Dense blocks of at most [`BLOCK`] rows, with the places of their columns in the input and of their rows in the output.
#[derive(Clone, Debug, Default)]
struct Steps<T> {
    steps: Vec<Step>,
    entries: Vec<T>,
    columns: Vec<u32>,
    rows: Vec<u32>,
}

/// Dense block of a matrix as other engines take it, or two blocks that are applied together.
#[derive(Clone, Copy, Debug)]
pub struct MatrixBlock<'a, T> {
    /// Places of the results; of two blocks with the same columns, those of the first, then those of the second.
    pub rows: &'a [u32],
    /// Places of the columns; of two blocks with the same rows, those of the first, then those of the second.
    pub columns: &'a [u32],
    /// Number of columns of the first block.
    pub n_first: usize,
    /// Entries by column and, within a column, by row.
    pub entries: &'a [T],
}

/// Sizes of a block, or of two with the same rows or columns, and the first entries in the arrays of [`Steps`].
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Rows whose sums stay in registers.
    n_rows: u32,
    /// Columns of the first matrix, or of both.
    n_columns: [u32; 2],
    entries: u32,
    columns: u32,
    rows: u32,
}

impl<T: Real> Steps<T> {
    fn new() -> Self {
        Self { steps: Vec::new(), entries: Vec::new(), columns: Vec::new(), rows: Vec::new() }
    }

    /// Memory in bytes.
    fn bytes(&self) -> usize {
        let places = self.columns.len() + self.rows.len();
        size_of_val(self.steps.as_slice())
            + size_of_val(self.entries.as_slice())
            + places * size_of::<u32>()
    }

    /// The blocks, whose rows have `per_row` places each.
    fn blocks(&self, per_row: usize) -> impl Iterator<Item = MatrixBlock<'_, T>> {
        let starts = self.steps.iter().map(|step| step.entries as usize).skip(1);
        let ends = starts.chain([self.entries.len()]);
        self.steps.iter().zip(ends).map(move |(step, end)| {
            let [first, second] = step.n_columns.map(|n| n as usize);
            MatrixBlock {
                rows: &self.rows[step.rows as usize..][..per_row * step.n_rows as usize],
                columns: &self.columns[step.columns as usize..][..first + second],
                n_first: first,
                entries: &self.entries[step.entries as usize..end],
            }
        })
    }

    /// Begins a step.
    fn begin(&mut self, n_rows: usize, n_columns: [usize; 2]) {
        self.steps.push(Step {
            n_rows: n_rows as u32,
            n_columns: n_columns.map(|n| n as u32),
            entries: self.entries.len() as u32,
            columns: self.columns.len() as u32,
            rows: self.rows.len() as u32,
        });
    }

    /// Adds an entry.
    fn entry(&mut self, value: f64) {
        self.entries.push(T::narrow(value));
    }
}

/// Sparse matrix of dense blocks: y = A x.
#[derive(Clone, Debug)]
pub(super) struct BlockSparse<T>(Steps<T>);

impl<T: Real> BlockSparse<T> {
    /// Matrix without blocks.
    pub(super) fn new() -> Self {
        Self(Steps::new())
    }

    /// The blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = MatrixBlock<'_, T>> {
        self.0.blocks(1)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Appends the block with `entry(row, column)` for the places `rows` of the output and `columns` of the input.
    pub(super) fn push(
        &mut self,
        rows: &[u32],
        columns: &[u32],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        for part in parts(rows.len(), BLOCK) {
            self.0.begin(part.len(), [columns.len(), 0]);
            self.0.columns.extend_from_slice(columns);
            self.0.rows.extend_from_slice(&rows[part.clone()]);
            for column in 0..columns.len() {
                part.clone().for_each(|row| self.0.entry(entry(row, column)));
            }
        }
    }

    /// Writes the products with `x` to the rows' places in `y`.
    #[inline(always)]
    pub(super) fn apply<V: Lanes<Scalar = T>>(&self, x: &[V], y: &mut [V]) {
        let Steps { steps, entries, columns, rows } = &self.0;
        for step in steps {
            let (n_rows, n_columns) = (step.n_rows as usize, step.n_columns[0] as usize);
            let entries = &entries[step.entries as usize..][..n_rows * n_columns];
            let columns = &columns[step.columns as usize..][..n_columns];
            let rows = &rows[step.rows as usize..][..n_rows];
            with_constant!(n_rows, 16, multiply(entries, columns, x, rows, y));
        }
    }
}

/// Writes the products of `ROWS` rows.
#[inline(always)]
fn multiply<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    columns: &[u32],
    x: &[V],
    rows: &[u32],
    y: &mut [V],
) {
    let Some(rows) = rows.first_chunk::<ROWS>() else { return };
    let sums = product::<V, ROWS>(entries, columns, x);
    for (row, sum) in rows.iter().zip(&sums) {
        y[*row as usize] = *sum;
    }
}

/// Rows of each of two blocks whose sums stay in registers; the limit of [`with_constant`] is the same number.
const HALF: usize = BLOCK / 2;

/// Pairs of blocks with the same rows: y₁ = A x + B x, y₂ = A x − B x.
#[derive(Clone, Debug)]
pub(super) struct Folded<T>(Steps<T>);

impl<T: Real> Folded<T> {
    /// Matrix without blocks.
    pub(super) fn new() -> Self {
        Self(Steps::new())
    }

    /// The blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = MatrixBlock<'_, T>> {
        self.0.blocks(1)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Appends A and B with `entry(row, column)`; columns of B are counted on from those of A.
    pub(super) fn push(
        &mut self,
        rows: &[u32],
        columns: [&[u32]; 2],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        for part in parts(rows.len(), HALF) {
            self.0.begin(part.len(), columns.map(<[u32]>::len));
            self.0.columns.extend(columns.into_iter().flatten());
            self.0.rows.extend_from_slice(&rows[part.clone()]);
            for column in 0..columns[0].len() + columns[1].len() {
                part.clone().for_each(|row| self.0.entry(entry(row, column)));
            }
        }
    }

    /// Writes to the rows' places in both outputs.
    #[inline(always)]
    pub(super) fn apply<V: Lanes<Scalar = T>>(&self, x: &[V], y: [&mut [V]; 2]) {
        let Steps { steps, entries, columns, rows } = &self.0;
        let [y1, y2] = y;
        for step in steps {
            let n_rows = step.n_rows as usize;
            let [a, b] = step.n_columns.map(|n| n as usize);
            let entries = &entries[step.entries as usize..][..n_rows * (a + b)];
            let columns = &columns[step.columns as usize..][..a + b];
            let (entries, columns) = (entries.split_at(n_rows * a), columns.split_at(a));
            let rows = &rows[step.rows as usize..][..n_rows];
            let (entries, columns, y) = (entries.into(), columns.into(), [&mut *y1, &mut *y2]);
            with_constant!(n_rows, 8, fold(entries, columns, x, rows, y));
        }
    }
}

/// Writes the results of `ROWS` rows of two blocks.
#[inline(always)]
fn fold<V: Lanes, const ROWS: usize>(
    entries: [&[V::Scalar]; 2],
    columns: [&[u32]; 2],
    x: &[V],
    rows: &[u32],
    [y1, y2]: [&mut [V]; 2],
) {
    let Some(rows) = rows.first_chunk::<ROWS>() else { return };
    let a = product::<V, ROWS>(entries[0], columns[0], x);
    let b = product::<V, ROWS>(entries[1], columns[1], x);
    for (row, (a, b)) in rows.iter().zip(a.iter().zip(&b)) {
        y1[*row as usize] = *a + *b;
        y2[*row as usize] = *a - *b;
    }
}

/// Pairs of blocks with the same columns: y_A = A (x₁ + x₂), y_B = B (x₁ − x₂).
#[derive(Clone, Debug)]
pub(super) struct Unfolded<T>(Steps<T>);

impl<T: Real> Unfolded<T> {
    /// Matrix without blocks.
    pub(super) fn new() -> Self {
        Self(Steps::new())
    }

    /// The blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = MatrixBlock<'_, T>> {
        self.0.blocks(2)
    }

    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Appends A and B with `entry(row, column)`; rows of B are counted on from those of A. The shorter block is
    /// padded with rows that go to the place `nowhere`.
    pub(super) fn push(
        &mut self,
        rows: [&[u32]; 2],
        nowhere: u32,
        columns: &[u32],
        entry: impl Fn(usize, usize) -> f64,
    ) {
        let [a, b] = rows.map(<[u32]>::len);
        for part in parts(a.max(b), HALF) {
            self.0.begin(part.len(), [columns.len(), 0]);
            self.0.columns.extend_from_slice(columns);
            for rows in rows {
                let place = |row: usize| rows.get(row).copied().unwrap_or(nowhere);
                self.0.rows.extend(part.clone().map(place));
            }
            for column in 0..columns.len() {
                for (start, n) in [(0, a), (a, b)] {
                    for row in part.clone() {
                        self.0.entry(if row < n { entry(start + row, column) } else { 0.0 });
                    }
                }
            }
        }
    }

    /// Writes to the rows' places in `y`.
    #[inline(always)]
    pub(super) fn apply<V: Lanes<Scalar = T>>(&self, x: [&[V]; 2], y: &mut [V]) {
        let Steps { steps, entries, columns, rows } = &self.0;
        for step in steps {
            let (n_rows, n_columns) = (step.n_rows as usize, step.n_columns[0] as usize);
            let entries = &entries[step.entries as usize..][..2 * n_rows * n_columns];
            let columns = &columns[step.columns as usize..][..n_columns];
            let rows = rows[step.rows as usize..][..2 * n_rows].split_at(n_rows).into();
            with_constant!(n_rows, 8, unfold(entries, columns, x, rows, y));
        }
    }
}

/// Writes the results of `ROWS` rows of two blocks.
#[inline(always)]
fn unfold<V: Lanes, const ROWS: usize>(
    entries: &[V::Scalar],
    columns: &[u32],
    x: [&[V]; 2],
    rows: [&[u32]; 2],
    y: &mut [V],
) {
    let (mut a, mut b) = ([V::zero(); ROWS], [V::zero(); ROWS]);
    let mut entries = entries.as_chunks::<ROWS>().0.iter();
    for column in columns {
        let (Some(of_a), Some(of_b)) = (entries.next(), entries.next()) else { return };
        let (x1, x2) = (x[0][*column as usize], x[1][*column as usize]);
        let (sum, difference) = (x1 + x2, x1 - x2);
        for (a, entry) in a.iter_mut().zip(of_a) {
            *a = V::splat(*entry).mul_add(sum, *a);
        }
        for (b, entry) in b.iter_mut().zip(of_b) {
            *b = V::splat(*entry).mul_add(difference, *b);
        }
    }
    for (row, a) in rows[0].iter().zip(&a) {
        y[*row as usize] = *a;
    }
    for (row, b) in rows[1].iter().zip(&b) {
        y[*row as usize] = *b;
    }
}

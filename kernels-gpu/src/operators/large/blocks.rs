//! Matrices of dense blocks on expansions of many boxes: a lane is a box, a warp has one block.
//!
//! Numbers stand by place, then by box, so that neighbouring lanes read neighbours; the entries of a block are the same for
//! a warp. Up to eight rows of a block, or of two, are summed in registers, so that a number that is read once serves them all.

use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::Boxes;
use core::ops::Range;

/// Threads of a block of the grid.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const THREADS: u32 = 128;

/// Row that is not there.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Bit of a row's place in [`Apply::rows`] that says that its degree is odd.
pub(super) const ODD: u32 = 1 << 30;

/// Block as [`Apply::blocks`] has it: first of the entries, columns and rows, and the numbers of columns and rows.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const fn block(
    [entry, column, row]: [u32; 3],
    [a, b]: [u32; 2],
    rows: u32,
) -> Vec4<u32> {
    Vec4([entry, column, row, a | b << 12 | rows << 24])
}

/// Tables of matrices, all orders' and parts' one after the other.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Tables<T> {
    /// Places of columns.
    pub columns: View<u32>,
    /// Places of rows, four or eight a block.
    pub rows: View<u32>,
    /// Entries of a block by column, in groups of four rows.
    pub entries: View<Vec4<T>>,
}

/// Arguments of the products.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Apply<T> {
    /// Tables.
    pub tables: Tables<T>,
    /// The blocks of the matrix, see `block`.
    pub blocks: View<Vec4<u32>>,
    /// x, or x₁ and x₂: number c of box i at c `count` + i.
    pub from: [View<T>; 2],
    /// y, or y₁ and y₂, likewise.
    pub to: [ViewMut<T>; 2],
    /// Number of boxes.
    pub count: u32,
    /// 1: adds to y; 0: writes it.
    pub add: u32,
}

/// Arguments of `shift`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Shift<T> {
    /// The product.
    pub apply: Apply<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Box of number 0.
    pub first: u32,
    /// Bit of the octants that says on which side of the parent's centre a box lies.
    pub bit: u32,
}

/// Arguments of `collect`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Collect<T> {
    /// Tables.
    pub tables: Tables<T>,
    /// The blocks of the matrices of real and of imaginary parts.
    pub blocks: [View<Vec4<u32>>; 2],
    /// Way, part, mirrored or not, wave, then box.
    pub received: View<T>,
    /// Modes up and down: number c of box i at c `count` + i.
    pub modes: [ViewMut<T>; 2],
    /// Number of boxes.
    pub count: u32,
    /// Complex waves of one way.
    pub waves: u32,
}

/// Block of a warp, for the lane's box.
#[derive(Clone, Copy)]
struct Work<'a, T> {
    args: &'a Apply<T>,
    entry: usize,
    column: usize,
    row: usize,
    n_columns: [usize; 2],
    rows: usize,
    i: usize,
}

/// y = A x
#[inline(always)]
pub(super) fn plain<T: Real>(args: Apply<T>) {
    each(&args, |work| if work.rows > 4 { work.plain::<2, 8>() } else { work.plain::<1, 4>() });
}

/// y₁ = A x + B x, y₂ = A x − B x
#[inline(always)]
pub(super) fn folded<T: Real>(args: Apply<T>) {
    each(&args, |work| if work.rows > 4 { work.folded::<2, 8>() } else { work.folded::<1, 4>() });
}

/// A (x₁ + x₂) and B (x₁ − x₂)
#[inline(always)]
pub(super) fn unfolded<T: Real>(args: Apply<T>) {
    each(&args, |work| work.unfold());
}

/// Waves of boxes to modes: products with sums and differences of waves and their mirror images, of real and imaginary parts of
/// both ways at once.
#[inline(always)]
pub(super) fn collect<T: Real>(args: Collect<T>) {
    let Some((i, task)) = lane_of(args.count) else { return };
    let (way, task) = (task & 1, task >> 1);
    let n_real = args.blocks[0].len();
    let (part, blocks, number) = match task < n_real {
        true => (0, args.blocks[0], task),
        false => (1, args.blocks[1], task - n_real),
    };
    if number >= blocks.len() {
        return;
    }
    let Collect { tables, count, .. } = args;
    let half = args.waves as usize / 2 * count as usize;
    let of = |mirrored: usize| args.received.part((2 * (2 * way + part) + mirrored) * half, half);
    let modes = if way == 0 { args.modes[0] } else { args.modes[1] };
    let apply = Apply { tables, blocks, from: [of(0), of(1)], to: [modes; 2], count, add: 0 };
    Work::new(&apply, number, i).unfold();
}

/// Translation along an axis to or from the parent's centre: A x + B x for boxes on the upper side, with A of even degrees
/// and B of odd ones, and with the sign of their degrees for those on the lower side, which is the way back.
#[inline(always)]
pub(super) fn shift<T: Real>(args: Shift<T>) {
    let key = |i: usize| args.boxes.key.get(args.first as usize + i) as u32;
    each(&args.apply, |work| {
        let upper = key(work.i) >> args.bit & 1 == 1;
        if work.rows > 4 { work.shift::<2, 8>(upper) } else { work.shift::<1, 4>(upper) }
    });
}

/// Visits this lane's block.
#[inline(always)]
fn each<T: Real>(args: &Apply<T>, visit: impl Fn(Work<'_, T>)) {
    let Some((i, number)) = lane_of(args.count) else { return };
    if number < args.blocks.len() {
        visit(Work::new(args, number, i));
    }
}

/// The lane's box of `count`, if there is one, and the number of its warp's task.
#[inline(always)]
fn lane_of(count: u32) -> Option<(usize, usize)> {
    let warps = thread::block_dim_x() / warp::SIZE;
    let i = thread::block_idx_x() * warp::SIZE + warp::lane_id();
    let task = thread::block_idx_y() * warps + thread::thread_idx_x() / warp::SIZE;
    (i < count).then_some((i as usize, task as usize))
}

/// Reads columns and adds them. The numbers of four are read before the first is multiplied: memory takes longer than many
/// products.
#[inline(always)]
pub(super) fn each_column<X: Copy>(
    columns: Range<usize>,
    read: impl Fn(usize) -> X,
    mut add: impl FnMut(usize, X),
) {
    let mut k = columns.start;
    while k + 4 <= columns.end {
        let ahead = Array::of([0, 1, 2, 3].map(|d| read(k + d)));
        for d in 0..4 {
            add(k + d, ahead[d]);
        }
        k += 4;
    }
    for k in k..columns.end {
        add(k, read(k));
    }
}

impl<'a, T: Real> Work<'a, T> {
    /// Block `number`, for box `i`.
    #[inline(always)]
    fn new(args: &'a Apply<T>, number: usize, i: usize) -> Self {
        let Vec4([entry, column, row, sizes]) = args.blocks.get(number);
        Self {
            args,
            entry: entry as usize,
            column: column as usize,
            row: row as usize,
            n_columns: [(sizes & 0xfff) as usize, (sizes >> 12 & 0xfff) as usize],
            rows: (sizes >> 24) as usize,
            i,
        }
    }

    #[inline(always)]
    fn unfold(self) {
        if self.rows > 4 { self.unfolded::<2, 8>() } else { self.unfolded::<1, 4>() }
    }

    /// Number of the lane's box in column `k` of the block.
    #[inline(always)]
    fn number(self, from: View<T>, k: usize) -> T {
        let place = self.args.tables.columns.get(self.column + k) as usize;
        from.get(place * self.args.count as usize + self.i)
    }

    /// Products of columns with the entries from `entry` on, of groups of four rows.
    #[inline(always)]
    fn product<const GROUPS: usize, const ROWS: usize>(
        self,
        columns: Range<usize>,
    ) -> Array<T, ROWS> {
        let mut sums = Array::<T, ROWS>::filled(T::ZERO);
        let number = |k| self.number(self.args.from[0], k);
        let add = |k, x| self.add_column::<GROUPS, ROWS>(self.entry + k * GROUPS, x, &mut sums);
        each_column(columns, number, add);
        sums
    }

    #[inline(always)]
    fn add_column<const GROUPS: usize, const ROWS: usize>(
        self,
        entry: usize,
        x: T,
        sums: &mut Array<T, ROWS>,
    ) {
        for group in 0..GROUPS {
            let Vec4(entries) = self.args.tables.entries.get(entry + group);
            for k in 0..4 {
                sums[4 * group + k] = entries[k].mul_add(x, sums[4 * group + k]);
            }
        }
    }

    /// Puts a number to row `k` of the block. Of a row's place, `ODD` is no part.
    #[inline(always)]
    fn put(self, to: ViewMut<T>, k: usize, value: T) {
        let row = self.args.tables.rows.get(self.row + k);
        if row != NO_ROW {
            let at = (row & (ODD - 1)) as usize * self.args.count as usize + self.i;
            to.set(at, if self.args.add != 0 { to.get(at) + value } else { value });
        }
    }

    #[inline(always)]
    fn plain<const GROUPS: usize, const ROWS: usize>(self) {
        let sums = self.product::<GROUPS, ROWS>(0..self.n_columns[0]);
        for k in 0..ROWS {
            self.put(self.args.to[0], k, sums[k]);
        }
    }

    #[inline(always)]
    fn folded<const GROUPS: usize, const ROWS: usize>(self) {
        let [a, b] = self.both::<GROUPS, ROWS>();
        for k in 0..ROWS {
            self.put(self.args.to[0], k, a[k] + b[k]);
            self.put(self.args.to[1], k, a[k] - b[k]);
        }
    }

    /// A x and B x
    #[inline(always)]
    fn both<const GROUPS: usize, const ROWS: usize>(self) -> [Array<T, ROWS>; 2] {
        let [a, b] = self.n_columns;
        [self.product::<GROUPS, ROWS>(0..a), self.product::<GROUPS, ROWS>(a..a + b)]
    }

    #[inline(always)]
    fn shift<const GROUPS: usize, const ROWS: usize>(self, upper: bool) {
        let [a, b] = self.both::<GROUPS, ROWS>();
        for k in 0..ROWS {
            let row = self.args.tables.rows.get(self.row + k);
            let back = if row & ODD != 0 { b[k] - a[k] } else { a[k] - b[k] };
            self.put(self.args.to[0], k, if upper { a[k] + b[k] } else { back });
        }
    }

    #[inline(always)]
    fn unfolded<const GROUPS: usize, const ROWS: usize>(self) {
        let mut a = Array::<T, ROWS>::filled(T::ZERO);
        let mut b = Array::<T, ROWS>::filled(T::ZERO);
        let add = |k: usize, [x1, x2]: [T; 2]| {
            let entry = self.entry + k * 2 * GROUPS;
            self.add_column::<GROUPS, ROWS>(entry, x1 + x2, &mut a);
            self.add_column::<GROUPS, ROWS>(entry + GROUPS, x1 - x2, &mut b);
        };
        let numbers = |k| [0, 1].map(|which| self.number(self.args.from[which], k));
        each_column(0..self.n_columns[0], numbers, add);
        for k in 0..ROWS {
            self.put(self.args.to[0], k, a[k]);
            self.put(self.args.to[0], ROWS + k, b[k]);
        }
    }
}

//! Rows of expansions: taken out of the boxes of one tree, put into those of another or added to them.

use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::float_kernels;

/// Arguments of [`PACK_ROWS`]: a thread is a box, and a row of blocks a group.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PackRows<T> {
    /// Boxes, K.
    pub boxes: View<u32>,
    /// Group g of box b at g B + b.
    pub from: View<Vec4<T>>,
    /// B
    pub n_boxes: u32,
    /// Output: group g of row k at g K + k.
    pub rows: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn pack_rows<T: Real>(args: PackRows<T>) {
    let (group, k, n) = (thread::block_idx_y() as usize, thread::index(), args.boxes.len());
    if k < n {
        let from = group * args.n_boxes as usize + args.boxes.get(k) as usize;
        args.rows.set(group * n + k, args.from.get(from));
    }
}

/// Arguments of [`PUT_ROWS`], [`ADD_ROWS`] and those in f64: a thread is a box, and a row of blocks a group.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RowsTo<T> {
    /// Boxes of the rows, K different ones.
    pub boxes: View<u32>,
    /// Group g of row k at g K + k; no items: rows of zeros, to be put.
    pub rows: View<Vec4<T>>,
    /// B
    pub n_boxes: u32,
    /// Output: group g of box b at g B + b.
    pub to: ViewMut<Vec4<T>>,
}

impl<T: Real> RowsTo<T> {
    /// Place of the group of the thread's box in the rows and in the output.
    #[inline(always)]
    fn place(self) -> Option<[usize; 2]> {
        let (group, k, n) = (thread::block_idx_y() as usize, thread::index(), self.boxes.len());
        (k < n).then(|| [group * n + k, group * self.n_boxes as usize + self.boxes.get(k) as usize])
    }
}

#[inline(always)]
fn put_rows<T: Real>(args: RowsTo<T>) {
    if let Some([from, to]) = args.place() {
        let zeros = Vec4([T::ZERO; 4]);
        args.to.set(to, if args.rows.is_empty() { zeros } else { args.rows.get(from) });
    }
}

#[inline(always)]
fn add_rows<T: Real>(args: RowsTo<T>) {
    if let Some([from, to]) = args.place() {
        let (Vec4(a), Vec4(b)) = (args.to.get(to), args.rows.get(from));
        args.to.set(to, Vec4([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]));
    }
}

float_kernels! {
    /// Rows out of a tree: one thread a box, one row of blocks a group.
    pub PACK_ROWS<T: Real> = pack_rows, PackRows;
    /// Rows instead of those of a tree: one thread a box, one row of blocks a group.
    pub PUT_ROWS<T: Real> = put_rows, RowsTo;
    /// Rows to those of a tree: one thread a box, one row of blocks a group.
    pub ADD_ROWS<T: Real> = add_rows, RowsTo;
}

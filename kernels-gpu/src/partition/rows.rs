//! Rows of expansions: taken out of the boxes of one tree, added to those of another.

use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::kernel;

/// Arguments of [`PACK_ROWS_F32`] and [`PACK_ROWS_F64`]: a thread is a group of a row.
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
    let i = thread::index();
    if i < args.rows.len() {
        let (group, k) = (i / args.boxes.len(), i % args.boxes.len());
        let from = group * args.n_boxes as usize + args.boxes.get(k) as usize;
        args.rows.set(i, args.from.get(from));
    }
}

/// Arguments of [`ADD_ROWS_F32`] and [`ADD_ROWS_F64`]: a thread is a group of a row.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AddRows<T> {
    /// Boxes of the rows, K different ones.
    pub boxes: View<u32>,
    /// Group g of row k at g K + k.
    pub rows: View<Vec4<T>>,
    /// B
    pub n_boxes: u32,
    /// Output, added to: group g of box b at g B + b.
    pub to: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn add_rows<T: Real>(args: AddRows<T>) {
    let i = thread::index();
    if i < args.rows.len() {
        let (group, k) = (i / args.boxes.len(), i % args.boxes.len());
        let to = group * args.n_boxes as usize + args.boxes.get(k) as usize;
        let (Vec4(a), Vec4(b)) = (args.to.get(to), args.rows.get(i));
        args.to.set(to, Vec4([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]));
    }
}

kernel! {
    /// Rows of f32 out of a tree: one thread a group.
    pub PACK_ROWS_F32 = pack_rows, (PackRows<f32>);
    /// Rows of f64 out of a tree: one thread a group.
    pub PACK_ROWS_F64 = pack_rows, (PackRows<f64>);
    /// Rows of f32 into a tree: one thread a group.
    pub ADD_ROWS_F32 = add_rows, (AddRows<f32>);
    /// Rows of f64 into a tree: one thread a group.
    pub ADD_ROWS_F64 = add_rows, (AddRows<f64>);
}

#[cfg(not(target_arch = "nvptx64"))]
mod travelling {
    use super::*;
    use crate::device::Kernel;

    /// Number types with kernels that move rows of expansions.
    pub trait Travelling: Real {
        /// Kernel: rows out of a tree.
        const PACK_ROWS: Kernel<PackRows<Self>>;
        /// Kernel: rows into a tree.
        const ADD_ROWS: Kernel<AddRows<Self>>;
    }

    impl Travelling for f32 {
        const PACK_ROWS: Kernel<PackRows<Self>> = PACK_ROWS_F32;
        const ADD_ROWS: Kernel<AddRows<Self>> = ADD_ROWS_F32;
    }

    impl Travelling for f64 {
        const PACK_ROWS: Kernel<PackRows<Self>> = PACK_ROWS_F64;
        const ADD_ROWS: Kernel<AddRows<Self>> = ADD_ROWS_F64;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use travelling::Travelling;

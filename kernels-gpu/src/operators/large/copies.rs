//! Expansions from groups of four to rows of one number of all boxes, and back.

use super::at;
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::operators::coefficients::sum;
use crate::operators::{Boxes, NONE};

/// Arguments of the copies.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Copy<T> {
    /// The tree.
    pub boxes: Boxes<T>,
    /// Number of coefficients.
    pub coefficients: u32,
    /// Box of number 0 in the rows.
    pub first: u32,
    /// Length of the rows.
    pub count: u32,
    /// First box to be written; `sum_children`: the first parent.
    pub begin: u32,
    /// 1: `rows_of` takes the parents' expansions, `groups_of` adds. 2: `rows_of` takes zeros.
    pub flag: u32,
    /// Group g of box b at g B + b: read by `rows_of`.
    pub from: View<Vec4<T>>,
    /// The same: written by the others.
    pub groups: ViewMut<Vec4<T>>,
    /// Number c of box i at c `count` + i.
    pub rows: ViewMut<T>,
}

impl<T: Real> Copy<T> {
    /// Group of the row's box, zeros after the last coefficient.
    #[inline(always)]
    fn group(&self, rows: View<T>, group: usize, i: usize) -> Vec4<T> {
        Vec4([0, 1, 2, 3].map(|k| {
            let c = 4 * group + k;
            match c < self.coefficients as usize {
                true => rows.get(c * self.count as usize + i),
                false => T::ZERO,
            }
        }))
    }
}

/// Rows of the boxes, or of their parents, or zeros.
#[inline(always)]
pub(super) fn rows_of<T: Real>(args: Copy<T>) {
    let (i, c, count) = (thread::index(), thread::block_idx_y() as usize, args.count as usize);
    if i < count {
        let b = args.first as usize + i;
        let b = if args.flag == 1 { args.boxes.parent.get(b) as usize } else { b };
        let number = |c: usize| args.from.numbers().get(at(c, b, args.boxes.count as usize));
        args.rows.set(c * count + i, if args.flag == 2 { T::ZERO } else { number(c) });
    }
}

/// Groups of the boxes from `begin` on, zeros for those without a row.
#[inline(always)]
pub(super) fn groups_of<T: Real>(args: Copy<T>) {
    let (b, group) = (args.begin as usize + thread::index(), thread::block_idx_y() as usize);
    if b >= args.first as usize + args.count as usize {
        return;
    }
    let mut value = Vec4([T::ZERO; 4]);
    if b >= args.first as usize {
        value = args.group(args.rows.read_only(), group, b - args.first as usize);
    }
    let place = group * args.boxes.count as usize + b;
    args.groups.set(place, if args.flag != 0 { sum(args.groups.get(place), value) } else { value });
}

/// Groups of parents: the sums over their children, whose rows they are, in the order of the octants.
#[inline(always)]
pub(super) fn sum_children<T: Real>(args: Copy<T>) {
    let (b, group) = (args.begin as usize + thread::index(), thread::block_idx_y() as usize);
    if b >= args.first as usize {
        return;
    }
    let (stride, mut is_parent) = (args.boxes.count as usize, false);
    let mut total = Vec4([T::ZERO; 4]);
    for octant in 0..8 {
        let child = args.boxes.child.get(octant * stride + b);
        if child != NONE {
            is_parent = true;
            let i = (child - args.first) as usize;
            total = sum(total, args.group(args.rows.read_only(), group, i));
        }
    }
    if is_parent {
        args.groups.set(group * stride + b, total);
    }
}

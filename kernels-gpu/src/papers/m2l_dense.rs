//! M2L by dense matrices, one of p² × p² numbers for each offset: equation 4 of Yokota and Barba (2011) as a matrix, to
//! compare with their Listings 3 to 5 and with rotations.
//!
//! A warp loads each matrix entry for its 32 pairs of boxes. A load of 16 bytes serves four multiply-adds only, so loads
//! bound the speed.

use crate::device::{Array, Real};
use crate::operators::coefficients::{groups, load};
use crate::operators::far::Task;
use crate::operators::m2l::{M2l, reduce_own};
use crate::operators::order::room;

/// Largest order with a kernel.
pub const MAX_DENSE_ORDER: usize = 6;

/// Dense M2L: adds up, for all boxes of all levels, the multipoles of far boxes times a matrix. Cost: p⁴ multiply-adds
/// a pair of boxes.
///
/// Matrices are `args.ways`: rows 4g … 4g + 3 of column c of offset w at item (w p² + c) G + g, G groups a column.
#[inline(always)]
pub(crate) fn dense<T: Real, const P: usize, const N: usize>(args: M2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let task = Task::of_block(&args.boxes);
    let mut sums = Array::<T, N>::filled(T::ZERO);
    let mut walk = task.walk(args.boxes, args.far);
    while let Some((way, source)) = walk.next() {
        let mut e = Array::<T, N>::filled(T::ZERO);
        load(p, args.multipole, [source.index, args.boxes.count as usize], &mut e);
        let first = way * p.coefficients() * groups(p.count());
        for column in 0..p.coefficients() {
            let x = if source.there { e[column] } else { T::ZERO };
            for group in 0..groups(p.count()) {
                let entries = args.ways.get(first + column * groups(p.count()) + group);
                let entries = Array::of(entries.0);
                for k in 0..p.coefficients().min(4 * group + 4) - 4 * group {
                    let row = 4 * group + k;
                    sums[row] = entries[k].mul_add(x, sums[row]);
                }
            }
        }
    }
    reduce_own(p, &args, task, &sums);
}

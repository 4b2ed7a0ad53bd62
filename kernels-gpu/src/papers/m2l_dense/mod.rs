//! M2L by dense matrices, one of p² × p² numbers for each offset: equation 4 of Yokota and Barba (2011) as a matrix, to
//! compare with their Listings 3 to 5 and with rotations.
//!
//! A warp loads each matrix entry for its 32 pairs of boxes. A load of 16 bytes serves four multiply-adds only, so loads
//! bound the speed.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::DenseM2l;

#[cfg(not(target_arch = "nvptx64"))]
use crate::device::Kernel;
use crate::device::{Array, Real};
use crate::entry;
#[cfg(not(target_arch = "nvptx64"))]
use crate::kernel_of;
use crate::operators::coefficients::{groups, load};
#[cfg(not(target_arch = "nvptx64"))]
use crate::operators::entries::emulated;
use crate::operators::far::Task;
use crate::operators::small::m2l::{M2l, reduce_own};
use crate::operators::small::order::room;

/// Largest order with a kernel.
pub const MAX_DENSE_ORDER: usize = 6;

/// Dense M2L: adds up, for all boxes of all levels, the multipoles of far boxes times a matrix. Cost: p⁴ multiply-adds
/// a pair of boxes.
///
/// Matrices are `args.ways`: rows 4g … 4g + 3 of column c of offset w at item (w p² + c) G + g, G groups a column.
#[inline(always)]
fn dense<T: Real, const P: usize, const N: usize>(args: M2l<T>) {
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

/// `f32` or `f64`, which have kernels of dense M2L.
#[cfg(not(target_arch = "nvptx64"))]
pub trait DenseReal: Real {
    /// The kernels of the orders 1 … [`MAX_DENSE_ORDER`].
    #[doc(hidden)]
    const DENSE: [Kernel<M2l<Self>>; MAX_DENSE_ORDER];
}

/// An entry point `DENSE_F32_4` for order 4 and so on, and the array of them.
macro_rules! dense_kernels {
    ($t:ident, $precision:literal; $($p:literal)*) => {
        $(entry!([$precision, $p], dense::<$t, $p, { room($p) }>, M2l<$t>);)*

        #[cfg(not(target_arch = "nvptx64"))]
        impl DenseReal for $t {
            const DENSE: [Kernel<M2l<$t>>; MAX_DENSE_ORDER] = [$(kernel_of!(
                concat!($precision, $p),
                dense::<$t, { emulated($p) }, { room(emulated($p)) }>,
                M2l<$t>
            )),*];
        }
    };
}

dense_kernels!(f32, "DENSE_F32_"; 1 2 3 4 5 6);
dense_kernels!(f64, "DENSE_F64_"; 1 2 3 4 5 6);

//! Entry points: each operator for each order, in f32 and f64.
//!
//! In f32 each order has kernels of its own. In f64 M2L has them up to order 11, beyond which spills take longer than sharing an
//! expansion, M2M, L2L and P2L up to 13, and P2M, L2P and M2P for all; one more takes any order up to
//! [`MAX_ORDER`](super::MAX_ORDER).

use super::expected::{
    ExpansionSizes, WorstFar, WorstInLeaves, expansion_sizes, worst_far, worst_in_leaves,
};
#[cfg(not(target_arch = "nvptx64"))]
use super::large::{LARGE_F64, LargeKernels};
use super::small::l2l::{L2l, l2l};
use super::small::l2p::{L2p, Label, l2p, label};
use super::small::m2l::{M2l, m2l};
use super::small::m2l_any::m2l_any;
use super::small::m2m::{M2m, m2m};
use super::small::m2p::{M2p, m2p};
use super::small::order::room;
use super::small::p2l::{P2l, p2l};
use super::small::p2m::{P2m, p2m};
#[cfg(not(target_arch = "nvptx64"))]
use crate::device::{Kernel, Real};
#[cfg(not(target_arch = "nvptx64"))]
use crate::kernel_of;
use crate::{entry, float_kernels, kernel};

/// Kernels by their order; the last is of any order, 0, unless each order has its own.
#[cfg(not(target_arch = "nvptx64"))]
pub type Table<A> = &'static [(usize, Kernel<A>)];

kernel! {
    /// The leaf of each receiver.
    pub LABEL = label, (Label);
}

float_kernels! {
    /// Sizes of last degrees.
    pub EXPANSION_SIZES<T: Real> = expansion_sizes, ExpansionSizes;
    /// Far boxes with the largest errors.
    pub WORST_FAR<T: Real> = worst_far, WorstFar;
    /// Boxes with the largest errors in the leaves.
    pub WORST_IN_LEAVES<T: Real> = worst_in_leaves, WorstInLeaves;
}

/// `f32` or `f64`: the types that operators have kernels for.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Operator: Real {
    #[doc(hidden)]
    fn p2m() -> Table<P2m<Self>>;
    #[doc(hidden)]
    fn m2m() -> Table<M2m<Self>>;
    #[doc(hidden)]
    fn m2l() -> Table<M2l<Self>>;
    #[doc(hidden)]
    fn l2l() -> Table<L2l<Self>>;
    #[doc(hidden)]
    fn l2p() -> Table<L2p<Self>>;
    #[doc(hidden)]
    fn m2p() -> Table<M2p<Self>>;
    #[doc(hidden)]
    fn p2l() -> Table<P2l<Self>>;
    #[doc(hidden)]
    fn large() -> Option<&'static LargeKernels<Self>>;
}

/// The order of the code that the emulator runs for a kernel: the kernels of fixed order are the same code
/// with loops unrolled, so two of them, which keep their sums in different memories, stand for all; the others run the code
/// for any order. That spares the host's compiler minutes.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn emulated(order: usize) -> usize {
    if order == 3 || order == 10 { order } else { 0 }
}

/// `"NAME": function(Arguments) [orders; ANY = function of any order]` for each operator in one precision: an entry point
/// `NAME_F32_4` for order 4 and so on, and the tables of them.
macro_rules! operators {
    ($t:ident, $precision:literal, $large:expr; $($name:literal: $function:ident($args:ident)
        [$($p:literal)* $(; ANY = $any:expr)?];)*) => {
        $(
            $(entry!([$name, $precision, $p], $function::<$t, $p, { room($p) }>, $args<$t>);)*
            $(entry!([$name, $precision, "ANY"], $any, $args<$t>);)?
        )*

        #[cfg(not(target_arch = "nvptx64"))]
        impl Operator for $t {
            $(fn $function() -> Table<$args<Self>> {
                const TABLE: Table<$args<$t>> = &[$((
                    $p,
                    kernel_of!(
                        concat!($name, $precision, $p),
                        $function::<$t, { emulated($p) }, { room(emulated($p)) }>,
                        $args<$t>
                    ),
                ),)* $((0, kernel_of!(concat!($name, $precision, "ANY"), $any, $args<$t>)))?];
                TABLE
            })*

            fn large() -> Option<&'static LargeKernels<Self>> {
                $large
            }
        }
    };
}

operators! {
    f32, "_F32_", None;
    "P2M": p2m(P2m) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "M2M": m2m(M2m) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "M2L": m2l(M2l) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "L2L": l2l(L2l) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "L2P": l2p(L2p) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "M2P": m2p(M2p) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "P2L": p2l(P2l) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
}

operators! {
    f64, "_F64_", Some(&LARGE_F64);
    "P2M": p2m(P2m) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "M2M": m2m(M2m) [1 2 3 4 5 6 7 8 9 10 11 12 13; ANY = m2m::<f64, 0, { room(0) }>];
    "M2L": m2l(M2l) [1 2 3 4 5 6 7 8 9 10 11; ANY = m2l_any::<f64>];
    "L2L": l2l(L2l) [1 2 3 4 5 6 7 8 9 10 11 12 13; ANY = l2l::<f64, 0, { room(0) }>];
    "L2P": l2p(L2p) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "M2P": m2p(M2p) [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16];
    "P2L": p2l(P2l) [1 2 3 4 5 6 7 8 9 10 11 12 13; ANY = p2l::<f64, 0, { room(0) }>];
}

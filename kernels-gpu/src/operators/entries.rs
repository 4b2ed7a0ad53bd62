//! Entry points: each operator for each order, in f32 and f64.
//!
//! Orders up to 12 have kernels of their own, in f64 up to 11 for M2L, beyond which spills take longer than sharing an
//! expansion, and up to 13 for the others; P2M, L2P and M2P those of all orders. One more takes any order up to
//! [`MAX_ORDER`](super::MAX_ORDER).

use super::l2l::{L2l, l2l};
use super::l2p::{L2p, Label, l2p, label};
use super::m2l::{M2l, m2l};
use super::m2l_any::m2l_any;
use super::m2m::{M2m, m2m};
use super::m2p::{M2p, m2p};
use super::order::room;
use super::p2l::{P2l, p2l};
use super::p2m::{P2m, p2m};
#[cfg(not(target_arch = "nvptx64"))]
use crate::device::Kernel;
use crate::kernel;
use crate::papers::m2l_dense::dense;

/// Kernels by their number of degrees; the last is for any number.
#[cfg(not(target_arch = "nvptx64"))]
pub type Table<A> = &'static [(usize, Kernel<A>)];

kernel! {
    /// The leaf of each receiver.
    pub LABEL = label, (Label);
}

/// `f32` or `f64`: the types that operators have kernels for.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Operator: crate::device::Real {
    #[doc(hidden)]
    fn p2m() -> Table<P2m<Self>>;
    #[doc(hidden)]
    fn m2m() -> Table<M2m<Self>>;
    #[doc(hidden)]
    fn m2l() -> Table<M2l<Self>>;
    #[doc(hidden)]
    fn dense() -> Table<M2l<Self>>;
    #[doc(hidden)]
    fn l2l() -> Table<L2l<Self>>;
    #[doc(hidden)]
    fn l2p() -> Table<L2p<Self>>;
    #[doc(hidden)]
    fn m2p() -> Table<M2p<Self>>;
    #[doc(hidden)]
    fn p2l() -> Table<P2l<Self>>;
}

#[cfg(not(target_arch = "nvptx64"))]
impl Operator for f32 {
    fn p2m() -> Table<P2m<Self>> {
        P2M_F32
    }
    fn m2m() -> Table<M2m<Self>> {
        M2M_F32
    }
    fn m2l() -> Table<M2l<Self>> {
        M2L_F32
    }
    fn dense() -> Table<M2l<Self>> {
        DENSE_F32
    }
    fn l2l() -> Table<L2l<Self>> {
        L2L_F32
    }
    fn l2p() -> Table<L2p<Self>> {
        L2P_F32
    }
    fn m2p() -> Table<M2p<Self>> {
        M2P_F32
    }
    fn p2l() -> Table<P2l<Self>> {
        P2L_F32
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Operator for f64 {
    fn p2m() -> Table<P2m<Self>> {
        P2M_F64
    }
    fn m2m() -> Table<M2m<Self>> {
        M2M_F64
    }
    fn m2l() -> Table<M2l<Self>> {
        M2L_F64
    }
    fn dense() -> Table<M2l<Self>> {
        DENSE_F64
    }
    fn l2l() -> Table<L2l<Self>> {
        L2L_F64
    }
    fn l2p() -> Table<L2p<Self>> {
        L2P_F64
    }
    fn m2p() -> Table<M2p<Self>> {
        M2P_F64
    }
    fn p2l() -> Table<P2l<Self>> {
        P2L_F64
    }
}

/// The number of degrees of the code that the emulator runs for a kernel: the kernels of fixed order are the same code
/// with loops unrolled, so two of them, which keep their sums in different memories, stand for all; the others run the code
/// for any order. That spares the host's compiler minutes.
#[cfg(not(target_arch = "nvptx64"))]
const fn emulated(degrees: usize) -> usize {
    if degrees == 3 || degrees == 10 { degrees } else { 0 }
}

/// `table: type, function <number type> [list of NAME = degrees]`: the entry points of an operator, and the table of them.
/// The kernel of any order may have a function of its own: `[list; NAME = function]`.
macro_rules! orders {
    ($($table:ident: $args:ty, $function:ident <$t:ty> [$($name:ident = $p:literal),* $(; $any:ident = $any_function:ident)?];)*) => {$(
        #[cfg(target_arch = "nvptx64")]
        kernel! {
            $(
                #[doc = concat!("[`", stringify!($args), "`] of ", stringify!($p), " degrees; 0 is any number.")]
                pub $name = $function::<$t, $p, { room($p) }>, ($args);
            )*
            $(
                #[doc = concat!("[`", stringify!($args), "`] of any number of degrees.")]
                pub $any = $any_function::<$t>, ($args);
            )?
        }

        #[cfg(not(target_arch = "nvptx64"))]
        static $table: &[(usize, Kernel<$args>)] = &[$((
            $p,
            Kernel {
                name: stringify!($name),
                thread: $function::<$t, { emulated($p) }, { room(emulated($p)) }>,
            },
        )),* $(, (0, Kernel { name: stringify!($any), thread: $any_function::<$t> }))?];
    )*};
}

orders! {
    P2M_F32: P2m<f32>, p2m <f32> [
        P2M_F32_1 = 1, P2M_F32_2 = 2, P2M_F32_3 = 3, P2M_F32_4 = 4, P2M_F32_5 = 5, P2M_F32_6 = 6, P2M_F32_7 = 7,
        P2M_F32_8 = 8, P2M_F32_9 = 9, P2M_F32_10 = 10, P2M_F32_11 = 11,
        P2M_F32_12 = 12, P2M_F32_13 = 13, P2M_F32_14 = 14, P2M_F32_15 = 15, P2M_F32_16 = 16
    ];
    P2M_F64: P2m<f64>, p2m <f64> [
        P2M_F64_1 = 1, P2M_F64_2 = 2, P2M_F64_3 = 3, P2M_F64_4 = 4, P2M_F64_5 = 5, P2M_F64_6 = 6, P2M_F64_7 = 7,
        P2M_F64_8 = 8, P2M_F64_9 = 9, P2M_F64_10 = 10, P2M_F64_11 = 11, P2M_F64_12 = 12, P2M_F64_13 = 13, P2M_F64_14 = 14, P2M_F64_15 = 15, P2M_F64_16 = 16
    ];
    M2M_F32: M2m<f32>, m2m <f32> [
        M2M_F32_1 = 1, M2M_F32_2 = 2, M2M_F32_3 = 3, M2M_F32_4 = 4, M2M_F32_5 = 5, M2M_F32_6 = 6, M2M_F32_7 = 7,
        M2M_F32_8 = 8, M2M_F32_9 = 9, M2M_F32_10 = 10, M2M_F32_11 = 11,
        M2M_F32_12 = 12, M2M_F32_ANY = 0
    ];
    M2M_F64: M2m<f64>, m2m <f64> [
        M2M_F64_1 = 1, M2M_F64_2 = 2, M2M_F64_3 = 3, M2M_F64_4 = 4, M2M_F64_5 = 5, M2M_F64_6 = 6, M2M_F64_7 = 7,
        M2M_F64_8 = 8, M2M_F64_9 = 9, M2M_F64_10 = 10, M2M_F64_11 = 11, M2M_F64_12 = 12,
        M2M_F64_13 = 13, M2M_F64_ANY = 0
    ];
    M2L_F32: M2l<f32>, m2l <f32> [
        M2L_F32_1 = 1, M2L_F32_2 = 2, M2L_F32_3 = 3, M2L_F32_4 = 4, M2L_F32_5 = 5, M2L_F32_6 = 6, M2L_F32_7 = 7,
        M2L_F32_8 = 8, M2L_F32_9 = 9, M2L_F32_10 = 10, M2L_F32_11 = 11, M2L_F32_12 = 12;
        M2L_F32_ANY = m2l_any
    ];
    M2L_F64: M2l<f64>, m2l <f64> [
        M2L_F64_1 = 1, M2L_F64_2 = 2, M2L_F64_3 = 3, M2L_F64_4 = 4, M2L_F64_5 = 5, M2L_F64_6 = 6, M2L_F64_7 = 7,
        M2L_F64_8 = 8, M2L_F64_9 = 9, M2L_F64_10 = 10, M2L_F64_11 = 11;
        M2L_F64_ANY = m2l_any
    ];
    DENSE_F32: M2l<f32>, dense <f32> [
        DENSE_F32_1 = 1, DENSE_F32_2 = 2, DENSE_F32_3 = 3, DENSE_F32_4 = 4, DENSE_F32_5 = 5, DENSE_F32_6 = 6
    ];
    DENSE_F64: M2l<f64>, dense <f64> [
        DENSE_F64_1 = 1, DENSE_F64_2 = 2, DENSE_F64_3 = 3, DENSE_F64_4 = 4, DENSE_F64_5 = 5, DENSE_F64_6 = 6
    ];
    L2L_F32: L2l<f32>, l2l <f32> [
        L2L_F32_1 = 1, L2L_F32_2 = 2, L2L_F32_3 = 3, L2L_F32_4 = 4, L2L_F32_5 = 5, L2L_F32_6 = 6, L2L_F32_7 = 7,
        L2L_F32_8 = 8, L2L_F32_9 = 9, L2L_F32_10 = 10, L2L_F32_11 = 11,
        L2L_F32_12 = 12, L2L_F32_ANY = 0
    ];
    L2L_F64: L2l<f64>, l2l <f64> [
        L2L_F64_1 = 1, L2L_F64_2 = 2, L2L_F64_3 = 3, L2L_F64_4 = 4, L2L_F64_5 = 5, L2L_F64_6 = 6, L2L_F64_7 = 7,
        L2L_F64_8 = 8, L2L_F64_9 = 9, L2L_F64_10 = 10, L2L_F64_11 = 11, L2L_F64_12 = 12,
        L2L_F64_13 = 13, L2L_F64_ANY = 0
    ];
    L2P_F32: L2p<f32>, l2p <f32> [
        L2P_F32_1 = 1, L2P_F32_2 = 2, L2P_F32_3 = 3, L2P_F32_4 = 4, L2P_F32_5 = 5, L2P_F32_6 = 6, L2P_F32_7 = 7,
        L2P_F32_8 = 8, L2P_F32_9 = 9, L2P_F32_10 = 10, L2P_F32_11 = 11,
        L2P_F32_12 = 12, L2P_F32_13 = 13, L2P_F32_14 = 14, L2P_F32_15 = 15, L2P_F32_16 = 16
    ];
    L2P_F64: L2p<f64>, l2p <f64> [
        L2P_F64_1 = 1, L2P_F64_2 = 2, L2P_F64_3 = 3, L2P_F64_4 = 4, L2P_F64_5 = 5, L2P_F64_6 = 6, L2P_F64_7 = 7,
        L2P_F64_8 = 8, L2P_F64_9 = 9, L2P_F64_10 = 10, L2P_F64_11 = 11, L2P_F64_12 = 12, L2P_F64_13 = 13, L2P_F64_14 = 14, L2P_F64_15 = 15, L2P_F64_16 = 16
    ];
    M2P_F32: M2p<f32>, m2p <f32> [
        M2P_F32_1 = 1, M2P_F32_2 = 2, M2P_F32_3 = 3, M2P_F32_4 = 4, M2P_F32_5 = 5, M2P_F32_6 = 6, M2P_F32_7 = 7,
        M2P_F32_8 = 8, M2P_F32_9 = 9, M2P_F32_10 = 10, M2P_F32_11 = 11,
        M2P_F32_12 = 12, M2P_F32_13 = 13, M2P_F32_14 = 14, M2P_F32_15 = 15, M2P_F32_16 = 16
    ];
    M2P_F64: M2p<f64>, m2p <f64> [
        M2P_F64_1 = 1, M2P_F64_2 = 2, M2P_F64_3 = 3, M2P_F64_4 = 4, M2P_F64_5 = 5, M2P_F64_6 = 6, M2P_F64_7 = 7,
        M2P_F64_8 = 8, M2P_F64_9 = 9, M2P_F64_10 = 10, M2P_F64_11 = 11,
        M2P_F64_12 = 12, M2P_F64_13 = 13, M2P_F64_14 = 14, M2P_F64_15 = 15, M2P_F64_16 = 16
    ];
    P2L_F32: P2l<f32>, p2l <f32> [
        P2L_F32_1 = 1, P2L_F32_2 = 2, P2L_F32_3 = 3, P2L_F32_4 = 4, P2L_F32_5 = 5, P2L_F32_6 = 6, P2L_F32_7 = 7,
        P2L_F32_8 = 8, P2L_F32_9 = 9, P2L_F32_10 = 10, P2L_F32_11 = 11,
        P2L_F32_12 = 12, P2L_F32_ANY = 0
    ];
    P2L_F64: P2l<f64>, p2l <f64> [
        P2L_F64_1 = 1, P2L_F64_2 = 2, P2L_F64_3 = 3, P2L_F64_4 = 4, P2L_F64_5 = 5, P2L_F64_6 = 6, P2L_F64_7 = 7,
        P2L_F64_8 = 8, P2L_F64_9 = 9, P2L_F64_10 = 10, P2L_F64_11 = 11, P2L_F64_12 = 12,
        P2L_F64_13 = 13, P2L_F64_ANY = 0
    ];
}

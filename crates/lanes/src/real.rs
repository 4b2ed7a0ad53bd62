//! The scalar types, and the entry into a kernel.

use crate::{Arch, Lanes};

/// An algorithm that runs on any lane type.
pub trait Kernel<T: Real> {
    /// Type of the result.
    type Output;

    /// Runs the algorithm. Implementations carry `#[inline(always)]`.
    fn run<V: Lanes<Scalar = T>>(self) -> Self::Output;
}

/// `f32` or `f64`.
pub trait Real:
    num_traits::Float
    + num_traits::NumAssign
    + core::iter::Sum
    + core::fmt::Debug
    + core::fmt::Display
    + Default
    + Send
    + Sync
    + 'static
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// Bits of the significand: 24 or 53.
    const BITS: u32;
    /// Name of the type, `"f32"` or `"f64"`.
    const NAME: &'static str;

    /// Nearest number of this type.
    fn narrow(x: f64) -> Self;

    /// Exact value in `f64`.
    fn widen(self) -> f64;

    /// Runs `kernel` with the instructions of `arch`.
    fn dispatch_on<K: Kernel<Self>>(arch: Arch, kernel: K) -> K::Output;

    /// Runs `kernel` with the widest instructions of the processor.
    #[inline]
    fn dispatch<K: Kernel<Self>>(kernel: K) -> K::Output {
        Self::dispatch_on(Arch::best(), kernel)
    }
}

macro_rules! real {
    ($t:ident, $bits:literal, $dispatch:ident) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const BITS: u32 = $bits;
            const NAME: &'static str = stringify!($t);

            #[inline(always)]
            fn narrow(x: f64) -> Self {
                x as $t
            }

            #[inline(always)]
            fn widen(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn dispatch_on<K: Kernel<Self>>(arch: Arch, kernel: K) -> K::Output {
                arch.$dispatch(kernel)
            }
        }
    };
}

real!(f32, 24, run_f32);
real!(f64, 53, run_f64);

//! SIMD lanes behind one small trait, chosen at run time.
//!
//! An algorithm is written once, as a [`Kernel`] generic over a [`Lanes`] type, and
//! [`Real::dispatch`] runs it with the widest instructions of the processor at hand: AVX-512, AVX2
//! with FMA, or SSE2; on other processors a portable array that compilers turn into NEON or other
//! code. One binary runs on every machine, on each with the machine's own instructions.
//!
//! Use the crate for kernels in `f32` and `f64` that need 1/√ to a chosen number of bits, transposes of
//! rows into lanes, and results that depend on the width of the vectors only, not on the number of
//! threads. Integer lanes, masks and shuffles are out of scope.
//!
//! ```
//! use lanes::{Kernel, Lanes, Real};
//!
//! struct Sum<'a>(&'a [f64]);
//!
//! impl Kernel<f64> for Sum<'_> {
//!     type Output = f64;
//!     #[inline(always)]
//!     fn run<V: Lanes<Scalar = f64>>(self) -> f64 {
//!         let blocks = self.0.chunks_exact(V::WIDTH);
//!         let tail: f64 = blocks.remainder().iter().sum();
//!         let mut sum = V::zero();
//!         for block in blocks {
//!             sum += V::load(block);
//!         }
//!         sum.sum() + tail
//!     }
//! }
//!
//! let numbers: Vec<f64> = (0..100).map(f64::from).collect();
//! assert_eq!(f64::dispatch(Sum(&numbers)), 4950.0);
//! ```
//!
//! Every function that a kernel calls and that is generic over `V` must be `#[inline(always)]`: only
//! code inlined into the dispatched function is compiled with the wider instructions.
//!
//! | here | what |
//! |---|---|
//! | [`Lanes`] | one vector: arithmetic, loads and stores, 1/√, sums, transposes |
//! | [`Real`], [`Kernel`] | `f32` and `f64`, and the dispatch of a kernel |
//! | [`Arch`] | instruction sets of the processor |
//! | `x86`, `portable`, `scalar` | vector types: SSE2, AVX2 and AVX-512, arrays, a single float |
//! | `pair`, `rows`, `refine` | double width, transposes of blocks, Newton-like steps for 1/√ |

#![cfg_attr(not(feature = "std"), no_std)]
#![allow(unsafe_code, reason = "vector instructions; each use says why it is sound")]

mod arch;
mod pair;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
mod real;
#[cfg(target_arch = "x86_64")]
mod refine;
mod rows;
mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use arch::Arch;
pub use real::{Kernel, Real};

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Vector of a fixed number of floats.
///
/// Implementing types are private: a kernel receives one from [`Real::dispatch`], so a value of a
/// type exists only where the processor has its instructions.
pub trait Lanes:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The type of one lane.
    type Scalar: Real;

    /// Lanes of twice the width for register blocking: a number that all lanes share is loaded
    /// once for two vectors, and two chains of operations hide each other's latency. Wide types name
    /// themselves.
    type Wide: Lanes<Scalar = Self::Scalar>;

    /// Number of lanes.
    const WIDTH: usize;

    /// Numbers of a row that [`Self::gather_rows`] and [`Self::scatter_add_rows`] move at once.
    const BLOCK: usize = Self::WIDTH;

    /// Whether [`Self::scaled_rsqrt`] is exact to rounding for every `BITS`: one compiled case then serves all.
    const EXACT_RSQRT: bool = false;

    /// Whether [`Self::mul_add`] rounds once, so that it tells the rounding error of a product.
    const FUSED: bool = false;

    /// Every lane set to `x`.
    fn splat(x: Self::Scalar) -> Self;

    /// Every lane zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(Self::Scalar::ZERO)
    }

    /// The first [`Self::WIDTH`] numbers of `from`, which must have as many.
    fn load(from: &[Self::Scalar]) -> Self;

    /// Writes the lanes to the first [`Self::WIDTH`] numbers of `to`, which must have as many.
    fn store(self, to: &mut [Self::Scalar]);

    /// The numbers of `from`, and lanes of `rest` where there are no more.
    fn load_part(from: &[Self::Scalar], rest: Self) -> Self;

    /// Writes as many lanes as `to` has numbers.
    fn store_part(self, to: &mut [Self::Scalar]);

    /// `self * factor + term`, rounded once where the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;

    /// [`c`](Self::rsqrt_scale)`/√self` where `guard > least`, and exactly 0 elsewhere, with a relative
    /// error of at most about 2^-`BITS` or the rounding of the type. `least` is not negative, and `self`
    /// is positive where `guard` is.
    fn scaled_rsqrt<const BITS: u32>(self, guard: Self, least: Self) -> Self;

    /// The factor c of [`Self::scaled_rsqrt`], a power of two: 2 where that saves an operation.
    #[inline(always)]
    fn rsqrt_scale<const BITS: u32>() -> Self::Scalar {
        Self::Scalar::ONE
    }

    /// `1/√self` where `self > 0`, and exactly 0 elsewhere, as close as [`Self::scaled_rsqrt`].
    #[inline(always)]
    fn rsqrt<const BITS: u32>(self) -> Self {
        let inverse = self.scaled_rsqrt::<BITS>(self, Self::zero());
        let factor = num_traits::Float::recip(Self::rsqrt_scale::<BITS>());
        if factor == Self::Scalar::ONE { inverse } else { inverse * Self::splat(factor) }
    }

    /// Sum of the lanes, in an order that depends on [`Self::WIDTH`] only.
    fn sum(self) -> Self::Scalar;

    /// Lane `k` is the sum of the lanes of `vectors[k]`, and zero where there is no such vector. There
    /// are at most [`Self::WIDTH`]. Costs half a transpose.
    fn sums(vectors: &[Self]) -> Self;

    /// Gathers a block of rows into lanes: lane `k` of `to[i]` becomes `rows[k][start + i]` for
    /// i < [`Self::BLOCK`]. There are at least [`Self::WIDTH`] rows.
    fn gather_rows(rows: &[&[Self::Scalar]], start: usize, to: &mut [Self]);

    /// Adds lanes to a block of rows: `to[rows[k] + start + i] +=` lane `k` of `from[i]`. Rows may be fewer
    /// than lanes and do not overlap.
    fn scatter_add_rows(from: &[Self], rows: &[usize], start: usize, to: &mut [Self::Scalar]);
}

/// Rows for [`Lanes::gather_rows`] and [`Lanes::scatter_add_rows`] are padded to a multiple of
/// this many numbers, which is one of every [`Lanes::BLOCK`].
pub const ROW_ALIGNMENT: usize = 16;

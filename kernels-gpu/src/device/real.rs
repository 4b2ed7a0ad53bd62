//! Arithmetic of f32 and f64 on the device.

use super::{Atomic, Word, arch};
use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A floating-point type that kernels compute with.
pub trait Real:
    Word
    + Atomic
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Number 0.
    const ZERO: Self;
    /// Number 1.
    const ONE: Self;
    /// Number nearest to `x`.
    fn from_f64(x: f64) -> Self;
    /// Same number in f64.
    fn to_f64(self) -> f64;
    /// Nearest number in f32.
    fn to_f32(self) -> f32;
    /// Nearest integer to a number that is not negative and below 2²², 2⁵¹ in f64.
    fn round(self) -> Self;
    /// Fused multiply-add `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// Reciprocal square root of a positive normal number, to 2 units in the last place.
    fn rsqrt(self) -> Self;
    /// The same to at least so many bits, or to those of the type where it has fewer; what is not finite stays so.
    fn rsqrt_to<const BITS: u32>(self) -> Self;
    /// Larger of two numbers.
    fn max(self, other: Self) -> Self;
    /// Smaller of two numbers.
    fn min(self, other: Self) -> Self;
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x as Self
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self
    }
    #[inline(always)]
    fn round(self) -> Self {
        // Beyond 2²³ there are no fractions.
        const WHOLE: f32 = (1 << 23) as f32;
        (self + WHOLE) - WHOLE
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        arch::fma_f32(self, b, c)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        arch::rsqrt_f32(self)
    }
    #[inline(always)]
    fn rsqrt_to<const BITS: u32>(self) -> Self {
        arch::rsqrt_f32(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::max(self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::min(self, other)
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn from_f64(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn to_f32(self) -> f32 {
        self as f32
    }
    #[inline(always)]
    fn round(self) -> Self {
        const WHOLE: f64 = (1_u64 << 52) as f64;
        (self + WHOLE) - WHOLE
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        arch::fma_f64(self, b, c)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        self.rsqrt_to::<{ Self::MANTISSA_DIGITS }>()
    }
    #[inline(always)]
    fn rsqrt_to<const BITS: u32>(self) -> Self {
        let y = arch::rsqrt_f64(self);
        // The estimate has 20 bits, a step of second order takes them to 40, one of third past 53.
        if BITS <= 20 {
            return y;
        }
        if BITS <= 40 {
            // The step alone is too small by 3/8 e², 0 to 2 C; half of that is added to all.
            const C: f64 = 6.48e-13;
            let e = (-(self * y)).mul_add(y, 1.0 + 2.0 * C);
            return e.mul_add(half(y), y);
        }
        let e = (-(self * y)).mul_add(y, 1.0);
        (y * e).mul_add(e.mul_add(0.375, 0.5), y)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::max(self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::min(self, other)
    }
}

/// Half of a number above twice the smallest normal one: by its exponent, in an instruction of integers, for which sums in f64 do not
/// wait. Infinity becomes finite, and 0 −∞.
#[inline(always)]
fn half(x: f64) -> f64 {
    f64::from_bits(x.to_bits().wrapping_sub(1 << (f64::MANTISSA_DIGITS - 1)))
}

/// The integer part of a number, by the device's own instruction: 0 below 0, the largest integer above it. NaN becomes 0, or 2³¹
/// on a GPU, where a cast from f64 takes eight more instructions to make it 0.
#[inline(always)]
pub fn truncated(x: f64) -> u32 {
    arch::truncated(x)
}

/// Cosine by the device's own instruction, which nvcc calls with `-use_fast_math`. Its absolute error is 2⁻²⁰ for angles of −π … π,
/// and grows with larger ones.
#[inline(always)]
pub fn cos_approx(angle: f32) -> f32 {
    arch::cos_f32(angle)
}

/// Sine by the device's own instruction, with the error of [`cos_approx`].
#[inline(always)]
pub fn sin_approx(angle: f32) -> f32 {
    arch::sin_f32(angle)
}

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
    /// Fused multiply-add `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// Reciprocal square root of a positive normal number, to 2 units in the last place.
    fn rsqrt(self) -> Self;
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
    fn mul_add(self, b: Self, c: Self) -> Self {
        arch::fma_f32(self, b, c)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
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
    fn mul_add(self, b: Self, c: Self) -> Self {
        arch::fma_f64(self, b, c)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        let y = arch::rsqrt_f64(self);
        // The estimate has 19 bits or more; a cubic step takes them past 53.
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

//! Solid harmonics of a point by recurrence in Cartesian coordinates.
//!
//! For each m the functions of all degrees are one polynomial in z and r², by a [`Recurrence`], times the real and the
//! imaginary part of (x + iy)^m, the [`AzimuthalFactor`]: R_n^m = norm · Q_n^m · Re (x + iy)^m.

use core::ops::{Add, Mul, Neg};

/// Number that recurrences compute with: a float, or a vector of floats.
pub trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    /// 0
    fn zero() -> Self;
    /// 1
    fn one() -> Self;
    /// `self * factor + term`, rounded once where the processor can.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// 1/√self, and 0 at 0.
    fn rsqrt(self) -> Self;
}

#[cfg(feature = "host")]
impl<V: lanes::Lanes> Number for V {
    #[inline(always)]
    fn zero() -> Self {
        lanes::Lanes::zero()
    }

    #[inline(always)]
    fn one() -> Self {
        Self::splat(<V::Scalar as lanes::Real>::ONE)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        lanes::Lanes::mul_add(self, factor, term)
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        lanes::Lanes::rsqrt::<64>(self)
    }
}

/// The numbers of a point from which its recurrences start.
///
/// Both kinds obey one recurrence: the irregular functions with (x, y, z)/r² for the point, 1/r² for
/// r² and 1/r for the first function.
#[derive(Clone, Copy, Debug)]
pub struct Start<V> {
    /// x, or x/r²
    pub x: V,
    /// y, or y/r²
    pub y: V,
    /// z, or z/r²
    pub z: V,
    /// r², or 1/r²
    pub r2: V,
    /// R_0^0 = 1, or I_0^0 = 1/r
    pub first: V,
}

impl<V: Number> Start<V> {
    /// For the regular functions R.
    #[inline(always)]
    pub fn regular([x, y, z]: [V; 3]) -> Self {
        Self { x, y, z, r2: square([x, y, z]), first: V::one() }
    }

    /// For the irregular functions I; all of them are 0 at the origin.
    #[inline(always)]
    pub fn irregular([x, y, z]: [V; 3]) -> Self {
        let first = square([x, y, z]).rsqrt();
        let r2 = first * first;
        Self { x: x * r2, y: y * r2, z: z * r2, r2, first }
    }

    /// For the irregular functions or for the regular ones.
    #[inline(always)]
    pub fn of<const IRREGULAR: bool>(point: [V; 3]) -> Self {
        if IRREGULAR { Self::irregular(point) } else { Self::regular(point) }
    }
}

#[inline(always)]
fn square<V: Number>([x, y, z]: [V; 3]) -> V {
    x.mul_add(x, y.mul_add(y, z * z))
}

/// The polynomials Q_n^m in z and r² of one m, by rising n.
#[derive(Clone, Copy, Debug)]
pub struct Recurrence<V> {
    z: V,
    r2: V,
    /// Q_n^m; 1 at n = m.
    pub value: V,
    below: V,
}

impl<V: Number> Recurrence<V> {
    /// At n = m.
    #[inline(always)]
    pub fn new(start: Start<V>) -> Self {
        Self { z: start.z, r2: start.r2, value: V::one(), below: V::zero() }
    }

    /// Advances from n = m, where there is no lower degree: as [`Self::advance`], in fewer operations.
    #[inline(always)]
    pub fn advance_first(&mut self) {
        (self.below, self.value) = (self.value, self.z);
    }

    /// Advances to the next degree, by the [`polynomial_factor`](super::normalization::polynomial_factor) of this one.
    #[inline(always)]
    pub fn advance(&mut self, factor: V) {
        let next = self.z.mul_add(self.value, factor * self.r2 * self.below);
        (self.below, self.value) = (self.value, next);
    }
}

/// A seed times the real and the imaginary part of (x + iy)^m, by rising m.
#[derive(Clone, Copy, Debug)]
pub struct AzimuthalFactor<V> {
    /// The real part, for the cosines.
    pub cosine: V,
    /// The imaginary part, for the sines.
    pub sine: V,
}

impl<V: Number> AzimuthalFactor<V> {
    /// At m = 0, with the first function for the seed.
    #[inline(always)]
    pub fn new(start: Start<V>) -> Self {
        Self { cosine: start.first, sine: V::zero() }
    }

    /// Multiplies the seed by `factor`.
    #[inline(always)]
    pub fn scale(&mut self, factor: V) {
        self.cosine = self.cosine * factor;
        self.sine = self.sine * factor;
    }

    /// Advances to the next m.
    #[inline(always)]
    pub fn advance(&mut self, Start { x, y, .. }: Start<V>) {
        let Self { cosine, sine } = *self;
        self.cosine = x.mul_add(cosine, -(y * sine));
        self.sine = x.mul_add(sine, y * cosine);
    }
}

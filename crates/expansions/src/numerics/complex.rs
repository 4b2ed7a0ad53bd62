//! Complex numbers, as the phases and the waves of M2L have them.

use super::recurrence::Number;

/// A complex number, or a vector of them.
#[derive(Clone, Copy, Debug)]
pub struct Complex<V> {
    /// Real part.
    pub re: V,
    /// Imaginary part.
    pub im: V,
}

impl<V: Number> Complex<V> {
    /// 0
    #[inline(always)]
    pub fn zero() -> Self {
        Self { re: V::zero(), im: V::zero() }
    }

    /// 1
    #[inline(always)]
    pub fn one() -> Self {
        Self { re: V::one(), im: V::zero() }
    }

    /// `self + other`
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    /// `self · factor`, of a real factor.
    #[inline(always)]
    pub fn times(self, factor: V) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }

    /// `self + x · phase`
    #[inline(always)]
    pub fn add_product(self, x: Self, phase: Self) -> Self {
        Self {
            re: x.re.mul_add(phase.re, (-x.im).mul_add(phase.im, self.re)),
            im: x.im.mul_add(phase.re, x.re.mul_add(phase.im, self.im)),
        }
    }

    /// The same with the imaginary part negated.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { re: self.re, im: -self.im }
    }
}

//! Solid harmonics of one point in registers, by column (m) to expand and by row (n) to evaluate.
//!
//! Columns are the recurrences of `expansions::numerics`. Rows, which derivatives couple, multiply by normalized factors:
//! two rows are all that is kept of the degrees below.

use super::small::constants::{degree_at, derivative_at, norm_at, polynomial_at, sectoral_at};
use super::small::order::Degrees;
use crate::device::{Array, Real};
use core::ops::{Add, Mul, Neg};
use expansions::numerics::recurrence::{self, AzimuthalFactor, Number, Recurrence};

/// A float of one thread, as the shared recurrences compute with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane<T>(pub(super) T);

impl<T: Real> Add for Lane<T> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<T: Real> Mul for Lane<T> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<T: Real> Neg for Lane<T> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<T: Real> Number for Lane<T> {
    #[inline(always)]
    fn zero() -> Self {
        Self(T::ZERO)
    }

    #[inline(always)]
    fn one() -> Self {
        Self(T::ONE)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0))
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self(if self.0 > T::ZERO { self.0.rsqrt() } else { T::ZERO })
    }
}

/// The numbers of a point from which its recurrences start.
pub(super) type Start<T> = recurrence::Start<Lane<T>>;

/// Adds a charge times all functions without their norms to `sums`. About 2.5p² operations.
#[inline(always)]
pub(super) fn add_harmonics<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    charge: T,
    start: Start<T>,
    sums: &mut Array<T, N>,
) {
    let mut azimuth = AzimuthalFactor::new(start);
    azimuth.scale(Lane(charge));
    for m in 0..p.count() {
        let mut recurrence = Recurrence::new(start);
        for n in m..p.count() {
            let (at, value) = (n * n + n, recurrence.value.0);
            sums[at + m] = value.mul_add(azimuth.cosine.0, sums[at + m]);
            if m > 0 {
                sums[at - m] = value.mul_add(azimuth.sine.0, sums[at - m]);
            }
            if n == m {
                recurrence.advance_first();
            } else {
                recurrence.advance(Lane(p.constant(polynomial_at(n, m))));
            }
        }
        azimuth.advance(start);
    }
}

/// Multiplies sums of [`add_harmonics`] by the norms.
#[inline(always)]
pub(super) fn normalize<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    sums: &mut Array<T, N>,
) {
    for n in 0..p.count() {
        for m in 0..n + 1 {
            let (at, norm) = (n * n + n, p.constant(norm_at(n, m)));
            sums[at + m] *= norm;
            if m > 0 {
                sums[at - m] *= norm;
            }
        }
    }
}

/// (c + is) (x + iy)
#[inline(always)]
fn turned<T: Real>(x: T, y: T, c: T, s: T) -> (T, T) {
    (x.mul_add(c, -(y * s)), x.mul_add(s, y * c))
}

/// Functions of one degree, cosines and sines by m; the sine of m = 0 is zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<T> {
    cosine: Array<T, 17>,
    sine: Array<T, 17>,
}

impl<T: Real> Row<T> {
    /// All zero. No constant, which would live in global memory.
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self { cosine: Array::filled(T::ZERO), sine: Array::filled(T::ZERO) }
    }

    /// Degree 0.
    #[inline(always)]
    pub(super) fn first(start: Start<T>) -> Self {
        let mut row = Self::zero();
        row.cosine[0] = start.first.0;
        row
    }

    /// Degree n ≥ 1, from the two below.
    #[inline(always)]
    pub(super) fn next<const P: usize>(
        p: Degrees<T, P>,
        start: Start<T>,
        n: usize,
        below: &Self,
        two_below: &Self,
    ) -> Self {
        let [x, y, z, r2] = [start.x, start.y, start.z, start.r2].map(|Lane(number)| number);
        let mut row = Self::zero();
        for m in 0..n {
            let a = p.constant(degree_at(0, n, m)) * z;
            if m + 1 < n {
                let b = -p.constant(degree_at(1, n, m)) * r2;
                row.cosine[m] = b.mul_add(two_below.cosine[m], a * below.cosine[m]);
                if m > 0 {
                    row.sine[m] = b.mul_add(two_below.sine[m], a * below.sine[m]);
                }
            } else {
                row.cosine[m] = a * below.cosine[m];
                if m > 0 {
                    row.sine[m] = a * below.sine[m];
                }
            }
        }
        let factor = p.constant(sectoral_at(n));
        let (x, y) = (factor * x, factor * y);
        let (c, s) = (below.cosine[n - 1], below.sine[n - 1]);
        (row.cosine[n], row.sine[n]) = if n > 1 { turned(x, y, c, s) } else { (x * c, y * c) };
        row
    }
}

/// Potential and gradient of a series at a point, in units of the box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values<T> {
    pub(super) gradient: [T; 3],
    pub(super) potential: T,
}

impl<T: Real> Values<T> {
    pub(super) const ZERO: Self = Self { gradient: [T::ZERO; 3], potential: T::ZERO };

    /// Adds `other`, which is in units of a box of side 1/`inverse`.
    #[inline(always)]
    pub(super) fn add(&mut self, other: Self, inverse: T) {
        let ([gx, gy, gz], [x, y, z]) = (self.gradient, other.gradient);
        let inverse2 = inverse * inverse;
        let add = |sum: T, value: T| value.mul_add(inverse2, sum);
        self.gradient = [add(gx, x), add(gy, y), add(gz, z)];
        self.potential = other.potential.mul_add(inverse, self.potential);
    }

    /// Adds degree n of Σ L_i R_i: `row` is that degree, `below` the one less.
    #[inline(always)]
    pub(super) fn add_local<const P: usize, const N: usize>(
        &mut self,
        p: Degrees<T, P>,
        n: usize,
        row: &Row<T>,
        below: &Row<T>,
        e: &Array<T, N>,
    ) {
        for m in 0..n + 1 {
            let (c, s) = self.add_terms(n, m, row, e);
            if n > 0 {
                let factors = [1, 2, 0].map(|part| p.constant(derivative_at(part, n, m)));
                // There is no R_{n−1}^{m+1} for m > n − 2, and no R_{n−1}^n.
                self.add_derivatives(m, [m < n, m + 1 < n], factors, [c, s], below);
            }
        }
    }

    /// Adds degree n of Σ M_i I_i: `row` is that degree, `above` the one more.
    #[inline(always)]
    pub(super) fn add_multipole<const P: usize, const N: usize>(
        &mut self,
        p: Degrees<T, P>,
        n: usize,
        row: &Row<T>,
        above: &Row<T>,
        e: &Array<T, N>,
    ) {
        for m in 0..n + 1 {
            let (c, s) = self.add_terms(n, m, row, e);
            // The factors between this degree and the one above are those of R_{n+1}, one of them negated.
            let along = -p.constant(derivative_at(1, n + 1, m));
            let ahead = p.constant(derivative_at(0, n + 1, m + 1));
            let back = p.constant(derivative_at(2, n + 1, if m > 0 { m - 1 } else { 0 }));
            self.add_derivatives(m, [true, true], [along, ahead, back], [c, s], above);
        }
    }

    #[inline(always)]
    fn add_terms<const N: usize>(
        &mut self,
        n: usize,
        m: usize,
        row: &Row<T>,
        e: &Array<T, N>,
    ) -> (T, T) {
        let c = e[n * n + n + m];
        self.potential = c.mul_add(row.cosine[m], self.potential);
        if m == 0 {
            return (c, T::ZERO);
        }
        let s = e[n * n + n - m];
        self.potential = s.mul_add(row.sine[m], self.potential);
        (c, s)
    }

    /// The table of `docs/theory/formulas.md`, section 2: `to` are the functions of the next degree, `has` says whether it
    /// has azimuthal indices m and m + 1.
    #[inline(always)]
    fn add_derivatives(
        &mut self,
        m: usize,
        has: [bool; 2],
        [along, ahead, back]: [T; 3],
        [c, s]: [T; 2],
        to: &Row<T>,
    ) {
        let [gx, gy, gz] = &mut self.gradient;
        if has[0] {
            *gz = (along * c).mul_add(to.cosine[m], *gz);
            if m > 0 {
                *gz = (along * s).mul_add(to.sine[m], *gz);
            }
        }
        if has[1] {
            let (c, s) = (ahead * c, ahead * s);
            *gx = (-c).mul_add(to.cosine[m + 1], *gx);
            *gy = (-c).mul_add(to.sine[m + 1], *gy);
            if m > 0 {
                *gx = (-s).mul_add(to.sine[m + 1], *gx);
                *gy = s.mul_add(to.cosine[m + 1], *gy);
            }
        }
        if m > 0 {
            let (c, s) = (back * c, back * s);
            *gx = c.mul_add(to.cosine[m - 1], *gx);
            *gy = s.mul_add(to.cosine[m - 1], *gy);
            if m > 1 {
                *gx = s.mul_add(to.sine[m - 1], *gx);
                *gy = (-c).mul_add(to.sine[m - 1], *gy);
            }
        }
    }
}

//! Solid harmonics of one point in registers, by column (m) to expand and by row (n) to evaluate.
//!
//! Recurrences of `expansions::Harmonics`; regular and irregular functions obey the same, with (x, y, z)/r² for the point
//! and 1/r² for r².

use super::constants::{climb, down, sectoral, up};
use super::order::Degrees;
use crate::device::{Array, Real};

/// What the recurrences start from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<T> {
    seed: T,
    point: [T; 3],
    r2: T,
}

impl<T: Real> Start<T> {
    /// Of R_i(point), times `seed`.
    #[inline(always)]
    pub(super) fn regular(seed: T, point: [T; 3]) -> Self {
        Self { seed, point, r2: square(point) }
    }

    /// Of I_i(point), times `seed`; all zero at the origin.
    #[inline(always)]
    pub(super) fn irregular(seed: T, point: [T; 3]) -> Self {
        let r2 = square(point);
        let inverse = if r2 > T::ZERO { r2.rsqrt() } else { T::ZERO };
        let inverse2 = inverse * inverse;
        Self { seed: seed * inverse, point: point.map(|x| x * inverse2), r2: inverse2 }
    }
}

#[inline(always)]
fn square<T: Real>([x, y, z]: [T; 3]) -> T {
    x.mul_add(x, y.mul_add(y, z * z))
}

/// Adds all functions to `sums`. About 4p² operations.
#[inline(always)]
pub(super) fn add_harmonics<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    start: Start<T>,
    sums: &mut Array<T, N>,
) {
    let Start { seed, point: [x, y, z], r2 } = start;
    let (mut top_c, mut top_s) = (seed, T::ZERO);
    for m in 0..p.count() {
        if m > 0 {
            let factor = p.constant(sectoral(m));
            let (x, y) = (factor * x, factor * y);
            (top_c, top_s) = turned(x, y, top_c, top_s);
        }
        let (mut c, mut s) = (top_c, top_s);
        let (mut below_c, mut below_s) = (T::ZERO, T::ZERO);
        for n in m..p.count() {
            if n > m {
                let a = p.constant(climb(0, n, m)) * z;
                let (next_c, next_s) = if n > m + 1 {
                    let b = -p.constant(climb(1, n, m)) * r2;
                    (b.mul_add(below_c, a * c), b.mul_add(below_s, a * s))
                } else {
                    (a * c, a * s)
                };
                (below_c, below_s) = (c, s);
                (c, s) = (next_c, next_s);
            }
            let at = n * n + n;
            sums[at + m] += c;
            if m > 0 {
                sums[at - m] += s;
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
        row.cosine[0] = start.seed;
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
        let Start { point: [x, y, z], r2, .. } = start;
        let mut row = Self::zero();
        for m in 0..n {
            let a = p.constant(climb(0, n, m)) * z;
            if m + 1 < n {
                let b = -p.constant(climb(1, n, m)) * r2;
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
        let factor = p.constant(sectoral(n));
        let (x, y) = (factor * x, factor * y);
        let (c, s) = (below.cosine[n - 1], below.sine[n - 1]);
        (row.cosine[n], row.sine[n]) = if n > 1 { turned(x, y, c, s) } else { (x * c, y * c) };
        row
    }
}

/// Potential and gradient of a series at a point, in units of the box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<T> {
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
                let factors = [0, 1, 2].map(|part| p.constant(down(part, n, m)));
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
            let factors = [0, 1, 2].map(|part| p.constant(up(part, n, m)));
            self.add_derivatives(m, [true, true], factors, [c, s], above);
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
    /// has orders m and m + 1.
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

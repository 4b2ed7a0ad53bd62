//! Spherical coordinates and associated Legendre functions of one thread.

use crate::device::{Real, shared::Shared};
use crate::papers::azimuth::azimuth;
use crate::papers::m2l_listing::real;

/// A vector in spherical coordinates.
pub(super) struct Spherical {
    /// Length ρ.
    pub(super) rho: f32,
    /// Reciprocal length; 0 for the zero vector.
    pub(super) inverse: f32,
    /// Cosine of the polar angle α; 1 for the zero vector.
    pub(super) x: f32,
    /// Sine of the polar angle α.
    pub(super) s: f32,
    /// Azimuth β.
    pub(super) beta: f32,
    /// Cosine and sine of β.
    pub(super) direction: [f32; 2],
}

impl Spherical {
    #[inline(always)]
    pub(super) fn of([dx, dy, dz]: [f32; 3]) -> Self {
        let across2 = Real::mul_add(dx, dx, dy * dy);
        let r2 = Real::mul_add(dz, dz, across2);
        let inverse = if r2 > 0.0 { Real::rsqrt(r2) } else { 0.0 };
        let turn = if across2 > 0.0 { Real::rsqrt(across2) } else { 0.0 };
        Self {
            rho: r2 * inverse,
            inverse,
            x: if r2 > 0.0 { dz * inverse } else { 1.0 },
            s: across2 * turn * inverse,
            beta: azimuth(dx, dy),
            direction: if across2 > 0.0 { [dx * turn, dy * turn] } else { [1.0, 0.0] },
        }
    }
}

/// Norm √((n−m)!/(n+m)!) of Y_n^m: (n−m)! A_n^m, equations 5 and 6.
#[inline(always)]
pub(super) fn norm(factorial: Shared<f32>, n: usize, m: usize) -> f32 {
    let least = factorial.get(n - m);
    least * Real::rsqrt(least * factorial.get(n + m))
}

/// Values of P_n^m for n = m, m + 1, … by equations 7 to 9, beginning with a given value of degree m.
pub(super) struct Column {
    x: f32,
    m: usize,
    n: usize,
    /// Value of degree n.
    pub(super) value: f32,
    /// Value of degree n − 1; 0 at n = m.
    pub(super) before: f32,
}

impl Column {
    #[inline(always)]
    pub(super) fn new(x: f32, m: usize, value: f32) -> Self {
        Self { x, m, n: m, value, before: 0.0 }
    }

    /// Goes to the next degree.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        let (n, m) = (self.n, self.m);
        // At n = m this is equation 9.
        let next = (self.x * real::<f32>(2 * n + 1) * self.value
            - real::<f32>(n + m) * self.before)
            / real::<f32>(n - m + 1);
        (self.before, self.value, self.n) = (self.value, next, n + 1);
    }
}

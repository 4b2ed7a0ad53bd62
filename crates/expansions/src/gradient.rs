//! The gradient of an expansion, as three expansions in the same functions.
//!
//! ∂R_n^m is a sum of R_{n−1}^{m−1, m, m+1}, and ∂I_n^m one of I_{n+1}^{m−1, m, m+1}
//! (`docs/theory/formulas.md`). Moving the derivative from the functions, which differ from point
//! to point, to the coefficients costs p² operations a box instead of p² a point.

use alloc::vec::Vec;

use lanes::Real;

use crate::layout::{index, n_coefficients};
use crate::numerics::differentiation::factors;

/// The factors that differentiation brings, up to an order.
#[derive(Clone, Debug)]
pub struct Gradient<T> {
    order: usize,
    /// Factors towards m − 1, m and m + 1 of the degree below, for each coefficient with m ≥ 0, by
    /// degree.
    down: Vec<[T; 3]>,
}

impl<T: Real> Gradient<T> {
    /// Factors for expansions of order up to `order`, and for multipoles of order `order − 1`.
    pub fn new(order: usize) -> Self {
        let mut down = Vec::with_capacity(order * (order + 1) / 2);
        for n in 0..order {
            for m in 0..=n {
                down.push(factors(n, m).map(T::narrow));
            }
        }
        Self { order, down }
    }

    /// Numbers of the factors of an order.
    pub const fn table_numbers(order: usize) -> usize {
        3 * order * (order + 1) / 2
    }

    /// Memory of the factors, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.down.as_slice())
    }

    /// Writes the coefficients of ∂Φ/∂x, ∂Φ/∂y and ∂Φ/∂z, for Φ = Σ L_i R_i, to `out`: three
    /// expansions of order p − 1, each in a slice of at least (p − 1)² numbers.
    pub fn of_local(&self, order: usize, local: &[T], out: [&mut [T]; 3]) {
        let [dx, dy, dz] = out;
        let end = n_coefficients(order.saturating_sub(1));
        for d in [&mut *dx, &mut *dy, &mut *dz] {
            d[..end].fill(T::ZERO);
        }
        self.visit(1..order, |above, below, factor, axis| match axis {
            Axis::X(sign) => dx[below] += sign * factor * local[above],
            Axis::Y(sign) => dy[below] += sign * factor * local[above],
            Axis::Z => dz[below] += factor * local[above],
        });
    }

    /// Writes the coefficients of the three derivatives of Φ = Σ M_i I_i to `out`: three expansions
    /// of order p + 1.
    pub fn of_multipole(&self, order: usize, multipole: &[T], out: [&mut [T]; 3]) {
        debug_assert!(order < self.order);
        let [dx, dy, dz] = out;
        for d in [&mut *dx, &mut *dy, &mut *dz] {
            d[..n_coefficients(order + 1)].fill(T::ZERO);
        }
        // The factors between I_n and I_{n+1} are those between R_{n+1} and R_n, negated: the
        // derivative of one basis is the adjoint of that of the other.
        self.visit(1..order + 1, |above, below, factor, axis| match axis {
            Axis::X(sign) => dx[above] -= sign * factor * multipole[below],
            Axis::Y(sign) => dy[above] -= sign * factor * multipole[below],
            Axis::Z => dz[above] -= factor * multipole[below],
        });
    }

    /// Calls `entry(i, k, factor, axis)` for every non-zero factor of R_k in a derivative of R_i,
    /// for i of the given degrees.
    fn visit(
        &self,
        degrees: core::ops::Range<usize>,
        mut entry: impl FnMut(usize, usize, T, Axis<T>),
    ) {
        let (plus, minus) = (T::ONE, -T::ONE);
        for n in degrees {
            for m in 0..=n as isize {
                let [lower, middle, upper] = self.down[n * (n + 1) / 2 + m.unsigned_abs()];
                let (cosine, sine) = (index(n, m), index(n, -m));
                let below = |m: isize| index(n - 1, m);
                if m < n as isize {
                    entry(cosine, below(m), middle, Axis::Z);
                    if m > 0 {
                        entry(sine, below(-m), middle, Axis::Z);
                    }
                }
                if m + 1 < n as isize {
                    entry(cosine, below(m + 1), upper, Axis::X(minus));
                    entry(cosine, below(-m - 1), upper, Axis::Y(minus));
                    if m > 0 {
                        entry(sine, below(-m - 1), upper, Axis::X(minus));
                        entry(sine, below(m + 1), upper, Axis::Y(plus));
                    }
                }
                if m > 0 {
                    entry(cosine, below(m - 1), lower, Axis::X(plus));
                    entry(sine, below(m - 1), lower, Axis::Y(plus));
                }
                if m > 1 {
                    entry(sine, below(1 - m), lower, Axis::X(plus));
                    entry(cosine, below(1 - m), lower, Axis::Y(minus));
                }
            }
        }
    }
}

/// Axis of a derivative, with the sign of the factor.
enum Axis<T> {
    X(T),
    Y(T),
    Z,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Harmonics;

    const ORDER: usize = 9;

    fn values(irregular: bool, order: usize, point: [f64; 3]) -> Vec<f64> {
        let mut out = vec![0.0; n_coefficients(order)];
        let harmonics = Harmonics::new(order);
        if irregular {
            harmonics.irregular(1.0, point, &mut out);
        } else {
            harmonics.regular(1.0, point, &mut out);
        }
        out
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// The derivative coefficients against central differences of fourth order.
    fn check(irregular: bool) {
        let point = [0.7, -0.6, 0.9];
        let coefficients: Vec<f64> =
            (0..ORDER * ORDER).map(|i| (i as f64 * 0.618).fract() - 0.5).collect();
        let mut out = [(); 3].map(|()| vec![0.0; n_coefficients(ORDER + 1)]);
        let [dx, dy, dz] = &mut out;
        let gradient = Gradient::new(ORDER + 1);
        let order = if irregular {
            gradient.of_multipole(ORDER, &coefficients, [dx, dy, dz]);
            ORDER + 1
        } else {
            gradient.of_local(ORDER, &coefficients, [dx, dy, dz]);
            ORDER - 1
        };
        for axis in 0..3 {
            let at = |step: f64| {
                let mut moved = point;
                moved[axis] += step;
                dot(&coefficients, &values(irregular, ORDER, moved))
            };
            let h = 1e-3;
            let want = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let got = dot(&out[axis][..order * order], &values(irregular, order, point));
            assert!((got - want).abs() < 1e-8 * (1.0 + want.abs()), "axis {axis}: {got} {want}");
        }
    }

    #[test]
    fn local_gradient_equals_differences() {
        check(false);
    }

    #[test]
    fn multipole_gradient_equals_differences() {
        check(true);
    }
}

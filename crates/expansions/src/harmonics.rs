//! Real solid harmonics by recurrence in Cartesian coordinates, for a vector of points at a time.
//!
//! The basis is the real, Schmidt semi-normalised one, in which 1/|x − y| = Σ_i R_i(y) I_i(x);
//! see `docs/theory/formulas.md`. All functions are of order 1 at the unit sphere for every
//! degree, so orders of 40 and more neither overflow nor underflow.
//!
//! The functions of all degrees at one m are one polynomial in z and r², by a [`Recurrence`], times
//! the real and the imaginary part of (x + iy)^m, the [`AzimuthalFactor`]. Sums over degrees are taken
//! along the recurrence, so that neither the functions nor the parts of a point are ever stored.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::layout::index;
use crate::numerics::normalization::{Norms, polynomial_factor};
use crate::numerics::recurrence::{AzimuthalFactor, Recurrence, Start};

/// The recurrences' factors up to an order.
///
/// Cost of a table: p² numbers. Cost of an evaluation: about 1.5 p² multiply-adds a point.
#[derive(Clone, Debug)]
pub struct Harmonics<T> {
    order: usize,
    /// Factors for m = 0, 1 … and n = m, m + 1 … below the order.
    degrees: Vec<DegreeFactors<T>>,
}

/// Factors of one degree n and one m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DegreeFactors<T> {
    /// R_n^m = `norm` · Q_n^m · Re (x + iy)^m, where Q_n^m = z^(n−m) + … is the recurrence's value.
    pub(crate) norm: T,
    /// Q_{n+1}^m = z Q_n^m + `polynomial` · r² Q_{n−1}^m.
    pub(crate) polynomial: T,
}

impl<T: Real> Harmonics<T> {
    /// Factors for the degrees below `order`.
    pub fn new(order: usize) -> Self {
        let mut degrees = Vec::with_capacity(order * (order + 1) / 2);
        let mut sectoral = Norms::FIRST;
        for m in 0..order {
            let mut norms = sectoral;
            for n in m..order {
                let norm = T::narrow(norms.value());
                degrees
                    .push(DegreeFactors { norm, polynomial: T::narrow(polynomial_factor(n, m)) });
                norms = norms.next_degree();
            }
            sectoral = sectoral.next_m();
        }
        Self { order, degrees }
    }

    /// Numbers of the factors of an order.
    pub const fn table_numbers(order: usize) -> usize {
        order * (order + 1)
    }

    /// Memory of the factors, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.degrees.as_slice())
    }

    /// Degrees below this one are evaluated.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Factors of the degrees from m upwards.
    #[inline(always)]
    pub(crate) fn degrees(&self, m: usize) -> &[DegreeFactors<T>] {
        // Below m there are m rows of order, order − 1 … degrees.
        let start = m * (2 * self.order + 1 - m) / 2;
        &self.degrees[start..start + self.order - m]
    }

    /// Number of pairs of degree and m.
    #[inline(always)]
    pub(crate) fn n_degrees(&self) -> usize {
        self.degrees.len()
    }

    /// Writes `seed · R_i(x, y, z)` to `out`, which has one vector for each of the p² coefficients.
    #[inline(always)]
    pub fn regular<V: Lanes<Scalar = T>>(&self, seed: V, point: [V; 3], out: &mut [V]) {
        self.fill(seed, Start::regular(point), out);
    }

    /// Writes `seed · I_i(x, y, z)` to `out`; all zero at the origin.
    #[inline(always)]
    pub fn irregular<V: Lanes<Scalar = T>>(&self, seed: V, point: [V; 3], out: &mut [V]) {
        self.fill(seed, Start::irregular(point), out);
    }

    #[inline(always)]
    fn fill<V: Lanes<Scalar = T>>(&self, seed: V, start: Start<V>, out: &mut [V]) {
        let mut azimuth = AzimuthalFactor::new(start);
        azimuth.scale(seed);
        for m in 0..self.order {
            let mut recurrence = Recurrence::new(start);
            for (n, factors) in (m..).zip(self.degrees(m)) {
                let value = V::splat(factors.norm) * recurrence.value;
                out[index(n, -(m as isize))] = value * azimuth.sine;
                out[index(n, m as isize)] = value * azimuth.cosine;
                recurrence.advance(V::splat(factors.polynomial));
            }
            azimuth.advance(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::index;

    /// Associated Legendre function without the Condon–Shortley phase, by its own recurrence.
    fn legendre(n: usize, m: usize, x: f64) -> f64 {
        let mut value = (0..m).fold(1.0, |p, k| p * (2 * k + 1) as f64 * (1.0 - x * x).sqrt());
        let mut below = 0.0;
        for k in m..n {
            let next =
                (x * (2 * k + 1) as f64 * value - (k + m) as f64 * below) / (k - m + 1) as f64;
            (below, value) = (value, next);
        }
        value
    }

    #[test]
    fn equals_the_definition_in_angles() {
        let order = 13;
        let (r, theta, phi) = (0.8_f64, 1.1_f64, -2.3_f64);
        let point = [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()].map(|c| c * r);
        let (mut regular, mut irregular) = ([0.0; 169], [0.0; 169]);
        let harmonics = Harmonics::<f64>::new(order);
        harmonics.regular(1.0, point, &mut regular);
        harmonics.irregular(1.0, point, &mut irregular);
        for n in 0..order {
            for m in -(n as isize)..=n as isize {
                let k = m.unsigned_abs();
                let ratio = (n - k + 1..=n + k).fold(1.0, |f, i| f / i as f64);
                let angle = if m < 0 { (k as f64 * phi).sin() } else { (k as f64 * phi).cos() };
                let norm = if m == 0 { 1.0 } else { (2.0 * ratio).sqrt() };
                let surface = norm * legendre(n, k, theta.cos()) * angle;
                let at = index(n, m);
                assert!((regular[at] - surface * r.powi(n as i32)).abs() < 1e-14 * order as f64);
                let want = surface / r.powi(n as i32 + 1);
                assert!((irregular[at] - want).abs() < 1e-14 * order as f64 / r.powi(n as i32 + 1));
            }
        }
    }

    #[test]
    fn addition_theorem_gives_the_kernel() {
        let order = 60;
        let (y, x) = ([0.1, -0.3, 0.2], [0.9, 0.7, -1.1]);
        let (mut regular, mut irregular) = (vec![0.0; 3600], vec![0.0; 3600]);
        let harmonics = Harmonics::<f64>::new(order);
        harmonics.regular(1.0, y, &mut regular);
        harmonics.irregular(1.0, x, &mut irregular);
        let sum: f64 = regular.iter().zip(&irregular).map(|(r, i)| r * i).sum();
        let distance2: f64 = x.iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!((sum - distance2.sqrt().recip()).abs() < 1e-14);
    }

    #[test]
    fn the_origin_is_no_trap() {
        let (mut regular, mut irregular) = ([1.0_f32; 100], [1.0_f32; 100]);
        let harmonics = Harmonics::<f32>::new(10);
        harmonics.regular(1.0, [0.0; 3], &mut regular);
        harmonics.irregular(1.0, [0.0; 3], &mut irregular);
        assert_eq!(regular[0], 1.0);
        assert!(regular[1..].iter().chain(&irregular).all(|v| *v == 0.0));
    }
}

//! Real solid harmonics by recurrence in Cartesian coordinates, for a vector of points at a time.
//!
//! The basis is the real, Schmidt semi-normalised one, in which 1/|x − y| = Σ_i R_i(y) I_i(x);
//! see `docs/theory/formulas.md`. All functions are of order 1 at the unit sphere for every
//! degree, so orders of 40 and more neither overflow nor underflow.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::layout::n_coefficients;

/// The recurrences' factors up to an order.
///
/// Cost of a table: p² numbers. Cost of an evaluation: about 4 p² multiply-adds a point.
#[derive(Clone, Debug)]
pub struct Harmonics<T> {
    order: usize,
    /// Factor of R_{n−1}^{n−1} in R_n^n, by n.
    sectoral: Vec<T>,
    /// Factors of z R_{n−1}^m and of r² R_{n−2}^m in R_n^m, for n = 0, 1 … and |m| < n.
    climb: Vec<[T; 2]>,
}

/// Factor of R_{m−1}^{m−1} in R_m^m.
pub(crate) fn sectoral_factor(m: usize) -> f64 {
    if m < 2 { 1.0 } else { num_traits::Float::sqrt((2 * m - 1) as f64 / (2 * m) as f64) }
}

/// Factors of z R_{n−1}^m and of r² R_{n−2}^m in R_n^m, for m < n.
pub(crate) fn climb_factors(n: usize, m: usize) -> [f64; 2] {
    let root = |x: usize| <f64 as num_traits::Float>::sqrt(x as f64);
    let scale = root(n * n - m * m).recip();
    // Where m = n − 1 there is no R_{n−2}^m, and its factor is zero.
    [(2 * n - 1) as f64 * scale, root((n - 1) * (n - 1) - m * m) * scale]
}

impl<T: Real> Harmonics<T> {
    /// Factors for the degrees below `order`.
    pub fn new(order: usize) -> Self {
        let sectoral = (0..order).map(sectoral_factor).map(T::narrow).collect();
        let mut climb = Vec::with_capacity(n_coefficients(order.saturating_sub(1)));
        for n in 1..order {
            let orders = 1 - n as isize..n as isize;
            climb.extend(orders.map(|m| climb_factors(n, m.unsigned_abs()).map(T::narrow)));
        }
        Self { order, sectoral, climb }
    }

    /// Degrees below this one are evaluated.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Writes `seed · R_i(x, y, z)` to `out`, which has one vector for each of the p² coefficients.
    #[inline(always)]
    pub fn regular<V: Lanes<Scalar = T>>(&self, seed: V, [x, y, z]: [V; 3], out: &mut [V]) {
        let r2 = x.mul_add(x, y.mul_add(y, z * z));
        self.fill(seed, [x, y, z], r2, out);
    }

    /// Writes `seed · I_i(x, y, z)` to `out`; all zero at the origin.
    #[inline(always)]
    pub fn irregular<V: Lanes<Scalar = T>>(&self, seed: V, [x, y, z]: [V; 3], out: &mut [V]) {
        let r2 = x.mul_add(x, y.mul_add(y, z * z));
        let inverse = r2.rsqrt_where::<64>(r2);
        let inverse2 = inverse * inverse;
        self.fill(seed * inverse, [x * inverse2, y * inverse2, z * inverse2], inverse2, out);
    }

    /// Both kinds obey one recurrence: the irregular functions with (x, y, z)/r² for the point and
    /// 1/r² for r².
    #[inline(always)]
    fn fill<V: Lanes<Scalar = T>>(&self, seed: V, [x, y, z]: [V; 3], r2: V, out: &mut [V]) {
        let mut climb = self.climb.as_slice();
        for (n, sectoral) in self.sectoral.iter().enumerate() {
            let (lower, row) = out.split_at_mut(n * n);
            let row = &mut row[..2 * n + 1];
            if n == 0 {
                row[0] = seed;
                continue;
            }
            let (two_below, below) = lower.split_at((n - 1) * (n - 1));
            let (factors, rest) = climb.split_at(2 * n - 1);
            climb = rest;
            for ((value, below), [a, _]) in row[1..].iter_mut().zip(below).zip(factors) {
                *value = V::splat(*a) * z * *below;
            }
            if n == 1 {
                row[0] = y * seed;
                row[2] = x * seed;
                continue;
            }
            let two_below = &two_below[(n - 2) * (n - 2)..];
            for ((value, two_below), [_, b]) in
                row[2..].iter_mut().zip(two_below).zip(&factors[1..])
            {
                *value -= V::splat(*b) * r2 * *two_below;
            }
            let (sine, cosine) = (below[0], below[2 * n - 2]);
            let (x, y) = (V::splat(*sectoral) * x, V::splat(*sectoral) * y);
            row[0] = x.mul_add(sine, y * cosine);
            row[2 * n] = x.mul_add(cosine, -(y * sine));
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

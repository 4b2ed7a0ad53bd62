//! Real solid harmonics by recurrence in Cartesian coordinates, for a vector of points at a time.
//!
//! The basis is the real, Schmidt semi-normalised one, in which 1/|x − y| = Σ_i R_i(y) I_i(x);
//! see `docs/theory/formulas.md`. All functions are of order 1 at the unit sphere for every
//! degree, so orders of 40 and more neither overflow nor underflow.
//!
//! For each m the functions of all degrees are one polynomial in z and r², a [`Ladder`], times the
//! real and the imaginary part of (x + iy)^m, an [`Azimuth`]. Sums over degrees are taken along the
//! ladder, so that neither the functions nor the parts of a point are ever stored.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::layout::index;

/// The recurrences' factors up to an order.
///
/// Cost of a table: p² numbers. Cost of an evaluation: about 1.5 p² multiply-adds a point.
#[derive(Clone, Debug)]
pub struct Harmonics<T> {
    order: usize,
    /// For m = 0, 1 … and n = m, m + 1 … below the order.
    rungs: Vec<Rung<T>>,
}

/// What the recurrences need to know of one degree n and one m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rung<T> {
    /// R_n^m = `norm` · Q_n^m · Re (x + iy)^m, where Q_n^m = z^(n−m) + … is the ladder's value.
    pub(crate) norm: T,
    /// Q_{n+1}^m = z Q_n^m + `drop` · r² Q_{n−1}^m.
    pub(crate) drop: T,
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
        let mut rungs = Vec::with_capacity(order * (order + 1) / 2);
        let mut sectoral = 1.0;
        for m in 0..order {
            sectoral *= sectoral_factor(m);
            let mut norm = sectoral;
            for n in m..order {
                let [n2, m2] = [n, m].map(|k| (k * k) as f64);
                let drop = (m2 - n2) / (4.0 * n2 - 1.0);
                rungs.push(Rung { norm: T::narrow(norm), drop: T::narrow(drop) });
                norm *= climb_factors(n + 1, m)[0];
            }
        }
        Self { order, rungs }
    }

    /// Degrees below this one are evaluated.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The degrees from m upwards.
    #[inline(always)]
    pub(crate) fn rungs(&self, m: usize) -> &[Rung<T>] {
        // Below m there are m rows of order, order − 1 … rungs.
        let start = m * (2 * self.order + 1 - m) / 2;
        &self.rungs[start..start + self.order - m]
    }

    /// All degrees of all m, in the order m, n.
    #[inline(always)]
    pub(crate) fn all_rungs(&self) -> &[Rung<T>] {
        &self.rungs
    }

    /// Writes `seed · R_i(x, y, z)` to `out`, which has one vector for each of the p² coefficients.
    #[inline(always)]
    pub fn regular<V: Lanes<Scalar = T>>(&self, seed: V, point: [V; 3], out: &mut [V]) {
        self.fill(seed, Place::regular(point), out);
    }

    /// Writes `seed · I_i(x, y, z)` to `out`; all zero at the origin.
    #[inline(always)]
    pub fn irregular<V: Lanes<Scalar = T>>(&self, seed: V, point: [V; 3], out: &mut [V]) {
        self.fill(seed, Place::irregular(point), out);
    }

    #[inline(always)]
    fn fill<V: Lanes<Scalar = T>>(&self, seed: V, place: Place<V>, out: &mut [V]) {
        let mut azimuth = Azimuth::new(place);
        azimuth.weigh(seed);
        for m in 0..self.order {
            let mut ladder = Ladder::new(place);
            for (n, rung) in (m..).zip(self.rungs(m)) {
                let value = V::splat(rung.norm) * ladder.value;
                out[index(n, -(m as isize))] = value * azimuth.sine;
                out[index(n, m as isize)] = value * azimuth.cosine;
                ladder.climb(rung.drop);
            }
            azimuth.turn(place);
        }
    }
}

/// Where harmonics are evaluated.
///
/// Both kinds obey one recurrence: the irregular functions with (x, y, z)/r² for the point, 1/r² for
/// r² and 1/r for the first function.
#[derive(Clone, Copy)]
pub(crate) struct Place<V> {
    x: V,
    y: V,
    z: V,
    r2: V,
    first: V,
}

impl<V: Lanes> Place<V> {
    /// For the regular functions R.
    #[inline(always)]
    pub(crate) fn regular([x, y, z]: [V; 3]) -> Self {
        let r2 = x.mul_add(x, y.mul_add(y, z * z));
        Self { x, y, z, r2, first: V::splat(V::Scalar::ONE) }
    }

    /// For the irregular functions I; all of them are 0 at the origin.
    #[inline(always)]
    pub(crate) fn irregular([x, y, z]: [V; 3]) -> Self {
        let r2 = x.mul_add(x, y.mul_add(y, z * z));
        let first = r2.rsqrt::<64>();
        let r2 = first * first;
        Self { x: x * r2, y: y * r2, z: z * r2, r2, first }
    }

    /// For the irregular functions or for the regular ones.
    #[inline(always)]
    pub(crate) fn of<const IRREGULAR: bool>(point: [V; 3]) -> Self {
        if IRREGULAR { Self::irregular(point) } else { Self::regular(point) }
    }
}

/// The polynomials Q_n^m in z and r² of one m, by rising n.
#[derive(Clone, Copy)]
pub(crate) struct Ladder<V> {
    z: V,
    r2: V,
    /// Q_n^m; 1 at n = m.
    pub(crate) value: V,
    below: V,
}

impl<V: Lanes> Ladder<V> {
    /// At n = m.
    #[inline(always)]
    pub(crate) fn new(place: Place<V>) -> Self {
        Self { z: place.z, r2: place.r2, value: V::splat(V::Scalar::ONE), below: V::zero() }
    }

    /// To the next degree, by the [`Rung::drop`] of this one.
    #[inline(always)]
    pub(crate) fn climb(&mut self, drop: V::Scalar) {
        let next = self.z.mul_add(self.value, V::splat(drop) * self.r2 * self.below);
        (self.below, self.value) = (self.value, next);
    }
}

/// A seed times the real and the imaginary part of (x + iy)^m, by rising m.
#[derive(Clone, Copy)]
pub(crate) struct Azimuth<V> {
    pub(crate) cosine: V,
    pub(crate) sine: V,
}

impl<V: Lanes> Azimuth<V> {
    /// At m = 0.
    #[inline(always)]
    pub(crate) fn new(place: Place<V>) -> Self {
        Self { cosine: place.first, sine: V::zero() }
    }

    /// With the seed multiplied by a factor.
    #[inline(always)]
    pub(crate) fn weigh(&mut self, factor: V) {
        self.cosine = self.cosine * factor;
        self.sine = self.sine * factor;
    }

    /// To the next m.
    #[inline(always)]
    pub(crate) fn turn(&mut self, Place { x, y, .. }: Place<V>) {
        let Self { cosine, sine } = *self;
        self.cosine = x.mul_add(cosine, -(y * sine));
        self.sine = x.mul_add(sine, y * cosine);
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

//! Rotations of an expansion: about z by a phase, about y by Wigner's d.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::layout::index;
use crate::matrix::BlockMatrix;

/// Wigner's d^n_{m'm}(β) for all n < order and one (m', m), by the three-term recurrence in n,
/// which is stable because it climbs (the functions are Jacobi polynomials).
///
/// `out[n]` is left alone for n < max(|m'|, |m|).
fn wigner_d(m1: i64, m2: i64, beta: f64, out: &mut [f64]) {
    let start = m1.abs().max(m2.abs());
    let (product, cosine) = ((m1 * m2) as f64, num_traits::Float::cos(beta));
    let root = |n: i64| num_traits::Float::sqrt(((n * n - m1 * m1) * (n * n - m2 * m2)) as f64);
    let (mut below, mut value) = (0.0, seed(m1, m2, beta));
    for n in start..out.len() as i64 {
        out[n as usize] = value;
        let next = if n == 0 {
            cosine
        } else {
            let (x, n1) = ((n * (n + 1)) as f64 * cosine - product, (n + 1) as f64);
            ((2 * n + 1) as f64 * x * value - n1 * root(n) * below) / (n as f64 * root(n + 1))
        };
        (below, value) = (value, next);
    }
}

/// d^l_{m'm}(β) for l = max(|m'|, |m|), reduced by its symmetries to d^l_{l,m}.
fn seed(m1: i64, m2: i64, beta: f64) -> f64 {
    let sign = if (m1 - m2) % 2 == 0 { 1.0 } else { -1.0 };
    if m1.abs() < m2.abs() {
        return sign * seed(m2, m1, beta);
    }
    if m1 < 0 {
        return sign * seed(-m1, -m2, beta);
    }
    // √((2l)! / ((l+m)! (l−m)!)) c^(l+m) (−s)^(l−m), factor by factor so that nothing overflows.
    let (l, m) = (m1, m2);
    let (sine, cosine) = num_traits::Float::sin_cos(0.5 * beta);
    let mut value = 1.0;
    let (mut cosines, mut sines) = (l + m, l - m);
    for k in 1..=2 * l {
        let numerator = k as f64;
        let (base, denominator) = if cosines > 0 && (sines == 0 || cosines >= sines) {
            cosines -= 1;
            (cosine, l + m - cosines)
        } else {
            sines -= 1;
            (-sine, l - m - sines)
        };
        value *= base * num_traits::Float::sqrt(numerator / denominator as f64);
    }
    value
}

/// The rotation that takes the direction (sin θ, 0, cos θ) to the z axis, degree by degree.
#[derive(Clone, Debug)]
pub(crate) struct PolarRotation<T> {
    /// For each degree: the block of the sines, m = n … 1, and that of the cosines, m = 0 … n.
    degrees: Vec<[BlockMatrix<T>; 2]>,
}

impl<T: Real> PolarRotation<T> {
    pub(crate) fn new(order: usize, theta: f64) -> Self {
        // d[m' * (2p − 1) + m + p − 1][n]
        let width = (2 * order).saturating_sub(1) as i64;
        let centre = order as i64 - 1;
        let mut table = Vec::new();
        for m1 in 0..order as i64 {
            for m2 in -centre..=centre {
                let mut column = alloc::vec![0.0; order];
                wigner_d(m1, m2, theta, &mut column);
                table.push(column);
            }
        }
        let d = |n: usize, m1: usize, m2: i64| table[(m1 as i64 * width + m2 + centre) as usize][n];
        let parity = |m: usize| if m.is_multiple_of(2) { 1.0 } else { -1.0 };
        let degrees = (0..order)
            .map(|n| {
                let sines = BlockMatrix::new(n, n, |i, j| {
                    let (m1, m2) = (n - i, n - j);
                    d(n, m1, m2 as i64) - parity(m2) * d(n, m1, -(m2 as i64))
                });
                let cosines = BlockMatrix::new(n + 1, n + 1, |m1, m2| match (m1, m2) {
                    (0, 0) => d(n, 0, 0),
                    (_, 0) | (0, _) => core::f64::consts::SQRT_2 * d(n, m1, m2 as i64),
                    _ => d(n, m1, m2 as i64) + parity(m2) * d(n, m1, -(m2 as i64)),
                });
                [sines, cosines]
            })
            .collect();
        Self { degrees }
    }

    /// Calls `put(i, value)` for each coefficient of the expansion as seen from the rotated axes.
    #[inline(always)]
    pub(crate) fn apply<V: Lanes<Scalar = T>>(&self, from: &[V], mut put: impl FnMut(usize, V)) {
        for (n, [sines, cosines]) in self.degrees.iter().enumerate() {
            let start = n * n;
            sines.multiply(&from[start..], |row, v| put(start + row, v));
            cosines.multiply(&from[start + n..], |row, v| put(start + n + row, v));
        }
    }
}

/// cos mφ and sin mφ for m = 1, 2 …
#[derive(Clone, Debug)]
pub(crate) struct AzimuthRotation<T> {
    phases: Vec<[T; 2]>,
}

impl<T: Real> AzimuthRotation<T> {
    /// The rotation about z that takes azimuth `phi` to 0.
    pub(crate) fn new(order: usize, phi: f64) -> Self {
        let phase = |m: usize| {
            let (sine, cosine) = num_traits::Float::sin_cos(m as f64 * phi);
            [T::narrow(cosine), T::narrow(sine)]
        };
        Self { phases: (1..order).map(phase).collect() }
    }

    /// The same rotation backwards, and the order-m coefficients times (−1)^m.
    pub(crate) fn back_with_parity(&self) -> Self {
        let back = |(k, [cosine, sine]): (usize, &[T; 2])| {
            let parity = if k % 2 == 0 { -T::ONE } else { T::ONE };
            [parity * *cosine, -parity * *sine]
        };
        Self { phases: self.phases.iter().enumerate().map(back).collect() }
    }

    /// Rotates in place.
    #[inline(always)]
    pub(crate) fn apply<V: Lanes<Scalar = T>>(&self, expansion: &mut [V]) {
        for (k, [cosine, sine]) in self.phases.iter().enumerate() {
            let (m, cosine, sine) = (k as isize + 1, V::splat(*cosine), V::splat(*sine));
            for n in k + 1..=self.phases.len() {
                let (at_c, at_s) = (index(n, m), index(n, -m));
                let (c, s) = (expansion[at_c], expansion[at_s]);
                expansion[at_c] = c.mul_add(cosine, s * sine);
                expansion[at_s] = s.mul_add(cosine, -(c * sine));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Harmonics;
    use proptest::prelude::*;

    const ORDER: usize = 41;

    fn regular(point: [f64; 3]) -> Vec<f64> {
        let mut out = vec![0.0; ORDER * ORDER];
        Harmonics::new(ORDER).regular(1.0, point, &mut out);
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn rotated_harmonics_are_harmonics_of_the_rotated_point(
            theta in 0.0..core::f64::consts::PI,
            phi in -3.0..3.0_f64,
            point in prop::array::uniform3(-0.5..0.5_f64),
        ) {
            let [x, y, z] = point;
            let (x1, y1) = (x * phi.cos() + y * phi.sin(), y * phi.cos() - x * phi.sin());
            let turned = [x1 * theta.cos() - z * theta.sin(), y1, z * theta.cos() + x1 * theta.sin()];
            let mut expansion = regular(point);
            AzimuthRotation::new(ORDER, phi).apply(&mut expansion);
            let mut rotated = vec![0.0; ORDER * ORDER];
            PolarRotation::new(ORDER, theta).apply(&expansion, |i, v| rotated[i] = v);
            for (got, want) in rotated.iter().zip(regular(turned)) {
                prop_assert!((got - want).abs() < 1e-13, "{got} {want}");
            }
        }

        #[test]
        fn a_rotation_with_parities_is_undone_by_itself(theta in 0.0..3.1_f64, phi in -3.0..3.0_f64) {
            let start = regular([0.3, -0.8, 0.4]);
            let azimuth = AzimuthRotation::new(ORDER, phi);
            let polar = PolarRotation::new(ORDER, theta);
            let (mut a, mut b) = (start.clone(), vec![0.0; ORDER * ORDER]);
            azimuth.apply(&mut a);
            polar.apply(&a, |i, v| b[i] = v);
            for n in 0..ORDER {
                for m in (-(n as isize)..=n as isize).filter(|m| m % 2 != 0) {
                    b[index(n, m)] *= -1.0;
                }
            }
            polar.apply(&b, |i, v| a[i] = v);
            azimuth.back_with_parity().apply(&mut a);
            for (got, want) in a.iter().zip(&start) {
                prop_assert!((got - want).abs() < 1e-13, "{got} {want}");
            }
        }
    }
}

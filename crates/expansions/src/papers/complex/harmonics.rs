//! Spherical coordinates, the harmonics Y_n^m and the constants A_n^m: equations 5 and 6.

use super::coefficients::{Complex64, index};
use super::legendre::legendre;
use alloc::{vec, vec::Vec};
use num_traits::Float;

/// n! for n = 0..=170, all that `f64` holds.
const FACTORIAL: [f64; 171] = {
    let mut table = [1.0; 171];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1] * n as f64;
        n += 1;
    }
    table
};

/// A_n^m = 1/√((n−m)!(n+m)!), eq. 5, for |m| ≤ n and n + |m| ≤ 170.
#[must_use]
pub fn a(n: usize, m: isize) -> f64 {
    let m = m.unsigned_abs();
    // Two roots, because the product of the factorials may overflow.
    1.0 / (Float::sqrt(FACTORIAL[n - m]) * Float::sqrt(FACTORIAL[n + m]))
}

/// A vector in spherical coordinates (ρ, α, β), the polar angle by its cosine and sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spherical {
    /// The length ρ.
    pub radius: f64,
    /// cos α, the angle from +z.
    pub cos_polar: f64,
    /// sin α ≥ 0, to full accuracy at the poles too.
    pub sin_polar: f64,
    /// The azimuth β from +x, in −π..π.
    pub azimuth: f64,
}

impl Spherical {
    /// Converts from Cartesian coordinates; the zero vector points along +z.
    #[must_use]
    pub fn from_cartesian([x, y, z]: [f64; 3]) -> Self {
        let planar = Float::hypot(x, y);
        let radius = Float::hypot(planar, z);
        let (cos_polar, sin_polar) =
            if radius > 0.0 { (z / radius, planar / radius) } else { (1.0, 0.0) };
        Self { radius, cos_polar, sin_polar, azimuth: Float::atan2(y, x) }
    }
}

/// Y_n^m of eq. 6 for 0 ≤ m ≤ n ≤ `max_degree`, ordered by [`index`]; `max_degree` ≤ 85.
#[must_use]
pub fn spherical_harmonics(max_degree: usize, direction: &Spherical) -> Vec<Complex64> {
    let mut polynomials = vec![0.0; index(max_degree + 1, 0)];
    legendre(max_degree, direction.cos_polar, direction.sin_polar, &mut polynomials);
    let mut harmonics = vec![Complex64::new(0.0, 0.0); polynomials.len()];
    for m in 0..=max_degree {
        let angle = m as f64 * direction.azimuth;
        let phase = Complex64::new(Float::cos(angle), Float::sin(angle));
        for n in m..=max_degree {
            let norm = Float::sqrt(FACTORIAL[n - m] / FACTORIAL[n + m]);
            harmonics[index(n, m)] = phase * (norm * polynomials[index(n, m)]);
        }
    }
    harmonics
}

/// The regular solid harmonics ρⁿ Y_n^m of a vector, ordered by [`index`].
#[must_use]
pub fn regular(max_degree: usize, vector: [f64; 3]) -> Vec<Complex64> {
    let spherical = Spherical::from_cartesian(vector);
    solid(max_degree, &spherical, 1.0, spherical.radius)
}

/// The irregular solid harmonics ρ⁻ⁿ⁻¹ Y_n^m of a vector that is not zero, ordered by [`index`].
#[must_use]
pub fn irregular(max_degree: usize, vector: [f64; 3]) -> Vec<Complex64> {
    let spherical = Spherical::from_cartesian(vector);
    let inverse = 1.0 / spherical.radius;
    solid(max_degree, &spherical, inverse, inverse)
}

/// Y_n^m times `first` · `ratio`ⁿ.
fn solid(max_degree: usize, spherical: &Spherical, first: f64, ratio: f64) -> Vec<Complex64> {
    let mut harmonics = spherical_harmonics(max_degree, spherical);
    let mut power = first;
    for n in 0..=max_degree {
        for value in &mut harmonics[index(n, 0)..index(n + 1, 0)] {
            *value *= power;
        }
        power *= ratio;
    }
    harmonics
}

#[cfg(test)]
mod tests {
    use super::super::coefficients::signed;
    use super::*;

    const DIRECTIONS: [[f64; 3]; 6] = [
        [0.3, -0.4, 0.5],
        [-1.0, 0.2, -0.1],
        [0.0, 0.0, 2.0],
        [0.0, 0.0, -1.0],
        [1e-9, 2e-9, 1.0],
        [-0.7, -0.6, 0.0],
    ];

    /// The addition theorem Σ_m Y_n^m(a) conj(Y_n^m(b)) = P_n(cos γ) binds every m, to degree 60.
    #[test]
    fn addition_theorem_holds_to_degree_60() {
        for a in DIRECTIONS.map(Spherical::from_cartesian) {
            for b in DIRECTIONS.map(Spherical::from_cartesian) {
                let (ya, yb) = (spherical_harmonics(60, &a), spherical_harmonics(60, &b));
                let cos = a.cos_polar * b.cos_polar
                    + a.sin_polar * b.sin_polar * (a.azimuth - b.azimuth).cos();
                let mut zonal = vec![0.0; index(61, 0)];
                legendre(60, cos.clamp(-1.0, 1.0), 0.0, &mut zonal);
                for n in 0..=60 {
                    let order = n as isize;
                    let sum: Complex64 = (-order..=order)
                        .map(|m| signed(&ya, n, m) * signed(&yb, n, m).conj())
                        .sum();
                    // |dP_n/dx| <= n(n+1)/2 turns the rounding of cos into one of P_n.
                    let tolerance = 4.0 * ((n + 1) * (n + 1)) as f64 * f64::EPSILON;
                    assert!((sum - zonal[index(n, 0)]).l1_norm() <= tolerance, "n={n} {sum}");
                }
            }
        }
    }

    #[test]
    fn phase_and_normalisation_are_those_of_the_paper() {
        let y = regular(1, [0.3, -0.4, 0.5]);
        let expected = Complex64::new(-0.3, 0.4) / 2.0.sqrt();
        assert!((y[index(0, 0)] - 1.0).l1_norm() <= f64::EPSILON);
        assert!((y[index(1, 0)] - 0.5).l1_norm() <= f64::EPSILON);
        assert!((y[index(1, 1)] - expected).l1_norm() <= f64::EPSILON, "{}", y[index(1, 1)]);
    }

    #[test]
    fn a_is_finite_and_symmetric_to_the_highest_degree() {
        for n in 0..=85 {
            for m in 0..=n as isize {
                assert!(a(n, m).is_normal());
                assert_eq!(a(n, m), a(n, -m));
            }
        }
        assert!((a(2, 1) - 1.0 / 6.0.sqrt()).abs() <= f64::EPSILON);
    }

    #[test]
    fn solid_harmonics_of_the_zero_vector_are_the_constant() {
        let values = regular(5, [0.0; 3]);
        assert_eq!(values[0], Complex64::new(1.0, 0.0));
        assert!(values[1..].iter().all(|value| value.l1_norm() == 0.0));
    }
}

//! Associated Legendre functions by the recurrences of Yokota and Barba, equations 7–9.

use super::coefficients::index;

/// Writes P_n^m(cos α) to `table[index(n, m)]` for 0 ≤ m ≤ n ≤ `max_degree`.
///
/// The sine is an argument because √(1 − cos²) loses digits near the poles. The values carry the
/// phase (−1)^m of eq. 8, which is read with (2m−1)!! for the printed (2m−1)!. The recurrence in n
/// is stable upwards; the values overflow beyond degree 150. Cost: one step for each entry.
pub fn legendre(max_degree: usize, cos: f64, sin: f64, table: &mut [f64]) {
    debug_assert!(table.len() >= index(max_degree + 1, 0));
    let mut sectoral = 1.0;
    for m in 0..=max_degree {
        table[index(m, m)] = sectoral;
        let (mut previous, mut current) = (0.0, sectoral);
        for n in m..max_degree {
            // Eq. 7; with n = m the second term is zero, which is eq. 9.
            let next = (cos * (2 * n + 1) as f64 * current - (n + m) as f64 * previous)
                / (n - m + 1) as f64;
            table[index(n + 1, m)] = next;
            (previous, current) = (current, next);
        }
        // Eq. 8, one m at a time.
        sectoral *= -((2 * m + 1) as f64) * sin;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{vec, vec::Vec};

    const DEGREE: usize = 64;

    fn table(angle: f64) -> Vec<f64> {
        let mut table = vec![0.0; index(DEGREE + 1, 0)];
        legendre(DEGREE, angle.cos(), angle.sin(), &mut table);
        table
    }

    fn angles() -> impl Iterator<Item = f64> {
        (0..=24).map(|i| core::f64::consts::PI * f64::from(i) / 24.0)
    }

    fn double_factorial(n: usize) -> f64 {
        (1..=n).rev().step_by(2).map(|i| i as f64).product()
    }

    #[test]
    fn low_degrees_match_their_polynomials() {
        for angle in angles() {
            let (x, s) = (angle.cos(), angle.sin());
            let expected = [
                1.0,
                x,
                -s,
                (3.0 * x * x - 1.0) / 2.0,
                -3.0 * x * s,
                3.0 * s * s,
                x * (5.0 * x * x - 3.0) / 2.0,
                -1.5 * (5.0 * x * x - 1.0) * s,
                15.0 * x * s * s,
                -15.0 * s * s * s,
            ];
            for (value, expected) in table(angle).iter().zip(expected) {
                assert!((value - expected).abs() <= 30.0 * f64::EPSILON, "{value} {expected}");
            }
        }
    }

    /// P_n(cos α) = Σ_k a_k a_{n−k} cos((n−2k)α), a_k = (2k−1)!!/(2k)!!: every factor is positive,
    /// so the sum is accurate at any degree. Its derivative in α is P_n^1.
    #[test]
    fn zonal_and_first_order_match_their_fourier_sums() {
        let a: Vec<f64> = (0..=DEGREE)
            .scan(1.0, |a, k| {
                let this = *a;
                *a *= (2 * k + 1) as f64 / (2 * k + 2) as f64;
                Some(this)
            })
            .collect();
        for angle in angles() {
            let table = table(angle);
            for n in 1..=DEGREE {
                let (mut zonal, mut first) = (0.0, 0.0);
                for k in 0..=n {
                    let frequency = n as f64 - 2.0 * k as f64;
                    zonal += a[k] * a[n - k] * (frequency * angle).cos();
                    first -= a[k] * a[n - k] * frequency * (frequency * angle).sin();
                }
                let degree = n as f64;
                let tolerance = 8.0 * degree * f64::EPSILON;
                assert!((table[index(n, 0)] - zonal).abs() <= tolerance, "n={n}");
                assert!((table[index(n, 1)] - first).abs() <= tolerance * degree * degree);
            }
        }
    }

    #[test]
    fn highest_orders_match_their_closed_forms() {
        // At the poles themselves sinⁿ underflows.
        for angle in angles().filter(|angle| angle.sin() > 0.1) {
            let (table, x, s) = (table(angle), angle.cos(), angle.sin());
            for n in 2..=DEGREE {
                let power = |m: usize| (-s).powi(m as i32);
                let forms = [
                    (n, double_factorial(2 * n - 1) * power(n)),
                    (n - 1, double_factorial(2 * n - 1) * x * power(n - 1)),
                    (
                        n - 2,
                        double_factorial(2 * n - 3)
                            * ((2 * n - 1) as f64 * x * x - 1.0)
                            * 0.5
                            * power(n - 2),
                    ),
                ];
                for (m, expected) in forms {
                    let size = double_factorial(2 * n - 1) * power(m).abs();
                    let error = (table[index(n, m)] - expected).abs();
                    assert!(error <= 8.0 * n as f64 * f64::EPSILON * size, "n={n} m={m}");
                }
            }
        }
    }

    /// P_n^m(0) = (−1)^{(n+m)/2} (n+m−1)!!/(n−m)!! for even n + m, else zero.
    #[test]
    fn equator_matches_double_factorials() {
        let mut table = vec![0.0; index(DEGREE + 1, 0)];
        legendre(DEGREE, 0.0, 1.0, &mut table);
        for n in 0..=DEGREE {
            for m in 0..=n {
                let value = table[index(n, m)];
                if (n + m) % 2 == 1 {
                    assert_eq!(value, 0.0);
                    continue;
                }
                let sign = if (n + m) / 2 % 2 == 0 { 1.0 } else { -1.0 };
                let expected =
                    sign * double_factorial((n + m).max(1) - 1) / double_factorial(n - m);
                let tolerance = 4.0 * (n + 1) as f64 * f64::EPSILON * expected.abs();
                assert!((value - expected).abs() <= tolerance, "n={n} m={m} {value} {expected}");
            }
        }
    }
}

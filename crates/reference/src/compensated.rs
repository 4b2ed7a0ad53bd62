//! The direct sum in f64 with compensated accumulation, with which every method is compared.

use crate::blocks::{self, BLOCK, Sums};

/// Potential and gradient at every receiver, in the receivers' order.
///
/// Φ(x) = Σ q_j / √(|x − y_j|² + ε²) and ∇Φ(x) = Σ q_j (y_j − x) / (|x − y_j|² + ε²)^{3/2} over the
/// sources y_j ≠ x: a source that coincides with the receiver is dropped, softened or not.
/// `charges[j]` belongs to `sources[j]`; `softening` is ε in the unit of the positions.
///
/// Cost: `sources.len() * receivers.len()` pairs. Error: each term is rounded to a few units in
/// the last place; adding them up adds no more than one further rounding of the sum and one of
/// order n² u² times Σ|terms|, with u = 2⁻⁵³ (Neumaier 1974).
pub fn direct(
    sources: &[[f64; 3]],
    charges: &[f64],
    receivers: &[[f64; 3]],
    softening: f64,
) -> (Vec<f64>, Vec<[f64; 3]>) {
    blocks::direct::<Compensated>(sources, charges, receivers, softening)
}

/// Running sums with the rounding errors collected apart (Neumaier 1974, "improved Kahan").
#[derive(Clone, Copy, Debug, Default)]
struct Compensated {
    sum: [f64; BLOCK],
    compensation: [f64; BLOCK],
}

impl Sums for Compensated {
    type Term = f64;

    #[inline(always)]
    fn terms(source: &[f64; 3], charge: f64, at: [f64; 3], softening: f64) -> [f64; 4] {
        let [x, y, z] = [source[0] - at[0], source[1] - at[1], source[2] - at[2]];
        let distance_sqr = x * x + y * y + z * z;
        let apart = distance_sqr != 0.0;
        let charge = if apart { charge } else { 0.0 };
        let softened_sqr = if apart { distance_sqr + softening * softening } else { 1.0 };
        let term = charge / softened_sqr.sqrt();
        let slope = term / softened_sqr;
        [term, slope * x, slope * y, slope * z]
    }

    /// Adds a term. The rounding error is Knuth's, which takes no branch on the larger number.
    #[inline(always)]
    fn add(&mut self, i: usize, term: f64) {
        let before = self.sum[i];
        let sum = before + term;
        let of_term = sum - before;
        self.compensation[i] += (before - (sum - of_term)) + (term - of_term);
        self.sum[i] = sum;
    }

    fn total(&self, i: usize) -> f64 {
        self.sum[i] + self.compensation[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed::{charges, clouds};

    #[test]
    fn three_points_by_hand() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let (potential, gradient) = direct(&points, &[1.0, 2.0, 3.0], &points[..1], 0.0);
        assert_eq!(potential, [2.0 / 1.0 + 3.0 / 2.0]);
        assert_eq!(gradient, [[2.0, 3.0 / 4.0, 0.0]]);
    }

    #[test]
    fn coincident_pairs_are_dropped_softened_or_not() {
        let points = [[0.5, -1.0, 2.0]; 3];
        for softening in [0.0, 0.1] {
            let (potential, gradient) = direct(&points, &[1.0, 2.0, 3.0], &points, softening);
            assert_eq!(potential, [0.0; 3]);
            assert_eq!(gradient, [[0.0; 3]; 3]);
        }
    }

    /// Distance 4 and ε = 3 make a softened distance of 5.
    #[test]
    fn softening_is_plummers() {
        let (potential, gradient) = direct(&[[4.0, 0.0, 0.0]], &[10.0], &[[0.0; 3]], 3.0);
        assert_eq!(potential, [2.0]);
        // Two divisions and a product round once each.
        assert!((gradient[0][0] - 40.0 / 125.0).abs() <= 3.0 * f64::EPSILON * gradient[0][0]);
    }

    /// Receivers of a block, of the next and of one that is not full do not know each other.
    #[test]
    fn blocks_change_no_bit() {
        let sources = clouds::plummer(300, 7).positions;
        let (charges, receivers) = (charges::mixed(300, 8), &sources[..2 * BLOCK + 5]);
        let (potential, gradient) = direct(&sources, &charges, receivers, 0.01);
        for (i, receiver) in receivers.iter().enumerate() {
            let alone = direct(&sources, &charges, &[*receiver], 0.01);
            assert_eq!(alone, (vec![potential[i]], vec![gradient[i]]));
        }
    }

    #[test]
    fn cancellation_loses_nothing() {
        let sources = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (potential, _) = direct(&sources, &[1e17, 1.0, -1e17], &[[0.0; 3]], 0.0);
        assert_eq!(potential, [1.0]);
    }

    /// Distances are powers of two and charges integers, so every term is a multiple of 2⁻²⁰ and
    /// the sum is known exactly as an integer.
    #[test]
    fn a_long_sum_equals_the_integer_sum() {
        let n = 5000;
        let charges: Vec<f64> =
            charges::mixed(n, 5).into_iter().map(|q| (q * 2.0_f64.powi(50)).round()).collect();
        let exponents: Vec<u32> = (0..n).map(|j| (j * 7 % 21) as u32).collect();
        let sources: Vec<[f64; 3]> =
            exponents.iter().map(|&exponent| [0.0, 2.0_f64.powi(exponent as i32), 0.0]).collect();
        let exact: i128 = charges
            .iter()
            .zip(&exponents)
            .map(|(&charge, &exponent)| (charge as i128) << (20 - exponent))
            .sum();
        let (potential, _) = direct(&sources, &charges, &[[0.0; 3]], 0.0);
        assert_eq!(potential, [exact as f64 / 2.0_f64.powi(20)]);
    }

    /// ∇Φ against central differences of Φ.
    #[test]
    fn gradient_is_the_derivative_of_the_potential() {
        let (sources, softening) = (clouds::uniform_cube(40, 9).positions, 0.05);
        let charges = charges::mixed(40, 10);
        let (x, step) = ([1.5, -0.3, 0.4], 1e-4);
        let (_, gradient) = direct(&sources, &charges, &[x], softening);
        for axis in 0..3 {
            let (mut above, mut below) = (x, x);
            above[axis] += step;
            below[axis] -= step;
            let (potential, _) = direct(&sources, &charges, &[above, below], softening);
            let slope = (potential[0] - potential[1]) / (2.0 * step);
            // The third derivative of 40 charges below 1/2 at distance > 1/2 is below 40/2 * 6 * 16.
            assert!((slope - gradient[0][axis]).abs() < 320.0 * step * step);
        }
    }
}

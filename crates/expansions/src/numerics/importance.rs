//! Importance of receivers: the probabilities by which a check of a field picks a few that tell the error of all.
//!
//! The probability of a receiver has five reasons, which share it evenly: all receivers alike, the square of its potential,
//! that of its gradient, and the errors to [expect](super::expected) there from the leaf's local expansion and from all others.
//! A reason whose sum is 0 or not finite is left out.

/// Receivers in a block, whose weights are added first: few blocks are looked at again for their picks.
pub const BLOCK: usize = 1 << 9;

/// Squares of potential and gradient of a receiver, 0 for an output that does not count, and the squares of the two errors to
/// expect there, each in any unit.
pub type Weights = [f64; 4];

/// Squares of potential and gradient above which receivers are outliers.
pub type Limits = [f64; 2];

/// Sums over some receivers: [`Weights`], and the squares of potential and gradient without outliers.
pub type Sums = [f64; 6];

/// Squares of potential and gradient of a value (gx, gy, gz, Φ) times the `factors` of gradient and potential. A factor of 0
/// is that of an output that does not count, whatever its value.
#[inline(always)]
pub fn squares([x, y, z, potential]: [f64; 4], factors: [f64; 2]) -> [f64; 2] {
    let scaled = |x: f64, factor: f64| if factor == 0.0 { 0.0 } else { x * factor };
    let [x, y, z] = [x, y, z].map(|part| scaled(part, factors[0]));
    let potential = scaled(potential, factors[1]);
    [potential * potential, x * x + y * y + z * z]
}

/// Weights of a receiver as the sums of one.
#[inline(always)]
pub fn within([potential, gradient, corner, face]: Weights, limits: Limits) -> Sums {
    let kept = |square: f64, limit: f64| if square <= limit { square } else { 0.0 };
    [potential, gradient, corner, face, kept(potential, limits[0]), kept(gradient, limits[1])]
}

/// Sums over two groups of receivers.
#[inline(always)]
pub fn add(a: Sums, b: Sums) -> Sums {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]]
}

/// Probabilities by which receivers are picked.
#[derive(Clone, Copy, Debug)]
pub struct Probability {
    alike: f64,
    by_weight: Weights,
}

impl Probability {
    /// Probabilities of `n` receivers with these sums of [`Weights`].
    #[inline(always)]
    pub fn new(n: usize, [potential, gradient, corner, face, ..]: Sums) -> Self {
        let usable = |sum: f64| sum > 0.0 && sum.is_finite();
        let one = |sum: f64| u32::from(usable(sum));
        let share = 1.0 / f64::from(1 + one(potential) + one(gradient) + one(corner) + one(face));
        let of = |sum: f64| if usable(sum) { share / sum } else { 0.0 };
        let by_weight = [of(potential), of(gradient), of(corner), of(face)];
        Self { alike: share / n as f64, by_weight }
    }

    /// The probability of some receivers with sums of weights.
    #[inline(always)]
    pub fn of(self, receivers: usize, [potential, gradient, corner, face]: Weights) -> f64 {
        let [by_potential, by_gradient, by_corner, by_face] = self.by_weight;
        let by_outputs = by_potential * potential + by_gradient * gradient;
        let by_place = by_corner * corner + by_face * face;
        self.alike * receivers as f64 + (by_outputs + by_place)
    }

    /// Factor of the squared error of a receiver that is `hits` of `count` picks, in the sum over all receivers.
    #[inline(always)]
    pub fn factor(self, hits: usize, count: usize, weights: Weights) -> f64 {
        hits as f64 / (count as f64 * self.of(1, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_that_do_not_count_have_no_square() {
        let value = [1.0, f64::NAN, 2.0, f64::INFINITY];
        assert_eq!(squares(value, [0.0, 0.0]), [0.0; 2]);
        assert_eq!(squares([1.0, 2.0, 2.0, 3.0], [0.5, 2.0]), [36.0, 2.25]);
    }

    #[test]
    fn probabilities_of_all_receivers_add_up_to_one() {
        let sums = [8.0, 0.0, f64::INFINITY, 5.0, 0.0, 0.0];
        for (sums, weights) in [
            ([8.0, 6.0, 2.0, 9.0, 0.0, 0.0], [8.0, 6.0, 2.0, 9.0]),
            (sums, [8.0, 0.0, 3.0, 5.0]),
            ([0.0; 6], [0.0; 4]),
        ] {
            let probability = Probability::new(7, sums);
            assert!((probability.of(7, weights) - 1.0).abs() < 1e-15);
        }
    }
}

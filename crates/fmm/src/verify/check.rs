//! The check of an evaluation: its relative L2 error, estimated at a few receivers.

use super::double_double::exact_sums;
use super::picks::Picks;
use super::references::Direct;
use super::worse;
use crate::api::{Error, Outputs};

/// Receivers at which the cancellation of the sums is found, a fourth of the picked ones within these bounds: it is known to a
/// factor of 2, which is enough, and takes a small share of the check.
const CANCELLATION: [usize; 2] = [8, 16];

/// Share of the tolerance above which rounding in the reference sums is in doubt.
const DOUBT: f64 = 0.1;

/// Tolerance from which references of seven digits are tried: 16 times the relative error of f32, which a sum over many
/// parts has a small share of.
const SEVEN_DIGITS: f64 = 8.0 * f32::EPSILON as f64;

/// Share of the tolerance up to which references of seven digits are believed, however far the sums cancel. Their errors are
/// independent of those of the evaluation, so that they add to the error that is found and hide none; what is above has
/// references of f64.
const KEPT: f64 = 0.5;

/// Relative error of f64.
const ROUNDING: f64 = 0.5 * f64::EPSILON;

/// An evaluation to be checked at picked receivers.
pub(crate) struct Checked<'a> {
    pub(crate) picks: &'a Picks,
    /// Direct sum at the picked receivers.
    pub(crate) direct: Direct<'a>,
    /// Gradient and potential (gx, gy, gz, Φ) of the evaluation at the picked receivers.
    pub(crate) values: &'a [[f64; 4]],
    pub(crate) outputs: Outputs,
    pub(crate) tolerance: f64,
    /// Whether sums may cancel.
    pub(crate) mixed: bool,
}

/// Result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    /// The relative L2 error of the worse output.
    pub(crate) error: f64,
    /// Factor from the relative error of a pair to the relative L2 error of the worse output, for errors of pairs that are
    /// independent of each other: it tells how far the sums cancel. Zero for charges of one sign, and where pairs have all digits.
    pub(crate) cancellation: f64,
}

impl Estimate {
    /// Estimate for sums whose pairs have all digits, as those of devices.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn of(error: f64) -> Self {
        Self { error, cancellation: 0.0 }
    }

    /// Estimate for two charge vectors, the worse of each number.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        let error = worse(self.error, other.error);
        Self { error, cancellation: worse(self.cancellation, other.cancellation) }
    }
}

impl Checked<'_> {
    /// The estimate of the error. References have seven digits first. Where the sums cancel so far that rounding in f64 is in
    /// doubt, the references are of double-double arithmetic.
    pub(crate) fn estimate(&self) -> Result<Estimate, Error> {
        if self.tolerance >= SEVEN_DIGITS {
            let references = self.direct.sums_of_seven_digits()?;
            let error = self.error_against(&references);
            if error <= KEPT * self.tolerance {
                return Ok(Estimate { error, cancellation: self.cancellation()? });
            }
        }
        let references = self.direct.sums()?;
        let cancellation = self.cancellation()?;
        let in_doubt = ROUNDING * cancellation > DOUBT * self.tolerance;
        let references = if in_doubt { exact_sums(&self.direct)? } else { references };
        Ok(Estimate { error: self.error_against(&references), cancellation })
    }

    fn error_against(&self, references: &[[f64; 4]]) -> f64 {
        self.picks.worse_error(self.values, references, self.outputs)
    }

    /// The cancellation of the sums: errors of terms that are independent of each other add up in squares.
    fn cancellation(&self) -> Result<f64, Error> {
        if !self.mixed {
            return Ok(0.0);
        }
        let [fewest, most] = CANCELLATION;
        let picked = self.picks.factors().len();
        let step = picked.div_ceil((picked / 4).clamp(fewest, most)).max(1);
        let few =
            self.direct.at.each_ref().map(|axis| axis.iter().copied().step_by(step).collect());
        let direct = Direct { at: &few, ..self.direct };
        // Means over all receivers: those with large sums are among the picked far more often than others.
        let (mut terms, mut all) = ([0.0; 2], 0.0);
        let factors = self.picks.factors().iter().step_by(step);
        for (magnitudes, factor) in direct.magnitudes()?.into_iter().zip(factors) {
            for output in 0..2 {
                terms[output] += factor * magnitudes[output] * magnitudes[output];
            }
            all += factor;
        }
        let n: f64 = self.picks.factors().iter().sum();
        let sums = self.picks.squares();
        let independent = direct.participation()?;
        let factor = |output: usize| match terms[output] {
            0.0 => 0.0,
            terms => (terms / all * n / sums[output] / independent).sqrt(),
        };
        let potential = if self.outputs.has_potential() { factor(0) } else { 0.0 };
        let gradient = if self.outputs.has_gradient() { factor(1) } else { 0.0 };
        Ok(potential.max(gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::super::picks::squares;
    use super::super::references::Alone;
    use super::*;

    /// The estimate for two charges at x = 0 and x = 1e-6, seen from x = 3 with values that are right.
    fn estimate(charges: [f64; 2], mixed: bool) -> Estimate {
        let sources = |range: std::ops::Range<usize>| {
            let [zeros, x] = [[0.0; 2], [0.0, 1e-6]].map(|axis| axis[range.clone()].to_vec());
            [x, zeros.clone(), zeros, charges[range].to_vec()]
        };
        let at = [vec![3.0], vec![0.0], vec![0.0]];
        let direct =
            Direct { n_sources: 2, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
        let values = direct.sums().unwrap();
        let outputs = Outputs::PotentialAndGradient;
        let [potential, gradient] = squares(values[0], outputs);
        let picks = Picks::new(1, 4, |_| [potential, gradient, 0.0, 0.0]);
        Checked { picks: &picks, direct, values: &values, outputs, tolerance: 1e-3, mixed }
            .estimate()
            .unwrap()
    }

    #[test]
    fn opposite_charges_cancel_by_their_distance() {
        let Estimate { error, cancellation } = estimate([1.0, -1.0], true);
        assert!(error < 1e-9, "{error}");
        // Two terms of 1/3 against a dipole's 1e-6/9, and two independent charges.
        let expected = 2.0_f64.sqrt() * 3.0 / 1e-6;
        assert!((cancellation / expected - 1.0).abs() < 1e-3, "{cancellation}");
    }

    #[test]
    fn equal_charges_do_not_cancel() {
        let expected = 0.5_f64.sqrt();
        assert!((estimate([1.0, 1.0], true).cancellation / expected - 1.0).abs() < 1e-3);
        assert_eq!(estimate([1.0, 1.0], false).cancellation, 0.0);
    }

    #[test]
    fn the_worse_of_two_vectors_counts_in_each_number() {
        let [a, b] = [(1e-3, 2.0), (1e-5, 7.0)]
            .map(|(error, cancellation)| Estimate { error, cancellation });
        assert_eq!(a.or_worse(b), Estimate { error: 1e-3, cancellation: 7.0 });
        assert!(a.or_worse(Estimate::of(f64::NAN)).error.is_nan());
    }
}

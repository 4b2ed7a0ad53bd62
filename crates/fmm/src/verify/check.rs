//! The check of an evaluation: its relative L2 error, estimated at a few receivers.

use super::double_double::exact_sums;
use super::picks::{Picks, squares};
use super::references::Direct;
use crate::api::{Error, Outputs};

/// Receivers at which the cancellation of the sums is found: it is known to a factor of 2, which is enough.
const CANCELLATION: usize = 16;

/// Share of the tolerance above which rounding in the reference sums is in doubt.
const DOUBT: f64 = 0.1;

/// Tolerance from which references of seven digits are tried: 16 times the relative error of f32, which a sum over many
/// parts has a small share of.
const SEVEN_DIGITS: f64 = 8.0 * f32::EPSILON as f64;

/// Share of the tolerance up to which references of seven digits are believed. Their errors are independent of those of
/// the evaluation, so that they add to the error that is found and hide none; what is above has references of f64.
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

impl Checked<'_> {
    /// The relative L2 error of the worse output, estimated. References of charges of one sign have seven digits first.
    /// Where the sums cancel so far that rounding in f64 is in doubt, the references are of double-double arithmetic.
    pub(crate) fn error(&self) -> Result<f64, Error> {
        if !self.mixed && self.tolerance >= SEVEN_DIGITS {
            let error = self.error_against(&self.direct.sums_of_seven_digits()?);
            if error <= KEPT * self.tolerance {
                return Ok(error);
            }
        }
        let references = self.direct.sums()?;
        let in_doubt = self.mixed && self.rounding(&references)? > DOUBT * self.tolerance;
        let references = if in_doubt { exact_sums(&self.direct)? } else { references };
        Ok(self.error_against(&references))
    }

    fn error_against(&self, references: &[[f64; 4]]) -> f64 {
        self.picks.worse_error(self.values, references, self.outputs)
    }

    /// Rounding error to expect of references, relative to the worse output: terms round independently of each other, so
    /// that their errors add up in squares.
    fn rounding(&self, references: &[[f64; 4]]) -> Result<f64, Error> {
        let step = references.len().div_ceil(CANCELLATION).max(1);
        let few =
            self.direct.at.each_ref().map(|axis| axis.iter().copied().step_by(step).collect());
        let direct = Direct { at: &few, ..self.direct };
        let (mut terms, mut sums) = ([0.0; 2], [0.0; 2]);
        for (magnitudes, sum) in
            direct.magnitudes()?.into_iter().zip(references.iter().copied().step_by(step))
        {
            let squares = squares(sum, self.outputs);
            for output in 0..2 {
                terms[output] += magnitudes[output] * magnitudes[output];
                sums[output] += squares[output];
            }
        }
        let independent = direct.participation()?;
        let rounding = |output: usize| match terms[output] {
            0.0 => 0.0,
            terms => ROUNDING * (terms / sums[output] / independent).sqrt(),
        };
        let potential = if self.outputs.has_potential() { rounding(0) } else { 0.0 };
        let gradient = if self.outputs.has_gradient() { rounding(1) } else { 0.0 };
        Ok(potential.max(gradient))
    }
}

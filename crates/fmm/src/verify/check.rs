//! The check of an evaluation: its relative L2 error, estimated at a few receivers.

#[cfg(feature = "gpu")]
use super::cancellation::Terms;
use super::cancellation::{Cancellation, Picked, PickedSums, ROUNDING};
use super::double_double::exact_sums;
use super::picks::{Picks, squares};
use super::references::Direct;
#[cfg(feature = "gpu")]
use crate::api::Precision;
use crate::api::{Error, Outputs, worse};
use crate::engine::ChargeKind;

/// Share of the tolerance up to which references of seven digits are believed, unless rounding in f64 is in doubt. Their errors are
/// far below the tolerance; those of sums in f32 may be the same and hide. What is above has references of f64.
const KEPT: f64 = 0.5;

/// An evaluation to be checked at picked receivers.
pub(crate) struct Checked<'a> {
    pub(crate) picks: &'a Picks,
    /// Direct sum at the picked receivers.
    pub(crate) direct: Direct<'a>,
    /// Gradient and potential (gx, gy, gz, Φ) of the evaluation at the picked receivers.
    pub(crate) values: &'a [[f64; 4]],
    pub(crate) outputs: Outputs,
    pub(crate) tolerance: f64,
    /// Kind of the charges.
    pub(crate) kind: ChargeKind,
}

/// The direct sum at some receivers, by double-double arithmetic where rounding in f64 is in doubt for a tolerance.
pub(crate) fn sums_without_doubt(
    direct: Direct<'_>,
    outputs: Outputs,
    tolerance: f64,
) -> Result<Vec<[f64; 4]>, Error> {
    let sums = direct.sums()?;
    let mut all = [0.0; 2];
    for sum in &sums {
        let of_sum = squares(*sum, outputs);
        all = [all[0] + of_sum[0], all[1] + of_sum[1]];
    }
    let (factors, within) = (vec![1.0; sums.len()], vec![[true; 2]; sums.len()]);
    let picked = Picked { factors: &factors, within: &within, squares: [all; 2] };
    let found = PickedSums { direct, picked, outputs, kind: ChargeKind::Unlike };
    if found.cancellation()?.is_in_doubt(tolerance) { exact_sums(&direct) } else { Ok(sums) }
}

/// Result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    /// The relative L2 error of the worse output.
    pub(crate) error: f64,
    /// Factor from the relative error of a pair to the relative L2 error of the worse output, for errors of pairs that are
    /// independent of each other: it tells how far the sums cancel.
    pub(crate) cancellation: f64,
    /// The relative L2 error of the worse output to expect of sums in f64.
    pub(crate) rounding: f64,
}

impl Estimate {
    /// Estimate of the error alone.
    #[cfg(any(test, feature = "gpu"))]
    pub(crate) fn of(error: f64) -> Self {
        Self { error, cancellation: 0.0, rounding: 0.0 }
    }

    /// Estimate from an error and the cancellation that was found.
    fn with(error: f64, found: Cancellation) -> Self {
        // Of sums that are zero, exact references tell the error.
        let rounding = Some(found.rounding()).filter(|error| error.is_finite()).unwrap_or(0.0);
        Self { error, cancellation: found.independent, rounding }
    }

    /// With the rounding of heavy charges, whose terms have these sums of squares over all receivers, beside those of the field.
    pub(crate) fn with_heavy(
        self,
        of_heavy: [f64; 2],
        squares: [f64; 2],
        outputs: Outputs,
    ) -> Self {
        let of = |output: usize, counts: bool| match counts && of_heavy[output] > 0.0 {
            true => (of_heavy[output] / squares[output]).sqrt(),
            false => 0.0,
        };
        let alike = of(0, outputs.has_potential()).max(of(1, outputs.has_gradient()));
        // Of sums that are zero, exact references tell the error.
        let rounding = if alike.is_finite() { ROUNDING * alike } else { 0.0 };
        Self { rounding: worse(self.rounding, rounding), ..self }
    }

    /// Estimate for two charge vectors, the worse of each number.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        Self {
            error: worse(self.error, other.error),
            cancellation: worse(self.cancellation, other.cancellation),
            rounding: worse(self.rounding, other.rounding),
        }
    }
}

impl Checked<'_> {
    /// The estimate of the error. References have seven digits first. Where the sums cancel so far that rounding in f64 is in
    /// doubt, the references are of double-double arithmetic.
    pub(crate) fn estimate(&self) -> Result<Estimate, Error> {
        let found = self.cancellation()?;
        let of = |references: &[[f64; 4]]| {
            Estimate::with(self.picks.worse_error(self.values, references, self.outputs), found)
        };
        if found.is_in_doubt(self.tolerance) {
            return Ok(of(&exact_sums(&self.direct)?));
        }
        if found.leaves_seven_digits(self.tolerance) {
            let estimate = of(&self.direct.sums_of_seven_digits()?);
            if estimate.error <= KEPT * self.tolerance {
                return Ok(estimate);
            }
        }
        Ok(of(&self.direct.sums()?))
    }

    /// The cancellation of the sums.
    fn cancellation(&self) -> Result<Cancellation, Error> {
        let Self { picks, direct, outputs, kind, .. } = *self;
        PickedSums { direct, picked: picks.picked(), outputs, kind }.cancellation()
    }
}

/// An evaluation of a device, which has summed directly at the picked receivers.
#[cfg(feature = "gpu")]
pub(crate) struct CheckedByDevice<'a> {
    pub(crate) picks: &'a Picks,
    /// Gradient and potential (gx, gy, gz, Φ) of the evaluation at the picked receivers.
    pub(crate) values: &'a [[f64; 4]],
    /// Direct sums there by pairs of the device's floats.
    pub(crate) sums: &'a [[f64; 4]],
    pub(crate) terms: Terms<'a>,
    pub(crate) outputs: Outputs,
    pub(crate) tolerance: f64,
    pub(crate) precision: Precision,
}

#[cfg(feature = "gpu")]
impl CheckedByDevice<'_> {
    /// The estimate of the error. Where the sums cancel so far that pairs in f32 are no references for the tolerance, since they
    /// round as those of the evaluation, the references are direct sums `in_f64`.
    pub(crate) fn estimate(
        &self,
        in_f64: impl FnOnce() -> Result<Vec<[f64; 4]>, Error>,
    ) -> Result<Estimate, Error> {
        let found = Cancellation::of(self.terms, self.picks.picked(), self.outputs);
        let few_digits =
            self.precision == Precision::F32 && !found.leaves_seven_digits(self.tolerance);
        let sums = if few_digits { &in_f64()? } else { self.sums };
        Ok(Estimate::with(self.picks.worse_error(self.values, sums, self.outputs), found))
    }
}

#[cfg(test)]
mod tests {
    use super::super::references::Alone;
    use super::*;

    /// The estimate for two charges at x = 0 and x = 1e-6, seen from x = 3 with values that are right.
    fn estimate(charges: [f64; 2], kind: ChargeKind) -> Estimate {
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
        Checked { picks: &picks, direct, values: &values, outputs, tolerance: 1e-3, kind }
            .estimate()
            .unwrap()
    }

    #[test]
    fn opposite_charges_cancel_by_their_distance() {
        let Estimate { error, cancellation, .. } = estimate([1.0, -1.0], ChargeKind::Unlike);
        assert!(error < 1e-9, "{error}");
        // Two terms of 1/3 against a dipole's 1e-6/9, and two independent charges.
        let expected = 2.0_f64.sqrt() * 3.0 / 1e-6;
        assert!((cancellation / expected - 1.0).abs() < 1e-3, "{cancellation}");
    }

    #[test]
    fn equal_charges_do_not_cancel() {
        let expected = 0.5_f64.sqrt();
        for kind in [ChargeKind::Unlike, ChargeKind::Alike] {
            let found = estimate([1.0, 1.0], kind).cancellation;
            assert!((found / expected - 1.0).abs() < 1e-3, "{found}");
        }
    }

    #[test]
    fn the_worse_of_two_vectors_counts_in_each_number() {
        let [a, b] = [[1e-3, 2.0, 3.0], [1e-5, 7.0, 1.0]]
            .map(|[error, cancellation, rounding]| Estimate { error, cancellation, rounding });
        let worse = Estimate { error: 1e-3, cancellation: 7.0, rounding: 3.0 };
        assert_eq!(a.or_worse(b), worse);
        assert!(a.or_worse(Estimate::of(f64::NAN)).error.is_nan());
    }
}

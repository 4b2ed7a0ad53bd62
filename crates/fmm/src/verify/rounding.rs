//! Checks of sums whose points were rounded, against the points as they were.

use super::{Estimate, squares};
use crate::api::{Error, Outputs, Precision, worse};
use crate::verify::Weights;

/// Receivers of a check: the error of an ordinary set is known to a quarter. It is less even than that of expansions, which
/// [`choose::attempts`](crate::choose) looks for, since it grows with the gradient.
const RECEIVERS: usize = 64;

/// Receivers of the check where the first is close to the tolerance, or there is none: the error is known to a tenth.
const CLOSER: usize = 512;

/// Receivers of a first check of [`MANY_SOURCES`], each receiver of which takes long: the error is known to a half.
const FEWEST: usize = 16;

/// Receivers that are all looked at where the tolerance is near the limit of f32: one of so few may have most of the rounding.
const FEW_IN_ALL: usize = 2048;
const NEAR_LIMIT: f64 = 2e-5;

/// Sources from which on few receivers are tried first.
pub(crate) const MANY_SOURCES: usize = 1 << 15;

/// Errors of places to be expected below the tolerance by this factor are told by [`FEWEST`] receivers: of most sets, the error is that
/// of the sum over rounded points, which has a check of its own.
const AMPLE: f64 = 30.0;

/// Factor between the error of a check and the tolerance.
pub(crate) const ROUNDED_SAFETY: f64 = 1.1;

/// Errors within this factor of the tolerance are close.
const CLOSE: f64 = 2.0;

/// The error of a sum over rounded points at so many receivers, where `worst` estimates the error at about as many as it is told;
/// whether the fewest are tried first.
///
/// More receivers tell it where the first error is close to a tolerance, and where the errors of places are to be expected so close
/// because the sums cancel: charges far away hide a close pair of weak ones, which has most of the error, from the weights.
pub(crate) fn error_of_rounded(
    tolerance: Option<f64>,
    n_receivers: usize,
    tries_fewest: bool,
    mut worst: impl FnMut(usize) -> Result<Estimate, Error>,
) -> Result<f64, Error> {
    let Some(tolerance) = tolerance else { return Ok(worst(CLOSER)?.error) };
    if n_receivers <= FEW_IN_ALL && tolerance < NEAR_LIMIT {
        return Ok(worst(n_receivers)?.error);
    }
    let of_places = |found: &Estimate| found.cancellation * Precision::F32.unit_roundoff();
    if tries_fewest {
        let found = worst(FEWEST)?;
        if AMPLE * of_places(&found) <= tolerance && CLOSE * found.error <= tolerance {
            return Ok(found.error);
        }
    }
    let found = worst(RECEIVERS)?;
    let expected = worse(found.error, of_places(&found));
    if expected > tolerance / CLOSE && found.error < tolerance * CLOSE {
        return Ok(worst(CLOSER)?.error);
    }
    Ok(found.error)
}

/// Weights of a receiver with this gradient and potential in the picks of such a check.
pub(crate) fn weights_of_rounded(value: [f64; 4], outputs: Outputs) -> Weights {
    let [potential, gradient] = squares(value, outputs);
    [potential, gradient, error_of_places(gradient), 0.0]
}

/// Square of the error to expect where positions are rounded, in any unit, by the square of the gradient.
///
/// The nearest source, at a distance d, has most of a large gradient, 1/d². A position that is wrong by δ changes it by δ/d³:
/// the error grows with the power 3/2 of the gradient, and few close receivers may have most of the error and little of the norm.
fn error_of_places(gradient: f64) -> f64 {
    gradient * gradient.sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::Picks;
    use super::*;

    #[test]
    fn sums_that_cancel_are_compared_at_more_receivers() {
        let estimate = |count| {
            let error = if count == CLOSER { 2e-5 } else { 2e-6 };
            Ok(Estimate { error, cancellation: 130.0, rounding: 0.0 })
        };
        assert_eq!(error_of_rounded(Some(1e-5), 9000, false, estimate).unwrap(), 2e-5);
        assert_eq!(error_of_rounded(Some(1e-3), 9000, false, estimate).unwrap(), 2e-6);
        assert_eq!(error_of_rounded(None, 9000, false, estimate).unwrap(), 2e-5);
    }

    #[test]
    fn fewest_receivers_tell_where_places_hardly_matter() {
        let looked_at = |tries_fewest, error, tolerance| {
            let mut counts = Vec::new();
            let estimate = |count| {
                counts.push(count);
                Ok(Estimate { error, cancellation: 10.0, rounding: 0.0 })
            };
            error_of_rounded(Some(tolerance), 9000, tries_fewest, estimate).unwrap();
            counts
        };
        assert_eq!(looked_at(true, 2e-5, 1e-4), [FEWEST]);
        assert_eq!(looked_at(true, 6e-5, 1e-4), [FEWEST, RECEIVERS, CLOSER]);
        assert_eq!(looked_at(true, 2e-6, 1e-5), [FEWEST, RECEIVERS]);
        assert_eq!(looked_at(false, 2e-5, 1e-4), [RECEIVERS]);
    }

    #[test]
    fn few_receivers_are_all_looked_at_near_the_limit_of_f32() {
        let estimate = |count| Ok(Estimate::of(if count == 1500 { 1e-4 } else { 1e-7 }));
        let error = |tolerance, n| error_of_rounded(Some(tolerance), n, false, estimate).unwrap();
        assert_eq!(error(3e-6, 1500), 1e-4);
        assert_eq!([error(1e-3, 1500), error(3e-6, 9000)], [1e-7; 2]);
    }

    #[test]
    fn a_close_pair_with_most_of_the_error_is_seen_beside_the_norm_of_the_others() {
        // Two receivers whose gradient is 50 times that of others have 5 % of its square.
        let (n, close) = (100_000, [31_006, 71_003]);
        let gradient = |place: usize| if close.contains(&place) { 50.0 } else { 1.0 };
        let value = |place: usize| [gradient(place), 0.0, 0.0, 1.0];
        let outputs = Outputs::PotentialAndGradient;
        let picks = Picks::new(n, RECEIVERS, |place| weights_of_rounded(value(place), outputs));
        assert!(close.iter().all(|place| picks.places.contains(place)));
        // Their errors are 10⁻³ of them, those of others 10⁻⁷.
        let reference = |place: usize| {
            let error = if close.contains(&place) { 1e-3 } else { 1e-7 };
            value(place).map(|part| part * (1.0 + error))
        };
        let (values, references): (Vec<_>, Vec<_>) =
            picks.places.iter().map(|place| (value(*place), reference(*place))).unzip();
        let error = picks.worse_error(&values, &references, outputs);
        let exact = 1e-3 * (2.0 * 2500.0 / (n as f64 + 5000.0)).sqrt();
        assert!((error / exact - 1.0).abs() < 0.3, "{error} instead of {exact}");
    }
}

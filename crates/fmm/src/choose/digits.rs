//! Digits of pairs: how many an attempt needs, and what those that it had cost.

use expansions::operators::PairAccuracy;

use super::abilities::Abilities;
use super::attempts::{Attempts, Trial};
use super::{Algorithm, Chooser};
use crate::api::{Error, Precision};

impl Chooser {
    /// Accuracy of the sums over pairs, in the first attempt.
    pub(super) fn pair_accuracy(&self) -> PairAccuracy {
        self.abilities.accuracy_to(self.accuracy.pair_accuracy())
    }

    /// Digits of pairs after an attempt that failed: at least one step more.
    pub(super) fn more_digits(&self, failed: PairAccuracy, excess: f64) -> PairAccuracy {
        let needed = PairAccuracy::for_tolerance(self.accuracy.tolerance() / excess.max(1.0));
        self.abilities.more_digits(failed).max(self.abilities.accuracy_to(needed))
    }

    /// Accuracy of the pairs of an attempt: all digits where few of the charges outweigh the others, or the engine has no fewer; at least
    /// eight where pairs are most of the sum and charges may hide their errors.
    pub(super) fn digits_of(
        &self,
        trial: Trial,
        attempts: &mut dyn Attempts,
    ) -> Result<PairAccuracy, Error> {
        let Abilities { pair_accuracies, fewer_digits_in_walks, .. } = self.abilities;
        let all = self.abilities.accuracy_to(PairAccuracy::Full);
        let walks = matches!(trial.algorithm, Algorithm::TreecodeWalk(_));
        if walks && !fewer_digits_in_walks {
            return Ok(all);
        }
        if trial.pair_accuracy < all && attempts.are_uneven(trial.algorithm)? {
            return Ok(all);
        }
        let by_pairs = !matches!(trial.algorithm, Algorithm::Fmm { .. });
        let eight = PairAccuracy::Digits8;
        let needs_eight =
            by_pairs && pair_accuracies.contains(&eight) && attempts.may_hide_errors();
        Ok(if needs_eight { trial.pair_accuracy.max(eight) } else { trial.pair_accuracy })
    }

    /// The error to expect of pairs over the tolerance; zero where pairs have all digits of the precision.
    pub(super) fn doubt_of_accuracy(&self, accuracy: PairAccuracy, cancellation: f64) -> f64 {
        let all_digits = match self.abilities.precision {
            Precision::F32 => PairAccuracy::Digits8,
            Precision::F64 => PairAccuracy::Full,
        };
        if accuracy >= all_digits {
            return 0.0;
        }
        accuracy.relative_error() * cancellation / self.accuracy.tolerance()
    }

    /// The error to expect of pairs with all digits of f64, where that is above the tolerance: few receivers have it, and a
    /// sample finds none of them.
    pub(super) fn rounding(&self, trial: Trial, rounding: f64) -> f64 {
        let all =
            trial.pair_accuracy == PairAccuracy::Full && self.abilities.precision == Precision::F64;
        if all && rounding > self.accuracy.tolerance() { rounding } else { 0.0 }
    }
}

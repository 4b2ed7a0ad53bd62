//! Checks: at how many receivers the error of an attempt is estimated, and how far below the tolerance it has to be.

use super::attempts::{Attempts, Trial};
use super::points::TreeStatistics;
use super::{Algorithm, Chooser};
use crate::api::Error;
use crate::verify::Estimate;

/// Share of an evaluation's time that its check may take.
const SHARE: f64 = 0.02;

/// Share for at most [`FEW_RECEIVERS`] receivers, one of which may have most of the error.
const SHARE_OF_FEW: f64 = 0.1;
const FEW_RECEIVERS: usize = 1024;

/// Receivers of a check: fewer tell too little, more are not needed. Among the fewest the error of an ordinary set is known
/// to a fifth, among the most to a tenth.
const FEWEST: f64 = 32.0;
const MOST: f64 = 128.0;

/// Sources below which a check takes as many receivers as where most are remote: few points have uneven errors, and
/// little time is lost. Beyond, receivers fall with the square of the sources.
const FEW_SOURCES: usize = 2000;

/// Pairs of a check, at least: 5 µs of work.
const FEW_PAIRS: f64 = 16384.0;

/// Receivers of a check where the result of the first is close to the tolerance, over those of the first.
const CLOSER: usize = 8;

/// Errors within this factor of the tolerance are close.
const CLOSE: f64 = 1.6;

/// Factor between the error of a closer check and the tolerance: twice the spread of estimates at [`MOST`] receivers or more.
const CLOSER_SAFETY: f64 = 1.1;

/// Factor after an attempt that failed, because the error of such points may sit at few receivers.
const FAILED_SAFETY: f64 = 1.5;

/// Receivers of a check of points whose errors are uneven: most receivers away from the sources, few sources, or a sharp
/// tolerance.
const MANY_RECEIVERS: usize = 1024;

/// Factor between the error of a check and the tolerance, where most receivers are away from the sources. Few
/// receivers, those at corners of boxes, have most of the error, and the sample may miss them. The conformance
/// suite holds the tolerance on separated sets with this factor.
const REMOTE_SAFETY: f64 = 3.0;

/// Fewest sources for the usual check at tolerances below [`SHARP`]; an attempt with fewer is checked at [`MANY_RECEIVERS`] and
/// by [`SHARP_SAFETY`]. A walk accepts few cells then, and receivers from which a large one is just far enough have
/// most of the error: in a lattice of 17³ points they are 1 in 300. By the FMM, cells refined around eight places had 1.7 times
/// the error that the check estimated.
const FEW_SHARP: usize = 8192;
const SHARP: f64 = 1e-10;

/// Factor between the error of such a check and the tolerance: the direct sum, which takes as long there, is soon better.
const SHARP_SAFETY: f64 = 2.0;

/// The check of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Check {
    receivers: usize,
    /// Factor by which the estimate has to be below the tolerance.
    safety: f64,
    /// Receivers of a second look, by [`CLOSER_SAFETY`], where the estimate is close to the tolerance.
    closer: Option<usize>,
}

impl Check {
    /// One look at so many receivers.
    fn once(receivers: usize, safety: f64) -> Self {
        Self { receivers, safety, closer: None }
    }
}

impl Chooser {
    /// The estimate of the last run, and the factor by which it has to be below the tolerance. An attempt may have failed before.
    pub(super) fn estimate_of(
        &self,
        tree: &TreeStatistics,
        trial: Trial,
        failed: bool,
        attempts: &mut dyn Attempts,
    ) -> Result<(Estimate, f64), Error> {
        let check = self.check_of(tree, trial.algorithm, failed);
        let (found, tolerance) = (attempts.check(check.receivers)?, self.accuracy.tolerance());
        let is_close = found.error > tolerance / CLOSE && found.error < tolerance * CLOSE;
        match check.closer {
            Some(closer) if is_close => Ok((attempts.check(closer)?, CLOSER_SAFETY)),
            _ => Ok((found, check.safety)),
        }
    }

    /// The estimate at as many receivers as the check of an ordinary sum has at most.
    pub(super) fn estimate_at_most_receivers(
        &self,
        attempts: &mut dyn Attempts,
    ) -> Result<Estimate, Error> {
        attempts.check(MOST as usize)
    }

    /// The check of a run, where an attempt may have failed before.
    fn check_of(&self, tree: &TreeStatistics, algorithm: Algorithm, failed: bool) -> Check {
        // The direct sum has no places in boxes where errors are larger.
        let is_direct = algorithm == Algorithm::Direct;
        if tree.is_remote() {
            let safety = if is_direct { CLOSER_SAFETY } else { REMOTE_SAFETY };
            return Check::once(MANY_RECEIVERS, safety);
        }
        let n_sources = tree.counts.n_sources;
        let is_sharp = n_sources < FEW_SHARP && self.accuracy.tolerance() < SHARP;
        if (is_sharp || n_sources < FEW_SOURCES) && !is_direct {
            let safety = if is_sharp { SHARP_SAFETY } else { CLOSER_SAFETY };
            return Check::once(MANY_RECEIVERS, safety);
        }
        let (share, most) = match tree.counts.n_receivers {
            few if few <= FEW_RECEIVERS => (SHARE_OF_FEW, MOST.max(few as f64)),
            _ => (SHARE, MOST),
        };
        let of_receiver = n_sources.max(1) as f64 * self.costs.checked_pair();
        let affordable = share * self.seconds_on(tree, algorithm) / of_receiver;
        let of_few_pairs = FEW_PAIRS / n_sources.max(1) as f64;
        let usual = affordable.clamp(FEWEST, most).max(of_few_pairs) as usize;
        let of_few_sources = FEW_SOURCES as f64 / n_sources as f64;
        let receivers = match is_direct {
            true => usual,
            false => usual.max((MANY_RECEIVERS as f64 * of_few_sources * of_few_sources) as usize),
        };
        let closer = (CLOSER * usual).max(2 * receivers);
        match failed && !is_direct {
            true => Check::once(closer, FAILED_SAFETY),
            false => Check { receivers, safety: 1.0, closer: Some(closer) },
        }
    }
}

#[cfg(test)]
mod tests {
    use expansions::operators::PairAccuracy;

    use super::super::{Scheme, TreeShape, of_cores};
    use super::*;
    use crate::api::{M2l, Request, Tolerance};
    use crate::engine::PointCounts;

    const FMM: Algorithm = Algorithm::Fmm { order: 10, m2l: M2l::PlaneWaves };

    /// The check of a run for so many sources and receivers, of which some have no source in their leaves.
    fn check(
        algorithm: Algorithm,
        [n_sources, n_receivers, alone]: [usize; 3],
        failed: bool,
    ) -> Check {
        let tolerance = Tolerance::L2(1e-6);
        let abilities = crate::cpu::abilities::<f64>();
        let request = Request { tolerance, ..Request::default() };
        let chooser = Chooser::new(request, abilities, of_cores()).unwrap();
        let (shape, pair_accuracy) = (TreeShape::one_leaf(), PairAccuracy::Full);
        let scheme = Scheme { algorithm, shape, pair_accuracy, predicted_error: 0.0 };
        let counts = PointCounts { n_sources, n_receivers, one_set: false };
        let of_tree = TreeStatistics::without_lists(counts, scheme, 3.0);
        chooser.check_of(&TreeStatistics { alone, ..of_tree }, algorithm, failed)
    }

    #[test]
    fn ordinary_sums_are_looked_at_again_where_they_are_close() {
        let few = check(FMM, [1_000_000, 1_000_000, 0], false);
        assert_eq!(few, Check { receivers: 32, safety: 1.0, closer: Some(256) });
        assert_eq!(check(FMM, [1_000_000, 1_000_000, 0], true), Check::once(256, FAILED_SAFETY));
    }

    #[test]
    fn uneven_errors_have_many_receivers_at_once() {
        let remote = check(FMM, [1_000_000, 1_000_000, 600_000], false);
        assert_eq!(remote, Check::once(MANY_RECEIVERS, REMOTE_SAFETY));
        assert_eq!(check(FMM, [1500, 9000, 0], false), Check::once(MANY_RECEIVERS, CLOSER_SAFETY));
        // The direct sum has few pairs, and no places where errors are larger.
        let direct = check(Algorithm::Direct, [1500, 9000, 0], false);
        assert!(direct.receivers < MANY_RECEIVERS && direct.closer.is_some(), "{direct:?}");
    }

    #[test]
    fn receivers_fall_with_the_square_of_few_sources() {
        let receivers = |n| check(FMM, [n, 100_000, 0], false).receivers;
        assert_eq!(receivers(2000), MANY_RECEIVERS);
        assert_eq!(receivers(4000), MANY_RECEIVERS / 4);
        assert!(receivers(40_000) <= MOST as usize);
    }
}

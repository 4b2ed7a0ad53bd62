//! Attempts: an evaluation is checked at a few receivers, and repeated until it keeps the tolerance.
//!
//! Tables of errors hold for many sets of points, not for all: a lattice may lie in the corners of its boxes, charges may
//! cancel, and receivers may be away from all sources, where no near field outweighs the expansions' errors. So each
//! evaluation for a relative tolerance is compared with the direct sum where [`Attempts::check`] looks. An attempt that
//! fails is followed by one of a higher order and of pairs with more digits, then by the direct sum, and last, where f64 has
//! too few digits, by sums in double-double arithmetic. If those cost too much, the report says by how much the tolerance is
//! missed.
//!
//! Where sums cancel so far that the errors of pairs could miss the tolerance, the next attempt has pairs with more digits,
//! whatever the check found: the errors of two charges that cancel are alike at most receivers and unlike at few of them.

use expansions::operators::PairAccuracy;

use super::abilities::LARGEST_DENSE;
use super::errors::WalkErrors;
use super::points::TreeStatistics;
use super::{Algorithm, Chooser, Scheme, Walk};
use crate::api::{Error, M2l, Tolerance, Treecode, worse};
use crate::engine::{ChargeKind, PointCounts};
use crate::verify::Estimate;

/// Factor by which errors fall a degree for points in the corners of boxes: more slowly than usual, and faster than the
/// proven bounds of the nearest far boxes. Receivers beside and around sources were measured to have such errors.
const SLOWEST_RATE: f64 = 0.62;

/// Cost of the direct sum over that of the failed attempt, up to which it is the last resort.
const LAST_RESORT: f64 = 100.0;

/// Pairs up to which sums are made in double-double arithmetic, at some 12 ns each with AVX-512: 3 s of one core.
const EXACT_PAIRS: usize = 1 << 28;

/// Runs of one evaluation.
pub(crate) trait Attempts {
    /// Computes the field by a scheme.
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error>;

    /// Compares the last run with the direct sum at about `receivers` receivers. Gives the relative L2 error of the worst
    /// output and charge vector.
    fn check(&mut self, receivers: usize) -> Result<Estimate, Error>;

    /// Whether few charges outweigh the others among those that a run of an algorithm sums to the accuracy of its scheme's pairs.
    fn are_uneven(&mut self, _algorithm: Algorithm) -> Result<bool, Error> {
        Ok(false)
    }

    /// Whether charges may hide errors from a sample of receivers, see [`VectorFacts::may_hide_errors`](crate::engine::VectorFacts).
    fn may_hide_errors(&self) -> bool {
        false
    }

    /// Number of charge vectors that each run sums.
    fn n_vectors(&self) -> usize {
        1
    }

    /// Replaces the sums of the last run by direct ones in double-double arithmetic, which the scheme describes. Gives whether
    /// the engine has that.
    fn sum_exactly(&mut self, _scheme: &Scheme) -> Result<bool, Error> {
        Ok(false)
    }
}

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    pub(super) algorithm: Algorithm,
    pub(super) pair_accuracy: PairAccuracy,
    /// The tolerance that a walk was chosen for.
    tolerance: f64,
}

impl Chooser {
    /// Runs attempts until one keeps the tolerance, or none is left. Gives the estimated relative L2 error of the last one;
    /// `None` where the request has no relative tolerance.
    pub(crate) fn evaluate(
        &self,
        tree: &TreeStatistics,
        kind: ChargeKind,
        attempts: &mut dyn Attempts,
    ) -> Result<Option<f64>, Error> {
        let mut trial = self.first_trial(tree, kind)?;
        let mut before = None;
        loop {
            trial.pair_accuracy = self.digits_of(trial, attempts)?;
            let scheme = self.scheme_of(tree, trial, kind);
            attempts.run(&scheme)?;
            if !self.request.is_relative() {
                return Ok(None);
            }
            let (estimate, safety) = self.estimate_of(tree, trial, before.is_some(), attempts)?;
            let Estimate { error, cancellation, rounding } = estimate;
            let excess = error * safety / self.accuracy.tolerance();
            if excess <= 1.0 {
                let doubt = self.doubt_of_accuracy(trial.pair_accuracy, cancellation);
                if doubt <= 1.0 {
                    return match self.rounding(trial, rounding) {
                        0.0 => Ok(Some(error)),
                        rounding => self.exactly(tree, worse(error, rounding), attempts),
                    };
                }
                trial.pair_accuracy = self.more_digits(trial.pair_accuracy, doubt);
                continue;
            }
            // Orders that gained less than half a degree does at the slowest have rounding left.
            let gained = before.is_none_or(|before| error < SLOWEST_RATE.sqrt() * before);
            let gained = gained || trial.pair_accuracy < PairAccuracy::Full;
            match self.next_trial(tree, trial, kind, excess, gained) {
                Some(next) => trial = next,
                None => return self.exactly(tree, error, attempts),
            }
            before = Some(error);
        }
    }

    /// Sums in double-double arithmetic where no attempt kept the tolerance, if that is affordable. Gives the error.
    fn exactly(
        &self,
        tree: &TreeStatistics,
        error: f64,
        attempts: &mut dyn Attempts,
    ) -> Result<Option<f64>, Error> {
        let PointCounts { n_sources, n_receivers, .. } = tree.counts;
        let pairs = n_sources.saturating_mul(n_receivers).saturating_mul(attempts.n_vectors());
        let algorithm = Algorithm::Direct;
        let scheme = Scheme { algorithm, predicted_error: 0.0, ..tree.scheme };
        if pairs > EXACT_PAIRS || !attempts.sum_exactly(&scheme)? {
            return Ok(Some(error));
        }
        // The check tells how far these sums cancel, whose own rounding is the square of that of f64.
        let Estimate { error, rounding, .. } = self.estimate_at_most_receivers(attempts)?;
        let of_sums = 0.5 * f64::EPSILON * rounding;
        Ok(Some(worse(worse(error, of_sums), self.abilities.precision.unit_roundoff())))
    }

    fn scheme_of(&self, tree: &TreeStatistics, trial: Trial, kind: ChargeKind) -> Scheme {
        Scheme {
            algorithm: trial.algorithm,
            pair_accuracy: trial.pair_accuracy,
            predicted_error: self.predicted_error(
                trial.algorithm,
                kind,
                (tree.dimension, tree.counts.n_sources),
            ),
            ..tree.scheme
        }
    }

    fn first_trial(&self, tree: &TreeStatistics, kind: ChargeKind) -> Result<Trial, Error> {
        let tolerance = self.accuracy.tolerance();
        let pair_accuracy = self.pair_accuracy();
        if !tree.is_remote() {
            let algorithm = self.on_tree_that_stands(tree, kind)?;
            return Ok(Trial { algorithm, pair_accuracy, tolerance });
        }
        let order = self.accuracy.first_trial_order().min(self.largest_trial_order());
        let algorithm = match tree.scheme.algorithm {
            Algorithm::Direct => Algorithm::Direct,
            Algorithm::Fmm { .. } => self.fmm_trial(tree, order),
            Algorithm::TreecodeLists { .. } => Algorithm::TreecodeLists { order },
            Algorithm::TreecodeWalk(_) => {
                let small = WalkErrors::first_trial_tolerance(tolerance);
                let trial = |tolerance| {
                    let walk = self.walk_trial(tree, tolerance, ChargeKind::Unlike)?;
                    Ok(Trial { algorithm: Algorithm::TreecodeWalk(walk), pair_accuracy, tolerance })
                };
                return trial(small).or_else(|_: Error| trial(tolerance));
            }
        };
        Ok(Trial { algorithm, pair_accuracy, tolerance })
    }

    /// The trial after one whose error was too large by a factor; `None` where no better one is left.
    fn next_trial(
        &self,
        tree: &TreeStatistics,
        failed: Trial,
        kind: ChargeKind,
        excess: f64,
        gained: bool,
    ) -> Option<Trial> {
        let largest = self.largest_trial_order();
        let pair_accuracy = self.more_digits(failed.pair_accuracy, excess);
        let next = match failed.algorithm {
            Algorithm::Direct if pair_accuracy > failed.pair_accuracy => {
                return Some(Trial { pair_accuracy, ..failed });
            }
            Algorithm::Direct => return None,
            _ if !gained => None,
            Algorithm::Fmm { order, .. } => {
                higher_order(order, excess, largest).map(|order| self.fmm_trial(tree, order))
            }
            Algorithm::TreecodeLists { order } => {
                higher_order(order, excess, largest).map(|order| Algorithm::TreecodeLists { order })
            }
            Algorithm::TreecodeWalk(walk) => {
                let direct = self.seconds_on(tree, Algorithm::Direct);
                let next = self.next_walk(tree, walk, failed, kind, excess);
                return next
                    .filter(|next| self.seconds_on(tree, next.algorithm) < direct)
                    .map(|next| Trial { pair_accuracy, ..next })
                    .or_else(|| self.last_resort(tree, failed));
            }
        };
        let next = next.map(|algorithm| Trial { algorithm, pair_accuracy, ..failed });
        next.or_else(|| self.last_resort(tree, failed))
    }

    /// The largest order of an attempt. Forms of M2L that are set by hand may end earlier.
    fn largest_trial_order(&self) -> usize {
        match self.request.m2l {
            Some(M2l::Dense) => self.abilities.largest_trial_order.min(LARGEST_DENSE),
            Some(M2l::Rotation) => {
                self.abilities.largest_trial_order.min(self.abilities.largest_pairwise)
            }
            _ => self.abilities.largest_trial_order,
        }
    }

    /// The direct sum with all digits, if it costs no more than an error is worth.
    fn last_resort(&self, tree: &TreeStatistics, failed: Trial) -> Option<Trial> {
        let seconds = |algorithm| self.seconds_on(tree, algorithm);
        let affordable = seconds(Algorithm::Direct) <= LAST_RESORT * seconds(failed.algorithm);
        let algorithm = Algorithm::Direct;
        affordable.then_some(Trial { algorithm, pair_accuracy: PairAccuracy::Full, ..failed })
    }

    /// The walk for a smaller tolerance, other than the one that failed: few walks serve all tolerances.
    fn next_walk(
        &self,
        tree: &TreeStatistics,
        walk: Walk,
        failed: Trial,
        kind: ChargeKind,
        excess: f64,
    ) -> Option<Trial> {
        // At least half, also where the excess is no number.
        let mut tolerance = failed.tolerance / excess.max(2.0);
        // The first walk to receivers away from the sources is for unlike charges.
        let kind = if tree.is_remote() { ChargeKind::Unlike } else { kind };
        loop {
            let next = self.walk_trial(tree, tolerance, kind);
            let next =
                next.or_else(|_| self.walk_trial(tree, tolerance, ChargeKind::Unlike)).ok()?;
            if next != walk {
                let algorithm = Algorithm::TreecodeWalk(next);
                return Some(Trial { algorithm, tolerance, ..failed });
            }
            tolerance /= 2.0;
        }
    }

    fn walk_trial(
        &self,
        tree: &TreeStatistics,
        tolerance: f64,
        kind: ChargeKind,
    ) -> Result<Walk, Error> {
        let asked = self.request.treecode().and_then(Treecode::asked_criterion);
        let (tolerance, unexpanded) = (Tolerance::L2(tolerance), tree.scheme.shape.unexpanded);
        let walk = self.walk(asked, tolerance, kind, tree.counts, unexpanded)?;
        Ok(walk.without_rounding())
    }

    pub(super) fn seconds_on(&self, tree: &TreeStatistics, algorithm: Algorithm) -> f64 {
        self.seconds(algorithm, tree.counts, tree.scheme.shape.unexpanded)
    }

    fn fmm_trial(&self, tree: &TreeStatistics, order: usize) -> Algorithm {
        let far = self.faster_far_field(tree, order);
        Algorithm::Fmm { order, m2l: self.form(order, far) }
    }

    /// The error that results may have.
    pub(crate) fn tolerance(&self) -> f64 {
        self.accuracy.tolerance()
    }
}

/// The order to try where that of the last attempt left an excess; none beyond `largest`.
fn higher_order(order: usize, excess: f64, largest: usize) -> Option<usize> {
    // At least two degrees, also where the excess is no number.
    let degrees = (excess.ln() / -SLOWEST_RATE.ln()).ceil().max(2.0) as usize;
    (order < largest).then(|| order.saturating_add(degrees).min(largest))
}

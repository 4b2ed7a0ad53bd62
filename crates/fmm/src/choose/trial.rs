//! Receivers away from the sources: their order is found by trial.
//!
//! With sources near, the near field outweighs the expansions' errors, which average over all places
//! in boxes. Without, neither is so, and the error of an order depends on where the boxes cut
//! the sets: by factors of 1000 at one order. No table tells, so each evaluation is checked at a
//! sample of the receivers and repeated at a higher order until the tolerance is kept; the last resort is the direct
//! sum.

use expansions::bounds;

use super::errors::WalkErrors;
use super::points::TreeStatistics;
use super::{Algorithm, Chooser, Walk};
use crate::api::{Error, SampledError, Tolerance, Treecode};
use crate::engine::Signs;

/// Receivers at which an evaluation is checked: about as many pairs a source as its near field has.
pub(crate) const CHECKED: usize = 1024;

/// Factor between the error at the checked receivers and the tolerance for all. Few receivers, those at corners of
/// boxes, have most of the error, and hardly one of them may be among the checked. The conformance suite holds the tolerance on
/// separated sets with this factor.
const SAFETY: f64 = 3.0;

/// One attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Trial {
    algorithm: Algorithm,
    /// The tolerance that a walk was chosen for.
    tolerance: f64,
}

/// Attempts with one trial after the other until the error that `attempt` returns keeps the tolerance. Without a
/// trial left, `attempt` gets the direct sum. Returns the last error.
pub(crate) fn evaluate_by_trial(
    chooser: &Chooser,
    tree: &TreeStatistics,
    mut attempt: impl FnMut(Algorithm) -> Result<f64, Error>,
) -> Result<f64, Error> {
    let tolerance = chooser.accuracy.tolerance();
    let mut trial = chooser.first_trial(tree)?;
    loop {
        let error = attempt(trial.algorithm)?;
        let excess = error * SAFETY / tolerance;
        if trial.algorithm == Algorithm::Direct || excess <= 1.0 {
            return Ok(error);
        }
        trial = chooser.next_trial(tree, trial, excess);
    }
}

/// The larger of two errors, or the one that is not a number.
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// The error of the worse output.
pub(crate) fn worse_output(errors: &SampledError) -> f64 {
    worse(errors.potential.l2, errors.gradient.l2)
}

impl Chooser {
    fn first_trial(&self, tree: &TreeStatistics) -> Result<Trial, Error> {
        let tolerance = self.accuracy.tolerance();
        let order = self.accuracy.first_trial_order();
        let algorithm = match tree.scheme.algorithm {
            Algorithm::Direct => Algorithm::Direct,
            Algorithm::Fmm { .. } => self.fmm_trial(tree, order),
            Algorithm::TreecodeLists { .. } => Algorithm::TreecodeLists { order },
            Algorithm::TreecodeWalk(_) => {
                let small = WalkErrors::first_trial_tolerance(tolerance);
                let trial = |tolerance| {
                    let walk = self.walk_trial(tree, tolerance)?;
                    Ok(Trial { algorithm: Algorithm::TreecodeWalk(walk), tolerance })
                };
                return trial(small).or_else(|_: Error| trial(tolerance));
            }
        };
        Ok(Trial { algorithm, tolerance })
    }

    /// The trial after one whose error was too large by a factor.
    fn next_trial(&self, tree: &TreeStatistics, failed: Trial, excess: f64) -> Trial {
        let largest = self.abilities.largest_trial_order;
        let next = match failed.algorithm {
            Algorithm::Direct => None,
            Algorithm::Fmm { order, .. } => {
                higher_order(order, excess, largest).map(|order| self.fmm_trial(tree, order))
            }
            Algorithm::TreecodeLists { order } => {
                higher_order(order, excess, largest).map(|order| Algorithm::TreecodeLists { order })
            }
            Algorithm::TreecodeWalk(walk) => return self.next_walk(tree, walk, failed, excess),
        };
        Trial { algorithm: next.unwrap_or(Algorithm::Direct), ..failed }
    }

    /// The walk for a smaller tolerance, other than the one that failed: few walks serve all tolerances.
    fn next_walk(&self, tree: &TreeStatistics, walk: Walk, failed: Trial, excess: f64) -> Trial {
        // At least half, also where the excess is no number.
        let mut tolerance = failed.tolerance / excess.max(2.0);
        loop {
            match self.walk_trial(tree, tolerance) {
                Ok(next) if next == walk => tolerance /= 2.0,
                Ok(next) => return Trial { algorithm: Algorithm::TreecodeWalk(next), tolerance },
                Err(_) => return Trial { algorithm: Algorithm::Direct, tolerance },
            }
        }
    }

    fn walk_trial(&self, tree: &TreeStatistics, tolerance: f64) -> Result<Walk, Error> {
        let asked = self.request.treecode().and_then(Treecode::asked_opening);
        let walk = self.walk(asked, Tolerance::L2(tolerance), Signs::Mixed, tree.counts)?;
        Ok(walk.without_rounding())
    }

    fn fmm_trial(&self, tree: &TreeStatistics, order: usize) -> Algorithm {
        let far = self.faster_far_field(tree, order);
        Algorithm::Fmm { order, m2l: self.form(order, far) }
    }
}

/// The order to try where that of the last attempt left an excess; none beyond `largest`.
fn higher_order(order: usize, excess: f64, largest: usize) -> Option<usize> {
    // Errors of points in the corners of boxes fall as slowly as the bounds of the nearest far boxes.
    let radius = 0.5 * 3f64.sqrt();
    let rate = bounds::convergence_ratio(radius, radius, 2.0);
    // At least two degrees, also where the excess is no number.
    let degrees = (excess.ln() / -rate.ln()).ceil().max(2.0) as usize;
    (order < largest).then(|| order.saturating_add(degrees).min(largest))
}

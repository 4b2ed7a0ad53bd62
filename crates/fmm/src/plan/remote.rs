//! Receivers away from the sources: their order is found by trial.
//!
//! With sources near, the near field outweighs the expansions' errors, which average over all places
//! in boxes. Without, neither is so, and how closely an order comes depends on where the boxes cut
//! the sets: by factors of 1000 at one order. No table tells, so each evaluation is checked at a
//! sample of the receivers and repeated at a higher order until the tolerance is kept; what no order
//! reaches is summed directly.

use expansions::order::Signs;

use super::host::HostPlan;
use crate::choices::{Method, Tolerance};
use crate::stopwatch::{Seconds, Stage};
use crate::{Field, Scalar, Workspace};

/// Receivers at which an evaluation is checked.
const CHECKED: usize = 256;

/// Factor between the error at the checked receivers and what is promised for all.
const SAFETY: f64 = 1.5;

/// By what errors fall a degree at the least: the rate of points in the corners of boxes.
const RATE: f64 = 0.74;

/// The order that stands for summing all pairs.
const ALL_PAIRS: usize = 0;

impl<T: Scalar> HostPlan<T> {
    /// Whether most receivers share their leaves with no source, and a relative error is asked for.
    pub(super) fn is_remote(&self) -> bool {
        let tree = &self.hierarchy.tree;
        let relative = matches!(self.settings.tolerance, Tolerance::L2(_));
        if !relative || tree.sources_are_receivers() || !self.has_expansions() {
            return false;
        }
        let leaves = tree.leaves().iter().map(|leaf| *leaf as usize);
        let alone = leaves.filter(|leaf| tree.sources(*leaf).is_empty());
        2 * alone.map(|leaf| tree.receivers(leaf).len()).sum::<usize>()
            > self.hierarchy.receivers().len()
    }

    /// Evaluates until the tolerance is kept, and reports the error that was measured.
    pub(super) fn evaluate_by_trial(
        &self,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) {
        let largest = self.goal.remote_limit();
        let mut order = self.goal.remote_order();
        loop {
            self.evaluate_at(order, Signs::Mixed, charges, fields, workspace, seconds);
            let excess = seconds.time(Stage::Other, || self.excess(charges, fields));
            let kept = order == ALL_PAIRS || excess <= 1.0;
            for Field { report, .. } in fields.iter_mut() {
                report.seconds = self.report.seconds + *seconds;
                report.predicted_error = excess * self.goal.tolerance() / SAFETY;
                if order == ALL_PAIRS {
                    let pairs = report.n_sources as u64 * report.n_receivers as u64;
                    (report.method, report.order) = (Method::Direct, 0);
                    (report.p2p_pairs, report.m2l_pairs) = (pairs, 0);
                    (report.m2p_pairs, report.p2l_pairs) = (0, 0);
                }
            }
            if kept {
                return;
            }
            // At least two degrees, also where the excess is no number.
            let degrees = (excess.ln() / -RATE.ln()).ceil().max(2.0) as usize;
            order = match order {
                order if order >= largest => ALL_PAIRS,
                order => order.saturating_add(degrees).min(largest),
            };
        }
    }

    /// The largest error of the fields where they are checked, in units of what it may be.
    fn excess(&self, charges: &[&[T]], fields: &[Field<T>]) -> f64 {
        let mut largest = 0.0_f64;
        for (charges, field) in charges.iter().zip(fields) {
            let errors = self.sample_error(charges, field, CHECKED);
            for error in [errors.potential.l2, errors.gradient.l2] {
                // Keeps what is not a number.
                largest = if largest.is_nan() || error <= largest { largest } else { error };
            }
        }
        largest * SAFETY / self.goal.tolerance()
    }
}

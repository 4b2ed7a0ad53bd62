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
use crate::verify::SampledError;
use crate::{Error, Field, Report, Scalar, Workspace};

/// Receivers at which an evaluation is checked.
pub(crate) const CHECKED: usize = 1024;

/// Factor between the error at the checked receivers and what is promised for all. Few receivers, those at corners of
/// boxes, have most of the error, and hardly one of them may be among the checked.
const SAFETY: f64 = 3.0;

/// By what errors fall a degree at the least: the rate of points in the corners of boxes.
const RATE: f64 = 0.74;

/// Attempts with `first`, and with what `next` makes of the last choice and of the factor by which its error was too
/// large, until the error that `attempt` returns keeps the tolerance. Without a choice left, `attempt` sums all pairs.
/// Returns the last error.
pub(crate) fn by_trial<C: Copy>(
    tolerance: f64,
    first: C,
    next: impl Fn(C, f64) -> Option<C>,
    mut attempt: impl FnMut(Option<C>) -> Result<f64, Error>,
) -> Result<f64, Error> {
    let mut choice = Some(first);
    loop {
        let error = attempt(choice)?;
        let excess = error * SAFETY / tolerance;
        match choice {
            Some(tried) if excess.is_nan() || excess > 1.0 => choice = next(tried, excess),
            _ => return Ok(error),
        }
    }
}

/// The order to try where that of the last attempt left an excess; none beyond `largest`.
pub(crate) fn higher_order(order: usize, excess: f64, largest: usize) -> Option<usize> {
    // At least two degrees, also where the excess is no number.
    let degrees = (excess.ln() / -RATE.ln()).ceil().max(2.0) as usize;
    (order < largest).then(|| order.saturating_add(degrees).min(largest))
}

/// The larger of two errors, or what is not a number.
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// The error of the worse output.
pub(crate) fn worse_output(errors: &SampledError) -> f64 {
    worse(errors.potential.l2, errors.gradient.l2)
}

/// Makes a report say that all pairs were summed.
pub(crate) fn report_all_pairs(report: &mut Report) {
    (report.method, report.order) = (Method::Direct, 0);
    report.p2p_pairs = report.n_sources as u64 * report.n_receivers as u64;
    [report.m2l_pairs, report.m2p_pairs, report.p2l_pairs] = [0; 3];
}

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
    ) -> Result<(), Error> {
        let (goal, largest) = (&self.goal, self.goal.remote_limit());
        let next = |order, excess| higher_order(order, excess, largest);
        let attempt = |order: Option<usize>| {
            let order = order.map(|order| (order, self.faster_at(order)));
            self.evaluate_at(order, Signs::Mixed, charges, fields, workspace, seconds)?;
            if order.is_none() {
                fields.iter_mut().for_each(|field| report_all_pairs(&mut field.report));
            }
            Ok(seconds.time(Stage::Other, || self.largest_error(charges, fields)))
        };
        let error = by_trial(goal.tolerance(), goal.remote_order(), next, attempt)?;
        for Field { report, .. } in fields {
            report.seconds = self.report.seconds + *seconds;
            report.predicted_error = error;
        }
        Ok(())
    }

    /// The largest error of the fields where they are checked.
    fn largest_error(&self, charges: &[&[T]], fields: &[Field<T>]) -> f64 {
        let checked = charges.iter().zip(fields);
        let errors = checked.map(|(charges, field)| self.sample_error(charges, field, CHECKED));
        errors.map(|errors| worse_output(&errors)).fold(0.0, worse)
    }
}

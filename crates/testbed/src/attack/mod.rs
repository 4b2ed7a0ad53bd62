//! Attack on the promise: one evaluation of a hostile problem, judged.
//!
//! `cargo xtask attack` prints all of them, and the conformance suite runs the small ones.

mod oracle;

use std::time::Instant;

use fmm::{Depth, Device, Field, Fmm, Method, Plan, Report};

use crate::conformance::Precision;
use crate::hostile::Case;
pub use oracle::Oracle;

/// Method, tolerance and device of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Attempt {
    /// The method.
    pub method: Method,
    /// Relative L2 error asked for.
    pub tolerance: f64,
    /// The device.
    pub device: Device,
    /// Depth of the tree, where the case has none of its own.
    pub depth: Option<Depth>,
}

/// Judgement of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Both errors are within the tolerance.
    Ok,
    /// An error is above the tolerance, and the report says so.
    Reported,
    /// A typed error.
    Refused(fmm::Error),
    /// An error above the tolerance, or a value that is no number, of which the report is silent.
    Miss,
}

/// Result of an evaluation.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The judgement.
    pub verdict: Verdict,
    /// Errors of potential and gradient over the tolerance.
    pub ratios: [f64; 2],
    /// Report of the evaluation.
    pub report: Report,
    /// Seconds of plan and evaluation.
    pub seconds: f64,
}

/// Pairs above which the direct sum is taken at the checked receivers alone.
const MANY_PAIRS: usize = 500_000_000;

/// Pairs up to which all receivers judge where a sample of them shows a miss: half a minute of compensated sums.
const JUDGED_PAIRS: usize = 20_000_000_000;

/// Plans, evaluates and judges a case in `T`. One receiver may have most of the error of a sample and hardly any of all, so that all
/// receivers decide where those of the oracle show a miss, unless there are too many.
pub fn evaluate<T: Precision>(case: &Case, oracle: &Oracle, attempt: Attempt) -> Outcome {
    let pairs = case.sources.len() * case.receivers().len();
    let thinned = attempt.method == Method::Direct && pairs > MANY_PAIRS;
    let start = Instant::now();
    let field = field::<T>(case, attempt, thinned.then_some(&oracle.receivers[..]));
    let seconds = start.elapsed().as_secs_f64();
    let field = match field {
        Ok(field) => field,
        Err(error) => {
            let verdict = Verdict::Refused(error);
            return Outcome { verdict, ratios: [f64::NAN; 2], report: Report::default(), seconds };
        }
    };
    let ratios_by = |oracle: &Oracle| {
        let at = |k: usize| if thinned { k } else { oracle.receivers[k] };
        let kept = 0..oracle.receivers.len();
        let potential: Vec<f64> = kept.clone().map(|k| field.potential[at(k)].widen()).collect();
        let gradient: Vec<[f64; 3]> = kept.map(|k| field.gradient[at(k)].map(T::widen)).collect();
        oracle.errors(&potential, &gradient).map(|error| error / attempt.tolerance)
    };
    let judged = |ratios: [f64; 2]| match ratios.iter().all(|ratio| *ratio <= 1.0) {
        true => Verdict::Ok,
        false if field.report.excess().is_some() => Verdict::Reported,
        false => Verdict::Miss,
    };
    let mut ratios = ratios_by(oracle);
    if judged(ratios) == Verdict::Miss && !thinned && pairs <= JUDGED_PAIRS {
        ratios = ratios_by(oracle.everywhere(case));
    }
    let verdict = judged(ratios);
    Outcome { verdict, ratios, report: field.report, seconds }
}

/// The field of a case at its receivers, or at those of these indices.
fn field<T: Precision>(
    case: &Case,
    attempt: Attempt,
    only: Option<&[usize]>,
) -> Result<Field<T>, fmm::Error> {
    let request = Fmm::new().method(attempt.method).tolerance(attempt.tolerance);
    let request = request.device(attempt.device).softening(case.softening);
    let request = case.depth.or(attempt.depth).map_or(request, |depth| request.depth(depth));
    let charges: Vec<T> = case.charges.iter().map(|charge| T::narrow(*charge)).collect();
    let sources = &case.sources;
    let plan: Plan<T> = match (only, &case.receivers) {
        (None, None) => request.plan_of_f64(sources)?,
        (None, Some(receivers)) => request.plan_of_f64((sources, receivers))?,
        (Some(indices), _) => {
            let all = case.receivers();
            let receivers: Vec<[f64; 3]> = indices.iter().map(|i| all[*i]).collect();
            request.plan_of_f64((sources, &receivers))?
        }
    };
    plan.evaluate(&charges)
}

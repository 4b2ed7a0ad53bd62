//! Error tables: errors of expansions on lists, and of walks.

pub(crate) mod fmm;
pub(crate) mod treecode;

use ::fmm::{Fmm, SampledError};
use testbed::charges;
use testbed::clouds::Cloud;
use testbed::conformance::{Apart, Problem, separated_sets};

use crate::{Outcome, SEED};

/// Receivers at which an error is measured.
const CHECKED: usize = 1000;

/// Errors of one set, of charges of one sign and of both.
type BySigns<T> = [T; 2];

/// Charges of one sign, then of both.
fn charges_of_both_signs(n: usize) -> BySigns<Vec<f64>> {
    [charges::masses(n, SEED + 2), charges::mixed(n, SEED + 3)]
}

/// Receivers in a shell around the sources and in a ball beside them, of two draws.
///
/// The other separated sets have no law: receivers far away are points to the boxes, and those in the middle are near.
fn remote_sets(n: usize) -> Vec<Apart> {
    let draws = [SEED, SEED + 10].map(|seed| separated_sets(n, seed));
    let wanted = |(cloud, _): &Apart| matches!(cloud.name, "around" | "beside");
    draws.into_iter().flatten().filter(wanted).collect()
}

/// The sum over a set, with receivers of its own if there are any.
fn problem(cloud: &Cloud, receivers: Option<&[[f64; 3]]>) -> Problem<f64> {
    let problem = Problem::new(cloud.name, &cloud.positions, &[]);
    match receivers {
        None => problem,
        Some(receivers) => problem.at(receivers),
    }
}

/// Errors of a plan for several charges.
fn errors(fmm: Fmm, problem: &Problem<f64>, charges: &[&[f64]]) -> Outcome<Vec<SampledError>> {
    let plan = problem.plan(fmm)?;
    let mut errors = Vec::new();
    for charges in charges {
        let field = plan.evaluate(charges)?;
        errors.push(plan.sample_error(charges, &field, CHECKED)?);
    }
    Ok(errors)
}

/// Relative L2 errors of potential and gradient.
fn outputs(error: &SampledError) -> [f64; 2] {
    [error.potential, error.gradient].map(|errors| errors.unwrap_or_default().l2)
}

//! Judgement of a problem: plan, evaluation, and comparison with a sum of its own.

use fmm::{Field, Plan, Report, Tolerance};

use super::super::{Failure, Kind, guarded};
use super::{Precision, Problem};
use crate::conformance::{Precision as Float, narrow};
use crate::sample;
use reference::twofold;

/// Outcome of a problem that is no failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The tolerance was kept, with the larger error divided by it; 0 where nothing was promised.
    Kept(f64),
    /// The error is above the tolerance, and the report admits it.
    Reported,
    /// The plan or the evaluation returned a typed error.
    Refused(fmm::Error),
}

/// Pairs above which only some receivers are compared.
const MANY_PAIRS: usize = 1_000_000;

/// Plans, evaluates and compares.
///
/// # Errors
///
/// A panic, a result that is not finite or of the wrong length, or an error above the tolerance of which the report is
/// silent.
pub fn judge(problem: &Problem) -> Result<Outcome, Failure> {
    guarded(|| match problem.settings.precision {
        Precision::F32 => judge_plan(problem, plan::<f32>(problem)),
        Precision::F64 => judge_plan(problem, plan::<f64>(problem)),
        Precision::F32OfF64 => {
            let (fmm, sources) = (problem.settings.fmm(), &problem.sources);
            judge_plan(
                problem,
                match &problem.receivers {
                    None => fmm.plan_f32(sources),
                    Some(receivers) => fmm.plan_f32((sources, receivers)),
                },
            )
        }
    })
}

fn plan<T: Float>(problem: &Problem) -> Result<Plan<T>, fmm::Error> {
    let (sources, fmm) = (narrow::<T>(&problem.sources), problem.settings.fmm());
    match &problem.receivers {
        None => fmm.plan(&sources),
        Some(receivers) => fmm.plan((&sources, &narrow::<T>(receivers))),
    }
}

fn judge_plan<T: Float>(
    problem: &Problem,
    plan: Result<Plan<T>, fmm::Error>,
) -> Result<Outcome, Failure> {
    let field = match plan.and_then(|plan| field(problem, &plan)) {
        Ok(field) => field,
        Err(error) => return Ok(Outcome::Refused(error)),
    };
    let n = problem.receivers().len();
    let outputs = problem.settings.outputs;
    let expected =
        [outputs.has_potential(), outputs.has_gradient()].map(|kept| if kept { n } else { 0 });
    let lengths = [field.potential.len(), field.gradient.len()];
    if lengths != expected {
        let message = format!("lengths {lengths:?} of the outputs, expected {expected:?}");
        return Err(Failure::new(Kind::Wrong, message));
    }
    let mut numbers = field.potential.iter().chain(field.gradient.as_flattened());
    if !numbers.all(|x| x.widen().is_finite()) {
        return Err(Failure::new(Kind::NotFinite, told(problem, &field.report)));
    }
    let few = sample(n, (MANY_PAIRS / problem.sources.len().max(1)).max(100), 7);
    let ratio = excess(problem, &field, &few);
    // The promise is one of all receivers: a sample only clears.
    let ratio = match ratio <= 1.0 || few.len() == n {
        true => ratio,
        false => excess(problem, &field, &(0..n).collect::<Vec<_>>()),
    };
    match ratio <= 1.0 {
        true => Ok(Outcome::Kept(ratio)),
        false if field.report.excess().is_some() => Ok(Outcome::Reported),
        false => {
            let message =
                format!("{ratio:.2e} times the tolerance, {}", told(problem, &field.report));
            Err(Failure::new(Kind::Miss, message))
        }
    }
}

fn field<T: Float>(problem: &Problem, plan: &Plan<T>) -> Result<Field<T>, fmm::Error> {
    let charges: Vec<T> = problem.charges.iter().map(|charge| T::narrow(*charge)).collect();
    if problem.settings.vectors == 1 {
        return plan.evaluate(&charges);
    }
    let negative: Vec<T> = problem.charges.iter().map(|charge| T::narrow(-charge)).collect();
    let mut vectors = vec![negative.as_slice(); problem.settings.vectors];
    vectors[0] = &charges;
    Ok(plan.evaluate_many(&vectors)?.swap_remove(0))
}

/// The larger error of the outputs at these receivers, over what is promised.
fn excess<T: Float>(problem: &Problem, field: &Field<T>, at: &[usize]) -> f64 {
    let receivers: Vec<[f64; 3]> = at.iter().map(|i| problem.receivers()[*i]).collect();
    let sums = |charges: &[f64]| {
        twofold::direct(&problem.sources, charges, &receivers, problem.settings.softening)
    };
    let (exact, slope) = sums(&problem.charges);
    let outputs = problem.settings.outputs;
    let potential = || at.iter().map(|i| field.potential[*i].widen()).collect::<Vec<_>>();
    let gradient = || at.iter().map(|i| field.gradient[*i].map(T::widen)).collect::<Vec<_>>();
    let mut largest = 0.0_f64;
    match problem.settings.tolerance {
        Tolerance::L2(tolerance) => {
            // Results below the smallest number of the type cannot keep a relative tolerance, nor can those that the
            // reference sums have no digit of.
            let tiny = T::TINY * (3 * at.len()) as f64 * problem.sources.len() as f64;
            let [of_potential, of_gradient] =
                magnitudes(problem, &receivers).map(|magnitude| tiny + REFERENCE * magnitude);
            if outputs.has_potential() {
                largest = relative(&potential(), &exact, of_potential) / tolerance;
            }
            if outputs.has_gradient() {
                let error = relative(gradient().as_flattened(), slope.as_flattened(), of_gradient);
                largest = worse(largest, error / tolerance);
            }
        }
        Tolerance::Guaranteed(tolerance)
            if outputs.has_potential() && problem.settings.softening == 0.0 =>
        {
            let magnitudes: Vec<f64> = problem.charges.iter().map(|charge| charge.abs()).collect();
            let (terms, _) = sums(&magnitudes);
            for ((value, exact), terms) in potential().iter().zip(&exact).zip(&terms) {
                // Rounding is not part of the bound.
                let bound = (tolerance + 64.0 * T::EPSILON) * terms + T::TINY;
                largest = worse(largest, (value - exact).abs() / bound);
            }
        }
        _ => {}
    }
    largest
}

/// Rounding of the reference sums, which have 106 bits, relative to the sums of magnitudes.
const REFERENCE: f64 = 1e-30;

/// L2 norms of Σ|q|/r and Σ|q|/r² over receivers; 0 for those beyond the range of f64.
fn magnitudes(problem: &Problem, receivers: &[[f64; 3]]) -> [f64; 2] {
    let softening = problem.settings.softening;
    let sums = receivers.iter().map(|x| {
        let pairs = problem.sources.iter().zip(&problem.charges);
        pairs.fold([0.0; 2], |[potential, gradient], (y, charge)| {
            let distance = [0, 1, 2].map(|d| x[d] - y[d]).into_iter().fold(softening, f64::hypot);
            let term = if distance > 0.0 { charge.abs() / distance } else { 0.0 };
            [potential + term, gradient + if term > 0.0 { term / distance } else { 0.0 }]
        })
    });
    let norms: [f64; 2] = sums.fold([0.0; 2], |[a, b], [c, d]: [f64; 2]| [a.hypot(c), b.hypot(d)]);
    norms.map(|norm| if norm.is_finite() { norm } else { 0.0 })
}

/// Relative L2 error, less an absolute error that counts as rounding.
fn relative(values: &[f64], exact: &[f64], floor: f64) -> f64 {
    // Squares of very large and very small numbers would over- or underflow.
    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::hypot);
    let error = norm(&mut values.iter().zip(exact).map(|(value, exact)| value - exact)) - floor;
    if error <= 0.0 { 0.0 } else { error / norm(&mut exact.iter().copied()) }
}

/// The larger of two ratios; not a number if one of them is.
fn worse(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// The problem and the choices for it, in one line.
fn told(problem: &Problem, report: &Report) -> String {
    let settings = &problem.settings;
    format!(
        "N {} M {} {:?} {} for {} {:?} order {} estimated {:?} {:?} on {}, softening {}, depth {:?}, opening {:?}, M2L {:?}",
        problem.sources.len(),
        problem.receivers.as_ref().map_or(0, Vec::len),
        settings.precision,
        report.method,
        settings.method,
        settings.tolerance,
        report.order,
        report.estimated_error,
        settings.outputs,
        settings.device,
        settings.softening,
        settings.depth,
        settings.opening,
        settings.m2l,
    )
}

//! The evaluation of one process, which has all points.

use fmm::{Fmm, Plan, Points, Scalar};

use super::arguments::{Arguments, Inputs};
use super::output::{self, Receivers};
use super::totals::Totals;
use crate::command::arguments::precision::Precision;
use crate::command::arguments::threads;
use crate::command::error::Error;
use crate::command::narrow::{blame, check_charges, check_positions};
use crate::command::report::progress::Progress;

/// From the files to the file and the report.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let fmm = arguments.request()?;
    arguments.check_paths()?;
    threads::start(arguments.threads)?;
    match arguments.precision {
        Precision::F64 => evaluate::<f64>(arguments, &fmm),
        Precision::F32 => evaluate::<f32>(arguments, &fmm),
    }
}

fn evaluate<T: Scalar>(arguments: &Arguments, fmm: &Fmm) -> Result<(), Error> {
    let progress = Progress::new(arguments.stages());
    let inputs = progress.stage("reading", || arguments.read())?;
    let sets = inputs.sets();
    for set in &sets {
        check_positions::<T>(&set.points.positions, |index| set.places.of(index))?;
    }
    check_charges::<T>(&inputs.sources)?;
    let charges = &inputs.sources.points.charges;
    let plan = progress.stage("planning", || plan::<T>(fmm, &inputs));
    let plan = plan.map_err(|error| blame(error, &sets))?;
    let field = progress.stage("evaluating", || plan.evaluate_f64(charges));
    let field = field.map_err(|error| blame(error, &sets))?;
    let error = match arguments.verify {
        Some(count) => {
            let verify = || plan.sample_error_f64(charges, &field, count.get());
            Some(progress.stage("verifying", verify)?)
        }
        None => None,
    };
    if let Some(path) = &arguments.output {
        progress.stage("writing", || output::write(path, &receivers(&inputs), &field))?;
    }
    drop(progress);
    let of_one_set = inputs.receivers.is_none();
    let totals = of_one_set.then(|| Totals::of(charges, &field)).flatten();
    output::tell(arguments, &field.report, error.as_ref(), totals.as_ref())
}

/// The points at which the field is.
fn receivers(inputs: &Inputs) -> Receivers<'_> {
    let Inputs { sources, receivers } = inputs;
    let at = receivers.as_ref().unwrap_or(sources);
    Receivers {
        positions: &at.points.positions,
        cells: &at.cells,
        charges: receivers.is_none().then_some(sources.points.charges.as_slice()),
    }
}

fn plan<T: Scalar>(fmm: &Fmm, inputs: &Inputs) -> Result<Plan<T>, fmm::Error> {
    let positions = &inputs.sources.points.positions;
    let points: Points<'_, [f64; 3]> = match &inputs.receivers {
        Some(receivers) => (positions, &receivers.points.positions).into(),
        None => positions.into(),
    };
    fmm.plan_of_f64(points)
}

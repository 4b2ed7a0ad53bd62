//! The part of one rank in an evaluation over ranks. Rank 0 reads the files, writes the field and prints the report.
//!
//! Every rank has an even part of the points of each file, in the order of the file. A failure of any rank is an error of
//! the same text on all of them.

use std::sync::Arc;

use distributed::{Communicator, Fault, phase};
use fmm::{Field, Fmm, Plan, SampledError};
use rayon::ThreadPool;

use super::arguments::{Arguments, Inputs};
use super::host::Host;
use super::output;
use super::parts::{Parts, first};
use crate::command::error::Error;
use crate::command::precision::Precision;
use crate::command::progress::Progress;
use crate::command::threads::{self, Threads};

/// From the files to the file and the report. Collective; `of_process` ranks share the threads of this process.
pub(super) fn run(
    arguments: &Arguments,
    ranks: &Arc<dyn Communicator>,
    of_process: usize,
) -> Result<(), Error> {
    let prepared = phase(&**ranks, || prepare(arguments, &**ranks, of_process));
    let (fmm, pool) = prepared.map_err(|fault| of_fault(fault, None))?;
    // The pool serves this rank alone, so that its communication holds no other rank up.
    pool.install(|| evaluate(arguments, &fmm, ranks))
}

/// Checks the arguments, and starts the threads of this rank.
fn prepare(
    arguments: &Arguments,
    ranks: &dyn Communicator,
    of_process: usize,
) -> Result<(Fmm, ThreadPool), Error> {
    let fmm = arguments.request()?;
    check_form(arguments)?;
    if ranks.rank() == 0 {
        arguments.check_paths()?;
    }
    let threads = Threads::asked(arguments.threads)?;
    let host = Host::of(ranks)?;
    let pool = threads::pool(host.threads(threads, of_process))?;
    Ok((fmm.device(host.device(arguments.device.first())), pool))
}

/// Refuses what has no form over ranks.
fn check_form(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { method, precision, .. } = *arguments;
    if matches!(precision, Precision::F32) {
        return Err(Error::PrecisionOverRanks);
    }
    if method.is_treecode() {
        return Err(Error::TreecodeOverRanks);
    }
    Ok(())
}

fn evaluate(arguments: &Arguments, fmm: &Fmm, ranks: &Arc<dyn Communicator>) -> Result<(), Error> {
    let progress = match ranks.rank() {
        0 => Progress::new(arguments.stages()),
        _ => Progress::silent(),
    };
    let read = || phase(&**ranks, || read(arguments, fmm, &**ranks));
    let (inputs, parts) = progress.stage("reading", read).map_err(|fault| of_fault(fault, None))?;
    let blame = |error| of_request(error, ranks.size(), inputs.as_ref());
    let plan = progress.stage("planning", || plan(fmm, ranks, &parts)).map_err(blame)?;
    let field = progress.stage("evaluating", || plan.evaluate(&parts.charges)).map_err(blame)?;
    let verify = |count| plan.sample_error(&parts.charges, &field, count);
    let error = match arguments.verify {
        Some(count) => Some(progress.stage("verifying", || verify(count.get())).map_err(blame)?),
        None => None,
    };
    let end = || {
        let gathered = gather(arguments, &**ranks, &parts, &field)?;
        inputs
            .as_ref()
            .map_or(Ok(()), |inputs| finish(arguments, inputs, &gathered, error.as_ref(), progress))
    };
    phase(&**ranks, end).map_err(|fault| of_fault(fault, None))
}

/// Reads the files on rank 0 and gives every rank its part. Collective.
fn read(
    arguments: &Arguments,
    fmm: &Fmm,
    ranks: &dyn Communicator,
) -> Result<(Option<Inputs>, Parts), Error> {
    let inputs = (ranks.rank() == 0).then(|| arguments.read()).transpose()?;
    if let Some(Inputs { sources, receivers }) = &inputs {
        // Settings that no plan has are refused here, so that the message is that of one process.
        let n_receivers = receivers.as_ref().map(|located| located.points.positions.len());
        fmm.estimate::<f64>(sources.points.positions.len(), n_receivers)?;
    }
    let parts = Parts::scatter(ranks, inputs.as_ref(), arguments.has_receivers())?;
    Ok((inputs, parts))
}

fn plan(fmm: &Fmm, ranks: &Arc<dyn Communicator>, parts: &Parts) -> Result<Plan<f64>, fmm::Error> {
    match &parts.receivers {
        Some(receivers) => fmm.plan_over(ranks, (&parts.sources, receivers)),
        None => fmm.plan_over(ranks, &parts.sources),
    }
}

/// The field of all receivers on rank 0, if it is to be written. Collective.
fn gather(
    arguments: &Arguments,
    ranks: &dyn Communicator,
    parts: &Parts,
    field: &Field<f64>,
) -> Result<Field<f64>, Error> {
    let mut all = Field { report: field.report.clone(), ..Field::default() };
    if arguments.output.is_some() {
        all.potential = parts.gather(ranks, &field.potential)?;
        all.gradient = parts.gather(ranks, &field.gradient)?;
    }
    Ok(all)
}

/// The end on rank 0: file and report.
fn finish(
    arguments: &Arguments,
    inputs: &Inputs,
    field: &Field<f64>,
    error: Option<&SampledError>,
    progress: Progress,
) -> Result<(), Error> {
    if let Some(path) = &arguments.output {
        progress.stage("writing", || output::write(path, inputs, field))?;
    }
    drop(progress);
    output::tell(arguments, &field.report, error)
}

/// The error of all ranks. Messages number the points of their rank, and rank 0 knows where these begin.
fn of_request(error: fmm::Error, ranks: usize, inputs: Option<&Inputs>) -> Error {
    let fmm::Error::Rank(fault) = error else { return error.into() };
    let place = inputs.and_then(|inputs| {
        let located = inputs.receivers.as_ref().unwrap_or(&inputs.sources);
        let points = located.points.positions.len();
        let first = first(points, ranks, fault.rank);
        (first < points).then(|| located.places.of(first))
    });
    of_fault(fault, place)
}

/// The error of a fault. A message of rank 0 stands alone: its points are the first of the file.
fn of_fault(fault: Fault, place: Option<String>) -> Error {
    let Fault { rank, message } = fault;
    match (rank, place) {
        (0, _) => Error::FirstRank { message },
        (_, Some(place)) => Error::RankAt { rank, place, message },
        (_, None) => Error::Rank { rank, message },
    }
}

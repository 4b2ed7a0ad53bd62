//! The part of one rank in an evaluation over ranks. Rank 0 writes the field and prints the report.
//!
//! Every rank has an even part of the points of each file, in the order of the file. A failure of any rank is an error of
//! the same text on all of them.

use std::path::Path;
use std::sync::Arc;

use distributed::{Communicator, Fault, phase};
use fmm::{Device, Field, Fmm, Plan};
use rayon::ThreadPool;

use super::arguments::Arguments;
use super::host::Host;
use super::output::{self, Receivers};
use super::parts::{Set, first};
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
    Ok((fmm.device(host.device(arguments.device)), pool))
}

/// Refuses what has no form over ranks.
fn check_form(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { method, precision, device, .. } = *arguments;
    if matches!(precision, Precision::F32) {
        return Err(Error::PrecisionOverRanks);
    }
    if method.is_treecode() {
        return Err(Error::TreecodeOverRanks);
    }
    match device {
        Device::Cuda(_) => Err(fmm::Error::DeviceOverRanks { device }.into()),
        _ => Ok(()),
    }
}

/// Points of the files, of which every rank has a part.
struct Parts {
    sources: Set,
    /// `None`: the receivers are the sources.
    receivers: Option<Set>,
}

impl Parts {
    /// The set at which the field is.
    fn at(&self) -> &Set {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }
}

fn evaluate(arguments: &Arguments, fmm: &Fmm, ranks: &Arc<dyn Communicator>) -> Result<(), Error> {
    let progress = match ranks.rank() {
        0 => Progress::new(arguments.stages()),
        _ => Progress::silent(),
    };
    let read = || phase(&**ranks, || read(arguments, fmm, &**ranks));
    // Messages about files name the place, whichever rank read it.
    let parts = progress
        .stage("reading", read)
        .map_err(|Fault { message, .. }| Error::FirstRank { message })?;
    let blame = |error| of_request(error, ranks.size(), parts.at());
    let plan = progress.stage("planning", || plan(fmm, ranks, &parts)).map_err(blame)?;
    let charges = &parts.sources.points.charges;
    let field = progress.stage("evaluating", || plan.evaluate(charges)).map_err(blame)?;
    let verify = |count| plan.sample_error(charges, &field, count);
    let error = match arguments.verify {
        Some(count) => Some(progress.stage("verifying", || verify(count.get())).map_err(blame)?),
        None => None,
    };
    let end = || {
        if let Some(path) = &arguments.output {
            progress.stage("writing", || write(path, &**ranks, &parts, &field))?;
        }
        drop(progress);
        match ranks.rank() {
            0 => output::tell(arguments, &field.report, error.as_ref()),
            _ => Ok(()),
        }
    };
    phase(&**ranks, end).map_err(|fault| of_fault(fault, None))
}

/// Every rank's part of the files. Collective.
fn read(arguments: &Arguments, fmm: &Fmm, ranks: &dyn Communicator) -> Result<Parts, Error> {
    let (sources, receivers) = arguments.files();
    let sources = Set::read(ranks, &sources)?;
    let receivers = receivers.map(|file| Set::read(ranks, &file)).transpose()?;
    if let Some(file) = &sources.file {
        // Settings that no plan has are refused here, so that the message is that of one process.
        let n_receivers = receivers.as_ref().and_then(|set| Some(set.file.as_ref()?.total));
        fmm.estimate::<f64>(file.total, n_receivers)?;
    }
    Ok(Parts { sources, receivers })
}

fn plan(fmm: &Fmm, ranks: &Arc<dyn Communicator>, parts: &Parts) -> Result<Plan<f64>, fmm::Error> {
    let sources = &parts.sources.points.positions;
    match &parts.receivers {
        Some(receivers) => fmm.plan_over(ranks, (sources, &receivers.points.positions)),
        None => fmm.plan_over(ranks, sources),
    }
}

/// Writes the field of all receivers, on rank 0. Collective.
fn write(
    path: &Path,
    ranks: &dyn Communicator,
    parts: &Parts,
    field: &Field<f64>,
) -> Result<(), Error> {
    let at = parts.at();
    let positions = at.gather(ranks, &at.points.positions)?;
    let charges = match parts.receivers {
        Some(_) => None,
        None => Some(at.gather(ranks, &at.points.charges)?),
    };
    let all = Field {
        potential: at.gather(ranks, &field.potential)?,
        gradient: at.gather(ranks, &field.gradient)?,
        report: field.report.clone(),
    };
    match ranks.rank() {
        0 => {
            let receivers = Receivers { positions: &positions, charges: charges.as_deref() };
            output::write(path, &receivers, &all)
        }
        _ => Ok(()),
    }
}

/// The error of all ranks. Messages number the points of their rank, and ranks that read the file know where these begin.
fn of_request(error: fmm::Error, ranks: usize, at: &Set) -> Error {
    let fmm::Error::Rank(fault) = error else { return error.into() };
    let place = at.file.as_ref().and_then(|file| {
        let first = first(file.total, ranks, fault.rank);
        (first < file.total).then(|| file.places.of(first))
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

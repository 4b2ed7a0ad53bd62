//! The part of one rank in an evaluation over ranks. Rank 0 writes the field and prints the report.
//!
//! Every rank has an even part of the points of each file, in the order of the file. A failure of any rank is an error of
//! the same text on all of them.

use std::sync::Arc;

use distributed::{Communicator, Fault, phase};
use fmm::{Fmm, Plan, Points, Scalar};
use formats::{Cells, PointTable};
use rayon::ThreadPool;

use super::arguments::Arguments;
use super::gathered::{self, Part};
use super::host::Host;
use super::output;
use super::parts::{Set, first};
use super::totals::Totals;
use crate::command::arguments::input::of_receivers;
use crate::command::arguments::precision::Precision;
use crate::command::arguments::threads::{self, Threads};
use crate::command::error::Error;
use crate::command::fits;
use crate::command::report::progress::Progress;

/// From the files to the file and the report. Collective; `of_process` ranks share the threads of this process.
pub(super) fn run(
    arguments: &Arguments,
    ranks: &Arc<dyn Communicator>,
    of_process: usize,
) -> Result<(), Error> {
    let prepared = phase(&**ranks, || prepare(arguments, &**ranks, of_process));
    let (fmm, pool) = prepared.map_err(|fault| of_fault(fault, None))?;
    // The pool serves this rank alone, so that its communication holds no other rank up.
    pool.install(|| match arguments.precision {
        Precision::F64 => evaluate::<f64>(arguments, &fmm, ranks),
        Precision::F32 => evaluate::<f32>(arguments, &fmm, ranks),
    })
}

/// Checks the arguments, and starts the threads of this rank.
fn prepare(
    arguments: &Arguments,
    ranks: &dyn Communicator,
    of_process: usize,
) -> Result<(Fmm, ThreadPool), Error> {
    let fmm = arguments.request()?;
    if ranks.rank() == 0 {
        arguments.check_paths()?;
    }
    let threads = Threads::asked(arguments.threads)?;
    let host = Host::of(ranks)?;
    let pool = threads::pool(host.threads(threads, of_process))?;
    Ok((fmm.device(host.device(arguments.device.first())), pool))
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

fn evaluate<T: Scalar>(
    arguments: &Arguments,
    fmm: &Fmm,
    ranks: &Arc<dyn Communicator>,
) -> Result<(), Error> {
    let progress = match ranks.rank() {
        0 => Progress::new(arguments.stages()),
        _ => Progress::silent(),
    };
    let read = || phase(&**ranks, || read::<T>(arguments, fmm, &**ranks));
    // Messages about files name the place, whichever rank read it.
    let parts = progress
        .stage("reading", read)
        .map_err(|Fault { message, .. }| Error::FirstRank { message })?;
    let blame = |error| of_request(error, ranks.size(), parts.at());
    let plan = progress.stage("planning", || plan::<T>(fmm, ranks, &parts)).map_err(blame)?;
    let charges = &parts.sources.points.charges;
    let field = progress.stage("evaluating", || plan.evaluate_f64(charges)).map_err(blame)?;
    let verify = |count| plan.sample_error_f64(charges, &field, count);
    let error = match arguments.verify {
        Some(count) => Some(progress.stage("verifying", || verify(count.get())).map_err(blame)?),
        None => None,
    };
    let end = || {
        let totals = match parts.receivers {
            None => Totals::of(charges, &field),
            Some(_) => None,
        };
        let totals = totals.map(|totals| totals.over(&**ranks)).transpose()?;
        if let Some(path) = &arguments.output {
            let PointTable { positions, charges } = &parts.at().points;
            let charges = parts.receivers.is_none().then_some(charges.as_slice());
            let part = Part { positions, charges, field: &field };
            let none = Cells::default();
            let cells = parts.at().file.as_ref().map_or(&none, |file| &file.cells);
            progress.stage("writing", || gathered::write(path, &**ranks, &part, cells))?;
        }
        drop(progress);
        match ranks.rank() {
            0 => output::tell(arguments, &field.report, error.as_ref(), totals.as_ref()),
            _ => Ok(()),
        }
    };
    phase(&**ranks, end).map_err(|fault| of_fault(fault, None))
}

/// Every rank's part of the files. Collective.
fn read<T: Scalar>(
    arguments: &Arguments,
    fmm: &Fmm,
    ranks: &dyn Communicator,
) -> Result<Parts, Error> {
    let (sources, receivers) = arguments.files();
    let sources = Set::read(ranks, &sources)?;
    let receivers =
        receivers.map(|file| Set::read(ranks, &file)).transpose().map_err(of_receivers)?;
    if let Some(file) = &sources.file {
        // Settings that no plan has are refused here, so that the message is that of one process.
        let n_receivers = receivers.as_ref().and_then(|set| Some(set.file.as_ref()?.total));
        fmm.estimate::<T>(file.total, n_receivers)?;
    }
    let sets = std::iter::once(&sources).chain(&receivers);
    sets.into_iter().try_for_each(Set::check_positions::<T>)?;
    sources.check_charges::<T>(ranks)?;
    Ok(Parts { sources, receivers })
}

fn plan<T: Scalar>(
    fmm: &Fmm,
    ranks: &Arc<dyn Communicator>,
    parts: &Parts,
) -> Result<Plan<T>, fmm::Error> {
    let sources = &parts.sources.points.positions;
    let points: Points<'_, [f64; 3]> = match &parts.receivers {
        Some(receivers) => (sources, &receivers.points.positions).into(),
        None => sources.into(),
    };
    fmm.plan_of_f64_over(ranks, points)
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

/// The error of a fault. A message of rank 0 stands alone: its points are the first of the file. A long one stands without
/// the place, and so does one that tells of ranks itself.
fn of_fault(fault: Fault, place: Option<String>) -> Error {
    if fault.rank == 0 {
        return Error::FirstRank { message: fault.message };
    }
    let place = place.filter(|_| !fault.names_ranks());
    let Fault { rank, message } = fault.clone();
    let at = place.map(|place| Error::RankAt { rank, place, message });
    at.filter(|at| fits(&at.to_string())).unwrap_or(Error::Rank(fault))
}

//! `farfield evaluate`: the potential and its gradient at every receiver.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use fmm::{Device, Field, Fmm, Method, Plan, SampledError, Scalar, Tolerance, Treecode};
use formats::{
    FieldTable, LocatedPoints, PointTable, PositionColumns, check_field_path, write_field,
};

use super::error::Error;
use super::input::{ChargeColumn, Input, read_positions};
use super::memory_limit::MemoryLimit;
use super::narrow::{Computed, blame, check_positions, narrow_charges, room};
use super::opening::OpeningArguments;
use super::precision::Precision;
use super::progress::Progress;
use super::{report, same_file, threads, tolerance};

/// Evaluate the potential of point charges (or masses) and its gradient
///
/// Computes, at every receiver x, the sum of q/|x - y| over all sources y, and its gradient. A
/// point's own term and pairs of coincident points are dropped.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield evaluate stars.csv --tolerance 1e-6 --verify 1000
  farfield evaluate pal5.dat.gz --columns 2,3,4 --charge 1 --output field.npz
  farfield evaluate molecule.pqr --receivers surface.csv --output field.vtk
  farfield evaluate stars.csv --method treecode --theta 0.6 --order 3 --verify 1000
  zcat stars.dat.gz | farfield evaluate - --columns 2,3,4 --charge 1

stdin (-): gzip, NPY and NPZ are known by their signatures, XYZ by its count, PQR by its records, CSV by commas in its
first row; all else is a table separated by white space.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    charge: ChargeColumn,
    /// Receivers, in any format of INPUT; - reads stdin [default: at the points of INPUT]
    #[arg(long, value_name = "FILE")]
    receivers: Option<PathBuf>,
    /// Columns of the positions of the receivers, as --columns
    #[arg(long, value_name = "X,Y,Z", requires = "receivers")]
    receiver_columns: Option<PositionColumns>,
    /// Relative L2 error of the potential and of the gradient
    #[arg(long, value_name = "EPS", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,
    /// Order of the expansions instead of a tolerance: 1 for monopoles, 3 for quadrupoles
    #[arg(long, value_name = "P", conflicts_with = "tolerance")]
    order: Option<usize>,
    /// auto, direct, treecode or fmm
    #[arg(long, value_name = "METHOD", default_value_t = Method::Auto)]
    method: Method,
    /// cpu, cuda for an NVIDIA GPU (cuda:1 for the second), or hybrid for both at once
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
    #[command(flatten)]
    opening: OpeningArguments,
    /// Floating-point precision of the computation
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    precision: Precision,
    /// Plummer softening: 1/sqrt(r^2 + E^2) instead of 1/r, E in the unit of the positions
    #[arg(long, value_name = "E", default_value = "0", allow_negative_numbers = true)]
    softening: f64,
    /// Threads, up to 64 or 4 for each core [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    memory_limit: MemoryLimit,
    /// File for the field: .npz, .csv, .dat, .txt or .vtk (ParaView)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Number of receivers to compare with the direct sum
    #[arg(long, value_name = "COUNT")]
    verify: Option<NonZeroUsize>,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let fmm = request(arguments)?;
    check_paths(arguments)?;
    threads::start(arguments.threads)?;
    match arguments.precision {
        Precision::F64 => evaluate::<f64>(arguments, &fmm),
        Precision::F32 => evaluate::<f32>(arguments, &fmm),
    }
}

/// Refuses paths that exclude each other, and an output that cannot be written, before the work.
fn check_paths(arguments: &Arguments) -> Result<(), Error> {
    let inputs = [Some(&arguments.input.path), arguments.receivers.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    if inputs.len() > 1 && inputs.iter().all(|&input| input == Path::new(same_file::STDIN)) {
        return Err(Error::StdinTwice);
    }
    if let Some(output) = &arguments.output {
        same_file::refuse(output, &inputs)?;
        check_field_path(output)?;
    }
    Ok(())
}

/// The builder that the arguments ask for.
fn request(arguments: &Arguments) -> Result<Fmm, Error> {
    tolerance::check(arguments.tolerance)?;
    let tolerance = arguments.order.map_or(Tolerance::L2(arguments.tolerance), Tolerance::Order);
    let fmm = Fmm::new()
        .tolerance(tolerance)
        .method(arguments.method)
        .device(arguments.device)
        .softening(arguments.softening);
    let fmm = arguments.memory_limit.limit(fmm);
    Ok(match arguments.opening.opening(arguments.method)? {
        Some(opening) => fmm.method(Treecode::new().opening(opening)),
        None => fmm,
    })
}

fn evaluate<T: Computed>(arguments: &Arguments, fmm: &Fmm) -> Result<(), Error> {
    let stages = 3 + u64::from(arguments.verify.is_some()) + u64::from(arguments.output.is_some());
    let progress = Progress::new(stages);
    let sources = progress.stage("reading", || arguments.input.read(&arguments.charge))?;
    let receivers = arguments
        .receivers
        .as_ref()
        .map(|path| read_positions(path, arguments.receiver_columns.clone()))
        .transpose()?;

    let sets: Vec<&LocatedPoints> = std::iter::once(&sources).chain(&receivers).collect();
    sets.iter().try_for_each(|set| check_positions::<T>(set))?;
    let charges = narrow_charges::<T>(&sources)?;
    let plan: Result<Plan<T>, Error> = progress.stage("planning", || {
        let positions = &sources.points.positions;
        let points = match &receivers {
            Some(receivers) => (positions, &receivers.points.positions).into(),
            None => positions.into(),
        };
        T::plan(fmm, points).map_err(|error| blame(error, &sets))
    });
    let plan = plan?;
    let field = progress.stage("evaluating", || plan.evaluate(&charges));
    let field = field.map_err(|error| blame(error, &sets))?;
    let error: Option<SampledError> = match arguments.verify {
        Some(count) => {
            Some(progress.stage("verifying", || plan.sample_error(&charges, &field, count.get()))?)
        }
        None => None,
    };
    if let Some(path) = &arguments.output {
        let write = || write(path, &sources.points, receivers.as_ref(), &field);
        progress.stage("writing", write)?;
    }
    drop(progress);
    report::warn(&field.report);

    if arguments.json {
        report::print(report::json(&field.report, error.as_ref()))
    } else {
        report::print(report::text(&field.report, error.as_ref(), arguments.output.as_deref()))
    }
}

fn write<T: Scalar>(
    path: &Path,
    sources: &PointTable,
    receivers: Option<&LocatedPoints>,
    field: &Field<T>,
) -> Result<(), Error> {
    let mut potential: Vec<f64> = room(field.potential.len())?;
    potential.extend(field.potential.iter().map(|&value| value.widen()));
    let mut gradient: Vec<[f64; 3]> = room(field.gradient.len())?;
    gradient.extend(field.gradient.iter().map(|v| v.map(T::widen)));
    let table = FieldTable {
        positions: receivers.map_or(&sources.positions, |receivers| &receivers.points.positions),
        charges: receivers.is_none().then_some(&sources.charges),
        potential: &potential,
        gradient: &gradient,
    };
    Ok(write_field(path, &table)?)
}

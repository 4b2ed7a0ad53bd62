//! `farfield evaluate`: the potential and its gradient at every receiver.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use fmm::{Device, Field, Fmm, Method, Plan, SampledError, Scalar, Tolerance, Treecode};
use formats::{FieldTable, PointTable, PositionColumns, check_field_path, write_field};
use rayon::ThreadPoolBuilder;

use super::error::Error;
use super::input::{ChargeColumn, Input, read_positions};
use super::opening::OpeningArguments;
use super::precision::Precision;
use super::progress::Progress;
use super::report;

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
  farfield evaluate stars.csv --method treecode --theta 0.6 --order 3 --verify 1000")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    charge: ChargeColumn,
    /// Receivers, in any format of INPUT [default: at the points of INPUT]
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
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
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
    if let Some(output) = &arguments.output {
        check_field_path(output)?;
    }
    let evaluate = || match arguments.precision {
        Precision::F64 => evaluate::<f64>(arguments, &fmm),
        Precision::F32 => evaluate::<f32>(arguments, &fmm),
    };
    match arguments.threads {
        None => evaluate(),
        Some(count) => {
            let count = count.get();
            let pool = ThreadPoolBuilder::new().num_threads(count).build();
            pool.map_err(|source| Error::Threads { count, source })?.install(evaluate)
        }
    }
}

/// The builder that the arguments ask for.
fn request(arguments: &Arguments) -> Result<Fmm, Error> {
    let tolerance = arguments.order.map_or(Tolerance::L2(arguments.tolerance), Tolerance::Order);
    let fmm = Fmm::new()
        .tolerance(tolerance)
        .method(arguments.method)
        .device(arguments.device)
        .softening(arguments.softening);
    Ok(match arguments.opening.opening(arguments.method)? {
        Some(opening) => fmm.method(Treecode::new().opening(opening)),
        None => fmm,
    })
}

fn evaluate<T: Scalar>(arguments: &Arguments, fmm: &Fmm) -> Result<(), Error> {
    let stages = 3 + u64::from(arguments.verify.is_some()) + u64::from(arguments.output.is_some());
    let progress = Progress::new(stages);
    let sources = progress.stage("reading", || arguments.input.read(&arguments.charge))?;
    let receivers = arguments
        .receivers
        .as_ref()
        .map(|path| read_positions(path, arguments.receiver_columns.clone()))
        .transpose()?;

    let charges: Vec<T> = sources.charges.iter().map(|&q| T::narrow(q)).collect();
    let plan: Plan<T> = progress.stage("planning", || match &receivers {
        Some(receivers) => fmm.plan((&narrow::<T>(&sources.positions), &narrow(receivers))),
        None => fmm.plan(&narrow(&sources.positions)),
    })?;
    let field = progress.stage("evaluating", || plan.evaluate(&charges))?;
    let error: Option<SampledError> = match arguments.verify {
        Some(count) => {
            Some(progress.stage("verifying", || plan.sample_error(&charges, &field, count.get()))?)
        }
        None => None,
    };
    if let Some(path) = &arguments.output {
        let write = || write(path, &sources, receivers.as_deref(), &field);
        progress.stage("writing", write)?;
    }
    drop(progress);

    if arguments.json {
        report::print(report::json(&field.report, error.as_ref()))
    } else {
        report::print(report::text(&field.report, error.as_ref(), arguments.output.as_deref()))
    }
}

fn write<T: Scalar>(
    path: &std::path::Path,
    sources: &PointTable,
    receivers: Option<&[[f64; 3]]>,
    field: &Field<T>,
) -> Result<(), Error> {
    let potential: Vec<f64> = field.potential.iter().map(|&value| value.widen()).collect();
    let gradient: Vec<[f64; 3]> = field.gradient.iter().map(|v| v.map(T::widen)).collect();
    let table = FieldTable {
        positions: receivers.unwrap_or(&sources.positions),
        charges: receivers.is_none().then_some(&sources.charges),
        potential: &potential,
        gradient: &gradient,
    };
    Ok(write_field(path, &table)?)
}

fn narrow<T: Scalar>(positions: &[[f64; 3]]) -> Vec<[T; 3]> {
    positions.iter().map(|position| position.map(T::narrow)).collect()
}

//! `farfield bench`: speed and accuracy on this machine, stage by stage.

use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use fmm::{
    Depth, Device, Field, Fmm, Method, Opening, Plan, Report, SampledError, Scalar, Tolerance,
    Treecode, Workspace,
};
use nbody::Cloud;
use serde_json::{Value, json};

use super::arguments::cloud::Shape;
use super::arguments::memory_limit::MemoryLimit;
use super::arguments::precision::Precision;
use super::arguments::{threads, tolerance};
use super::error::Error;
use super::report;

/// Measure time and error on generated clouds: from unsorted points to the field, tree and lists included
///
/// Prints a line for each combination of the lists given: the median of the repeats in milliseconds, each stage's share,
/// and the error against the direct sum in f64. On a GPU, copies between host and device are in the stage transfer and
/// left out of the total. The columns plan and evaluate are milliseconds by the host's clock, from slices of the host and to
/// them: new points in a plan that stands, and charges to a field. They are medians of their own. With --json a line is an
/// object with the keys of evaluate --json, which plot draws, with set, leaf, plan and evaluate besides, the last two in
/// seconds.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield bench --points 100000 --tolerance 1e-3,1e-6
  farfield bench --device cuda --set cube,plummer,sphere --points 1048576 --order 5,7,9 --precision f32
  farfield bench --device cuda --method direct --points 195584 --precision f32
  farfield bench --points 10000,100000 --softening 0.001 --json > runs.json; farfield plot runs.json -o cost.svg")]
pub(crate) struct Arguments {
    /// Clouds to generate
    #[arg(long, value_enum, value_delimiter = ',', default_value = "cube")]
    set: Vec<Shape>,
    /// Numbers of points
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "100000")]
    points: Vec<NonZeroUsize>,
    /// Relative L2 errors of the gradient to ask for
    #[arg(long, value_name = "EPS", value_delimiter = ',', default_value = "1e-6")]
    tolerance: Vec<f64>,
    /// Orders of the expansions, instead of tolerances
    #[arg(long, value_name = "P", value_delimiter = ',', conflicts_with = "tolerance")]
    order: Vec<usize>,
    /// Points a leaf holds at most [default: by a model of the cost]
    #[arg(long, value_name = "COUNT", value_delimiter = ',')]
    leaf: Vec<usize>,
    /// Opening angles of the treecode [default: by the tolerance]
    #[arg(long, value_name = "THETA", value_delimiter = ',')]
    theta: Vec<f64>,
    /// auto, direct, treecode or fmm
    #[arg(long, value_name = "METHOD", default_value_t = Method::Auto)]
    method: Method,
    /// cpu, cuda or hybrid (cuda:1, hybrid:1 for the second GPU)
    #[arg(long, value_name = "DEVICE", default_value_t = Device::Cpu)]
    device: Device,
    /// Floating-point precision of the computation
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    precision: Precision,
    /// Plummer softening: 1/sqrt(r^2 + E^2) instead of 1/r, E in the unit of the positions
    #[arg(long, value_name = "E", default_value = "0", allow_negative_numbers = true)]
    softening: f64,
    /// Timed repetitions, after one warm-up
    #[arg(long, value_name = "COUNT", default_value = "5")]
    repeats: NonZeroUsize,
    /// Receivers at which the error is measured
    #[arg(long, value_name = "COUNT", default_value = "2048")]
    verify: NonZeroUsize,
    #[command(flatten)]
    memory_limit: MemoryLimit,
    /// Whether charges have both signs; else they are equal masses
    #[arg(long)]
    mixed: bool,
    /// Print one JSON object a line instead of the table
    #[arg(long)]
    json: bool,
}

/// Settings of one line of the table.
struct Settings {
    shape: Shape,
    points: usize,
    tolerance: Tolerance,
    leaf: Option<usize>,
    theta: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    if !(arguments.theta.is_empty() || arguments.method.is_treecode()) {
        return Err(Error::NotATreecode(arguments.method));
    }
    arguments.tolerance.iter().try_for_each(|&tolerance| tolerance::check(tolerance))?;
    threads::start(None)?;
    match arguments.precision {
        Precision::F64 => table::<f64>(arguments),
        Precision::F32 => table::<f32>(arguments),
    }
}

fn table<T: Scalar>(arguments: &Arguments) -> Result<(), Error> {
    if !arguments.json {
        report::print(format_args!(
            "{:8} {:>10} {:>8} {:>5} {:>5} {:>5} {:>10} {:>9} {:>9} {:>9} {:>9}  stages, ms",
            "set",
            "points",
            "asked",
            "order",
            "leaf",
            "theta",
            "ms",
            "plan",
            "evaluate",
            "mean rel",
            "L2"
        ))?;
    }
    for &shape in &arguments.set {
        for points in arguments.points.iter().map(|points| points.get()) {
            let Cloud { positions, masses } = shape.cloud(points, 1)?;
            // In the memory of the cloud's positions, which billions of points have but once.
            let positions: Vec<[T; 3]> = positions.into_iter().map(|x| x.map(T::narrow)).collect();
            let charge = |(i, q): (usize, f64)| if arguments.mixed && i % 2 == 1 { -q } else { q };
            let charges: Vec<T> =
                masses.into_iter().enumerate().map(charge).map(T::narrow).collect();
            for case in cases(arguments, shape, points) {
                line(arguments, &case, &positions, &charges)?;
            }
        }
    }
    Ok(())
}

/// All combinations of settings for one cloud.
fn cases(arguments: &Arguments, shape: Shape, points: usize) -> Vec<Settings> {
    let tolerances: Vec<Tolerance> = match arguments.order.as_slice() {
        [] => arguments.tolerance.iter().map(|&tolerance| Tolerance::L2(tolerance)).collect(),
        orders => orders.iter().map(|&order| Tolerance::Order(order)).collect(),
    };
    let leaves = optional(&arguments.leaf);
    let angles = optional(&arguments.theta);
    let mut cases = Vec::new();
    for &tolerance in &tolerances {
        for &leaf in &leaves {
            for &theta in &angles {
                cases.push(Settings { shape, points, tolerance, leaf, theta });
            }
        }
    }
    cases
}

fn optional<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

fn line<T: Scalar>(
    arguments: &Arguments,
    case: &Settings,
    positions: &[[T; 3]],
    charges: &[T],
) -> Result<(), Error> {
    let mut fmm =
        Fmm::new().method(arguments.method).device(arguments.device).tolerance(case.tolerance);
    fmm = arguments.memory_limit.limit(fmm.softening(arguments.softening));
    if let Some(leaf_capacity) = case.leaf {
        fmm = fmm.depth(Depth::Adaptive { leaf_capacity });
    }
    if let Some(theta) = case.theta {
        fmm = fmm.method(Treecode::new().opening(Opening::Nakasato { theta }));
    }
    let mut plan: Plan<T> = fmm.plan(positions)?;
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    plan.evaluate_into(charges, &mut field, &mut workspace)?;
    let mut reports: Vec<Report> = Vec::new();
    let mut clocks = [Vec::new(), Vec::new()];
    for _ in 0..arguments.repeats.get() {
        let start = Instant::now();
        plan.update_positions(positions)?;
        clocks[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        plan.evaluate_into(charges, &mut field, &mut workspace)?;
        clocks[1].push(start.elapsed().as_secs_f64());
        reports.push(field.report.clone());
    }
    let error = plan.sample_error(charges, &field, arguments.verify.get())?;
    reports.sort_by(|a, b| total(a).total_cmp(&total(b)));
    let (report, clocks) = (&reports[reports.len() / 2], clocks.map(median));
    match arguments.json {
        true => report::print(json(case, report, clocks, &error)),
        false => print(case, report, clocks, &error),
    }
}

/// Median of some seconds.
fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Milliseconds without copies to and from a device.
fn total(report: &Report) -> f64 {
    1e3 * report.seconds.without_copies()
}

/// The line for a program; `clocks` are seconds.
fn json(case: &Settings, report: &Report, clocks: [f64; 2], error: &SampledError) -> Value {
    let mut object = report::json(report, Some(error), None);
    object["set"] = json!(case.shape.to_string());
    object["leaf"] = json!(report.leaf_capacity);
    [object["plan"], object["evaluate"]] = clocks.map(|seconds| json!(seconds));
    object
}

fn print(
    case: &Settings,
    report: &Report,
    clocks: [f64; 2],
    error: &SampledError,
) -> Result<(), Error> {
    let gradient = error.gradient.unwrap_or_default();
    let asked = match case.tolerance {
        Tolerance::L2(tolerance) => format!("{tolerance:.0e}"),
        _ => "order".to_owned(),
    };
    let leaf = report.leaf_capacity.map_or("-".to_owned(), |leaf| leaf.to_string());
    let theta = case.theta.map_or("-".to_owned(), |theta| theta.to_string());
    let stages: Vec<String> = report
        .seconds
        .iter()
        .filter(|(_, seconds)| *seconds > 0.0)
        .map(|(stage, seconds)| format!("{stage} {:.3}", 1e3 * seconds))
        .collect();
    report::print(format_args!(
        "{:8} {:>10} {:>8} {:>5} {:>5} {:>5} {:>10.3} {:>9.3} {:>9.3} {:>9.2e} {:>9.2e}  {}",
        case.shape,
        case.points,
        asked,
        report.order,
        leaf,
        theta,
        total(report),
        1e3 * clocks[0],
        1e3 * clocks[1],
        gradient.mean_relative,
        gradient.l2,
        stages.join(" ")
    ))
}

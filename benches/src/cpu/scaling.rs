//! Time and memory by number of points, and time by number of threads.

use std::time::Instant;

use fmm::{Field, Fmm, Method, Report, Scalar, Treecode, Workspace};
use testbed::charges;
use testbed::clouds::{self, Cloud};

use super::{CheckedCloud, Extent, Failure, head, row, run, seconds, with_threads};

/// Prints the tables.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn section(extent: Extent) -> Result<(), Failure> {
    linearity(extent)?;
    threads(extent)?;
    gravity(extent)
}

/// N = 10⁴ … 10⁷, and the exponent of a fit of t = c N^a.
fn linearity(extent: Extent) -> Result<(), Failure> {
    head("Masses, tolerance 1e-6", &["set", "seconds", "µs/point", "B/point", "sort + lists"]);
    let largest = match extent {
        Extent::Quick => 5,
        Extent::Whole => 6,
        Extent::Large => 7,
    };
    for cloud in [clouds::uniform_cube, clouds::plummer] {
        let mut fit = Vec::new();
        for exponent in 4..=largest {
            let n = 10_usize.pow(exponent);
            let (points, charges) = (cloud(n, 1), charges::masses(n, 2));
            let repeats = if exponent == 7 { 1 } else { 3 };
            let (time, field) = run(Fmm::new(), &points.positions, &charges, repeats)?;
            fit.push(((n as f64).ln(), time.ln()));
            let stage = |stage| field.report.seconds.of(stage);
            let tree = stage(fmm::Stage::Sort) + stage(fmm::Stage::Lists);
            row(&[
                format!("{} 10^{exponent}", points.name),
                seconds(time),
                format!("{:.2}", 1e6 * time / n as f64),
                (field.report.bytes / n).to_string(),
                format!("{:.0} %", 100.0 * tree / field.report.seconds.total()),
            ]);
        }
        println!("\nt ~ N^{:.3}\n", slope(&fit));
    }
    Ok(())
}

/// Slope of the line of least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let [x, y] =
        [points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n];
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

/// Plan and evaluation by number of threads, stage by stage, and the direct sum beside them.
fn threads(extent: Extent) -> Result<(), Failure> {
    let (n, n_direct) = match extent {
        Extent::Quick => (50_000, 20_000),
        Extent::Whole | Extent::Large => (1_000_000, 50_000),
    };
    head(
        "Plan and evaluation by threads, masses: milliseconds, and the time on one thread over that on all",
        &["case", "threads", "ms", "scaling", "of the direct sum's", "stages, ms"],
    );
    let (cube, plummer) = (clouds::uniform_cube(n, 1), clouds::plummer(n, 1));
    let few = clouds::uniform_cube(n_direct, 1);
    let direct = by_threads::<f64>("direct sum", Fmm::new().method(Method::Direct), &few, None)?;
    let one_precision = Fmm::new().tolerance(1e-3);
    let treecode = one_precision.method(Treecode::new());
    by_threads::<f64>("cube, 1e-6, f64", Fmm::new().method(Method::Fmm), &cube, Some(&direct))?;
    by_threads::<f32>(
        "Plummer, 1e-3, f32",
        one_precision.method(Method::Fmm),
        &plummer,
        Some(&direct),
    )?;
    by_threads::<f32>("the same by treecode", treecode, &plummer, Some(&direct))?;
    Ok(())
}

/// Numbers of threads: 1, 2, 4 … and all.
fn thread_counts() -> Vec<usize> {
    let all = rayon::current_num_threads();
    let doubled = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n < all);
    doubled.chain([all]).collect()
}

/// Prints a row for each number of threads. Returns the scaling for each; `direct` is that of the direct sum.
fn by_threads<T: Scalar>(
    case: &str,
    fmm: Fmm,
    cloud: &Cloud,
    direct: Option<&[f64]>,
) -> Result<Vec<f64>, Failure> {
    let n = cloud.positions.len();
    let positions: Vec<[T; 3]> = cloud.positions.iter().map(|p| p.map(T::narrow)).collect();
    let charges: Vec<T> = charges::masses(n, 2).into_iter().map(T::narrow).collect();
    let mut of_one = None;
    let mut scalings = Vec::new();
    for (k, threads) in thread_counts().into_iter().enumerate() {
        let (time, report) = with_threads(threads, || steady(fmm, &positions, &charges))?;
        let scaling = *of_one.get_or_insert(time) / time;
        let stages = report.seconds.iter().filter(|(_, seconds)| *seconds >= 5e-5);
        let stages: Vec<_> = stages.map(|(name, s)| format!("{name} {:.1}", 1e3 * s)).collect();
        row(&[
            format!("{case}, {n}"),
            threads.to_string(),
            format!("{:.1}", 1e3 * time),
            format!("{scaling:.2}"),
            direct.map_or(String::new(), |direct| format!("{:.0} %", 100.0 * scaling / direct[k])),
            stages.join(", "),
        ]);
        scalings.push(scaling);
    }
    Ok(scalings)
}

/// Plan and evaluation in memory that is used again: seconds by the clock and report of the run of median time.
fn steady<T: Scalar>(
    fmm: Fmm,
    positions: &[[T; 3]],
    charges: &[T],
) -> Result<(f64, Report), Failure> {
    let mut plan = fmm.plan(positions)?;
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    let mut runs = Vec::new();
    // The first run makes tables and touches new memory.
    for _ in 0..=REPEATS {
        let clock = Instant::now();
        plan.update_positions(positions)?;
        plan.evaluate_into(charges, &mut field, &mut workspace)?;
        runs.push((clock.elapsed().as_secs_f64(), field.report.clone()));
    }
    let mut runs = runs.split_off(1);
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(runs.swap_remove(REPEATS / 2))
}

/// Runs of which the median counts.
const REPEATS: usize = 5;

/// Masses in f32 on one thread at falcON's errors.
fn gravity(extent: Extent) -> Result<(), Failure> {
    head(
        "Gravity: masses, f32, one thread, whole pipeline",
        &[
            "set",
            "gradient error to reach",
            "order",
            "seconds",
            "gradient error",
            "falcON",
            "ratio",
        ],
    );
    let n = if extent == Extent::Quick { 100_000 } else { 1_000_000 };
    let sets = [
        (clouds::uniform_cube(n, 1), [(4.2e-3, 5e-3, 1.9), (1.7e-3, 2e-3, 3.1)]),
        (clouds::plummer(n, 1), [(5.0e-3, 5e-3, 2.2), (1.9e-3, 2e-3, 3.6)]),
    ];
    for (cloud, levels) in sets {
        let case = CheckedCloud::new(cloud, false);
        let positions: Vec<_> = case.positions.iter().map(|p| p.map(|x| x as f32)).collect();
        let charges: Vec<_> = case.charges.iter().map(|q| *q as f32).collect();
        for (level, tolerance, falcon) in levels {
            let fmm = Fmm::new().tolerance(tolerance);
            let (time, field) = with_threads(1, || run(fmm, &positions, &charges, 3))?;
            row(&[
                case.name.clone(),
                format!("{level:.1e}"),
                field.report.order.to_string(),
                seconds(time),
                format!("{:.1e}", case.errors(&field)[1]),
                falcon.to_string(),
                format!("{:.1}×", falcon / time),
            ]);
        }
    }
    Ok(())
}

//! Time and memory by number of points, and time by number of threads.

use fmm::Fmm;
use testbed::{charges, clouds};

use super::{CheckedCloud, Extent, Failure, evaluate_alone, head, row, run, seconds, with_threads};

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

/// Evaluations on one thread and on all.
fn threads(extent: Extent) -> Result<(), Failure> {
    let n = if extent == Extent::Quick { 50_000 } else { 1_000_000 };
    let all = rayon::current_num_threads();
    head(
        "Evaluation alone by threads, masses, tolerance 1e-6",
        &["set", "1 thread", &format!("{all} threads"), "efficiency"],
    );
    for cloud in [clouds::uniform_cube(n, 1), clouds::plummer(n, 1)] {
        let charges = charges::masses(n, 2);
        let time = |threads| {
            with_threads(threads, || {
                let plan = Fmm::new().plan(&cloud.positions)?;
                evaluate_alone(&plan, &[&charges], 3)
            })
        };
        let (one, many) = (time(1)?, time(all)?);
        row(&[
            format!("{} {n}", cloud.name),
            seconds(one),
            seconds(many),
            format!("{:.0} %", 100.0 * one / many / all as f64),
        ]);
    }
    Ok(())
}

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

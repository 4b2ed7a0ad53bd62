//! Sums to a tolerance, everything else chosen: times, errors, memory and stages of masses in each precision.

use fmm::{Fmm, Scalar, Stage};

use super::case::{Case, SETS, seconds};
use crate::{Outcome, Settings, Size};
use testbed::record::Table;

/// Columns before those of the stages.
const COLUMNS: [&str; 7] =
    ["N", "tolerance", "order", "leaf", "time / s", "mean error", "bytes a point"];

/// Column of a stage.
pub(super) fn column(stage: Stage) -> String {
    format!("{} / s", stage.name())
}

/// Numbers of points: those that a GPU, or two cores, sum in milliseconds to a second.
fn numbers(settings: Settings) -> Vec<usize> {
    match (settings.size, settings.is_on_gpu()) {
        (Size::Small, _) => vec![1_000],
        (Size::Usual, true) => vec![1 << 20, 10_000_000],
        (Size::Large, true) => vec![1 << 20, 10_000_000, 100_000_000],
        (Size::Usual, false) => vec![100_000, 1_000_000],
        (Size::Large, false) => vec![100_000, 1_000_000, 10_000_000],
    }
}

fn tolerances<T: Scalar>(settings: Settings) -> &'static [f64] {
    match (T::NAME, settings.is_on_gpu()) {
        _ if settings.size == Size::Small => &[1e-3],
        ("f32", _) => &[1e-3, 1e-4, 1e-5],
        (_, true) => &[1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 1e-12],
        (_, false) => &[1e-3, 1e-6, 1e-9],
    }
}

/// Measures all sets.
pub(super) fn measure<T: Scalar>(settings: Settings) -> Outcome<Table> {
    let stages = Stage::ALL.map(column);
    let mut table = Table::new(COLUMNS.map(str::to_owned).into_iter().chain(stages));
    for n in numbers(settings) {
        for (name, cloud) in SETS {
            let case = Case::<T>::new(&cloud(n, 1));
            for &tolerance in tolerances::<T>(settings) {
                let most = if settings.is_on_gpu() { 1 << 20 } else { 100_000 };
                let runs = if n <= most { 5 } else { 3 };
                let fmm = Fmm::new().tolerance(tolerance).device(settings.device);
                let timed = case.timed(fmm, settings.pick(1, runs, runs))?;
                let report = &timed.report;
                let first = [
                    Some(n as f64),
                    Some(tolerance),
                    Some(report.order as f64),
                    report.leaf_capacity.map(|leaf| leaf as f64),
                    Some(seconds(report)),
                    timed.error.gradient.map(|errors| errors.mean_relative),
                    Some((report.bytes as f64 / n as f64).round()),
                ];
                let stages = Stage::ALL.map(|stage| Some(report.seconds.of(stage)));
                table.push_named(name.to_owned(), first.into_iter().chain(stages));
            }
        }
    }
    Ok(table)
}

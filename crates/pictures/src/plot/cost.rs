//! Time and error against the number of points.

use std::collections::BTreeMap;

use super::{Axis, Figure, Panel, Series};

/// One evaluation of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Method, device and tolerance, as the legend names them.
    pub name: String,
    /// Number of sources.
    pub points: f64,
    /// Seconds from unsorted points to the field.
    pub seconds: f64,
    /// Relative L2 error of the gradient, where it was measured.
    pub error: Option<f64>,
}

/// Seconds against the number of points, and below the measured errors if there are any. Runs of one name are a line.
pub fn cost(runs: &[Run]) -> Figure {
    let lines = |value: fn(&Run) -> Option<f64>| -> Vec<Series> {
        let mut lines = BTreeMap::<&str, Vec<(f64, f64)>>::new();
        for run in runs {
            lines.entry(&run.name).or_default().extend(value(run).map(|value| (run.points, value)));
        }
        let sorted = |(name, mut points): (&str, Vec<(f64, f64)>)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { name: name.to_owned(), points }
        };
        lines.into_iter().map(sorted).collect()
    };
    let panel = |title: &str, label: &str, series| Panel {
        title: title.to_owned(),
        x: Axis::logarithmic("number of points"),
        y: Axis::logarithmic(label),
        series,
    };
    let mut panels = vec![panel("Time of a sum", "time / s", lines(|run| Some(run.seconds)))];
    // An error of 0 has no place on a logarithmic axis.
    let error = |run: &Run| run.error.filter(|&error| error > 0.0);
    if runs.iter().filter_map(error).count() > 1 {
        let errors = lines(error);
        panels.push(panel("Error of the gradient", "relative L2 error", errors));
    }
    Figure { panels }
}

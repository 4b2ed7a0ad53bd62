//! Table 4, and the hit rates of Table 5: caches of a GPU during the walk one by one, counted by NVIDIA's profiler `ncu`.

use std::process::Command;

use fmm::Device;

use super::paper::{BY_ANGLE, HITS, THETA};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Hit rates of the first-level and the second-level cache, as the profiler names them.
const METRICS: [&str; 2] = ["l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct"];

/// Columns of the record, in %; one walk a row. Curves are 0 given, 1 Morton, 2 Peano–Hilbert.
pub(super) const COLUMNS: [&str; 5] = ["curve", "N / K", "θ", "L1 / %", "L2 / %"];

/// Curves by their number in the record.
pub(super) const CURVES: [&str; 3] = ["given", "morton", "hilbert"];

/// Runs this program once a walk under the profiler; `None` where there is no profiler.
pub(crate) fn measure(settings: Settings) -> Outcome<Option<Table>> {
    if !matches!(settings.device, Device::Cuda(_)) || !is_there() {
        return Ok(None);
    }
    let mut table = Table::new(COLUMNS);
    let by_number = HITS.iter().flat_map(|(k, ..)| [0, 1, 2].map(|curve| (curve, *k, THETA)));
    let by_angle = BY_ANGLE.iter().map(|(theta, ..)| (1, 800, *theta));
    for (curve, thousands, theta) in by_number.chain(by_angle.filter(|walk| walk.2 != THETA)) {
        let [first, second] = rates(CURVES[curve], thousands, theta)?;
        let row = [curve as f64, thousands as f64, theta, first, second];
        table.push(row.map(Some));
    }
    Ok(Some(table))
}

fn is_there() -> bool {
    Command::new("ncu").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Hit rates of one walk.
fn rates(curve: &str, thousands: usize, theta: f64) -> Outcome<[f64; 2]> {
    let output = Command::new("ncu")
        .args(["--csv", "--kernel-name", "regex:(?i)tree_gm", "--metrics", &METRICS.join(",")])
        .arg(std::env::current_exe()?)
        .args(["--device", "cuda", "--walk", curve])
        .args([thousands.to_string(), theta.to_string()])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match METRICS.map(|metric| value(&text, metric)) {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => {
            let last = text.lines().last().unwrap_or("it printed nothing").to_owned();
            Err(format!("ncu counted no cache hits: {last}").into())
        }
    }
}

/// The value of a metric in the profiler's table: the last field of its line.
fn value(text: &str, metric: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains(metric))?;
    line.rsplit("\",\"").next()?.trim_end_matches(['"', '\r']).replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_last_fields_of_their_lines() {
        let text = "==PROF== Connected\n\
            \"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
            \"0\",\"TREE_GM\",\"l1tex__t_sector_hit_rate.pct\",\"%\",\"79.83\"\n\
            \"0\",\"TREE_GM\",\"lts__t_sector_hit_rate.pct\",\"%\",\"99.10\"\n";
        assert_eq!(METRICS.map(|metric| value(text, metric)), [Some(79.83), Some(99.1)]);
        assert_eq!(value(text, "sm__cycles"), None);
    }
}

//! The report of an evaluation, as text and as JSON.

mod of_ranks;
pub(crate) mod progress;

use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use fmm::{DeviceMemory, Opening, Precision, Report, SampledError, Tolerance};
use formats::{one_line, read_softenings, unread_velocities};
use serde_json::{Value, json};

use super::LONGEST;
use super::error::Error;
use super::evaluate::Totals;
use super::significant::significant;

/// Digits of totals: those of the usual tolerance, and one.
const DIGITS: usize = 7;

/// The report for a reader, with the measured error, the totals of one set and the file of the field.
pub(crate) fn text(
    report: &Report,
    error: Option<&SampledError>,
    totals: Option<&Totals>,
    output: Option<&Path>,
) -> String {
    let mut text = format!("{report}\n");
    if let Some(ranks) = &report.ranks {
        text += &of_ranks::text(ranks);
    }
    if let Some(error) = error {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "measured at {} receivers, against the direct sum:\n{:11}{:>12}{:>12}{:>12}{:>16}",
            error.receivers, "", "L2", "RMS", "largest", "mean relative"
        );
        let errors = [("potential", error.potential), ("gradient", error.gradient)];
        for (name, e) in errors.iter().filter_map(|(name, errors)| Some((name, errors.as_ref()?))) {
            let _ = writeln!(
                text,
                "  {name:9}{:12.2e}{:12.2e}{:12.2e}{:16.2e}",
                e.l2, e.rms, e.max, e.mean_relative
            );
        }
    }
    if let Some(Totals { net_charge, potential_energy }) = totals {
        let [charge, energy] = [net_charge, potential_energy].map(|&x| significant(x, DIGITS));
        let _ = writeln!(text, "net charge  {charge}");
        let _ = writeln!(text, "energy      {energy} (potential, half of the sum of q Φ)");
    }
    if let Some(path) = output {
        let _ = writeln!(text, "{}", wrote("", path));
    }
    text.truncate(text.trim_end().len());
    text
}

/// Warns on stderr, in one line.
pub(crate) fn warn_line(warning: &str) {
    let line = one_line(&format!("farfield: warning: {warning}"), LONGEST);
    // A warning that nobody can read is none.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Warns on stderr where the tolerance was not reached.
pub(crate) fn warn(report: &Report) {
    if let Some(excess) = report.excess() {
        warn_of_excess(excess, report.precision == Precision::F32);
    }
}

/// Warns on stderr of an error that is so many times the tolerance, of sums in f32 or in f64.
pub(crate) fn warn_of_excess(excess: f64, is_f32: bool) {
    let cure = if is_f32 { "--precision f64 or " } else { "" };
    warn_line(&format!(
        "the tolerance is not reached, the error is about {excess:.1} times as large; try {cure}a larger --tolerance"
    ));
}

/// Warns on stderr that a file has softening lengths of single particles, where these are not the one in use.
pub(crate) fn warn_of_softenings(path: &Path, used: f64) {
    /// Share by which lengths of f32 differ from those of f64.
    const ROUNDING: f64 = 1e-6;
    let differs = |length: f64| (length - used).abs() > ROUNDING * used;
    let Some([low, high]) = read_softenings(path) else {
        return;
    };
    if [low, high] == [0.0; 2] || !(differs(low) || differs(high)) {
        return;
    }
    let path = path.display();
    warn_line(&format!(
        "{path} has softenings of single particles, {low} to {high}, which are not used: all have {used}; set it by --softening"
    ));
}

/// Warns on stderr that a file of points at rest has columns or arrays that look like velocities and are not read.
pub(crate) fn warn_of_velocities(path: &Path) {
    let names = unread_velocities(path);
    if !names.is_empty() {
        warn_line(&format!(
            "{} has {}, which are not read as velocities; name them vx, vy and vz, or an array (N, 3) velocities",
            path.display(),
            names.join(", "),
        ));
    }
}

/// The report for a program. `estimated_error` and `tolerance_reached` are there only where a tolerance was asked for,
/// `device_memory` is there only on a GPU, `opening` (criterion with theta or alpha) only for the treecode, `m2l` only where the FMM has far pairs, `places`
/// only where coincident points are merged, `clumps` only where clusters have trees of their own,
/// `net_force` only where the receivers are the sources, `ranks`, `imbalance`, `imbalance_of_points` and
/// `cuts` only over ranks, `error` only if it was measured; `tolerance` is null where an order was asked for. `threads` are
/// those of the process, or of each rank that is a thread.
///
/// `net_charge` Σ q and `potential_energy` ½ Σ q Φ of `evaluate`, in the units of the file, are there only where the receivers
/// are the sources; each is null beyond the range of f64.
pub(crate) fn json(
    report: &Report,
    error: Option<&SampledError>,
    totals: Option<&Totals>,
) -> Value {
    let tolerance = match report.tolerance {
        Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => Some(tolerance),
        _ => None,
    };
    let mut object = json!({
        "n_sources": report.n_sources,
        "n_receivers": report.n_receivers,
        "method": report.method.to_string(),
        "device": report.device.to_string(),
        "precision": report.precision.to_string(),
        "threads": rayon::current_num_threads(),
        "softening": report.softening,
        "p2p_pairs": report.p2p_pairs,
        "order": report.order,
        "tolerance": tolerance,
        "bytes": report.bytes,
        "seconds": of_ranks::seconds(&report.seconds),
    });
    if let Some(estimated) = report.estimated_error {
        object["estimated_error"] = json!(estimated);
        object["tolerance_reached"] = json!(report.excess().is_none());
    }
    if let Some(opening) = report.opening {
        object["opening"] = criterion(opening);
    }
    if let Some(m2l) = report.m2l {
        object["m2l"] = json!(m2l.to_string());
    }
    if let Some([sources, receivers]) = report.places {
        object["places"] = json!({ "sources": sources, "receivers": receivers });
    }
    if report.clumps > 0 {
        object["clumps"] = json!(report.clumps);
    }
    if let Some(net_force) = report.net_force {
        object["net_force"] = json!(net_force);
    }
    if let Some(totals) = totals {
        object["net_charge"] = json!(totals.net_charge);
        object["potential_energy"] = json!(totals.potential_energy);
    }
    if let Some(memory) = &report.device_memory {
        object["device_memory"] = device_memory(memory);
    }
    if let Some(ranks) = &report.ranks {
        object["ranks"] = of_ranks::json(ranks);
        for (name, value) in of_ranks::summary_json(ranks) {
            object[name] = value;
        }
    }
    if let Some(error) = error {
        object["error"] = measured(error);
    }
    object
}

/// Errors measured against the direct sum.
fn measured(error: &SampledError) -> Value {
    json!({
        "potential_l2": error.potential.map(|errors| errors.l2),
        "gradient_l2": error.gradient.map(|errors| errors.l2),
        "gradient_mean_relative": error.gradient.map(|errors| errors.mean_relative),
    })
}

/// A criterion by its name in `--criterion`, with its parameter.
fn criterion(opening: Opening) -> Value {
    match opening {
        Opening::Neighbours => json!({ "criterion": "neighbours" }),
        Opening::BarnesHut { theta } => json!({ "criterion": "barnes-hut", "theta": theta }),
        Opening::Nakasato { theta } => json!({ "criterion": "nakasato", "theta": theta }),
        Opening::Relative { alpha } => json!({ "criterion": "relative", "alpha": alpha }),
        other => json!({ "criterion": other.to_string() }),
    }
}

/// Bytes of a GPU by part.
fn device_memory(memory: &DeviceMemory) -> Value {
    let [of_sources, of_receivers] = memory.taken_in;
    let mut object = json!({
        "peak": memory.peak,
        "parts_of_sources": of_sources,
        "parts_of_receivers": of_receivers,
    });
    for (name, bytes) in memory.parts() {
        object[name] = json!(bytes);
    }
    object
}

/// Prints a line on stdout.
pub(crate) fn print(line: impl Display) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    outcome(writeln!(stdout, "{line}").and_then(|()| stdout.flush()))
}

/// The outcome of writing to stdout. A reader that has closed it, such as `head`, is no error.
pub(crate) fn outcome(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::Report(error)),
        _ => Ok(()),
    }
}

/// A number of frames in words.
pub(crate) fn frames(number: usize) -> String {
    format!("{number} frame{}", if number == 1 { "" } else { "s" })
}

/// The line that names a file written.
pub(crate) fn wrote(what: impl Display, path: &Path) -> String {
    one_line(&format!("wrote {what}{}", path.display()), usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_gpu_is_told_by_part() {
        let mut memory = DeviceMemory::default();
        (memory.peak, memory.sort, memory.results, memory.taken_in) = (64, 30, 34, [1, 3]);
        let mut report = Report::default();
        report.device_memory = Some(memory);
        let object = json(&report, None, None);
        let memory = &object["device_memory"];
        assert_eq!([&memory["peak"], &memory["sort"], &memory["results"]], [64, 30, 34]);
        assert_eq!([&memory["parts_of_sources"], &memory["parts_of_receivers"]], [1, 3]);
        assert!(text(&report, None, None, None).contains("receivers in 3 parts"));
        assert!(json(&Report::default(), None, None).get("device_memory").is_none());
    }
}

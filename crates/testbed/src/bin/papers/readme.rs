//! Table of `README.md`: seconds and errors of five sets at three tolerances.

use fmm::Fmm;
use testbed::clouds::{self, Cloud};

use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

const TOLERANCES: [(&str, f64); 3] = [("10⁻³", 1e-3), ("10⁻⁶", 1e-6), ("10⁻⁹", 1e-9)];

/// Receivers that are compared with the direct sum.
const CHECKED: usize = 1000;

/// Names of the sets, by the number of their row.
const SETS: [&str; 5] = [
    "Palomar 5: 20 000, masses",
    "acetylcholine binding protein: 16 090, mixed charges",
    "uniform cube: 100 000, masses",
    "uniform cube: 1 000 000, masses",
    "Plummer model: 1 000 000, masses",
];

fn columns() -> Vec<String> {
    let of = |(name, _): (&str, f64)| [format!("{name} / s"), format!("{name}: error")];
    ["set".to_owned()].into_iter().chain(TOLERANCES.into_iter().flat_map(of)).collect()
}

/// Measures what `farfield evaluate` reports with [`CHECKED`] receivers to verify: potential and gradient in f64, planning included,
/// and the error of the gradient.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let [few, many] = settings.pick([1000, 2000], [100_000, 1_000_000], [100_000, 1_000_000]);
    let sets: [Cloud; SETS.len()] = [
        clouds::pal5()?,
        clouds::achbp()?,
        clouds::uniform_cube(few, 1),
        clouds::uniform_cube(many, 1),
        clouds::plummer(many, 1),
    ];
    let mut table = Table::new(columns());
    for (k, set) in sets.iter().enumerate() {
        let mut row = vec![Some(k as f64)];
        for (_, tolerance) in TOLERANCES {
            let plan =
                Fmm::new().tolerance(tolerance).device(settings.device).plan(&set.positions)?;
            let field = plan.evaluate(&set.charges)?;
            let error = plan.sample_error(&set.charges, &field, CHECKED)?;
            let gradient = error.gradient.map(|errors| errors.l2);
            row.extend([Some(field.report.seconds.total()), gradient]);
        }
        table.push(row);
    }
    Ok(table)
}

/// The table as Markdown, and its origin.
pub(crate) fn block(record: &Record) -> String {
    let heads = TOLERANCES.map(|(name, _)| name).join(" | ");
    let mut text = format!("| points, charges | {heads} |\n|---|--:|--:|--:|\n");
    for row in &record.table.rows {
        let cell = |(name, _): (&str, f64)| {
            let seconds = record.table.get(row, &format!("{name} / s"));
            let error = record.table.get(row, &format!("{name}: error"));
            seconds
                .zip(error)
                .map_or("–".to_owned(), |(s, e)| format!("{} s · {e:.1e}", seconds_of(s)))
        };
        let name = record.table.get(row, "set").and_then(|k| SETS.get(k as usize)).unwrap_or(&"–");
        text += &format!("| {name} | {} |\n", TOLERANCES.map(cell).join(" | "));
    }
    let Record { machine, commit, date, threads, .. } = record;
    text + &format!("\n{machine}, {threads} threads; commit {commit}, {date}.\n")
}

/// Seconds to the millisecond where they are few.
fn seconds_of(x: f64) -> String {
    if x < 0.2 { format!("{x:.3}") } else { format!("{x:.2}") }
}

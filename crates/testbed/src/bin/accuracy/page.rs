//! The page of accuracy, computed from records.

use testbed::conformance::Precision;
use testbed::record::{Record, Records};

use crate::promise::column;
use crate::treecode::{RELATIVE_WALKS, WALKS};

const INTRODUCTION: &str = "\
# Accuracy

Errors are measured against a compensated direct sum in f64, at random receivers. `cargo xtask accuracy` measures them and \
writes this page from the [records](records) of its runs; `--check`, a step of CI, compares page and records. Terms are those \
of the [glossary](GLOSSARY.md). Errors of Nakasato's Tables 6 and 7 are on [the paper's page](papers/nakasato.md).

No set of this page is one of those from which the error tables were made. Cube, sphere surface, Plummer model and two \
clusters are other draws of kinds that calibrate; ball, disk galaxy, plane, line and the published data are of kinds that do \
not: *autzen* is a laser scan of ground, trees and roofs, *lysozyme* the vertices of a molecular surface \
([data](../data/README.md)).
";

const PROMISE: &str = "\
## Fast multipole method

Entries are relative L2 errors ‖f − f*‖₂ / ‖f*‖₂, *potential / gradient*, at the tolerance of the column.

- **Charges.** *Masses* are uniform in [0, 1), *mixed* charges in [−0.5, 0.5).
- **Receivers.** The receivers are the sources, or *apart*: as many other points of the same distribution. Published data are \
then divided, every second point being a source and the others receivers.
- **Order.** The order follows from the tolerance, the outputs and the signs of the charges; a check raises it where a set \
needs more ([decision 46](decisions/46-attempts.md)). One order serves many sets, so the errors of easier sets, and of the \
better output, are far below the tolerance.
- **Silent misses** are errors above the tolerance of which the report says nothing.
";

const HARD: &str = "\
### Few heavy charges, and receivers away from the sources

Sources fill the unit cube; sums are in f64. An entry has the errors as above, then the order, or *pairs* where no order \
reaches the tolerance and all pairs are summed.

- ***n* heavy.** So many masses are 10⁹ times the others. The heaviest charges are summed directly \
([decision 45](decisions/45-heavy-charges.md)).
- **Around, beside, far away, inside.** Receivers lie on a sphere around the cube, beside it, far away, or on a tiny one \
inside. **Ball at 1000.** Receivers fill a ball of diameter 1 at a distance of 1000.
";

const TREECODE: &str = "\
## Treecode

A cell is accepted if l/θ + s < d. An entry has *mean / RMS / largest* of the relative errors of the acceleration at each \
receiver (the mean is Nakasato's eq. 4), then the mean error of the potential.

- **Single walks** are the papers': one receiver at a time, leaves of one source, monopoles.
- **Groups** are the default of `Method::Treecode`: a group opens every cell that one of its receivers needs opened.
- **Orders.** Expansions are about centres of mass, so dipoles vanish. The orders 1, 3, 4 and 5 end with the monopole, \
quadrupole, octupole and hexadecapole.
- **Cells + sources** are the mean numbers that act on a receiver.
";

const RELATIVE: &str = "\
### Relative criterion

A cell is accepted if |Q| l²/d⁴ < α |∇Φ|. Walks are by groups; entries are as in the tables above.
";

/// The page in Markdown.
pub(crate) fn text(records: &Records) -> String {
    let mut page = format!("{INTRODUCTION}\n{PROMISE}");
    let runs = ["accuracy-f64", "accuracy-f32", "accuracy-hard"];
    for (device, [double, single, hard]) in [
        ("the cores", runs.map(|run| records.cpu(run))),
        ("a GPU", runs.map(|run| records.gpu(run))),
    ] {
        page += &promise::<f64>(double, device);
        page += &promise::<f32>(single, device);
        page += &hard_table(hard, device);
    }
    page += &format!("\n{TREECODE}");
    page += &openings(records.cpu("accuracy-opening"));
    page += &relative(records.cpu("accuracy-relative"));
    page
}

/// A table whose first `texts` columns are words.
fn table(texts: usize, heads: &[String], rows: &[String]) -> String {
    let rule = |k: usize| if k < texts { "---|" } else { "--:|" };
    let rules: String = (0..heads.len()).map(rule).collect();
    format!("\n| {} |\n|{rules}\n{}\n", heads.join(" | "), rows.join("\n"))
}

/// The line that says where the numbers of a section come from.
fn origin(record: &Record) -> String {
    let file = record.file();
    format!("\nRecord: [{file}](records/{file}): {}.\n", record.origin_text())
}

fn heads<'a>(first: impl IntoIterator<Item = &'a str>, tolerances: &[f64]) -> Vec<String> {
    let tolerances = tolerances.iter().map(|tolerance| format!("{tolerance:.0e}"));
    first.into_iter().map(str::to_owned).chain(tolerances).collect()
}

/// Rows of a record with their names.
fn named(record: &Record) -> impl Iterator<Item = (&str, &[Option<f64>])> {
    record.table.labels.iter().map(String::as_str).zip(record.table.rows.iter().map(Vec::as_slice))
}

/// A number of a row; one that was not measured counts as infinite, which no tolerance is.
fn get(record: &Record, row: &[Option<f64>], column: &str) -> f64 {
    record.table.get(row, column).unwrap_or(f64::INFINITY)
}

fn promise<T: Precision>(record: Option<&Record>, device: &str) -> String {
    let Some(record) = record else { return String::new() };
    let entry = |row: &[Option<f64>], tolerance: &f64| {
        let of = |name| get(record, row, &column(name, *tolerance));
        format!("{:.1e} / {:.1e}", of("potential"), of("gradient"))
    };
    let row = |(name, row): (&str, &[Option<f64>])| {
        let entries: Vec<String> = T::TOLERANCES.iter().map(|t| entry(row, t)).collect();
        format!("| {name} | {} |", entries.join(" | "))
    };
    let rows: Vec<String> = named(record).map(row).collect();
    let first = ["set", "points", "charges", "receivers"];
    let mut text = format!("\n### {} on {device}\n", T::NAME);
    text += &table(4, &heads(first, T::TOLERANCES), &rows);
    let heads = ["tolerance", "orders for one sign", "for both", "largest error / tolerance"];
    let heads = heads.into_iter().chain(["silent misses"]).map(str::to_owned);
    let rows: Vec<String> = T::TOLERANCES.iter().map(|t| summary(record, *t)).collect();
    text += &table(0, &heads.collect::<Vec<String>>(), &rows);
    text + &origin(record)
}

/// The row of the summary at a tolerance.
fn summary(record: &Record, tolerance: f64) -> String {
    let of = |row: &[Option<f64>], name: &str| get(record, row, &column(name, tolerance));
    let orders = |mixed: bool| {
        let those = named(record).filter(|(name, _)| name.contains("mixed") == mixed);
        let all: Vec<f64> = those.map(|(_, row)| of(row, "order")).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let most = all.iter().copied().fold(0.0, f64::max);
        if least == most { format!("{least}") } else { format!("{least} to {most}") }
    };
    let worse = |row: &[Option<f64>]| of(row, "potential").max(of(row, "gradient")) / tolerance;
    let largest = named(record).map(|(_, row)| worse(row)).fold(0.0, f64::max);
    let silent: f64 = named(record).map(|(_, row)| of(row, "silent")).sum();
    format!("| {tolerance:.0e} | {} | {} | {largest:.2} | {silent} |", orders(false), orders(true))
}

fn hard_table(record: Option<&Record>, device: &str) -> String {
    let Some(record) = record else { return String::new() };
    let entry = |row: &[Option<f64>], tolerance: &f64| {
        let of = |name| get(record, row, &column(name, *tolerance));
        let order = match of("order") {
            0.0 => "pairs".to_owned(),
            order => order.to_string(),
        };
        format!("{:.1e} / {:.1e} · {order}", of("potential"), of("gradient"))
    };
    let row = |(name, row): (&str, &[Option<f64>])| {
        let entries: Vec<String> = f64::TOLERANCES.iter().map(|t| entry(row, t)).collect();
        format!("| {name} | {} |", entries.join(" | "))
    };
    let rows: Vec<String> = named(record).map(row).collect();
    let silent = |t: &f64| -> f64 {
        named(record).map(|(_, row)| get(record, row, &column("silent", *t))).sum()
    };
    let silent: f64 = f64::TOLERANCES.iter().map(silent).sum();
    let title = HARD.replacen("from the sources", &format!("from the sources, on {device}"), 1);
    let table = table(1, &heads(["set"], f64::TOLERANCES), &rows);
    format!("\n{title}{table}\nSilent misses: {silent}.\n{}", origin(record))
}

/// An entry of the treecode's tables.
fn entry(record: &Record, row: &[Option<f64>], walk: &str) -> String {
    let of = |name: &str| get(record, row, &format!("{name} {walk}"));
    let (mean, rms) = (of("mean"), of("RMS"));
    format!("{mean:.1e} / {rms:.1e} / {:.1e} · {:.1e}", of("largest"), of("potential"))
}

fn interactions(record: &Record, row: &[Option<f64>], walk: &str) -> String {
    let of = |name: &str| get(record, row, &format!("{name} {walk}"));
    format!("{} + {}", of("cells"), of("sources"))
}

fn openings(record: Option<&Record>) -> String {
    let Some(record) = record else { return String::new() };
    let mut text = String::new();
    let mut sets: Vec<&str> = record.table.labels.iter().map(String::as_str).collect();
    sets.dedup();
    for set in sets {
        let of_set: Vec<_> = named(record).filter(|(name, _)| *name == set).collect();
        let row = |(_, row): &(&str, &[Option<f64>])| {
            let [single, groups @ ..] = WALKS;
            let mut cells = vec![
                get(record, row, "θ").to_string(),
                interactions(record, row, single),
                entry(record, row, single),
                interactions(record, row, groups[0]),
            ];
            cells.extend(groups.map(|walk| entry(record, row, walk)));
            format!("| {} |", cells.join(" | "))
        };
        let rows: Vec<String> = of_set.iter().map(row).collect();
        let n = of_set.first().map_or(0.0, |(_, row)| get(record, row, "N"));
        let [_, groups @ ..] = WALKS;
        let first = ["θ", "cells + sources, single walks", "single walks"];
        let first = first.into_iter().chain(["cells + sources, groups"]).chain(groups);
        text += &format!("\n### {set}, {n} points\n");
        text += &table(0, &heads(first, &[]), &rows);
    }
    text + &origin(record)
}

fn relative(record: Option<&Record>) -> String {
    let Some(record) = record else { return String::new() };
    let row = |(name, row): (&str, &[Option<f64>])| {
        let alpha = format!("{:.0e}", get(record, row, "α"));
        let mut cells = vec![name.to_owned(), alpha, interactions(record, row, RELATIVE_WALKS[0])];
        cells.extend(RELATIVE_WALKS.map(|walk| entry(record, row, walk)));
        format!("| {} |", cells.join(" | "))
    };
    let rows: Vec<String> = named(record).map(row).collect();
    let first = ["set", "α", "cells + sources"].into_iter().chain(RELATIVE_WALKS);
    let table = table(1, &heads(first, &[]), &rows);
    format!("\n{RELATIVE}{table}{}", origin(record))
}

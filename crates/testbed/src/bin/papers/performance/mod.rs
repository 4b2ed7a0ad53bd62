//! Tables of `docs/performance.md` and `docs/performance-gpu.md`: runs whose records fill them, between marks.
//!
//! | file | runs |
//! |---|---|
//! | `case.rs` | – (sets of points, and times and errors of one way to sum them) |
//! | `front.rs` | `perf-front`, `perf-treecode`: order and leaf capacity, or order and θ, by hand |
//! | `tolerance.rs`, `tolerance_page.rs` | `perf-f32`, `perf-f64`: a tolerance, the rest chosen; stages and memory, too |
//! | `slices.rs` | `perf-slices`: from slices of the host to slices of the host |
//! | `softening.rs` | `perf-softening` |
//! | `hybrid.rs` | `perf-hybrid`: cores with a GPU |
//! | `threads.rs` | `perf-threads`: by threads of the CPU |
//! | `vectors.rs` | `perf-vectors`: several vectors of charges |
//! | `few.rs` | `perf-few`: few points, and the crossover with the direct sum |

mod case;
mod few;
mod front;
mod hybrid;
mod slices;
mod softening;
mod threads;
mod tolerance;
mod tolerance_page;
mod vectors;

use crate::{Outcome, Settings};
use testbed::record::{Record, Table};

/// Measures a run on the cores; `None` if it is none of theirs.
pub(crate) fn measure(run: &str, settings: Settings) -> Outcome<Option<Table>> {
    let table = match run {
        "perf-f32" => tolerance::measure::<f32>(settings)?,
        "perf-f64" => tolerance::measure::<f64>(settings)?,
        "perf-threads" => threads::measure(settings)?,
        "perf-vectors" => vectors::measure(settings)?,
        "perf-few" => few::measure(settings)?,
        _ => return Ok(None),
    };
    Ok(Some(table))
}

/// Measures a run on a GPU; `None` if it is none of its.
pub(crate) fn measure_on(run: &str, settings: Settings) -> Outcome<Option<Table>> {
    let table = match run {
        "perf-front" => front::fmm(settings)?,
        "perf-treecode" => front::treecode(settings)?,
        "perf-f32" => tolerance::measure::<f32>(settings)?,
        "perf-f64" => tolerance::measure::<f64>(settings)?,
        "perf-slices" => slices::measure(settings)?,
        "perf-softening" => softening::measure(settings)?,
        "perf-hybrid" => hybrid::measure(settings)?,
        _ => return Ok(None),
    };
    Ok(Some(table))
}

/// A view of a record as a Markdown table with the record's origin; the view of most runs has no name.
///
/// # Errors
/// A view that the run does not have.
pub(crate) fn block(record: &Record, view: &str) -> Outcome<String> {
    let table = match (record.run.as_str(), view) {
        ("perf-front", "") => front::page(record, &front::PEERS),
        ("perf-treecode", "") => front::page(record, &front::BONSAI),
        ("perf-f32" | "perf-f64", "") => tolerance_page::times(record),
        ("perf-f32" | "perf-f64", "stages") => tolerance_page::stages(record),
        ("perf-f32" | "perf-f64", "memory") => tolerance_page::memory(record),
        ("perf-slices", "") => slices::page(record),
        ("perf-softening", "") => softening::page(record),
        ("perf-hybrid", "") => hybrid::page(record),
        ("perf-threads", "") => threads::page(record),
        ("perf-vectors", "") => vectors::page(record),
        ("perf-few", "") => few::page(record),
        (run, view) => {
            return Err(format!("{run:?} has no table {view:?} outside of its page").into());
        }
    };
    let file = record.file();
    let command = if record.device == "gpu" {
        "cargo xtask papers --device cuda"
    } else {
        "cargo xtask papers"
    };
    Ok(format!(
        "{table}\nRecord: [{file}](papers/records/{file}), by `{command} {}`; {}.\n",
        record.run,
        record.origin_text()
    ))
}

/// Lines of a Markdown table; the first column is of texts, the others are of numbers.
fn lines(heads: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len() - 1));
    for row in rows {
        text += &format!("| {} |\n", row.join(" | "));
    }
    text
}

/// A number of points: powers of two and of ten as such.
fn points(n: f64) -> String {
    let raised = |exponent: f64| {
        let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().collect::<Vec<_>>();
        let digit = |c: char| c.to_digit(10).map_or('⁻', |d| digits[d as usize]);
        format!("{exponent:.0}").chars().map(digit).collect::<String>()
    };
    let exponents = [n.log2(), n.log10()].map(f64::round);
    match exponents {
        [two, _] if n >= 1024.0 && two.exp2() == n => format!("2{}", raised(two)),
        [_, ten] if n >= 1000.0 && 10f64.powf(ten) == n => format!("10{}", raised(ten)),
        _ => format!("{n}"),
    }
}

/// A tolerance or error level, such as 1e-3.
fn level(x: f64) -> String {
    format!("{x:e}")
}

/// Names of the rows with their numbers.
fn rows(record: &Record) -> impl Iterator<Item = (&str, &Vec<Option<f64>>)> {
    record.table.labels.iter().map(String::as_str).zip(&record.table.rows)
}

/// Different values of a column, in the order of the rows.
fn values(record: &Record, column: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for value in record.table.rows.iter().filter_map(|row| record.table.get(row, column)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Different names of rows together with the value of a column, in the order of the rows.
fn groups(record: &Record, column: &str) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (label, row) in rows(record) {
        let group = (label.to_owned(), record.table.get(row, column).unwrap_or_default());
        if !found.contains(&group) {
            found.push(group);
        }
    }
    found
}

/// The number of a column in the row of that name in which the columns of `keys` have those values.
fn find(record: &Record, label: &str, keys: &[(&str, f64)], column: &str) -> Option<f64> {
    let fits = |row: &[Option<f64>]| {
        keys.iter().all(|(key, value)| record.table.get(row, key) == Some(*value))
    };
    let (_, row) = rows(record).find(|(name, row)| *name == label && fits(row))?;
    record.table.get(row, column)
}

/// Milliseconds with three digits; a dash where there are none.
fn milliseconds(seconds: Option<f64>) -> String {
    crate::page::number(seconds.map(|x| 1e3 * x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_points_are_powers_where_they_are() {
        for (n, text) in
            [(1048576.0, "2²⁰"), (1e6, "10⁶"), (1e7, "10⁷"), (50_000.0, "50000"), (2.0, "2")]
        {
            assert_eq!(points(n), text);
        }
        assert_eq!(level(1e-3), "1e-3");
    }
}

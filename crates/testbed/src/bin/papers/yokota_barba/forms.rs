//! Sections of the page on forms of the operators: M2L of Listings 3 to 5, and the others with one thread a target.

use super::targets::{self, OPERATORS};
use super::text;
use super::translations::FORMS;
use crate::Outcome;
use crate::page::{Page, count, factor, logarithmic, number};
use testbed::record::{Record, Records};

/// Names of the forms of M2L.
const NAMES: [&str; 4] =
    ["as printed, O(p⁴)", "tabulated, O(p⁴)", "dense, O(p⁴)", "rotation, O(p³)"];

/// Adds the table and the diagram of `yb-m2l`.
///
/// # Errors
/// Errors of drawing.
pub(super) fn translations(page: &mut Page, records: &Records) -> Outcome {
    let both = [records.cpu("yb-m2l"), records.gpu("yb-m2l")];
    page.heading("yb-m2l: M2L of Listings 3 to 5 beside other forms");
    page.paragraph(text::TRANSLATIONS);
    let panel = |title: &str, record: Option<&Record>| {
        let of = |column: &str| record.map_or(Vec::new(), |record| record.table.pairs("p", column));
        let series = NAMES.into_iter().zip(FORMS.map(of)).collect();
        logarithmic(title, ["p", "time of a pair / ns"], series)
    };
    page.diagram(
        "yb-m2l",
        "Nanoseconds of an M2L translation by the order",
        vec![panel("One core", both[0]), panel("GPU", both[1])],
    )?;
    for (record, device) in both.into_iter().zip(["one core", "GPU"]) {
        let Some(record) = record else {
            page.paragraph(&not_recorded(device, "yb-m2l"));
            continue;
        };
        page.paragraph(&format!("Nanoseconds, {device}:"));
        forms_of(page, record);
        if record.table.pairs("p", FORMS[0]).is_empty() {
            page.paragraph(&format!("The form as printed: {}", not_recorded(device, "yb-m2l")));
        }
    }
    page.origin(both);
    Ok(())
}

fn forms_of(page: &mut Page, record: &Record) {
    let row = |row: &Vec<Option<f64>>| {
        let of = |k: usize| record.table.get(row, FORMS[k]);
        let over = |k: usize| factor(of(k).zip(of(3)).map(|(form, rotation)| form / rotation));
        let mut cells = vec![count(row[0].unwrap_or_default())];
        cells.extend((0..FORMS.len()).map(|k| number(of(k))));
        cells.extend([over(0), over(1)]);
        cells
    };
    let [printed, tabulated, dense, rotation] = NAMES;
    let heads = [
        "p",
        printed,
        tabulated,
        dense,
        rotation,
        "as printed over rotation",
        "tabulated over rotation",
    ];
    page.table(0, &heads, &record.table.rows.iter().map(row).collect::<Vec<_>>());
}

/// Adds the table of `yb-targets`.
pub(super) fn targets(page: &mut Page, records: &Records) {
    let record = records.gpu("yb-targets");
    page.heading("yb-targets: P2M, M2M, M2P, L2L and L2P with one thread a target");
    page.paragraph(text::TARGETS);
    match record {
        None => page.paragraph(&not_recorded("GPU", "yb-targets")),
        Some(record) => {
            for (operator, unit) in OPERATORS {
                let [ours, product] = targets::columns(operator);
                let row = |row: &Vec<Option<f64>>| {
                    let of = |column: &str| record.table.get(row, column);
                    let ratio = of(&ours).zip(of(&product)).map(|(a, b)| a / b);
                    let p = count(row[0].unwrap_or_default());
                    vec![p, number(of(&ours)), number(of(&product)), factor(ratio)]
                };
                page.paragraph(&format!("{operator}, nanoseconds by {unit}:"));
                let rows: Vec<Vec<String>> = record.table.rows.iter().map(row).collect();
                page.table(0, &["p", "one thread a target", "product", "ratio"], &rows);
            }
        }
    }
    page.origin([record]);
}

/// Sentence where there is no record.
fn not_recorded(device: &str, id: &str) -> String {
    let argument = if device == "GPU" { " --device cuda" } else { "" };
    format!("Not recorded on {device} yet; `cargo xtask papers{argument} {id}` does it.")
        .replace("on GPU", "on a GPU")
}

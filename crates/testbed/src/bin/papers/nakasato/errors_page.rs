//! Tables 6 and 7 of the page: errors by N and θ, and what changes them.

use super::paper::{ACCELERATION, NUMBERS, POTENTIAL, THETA};
use super::text;
use crate::Outcome;
use crate::page::{Page, logarithmic};
use testbed::record::{Record, Records, Table};

/// Ratios that count as agreement.
const AGREEMENT: f64 = 0.3;

/// Writes both tables and their causes.
///
/// # Errors
/// Errors of drawing.
pub(super) fn write(page: &mut Page, records: &Records) -> Outcome {
    let record = records.cpu("nk-table6");
    page.heading("nk-table6 and nk-table7: errors by N and θ");
    page.paragraph(text::ERRORS);
    for (id, output, paper) in
        [("nk-table6", "acceleration", &ACCELERATION), ("nk-table7", "potential", &POTENTIAL)]
    {
        let columns = [format!("{output}, f64"), format!("{output}, f32")];
        let cell = |k: usize, theta: f64, column: &str| {
            let table = &record?.table;
            let row = table
                .rows
                .iter()
                .find(|row| row[0] == Some(NUMBERS[k] as f64) && row[1] == Some(theta))?;
            table.get(row, column)
        };
        page.paragraph(&format!(
            "Mean relative error of the {output}: paper / here, f64 / here, f32."
        ));
        let heads: Vec<String> =
            std::iter::once("θ".to_owned()).chain(NUMBERS.map(|k| format!("{k}K"))).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let row = |(theta, errors): &(f64, [f64; 5])| {
            let of = |(k, error): (usize, &f64)| {
                let ours = columns.each_ref().map(|column| exponential(cell(k, *theta, column)));
                format!("{} / {}", exponential(Some(*error)), ours.join(" / "))
            };
            std::iter::once(theta.to_string()).chain(errors.iter().enumerate().map(of)).collect()
        };
        page.table(0, &heads, &paper.iter().map(row).collect::<Vec<Vec<String>>>());
        let ours = |k: usize| {
            let at = |(theta, _): &(f64, [f64; 5])| Some((*theta, cell(k, *theta, &columns[0])?));
            paper.iter().filter_map(at).collect()
        };
        let theirs = |k: usize| paper.iter().map(|(theta, errors)| (*theta, errors[k])).collect();
        let panel = |k: usize| {
            let title = format!("{}K: error of the {output}", NUMBERS[k]);
            let series = vec![("paper", theirs(k)), ("here, f64", ours(k))];
            let mut panel = logarithmic(&title, ["θ", "mean relative error"], series);
            panel.x.logarithmic = false;
            panel
        };
        let about = format!("Errors of the {output} by θ, one panel a number of particles");
        let panels = if record.is_some() { [0, 3, 4].map(panel).to_vec() } else { Vec::new() };
        page.diagram(id, &about, panels)?;
        let ratio = |k: usize, i: usize| Some(cell(k, paper[i].0, &columns[0])? / paper[i].1[k]);
        agreement(page, output, &ratio);
        floor(page, output, &|theta| cell(4, theta, &columns[1]).zip(cell(4, theta, &columns[0])));
    }
    page.origin([record]);
    causes(page, records.cpu("nk-causes"));
    Ok(())
}

fn exponential(x: Option<f64>) -> String {
    x.map_or("–".to_owned(), |x| format!("{x:.2e}"))
}

/// Says how many cells agree, by N.
fn agreement(page: &mut Page, output: &str, ratio: &dyn Fn(usize, usize) -> Option<f64>) {
    let of_number = |k: usize| {
        let ratios: Vec<f64> = (0..ACCELERATION.len()).filter_map(|i| ratio(k, i)).collect();
        let (least, most) =
            ratios.iter().fold((f64::INFINITY, 0.0f64), |(a, b), r| (a.min(*r), b.max(*r)));
        let near = ratios.iter().filter(|r| (**r - 1.0).abs() <= AGREEMENT).count();
        (!ratios.is_empty())
            .then(|| (near, ratios.len(), format!("{}K {least:.2}–{most:.2}", NUMBERS[k])))
    };
    let found: Vec<(usize, usize, String)> = (0..NUMBERS.len()).filter_map(of_number).collect();
    let (near, all): (usize, usize) =
        found.iter().fold((0, 0), |sum, f| (sum.0 + f.0, sum.1 + f.1));
    if all > 0 {
        let ranges: Vec<&str> = found.iter().map(|f| f.2.as_str()).collect();
        page.paragraph(&format!(
            "Errors of the {output} in f64 are within {:.0} % of the paper's in {near} of {all} cells. Ratios, ours over the paper's: {}.",
            100.0 * AGREEMENT,
            ranges.join(", ")
        ));
    }
}

/// Says whether f32 ends in a floor at 500K, as the paper's acceleration does: its error at θ = 0.2 is 0.8 of that at 0.6.
fn floor(page: &mut Page, output: &str, at: &dyn Fn(f64) -> Option<(f64, f64)>) {
    let (Some(small), Some(usual)) = (at(0.2), at(THETA)) else { return };
    let has = if small.0 > 0.5 * usual.0 { "has" } else { "has no" };
    page.paragraph(&format!(
        "At 500K the {output} in f32 {has} floor: its error is {:.2} of that at θ = {THETA}, and {:.3} times that in f64.",
        small.0 / usual.0,
        small.0 / small.1
    ));
}

/// Writes the experiment on causes.
fn causes(page: &mut Page, record: Option<&Record>) {
    page.heading("nk-causes: why potentials differ from Table 7");
    page.paragraph(text::CAUSES);
    let Some(record) = record else { return page.origin([record]) };
    let table = &record.table;
    let theta = ACCELERATION.iter().position(|(theta, _)| *theta == THETA).unwrap_or_default();
    for (output, paper) in [("acceleration", &ACCELERATION), ("potential", &POTENTIAL)] {
        let mut told = Vec::new();
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .filter_map(|row| {
                let k = NUMBERS.iter().position(|n| row[0] == Some(*n as f64))?;
                let paper = paper[theta].1[k];
                let of = |kind: &str| table.get(row, &format!("{output}: {kind}"));
                told.push((NUMBERS[k], explained(table, row, output, paper)));
                let range = |name: &str| {
                    let ends =
                        ["least", "most"].map(|end| exponential(of(&format!("{name}, {end}"))));
                    ends.join(" – ")
                };
                Some(vec![
                    format!("{}K", NUMBERS[k]),
                    exponential(Some(paper)),
                    exponential(of("as drawn")),
                    range("placements"),
                    range("seeds"),
                    exponential(of("equal numbers")),
                ])
            })
            .collect();
        page.paragraph(&format!("Mean relative error of the {output} at θ = {THETA}, f64:"));
        let heads =
            ["N", "paper", "as drawn", "placements of the cube", "other galaxies", "equal numbers"];
        page.table(0, &heads, &rows);
        page.paragraph(&conclusion(output, &told));
    }
    page.origin([Some(record)]);
}

/// Changes that reach the paper's error: placements and other galaxies, equal numbers.
fn explained(table: &Table, row: &[Option<f64>], output: &str, paper: f64) -> [bool; 2] {
    let of = |kind: &str| table.get(row, &format!("{output}: {kind}"));
    let all = ["as drawn", "placements, least", "placements, most", "seeds, least", "seeds, most"];
    let values: Vec<f64> = all.iter().filter_map(|kind| of(kind)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let slack = 1.0 + AGREEMENT;
    let near = |x: f64| x <= slack * paper && paper <= slack * x;
    [least <= slack * paper && paper <= slack * most, of("equal numbers").is_some_and(near)]
}

/// The sentence that the experiment allows.
fn conclusion(output: &str, told: &[(usize, [bool; 2])]) -> String {
    let by = |k: usize| -> Vec<String> {
        told.iter().filter(|(_, reached)| reached[k]).map(|(n, _)| format!("{n}K")).collect()
    };
    let neither: Vec<String> = told
        .iter()
        .filter(|(_, reached)| !reached.iter().any(|yes| *yes))
        .map(|(n, _)| format!("{n}K"))
        .collect();
    let list = |of: Vec<String>| if of.is_empty() { "no N".to_owned() } else { of.join(", ") };
    let percent = 100.0 * AGREEMENT;
    let mut text = format!(
        "To within {percent:.0} %, the paper's {output} is in the range of placements and galaxies at {}, and that of equal numbers at {}",
        list(by(0)),
        list(by(1))
    );
    text += &match neither.is_empty() {
        true => "; no other cause is needed.".to_owned(),
        false => format!("; at {} neither is enough.", neither.join(", ")),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conclusions_follow_the_numbers() {
        let kinds = [
            "as drawn",
            "placements, least",
            "placements, most",
            "seeds, least",
            "seeds, most",
            "equal numbers",
        ];
        let mut table = Table::new(kinds.map(|kind| format!("potential: {kind}")));
        table.push([1.0, 0.8, 2.0, 0.9, 1.1, 9.0].map(Some));
        let row = table.rows[0].clone();
        assert_eq!(explained(&table, &row, "potential", 2.1), [true, false]);
        assert_eq!(explained(&table, &row, "potential", 8.0), [false, true]);
        assert_eq!(explained(&table, &row, "potential", 5.0), [false, false]);
        assert!(conclusion("potential", &[(50, [true, false])]).contains("no other cause"));
        assert!(conclusion("potential", &[(50, [false, false])]).contains("at 50K neither"));
    }
}

//! Tables of sums to a tolerance: times with errors, stages, and memory.

use fmm::Stage;

use super::tolerance::column;
use super::{find, groups, level, lines, milliseconds, points, rows, values};
use testbed::record::Record;

/// Columns of the table of stages.
const GROUPS: [(&str, &[Stage]); 9] = [
    ("sort", &[Stage::Sort]),
    ("lists", &[Stage::Lists]),
    ("P2M, M2M", &[Stage::P2m, Stage::M2m]),
    ("M2L", &[Stage::M2l]),
    ("P2L, L2L", &[Stage::P2l, Stage::L2l]),
    ("L2P, M2P", &[Stage::L2p, Stage::M2p, Stage::Walk]),
    ("P2P", &[Stage::P2p]),
    ("check", &[Stage::Check]),
    ("other", &[Stage::Other, Stage::Exchange]),
];

/// Milliseconds by set and tolerance, with the mean relative error of the gradient in brackets.
pub(super) fn times(record: &Record) -> String {
    by_tolerance(record, |set, keys| {
        let time = find(record, set, keys, "time / s");
        let error = find(record, set, keys, "mean error");
        let error = error.map_or(String::new(), |error| format!(" ({error:.1e})"));
        milliseconds(time) + &error
    })
}

/// Bytes a point of plan and evaluation by set and tolerance.
pub(super) fn memory(record: &Record) -> String {
    by_tolerance(record, |set, keys| crate::page::number(find(record, set, keys, "bytes a point")))
}

/// A table with a row a set and a column a tolerance.
fn by_tolerance(record: &Record, cell: impl Fn(&str, &[(&str, f64)]) -> String) -> String {
    let tolerances = values(record, "tolerance");
    let heads = std::iter::once("points".to_owned()).chain(tolerances.iter().map(|x| level(*x)));
    let row = |(set, n): (String, f64)| {
        let cells = tolerances.iter().map(|x| cell(&set, &[("N", n), ("tolerance", *x)]));
        std::iter::once(format!("{set} {}", points(n))).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = groups(record, "N").into_iter().map(row).collect();
    lines(&heads.collect::<Vec<_>>(), &rows)
}

/// Milliseconds by stage of the sets with most points at the tolerance of the library's default or, in f32, the first.
pub(super) fn stages(record: &Record) -> String {
    let tolerances = values(record, "tolerance");
    let shown = tolerances.iter().find(|x| **x == 1e-6).or(tolerances.first());
    let heads = ["points, tolerance, order"].into_iter().chain(GROUPS.map(|group| group.0));
    let heads: Vec<String> = heads.map(str::to_owned).collect();
    let mut table = Vec::new();
    for (set, row) in rows(record) {
        let of = |column: &str| record.table.get(row, column);
        let (Some(n), Some(tolerance), Some(order)) = (of("N"), of("tolerance"), of("order"))
        else {
            continue;
        };
        if Some(&tolerance) != shown || n < 1e6 && record.device == "cpu" {
            continue;
        }
        let mut cells = vec![format!("{set} {}, {}, {order}", points(n), level(tolerance))];
        for (_, stages) in GROUPS {
            let seconds: f64 = stages.iter().filter_map(|stage| of(&column(*stage))).sum();
            cells.push(if seconds > 0.0 { milliseconds(Some(seconds)) } else { "–".to_owned() });
        }
        table.push(cells);
    }
    lines(&heads, &table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed::record::Table;

    #[test]
    fn a_record_has_three_tables() {
        let columns =
            ["N", "tolerance", "order", "time / s", "mean error", "bytes a point", "m2l / s"];
        let mut table = Table::new(columns);
        table.push_named(
            "cube".into(),
            [1048576.0, 1e-3, 7.0, 1.37e-3, 1.23e-4, 146.0, 3e-4].map(Some),
        );
        table.push_named(
            "cube".into(),
            [1048576.0, 1e-6, 15.0, 8e-3, 3.6e-8, 300.0, 2e-3].map(Some),
        );
        let record = Record::new("perf-f64", ["gpu", "a machine"], Some("0123456"), table);
        assert_eq!(
            times(&record),
            "| points | 1e-3 | 1e-6 |\n|---|--:|--:|\n| cube 2²⁰ | 1.37 (1.2e-4) | 8.00 (3.6e-8) |\n"
        );
        assert!(memory(&record).ends_with("| cube 2²⁰ | 146 | 300 |\n"));
        let text = stages(&record);
        assert!(
            text.ends_with("| cube 2²⁰, 1e-6, 15 | – | – | – | 2.00 | – | – | – | – | – |\n"),
            "{text}"
        );
    }
}

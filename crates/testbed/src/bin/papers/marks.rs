//! Numbers of other pages that come from records, behind marks: compared with the records, or written from them.
//!
//! ```text
//! <!-- record: yb-fig5-gpu, N = 1000000, FMM / s -->2.05 ms
//! ```
//!
//! is the number of a record's column in the row with that key; a column of seconds is in the unit that follows the number. Lines between
//! `<!-- record: readme-cpu -->` and `<!-- end of record -->` are a table. A record with several tables has a name after it for each but
//! the first, as in `<!-- record: perf-f64-cpu, memory -->`.

use std::path::{Path, PathBuf};

use crate::page::number;
use crate::{Outcome, performance, readme};
use testbed::record::{Record, Records};

const MARK: &str = "<!-- record: ";
const END: &str = "<!-- end of record -->";

/// Folders and files with marks, from the root of the workspace.
const PAGES: [&str; 6] = [
    "README.md",
    "docs/guide",
    "docs/theory",
    "docs/performance.md",
    "docs/performance-gpu.md",
    "docs/performance-ranks.md",
];

/// Pages with marks in the workspace whose papers are in `folder`, and their texts with the numbers of the records. Folders outside of a
/// workspace have none.
///
/// # Errors
/// Files that cannot be read, and marks that name no record or number; the message names the page.
pub(crate) fn pages(folder: &Path, records: &Records) -> Outcome<Vec<(PathBuf, String)>> {
    let root = folder.join("../..");
    let mut pages = Vec::new();
    for place in PAGES.map(|page| root.join(page)) {
        if place.is_dir() {
            let entries: Result<Vec<_>, _> = std::fs::read_dir(&place)?.collect();
            pages.extend(entries?.into_iter().map(|entry| entry.path()));
        } else if place.is_file() {
            pages.push(place);
        }
    }
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page)?;
        if text.contains(MARK) {
            let new = rewritten(&text, records);
            found
                .push((page.clone(), new.map_err(|error| format!("{}: {error}", page.display()))?));
        }
    }
    Ok(found)
}

/// The text with the numbers of the records behind its marks.
fn rewritten(text: &str, records: &Records) -> Outcome<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(MARK) {
        let inside = &rest[at + MARK.len()..];
        let (mark, after) = inside.split_once(" -->").ok_or("a mark has no end")?;
        out += &rest[..rest.len() - after.len()];
        let words: Vec<&str> = mark.split(", ").collect();
        let record = records.named(words[0]).ok_or(format!("there is no record {:?}", words[0]))?;
        rest = match words[..] {
            [_] | [_, _] => {
                let end = after.find(END).ok_or(format!("no {END:?} follows the mark {mark:?}"))?;
                out += &format!("\n{}", table(record, words.get(1).unwrap_or(&""))?);
                &after[end..]
            }
            [_, row, column] => {
                let length = after.find(|c: char| !"0123456789.e-".contains(c));
                let (_, after) = after.split_at(length.unwrap_or(after.len()));
                out += &number(scale(after) * value(record, row, column)?);
                after
            }
            _ => {
                return Err(
                    format!("the mark {mark:?} names no table, and no row and column").into()
                );
            }
        };
    }
    Ok(out + rest)
}

fn table(record: &Record, view: &str) -> Outcome<String> {
    match (record.run.as_str(), view) {
        ("readme", "") => Ok(readme::block(record)),
        _ => performance::block(record, view),
    }
}

fn value(record: &Record, row: &str, column: &str) -> Outcome<f64> {
    let missing = || format!("{} has no number at {row:?} in {column:?}", record.file());
    let (key, value) = row.split_once(" = ").ok_or_else(missing)?;
    Ok(record.table.find(key, value.parse()?, column).ok_or_else(missing)?)
}

/// Units of the number's unit in a second; 1 for other units.
fn scale(after: &str) -> f64 {
    match after.split_whitespace().next().unwrap_or_default().trim_end_matches(['.', ',', ';', ')'])
    {
        "ms" => 1e3,
        "µs" => 1e6,
        "ns" => 1e9,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed::record::Table;

    fn record(run: &str, device: &str, table: Table) -> Record {
        Record {
            run: run.into(),
            device: device.into(),
            machine: "a machine".into(),
            commit: "0123456".into(),
            date: "2026-11-23".into(),
            threads: 2,
            other_work: None,
            origin: None,
            table,
        }
    }

    fn records() -> Records {
        let mut table = Table::new(["N", "FMM / s", "error"]);
        table.push([Some(1e6), Some(0.002046), Some(1.25e-5)]);
        let mut records = Records::default();
        records.put(record("yb-fig5", "gpu", table));
        let mut table = Table::new(["set", "10⁻³ / s", "10⁻³: error"]);
        table.push([Some(0.0), Some(0.0123), Some(3.21e-4)]);
        records.put(record("readme", "cpu", table));
        records
    }

    #[test]
    fn numbers_behind_marks_follow_the_record() {
        let mark = "<!-- record: yb-fig5-gpu, N = 1000000, FMM / s -->";
        for (old, new) in [("7 ms,", "2.05 ms,"), ("1e-9 s", "0.00205 s"), ("", "0.00205")] {
            let text = format!("It takes {mark}{old} and more.");
            let new = format!("It takes {mark}{new} and more.");
            assert_eq!(rewritten(&text, &records()).unwrap(), new);
        }
        let error = "<!-- record: yb-fig5-gpu, N = 1000000, error -->";
        assert_eq!(rewritten(error, &records()).unwrap(), format!("{error}1.25e-5"));
    }

    #[test]
    fn tables_between_marks_follow_the_record() {
        let text = "A\n<!-- record: readme-cpu -->\nold\n<!-- end of record -->\nB\n";
        let new = rewritten(text, &records()).unwrap();
        assert!(new.starts_with("A\n<!-- record: readme-cpu -->\n| points, charges |"), "{new}");
        assert!(new.contains("| Palomar 5: 20 000, masses | 0.012 s · 3.2e-4 | – | – |"), "{new}");
        assert!(new.ends_with("<!-- end of record -->\nB\n"));
        assert_eq!(rewritten(&new, &records()).unwrap(), new);
    }

    #[test]
    fn marks_of_nothing_are_refused() {
        for mark in [
            "yb-fig5-cpu, N = 1000000, FMM / s",
            "yb-fig5-gpu, N = 5, FMM / s",
            "yb-fig5-gpu, N = 1000000, time",
            "yb-fig5-gpu, N = 1000000",
            "yb-fig5-gpu, memory",
            "readme-cpu",
        ] {
            assert!(rewritten(&format!("{MARK}{mark} -->1"), &records()).is_err(), "{mark}");
        }
        assert!(rewritten("<!-- record: readme-cpu", &records()).is_err());
    }
}

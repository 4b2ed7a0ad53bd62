//! Rows of predictions and outcomes are records: each names its day and commit, its machine and a command.

use super::Finding;
use crate::markdown::{cells, prose};
use crate::tidy::reading::source::{Source, Tree};

/// The head of such a table.
pub(super) const HEAD: &str = "| change | predicted | measured | machine | command | recorded |";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(".md").flat_map(check_page).collect()
}

/// Whether a row is the head of a table whose rows are records.
pub(super) fn is_head(row: &str) -> bool {
    row.trim() == HEAD
}

/// Whether a word is an abbreviated commit; one that was not quite committed ends with a plus.
pub(super) fn is_commit(word: &str) -> bool {
    let hash = word.strip_suffix('+').unwrap_or(word);
    hash.len() == 7 && hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn check_page(page: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Cells of the table's head, and whether its rows are records; none outside of tables.
    let mut table: Option<(usize, bool)> = None;
    for (line, text) in prose(&page.text) {
        let text = text.trim();
        if !text.starts_with('|') {
            table = None;
            continue;
        }
        let cells = cells(text);
        let mut add = |what: String, cure: &str| {
            let path = page.path.clone();
            findings.push(Finding { path, line, what, cure: cure.into() });
        };
        let Some((columns, is_log)) = table else {
            if is_misnamed(&cells) {
                add("this table of predictions has another head".into(), HEAD);
            }
            table = Some((cells.len(), is_head(text)));
            continue;
        };
        if cells.len() != columns {
            add(
                format!("this row has {} cells, its head {columns}", cells.len()),
                "give the row the cells of its head",
            );
        } else if is_log
            && !text.starts_with("|-")
            && let Some(missing) = missing(&cells)
        {
            add(
                format!("this row names no {missing}"),
                "end it with machine, `command`, and day and commit: 2026-11-23, 1a2b3c4",
            );
        }
    }
    findings
}

/// Whether the head is that of a table of changes and their predictions, in other words.
fn is_misnamed(head: &[&str]) -> bool {
    let has = |name: &str| head.contains(&name);
    has("change") && (has("predicted") || has("prediction")) && head != cells(HEAD)
}

fn missing(row: &[&str]) -> Option<&'static str> {
    let (day, commit) = row[5].split_once(", ").unwrap_or((row[5], ""));
    if !is_day(day) {
        Some("day")
    } else if !is_commit(commit) {
        Some("commit")
    } else if row[3].is_empty() {
        Some("machine")
    } else if !(row[4].starts_with('`') && row[4].ends_with('`') && row[4].contains(' ')) {
        Some("command")
    } else {
        None
    }
}

/// Whether a text is a day such as 2026-11-23.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [4, 2, 2] && parts.concat().bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    fn found(rows: &[&str]) -> Vec<usize> {
        let text = rows.join("\n");
        lines(check, &[("docs/page.md", &text)]).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn rows_of_predictions_name_commit_machine_and_command() {
        let rule = "|---|---|---|---|---|---|";
        let good = "| a | 1 ms | 2 ms | 2 cores | `cargo bench` | 2026-11-23, 1a2b3c4 |";
        assert!(found(&[HEAD, rule, good]).is_empty());
        for bad in [
            "| a | 1 ms | 2 ms | 2 cores | `cargo bench` | 1a2b3c4 |",
            "| a | 1 ms | 2 ms | 2 cores | `cargo bench` | 2026-11-23 |",
            "| a | 1 ms | 2 ms | 2 cores | `cargo bench` | 2026-11-23, 1a2b3x4 |",
            "| a | 1 ms | 2 ms | | `cargo bench` | 2026-11-23, 1a2b3c4 |",
            "| a | 1 ms | 2 ms | 2 cores | – | 2026-11-23, 1a2b3c4 |",
        ] {
            assert_eq!(found(&[HEAD, rule, good, bad]), [4], "{bad}");
        }
        assert_eq!(found(&["| date | change | predicted | measured |", "|---|---|---|---|"]), [1]);
        assert!(found(&["| ms a step | predicted | measured |", "|---|---|---|"]).is_empty());
    }

    #[test]
    fn rows_have_the_cells_of_their_head() {
        let table = ["| a | b |", "|---|---|", "| 1 | `\\|x\\|` |", "| 1 | 2 | 3 |", "| 1 | |"];
        assert_eq!(found(&table), [4]);
        assert!(found(&["| a |", "", "| a | b |"]).is_empty());
    }
}

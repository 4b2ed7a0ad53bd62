//! Measured numbers name their command and their record, so that every one can be traced and measured again.
//!
//! On pages of measurements, a section with a [quantity](quantities) names a command in code and a record: a commit, a mark or
//! link of a record, or rows that name theirs; sections above it may name either for it. Other pages may link to a page of
//! measurements instead. `cargo xtask papers --check` compares the numbers behind marks with their records.

use super::{Finding, logs};
use crate::links::resolve;
use crate::markdown::prose;
use crate::tidy::reading::quantities;
use crate::tidy::reading::source::{Source, Tree};

/// Beginnings of a command in code.
const COMMANDS: [&str; 7] =
    ["cargo ", "farfield ", "mpirun ", "ncu ", "compute-sanitizer ", "valgrind ", "benches/peers/"];

/// Pages of measurements, by the beginning of their paths.
const PAGES: [&str; 3] = ["docs/performance", "docs/accuracy.md", "docs/reliability.md"];

const MARK: &str = "<!-- record: ";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(".md").filter(|page| is_held(&page.path)).flat_map(check_page).collect()
}

/// Whether a page of Markdown is held to the rule; pages of the papers and of compiled kernels are computed.
fn is_held(path: &str) -> bool {
    let excluded = ["/ptx/", "docs/papers/"];
    (path.ends_with("README.md") || path.starts_with("docs/"))
        && !excluded.iter().any(|part| path.contains(part))
}

/// Whether a page is one of measurements.
fn is_measured(path: &str) -> bool {
    PAGES.iter().any(|page| path.starts_with(page))
}

/// Sources of numbers that are named.
#[derive(Clone, Copy, Default)]
struct Named {
    command: bool,
    record: bool,
}

impl Named {
    fn or(self, other: Self) -> Self {
        Self { command: self.command || other.command, record: self.record || other.record }
    }
}

/// A section: what stands between two headings.
#[derive(Default)]
struct Section {
    /// Number of # of the heading; 0 before the first.
    depth: usize,
    /// Line of the first measured number.
    measured: Option<usize>,
    named: Named,
}

fn check_page(page: &Source) -> Vec<Finding> {
    let sections = sections(page);
    let mut findings = Vec::new();
    for (k, section) in sections.iter().enumerate() {
        let Some(line) = section.measured else { continue };
        let mut depth = section.depth;
        let above = sections[..k].iter().rev().filter(|other| {
            let is_above = other.depth < depth;
            depth = depth.min(other.depth);
            is_above
        });
        let named = above.fold(section.named, |named, other| named.or(other.named));
        let missing = match (named.command, named.record) {
            (true, true) => continue,
            (false, _) => "command",
            (true, false) => "record",
        };
        findings.push(Finding {
            path: page.path.clone(),
            line,
            what: format!("the section of this measured number names no {missing}"),
            cure: "name the command in code and the commit or record, or link to a page of measurements".into(),
        });
    }
    findings
}

fn sections(page: &Source) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let outside: Vec<(usize, &str)> = prose(&page.text).collect();
    for (index, line) in page.text.lines().enumerate() {
        let is_prose = outside.binary_search_by_key(&(index + 1), |entry| entry.0).is_ok();
        let depth = line.len() - line.trim_start_matches('#').len();
        if is_prose && depth > 0 {
            sections.push(Section { depth, ..Section::default() });
        }
        let Some(section) = sections.last_mut() else { continue };
        if !is_prose {
            section.named.command |= is_command(line);
            continue;
        }
        section.named = section.named.or(named_in(&page.path, line));
        if section.measured.is_none() && quantities::occurs_in(line) {
            section.measured = Some(index + 1);
        }
    }
    sections
}

/// Sources that a line names. Rows of a table name theirs for themselves alone, unless the head says that all rows do.
fn named_in(page: &str, line: &str) -> Named {
    if line.trim_start().starts_with('|') {
        let is_log = logs::is_head(line);
        return Named { command: is_log, record: is_log };
    }
    let targets = || line.match_indices("](").map(|(at, _)| target(&line[at + 2..]));
    let leads_to_page = !is_measured(page)
        && targets().filter_map(|target| resolve(page, target)).any(|path| is_measured(&path));
    let command = line.split('`').skip(1).step_by(2).any(is_command);
    let record = line.contains(MARK) || targets().any(is_record) || names_commit(line);
    Named { command: command || leads_to_page, record: record || leads_to_page }
}

fn is_command(code: &str) -> bool {
    COMMANDS.iter().any(|command| code.trim_start().starts_with(command))
}

fn target(link: &str) -> &str {
    link.split(')').next().unwrap_or_default()
}

/// Whether a link leads to records, or to a page of the papers, which is computed from records.
fn is_record(target: &str) -> bool {
    target == "records" || target.contains("records/") || target.contains("papers/")
}

fn names_commit(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', ',', '(', ')', '.', ';', ':', '`']).collect();
    words.iter().any(|word| word.starts_with("commit"))
        && words.iter().any(|word| logs::is_commit(word))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        found_on("docs/performance.md", text)
    }

    fn found_on(page: &str, text: &str) -> Vec<usize> {
        lines(check, &[(page, text)]).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn numbers_need_a_command_and_a_record() {
        for incomplete in ["", " `cargo bench`", " (commit 1a2b3c4)", " (commit the rest)"] {
            assert_eq!(found(&format!("# A\n\nIt takes 3 ms{incomplete}.\n")), [3], "{incomplete}");
        }
        for record in [
            "[record](papers/records/a-cpu.json)",
            "[records](records)",
            "<!-- record: a-cpu, N = 1, x / s -->3",
            "commit 1a2b3c4, 2026-11-22",
        ] {
            let text = format!("# A\n\nIt takes 3 ms by `cargo xtask papers a`, {record}.\n");
            assert!(found(&text).is_empty(), "{record}");
        }
        let fenced = "# A\n\nIt takes 3 ms (commit 1a2b3c4).\n\n```sh\nfarfield bench\n```\n";
        assert!(found(fenced).is_empty());
    }

    #[test]
    fn sections_above_name_for_those_below() {
        let above = "# A\n\n`cargo bench`, commit 1a2b3c4\n\n## B\n\n3 ms\n\n### C\n\n4 ms\n";
        assert!(found(above).is_empty());
        let beside =
            "# A\n\n## B\n\n`cargo bench`, commit 1a2b3c4\n\n### C\n\n3 ms\n\n## D\n\n4 ms\n";
        assert_eq!(found(beside), [13]);
    }

    #[test]
    fn rows_name_for_themselves() {
        assert_eq!(found("# A\n\n| `cargo bench`, commit 1a2b3c4 | 3 ms |\n"), [3]);
        let log = format!("# A\n\n{}\n| … | 3 ms |\n", logs::HEAD);
        assert!(found(&log).is_empty());
    }

    #[test]
    fn other_pages_may_link_to_a_page_of_measurements() {
        let text = "# A\n\nIt takes 3 ms ([measured](../performance.md#b)).\n";
        assert!(found_on("docs/decisions/01-a.md", text).is_empty());
        assert_eq!(found(text), [3]);
        assert_eq!(found_on("docs/decisions/01-a.md", "It takes 3 ms.\n"), [1]);
        assert!(found_on("docs/papers/a.md", "It takes 3 ms.\n").is_empty());
        let guide = "It takes 3 ms ([guide](accuracy.md)).\n";
        assert_eq!(found_on("docs/guide/a.md", guide), [1]);
    }
}

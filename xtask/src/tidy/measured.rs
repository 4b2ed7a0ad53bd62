//! Measured numbers name their source, so that every one can be measured again.
//!
//! A section of a page that has a measured number, one with a unit of time, memory or rate or a share in %, in digits or in words, names a command in code, a record, or a
//! page that is measured; so does a section above it. `cargo xtask papers --check` compares the numbers behind marks with
//! their records.

use super::Finding;
use super::numbers;
use super::source::{Source, Tree};
use crate::markdown::prose;

/// Units of what is measured.
const UNITS: [&str; 21] = [
    "%",
    "ms",
    "µs",
    "ns",
    "s",
    "seconds",
    "minutes",
    "hours",
    "kB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "GiB",
    "×",
    "Gflop/s",
    "GB/s",
    "pairs/s",
    "times as fast",
    "times faster",
    "times slower",
];

/// Numbers in words.
const WORDS: [&str; 12] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
    "hundred",
];

/// First words of a text whose numbers have this unit.
const HEADS: [&str; 5] = ["Milliseconds", "Seconds", "Nanoseconds", "Microseconds", "Times"];

/// Beginnings of a command in code.
const COMMANDS: [&str; 5] = ["cargo ", "farfield ", "mpirun ", "ncu ", "compute-sanitizer "];

/// Parts of links that lead to a record, to a page of measurements or to scripts.
const LINKS: [&str; 5] = ["records/", "performance", "accuracy.md", "reliability.md", "benches/"];

const MARK: &str = "<!-- record: ";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(".md").filter(|page| is_measured(&page.path)).flat_map(check_page).collect()
}

/// Whether a page of Markdown is held to the rule; decisions are logs, and pages of the papers are computed.
fn is_measured(path: &str) -> bool {
    let excluded = ["/ptx/", "docs/decisions/", "docs/papers/"];
    (path.ends_with("README.md") || path.starts_with("docs/"))
        && !excluded.iter().any(|part| path.contains(part))
}

/// A section: what stands between two headings.
#[derive(Default)]
struct Section {
    /// Number of # of the heading; 0 before the first.
    depth: usize,
    /// Line of the first measured number.
    measured: Option<usize>,
    /// Whether a source is named, outside of tables.
    named: bool,
}

fn check_page(page: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sections = sections(&page.text);
    for (k, section) in sections.iter().enumerate() {
        let mut depth = section.depth;
        let above = sections[..k].iter().rev().filter(|other| {
            let is_above = other.depth < depth;
            depth = depth.min(other.depth);
            is_above
        });
        let named = section.named || above.into_iter().any(|other| other.named);
        if let Some(line) = section.measured.filter(|_| !named) {
            findings.push(Finding {
                path: page.path.clone(),
                line,
                what: "the section of this measured number names no source".into(),
                cure: "name the command in code, a record, or a page of measurements".into(),
            });
        }
    }
    findings
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let outside: Vec<(usize, &str)> = prose(text).collect();
    for (index, line) in text.lines().enumerate() {
        let is_prose = outside.binary_search_by_key(&(index + 1), |entry| entry.0).is_ok();
        let depth = line.len() - line.trim_start_matches('#').len();
        if is_prose && depth > 0 {
            sections.push(Section { depth, ..Section::default() });
        }
        let Some(section) = sections.last_mut() else { continue };
        if !is_prose {
            section.named |= is_command(line);
            continue;
        }
        let in_table = line.trim_start().starts_with('|');
        section.named |= !in_table && names_source(line);
        if section.measured.is_none() && has_measured_number(line) {
            section.measured = Some(index + 1);
        }
    }
    sections
}

fn names_source(line: &str) -> bool {
    line.split('`').skip(1).step_by(2).any(is_command)
        || line.contains(MARK)
        || line.match_indices("](").any(|(at, _)| leads_to_measurements(&line[at + 2..]))
}

fn is_command(code: &str) -> bool {
    COMMANDS.iter().any(|command| code.trim_start().starts_with(command))
}

fn leads_to_measurements(link: &str) -> bool {
    let target = link.split(')').next().unwrap_or_default();
    LINKS.iter().any(|part| target.contains(part))
}

/// Whether a line has a number with a unit, outside of code and formulas.
fn has_measured_number(line: &str) -> bool {
    let plain = without(&without(line, '`'), '$');
    if HEADS.iter().any(|head| plain.trim_start().starts_with(head)) {
        return true;
    }
    let mut before = ' ';
    let mut rest = plain.as_str();
    while let Some(c) = rest.chars().next() {
        let length = if before.is_alphanumeric() { None } else { number(rest) };
        if let Some(length) = length {
            if has_unit(&rest[length..]) {
                return true;
            }
            (before, rest) = ('0', &rest[length..]);
        } else {
            (before, rest) = (c, &rest[c.len_utf8()..]);
        }
    }
    false
}

/// Bytes of the number that a text begins with, in digits or in words.
fn number(text: &str) -> Option<usize> {
    let digits = numbers::leading(text).map(|(_, length)| length);
    let word = || {
        let is_whole = |rest: &str| rest.starts_with([' ', '\u{a0}', '\u{202f}']);
        let mut words = WORDS.iter();
        words.find(|word| text.strip_prefix(**word).is_some_and(is_whole)).map(|word| word.len())
    };
    digits.or_else(word)
}

fn has_unit(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    UNITS.iter().any(|unit| {
        after.strip_prefix(unit).is_some_and(|rest| {
            let next = rest.trim_start().chars().next();
            // A product, such as 2 × 3, is no factor.
            let is_product = *unit == "×" && next.is_some_and(|c| c.is_ascii_digit());
            !is_product && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '-')
        })
    })
}

/// A line without what stands between two of a sign.
fn without(line: &str, sign: char) -> String {
    line.split(sign).step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        lines(check, &[("docs/page.md", text)]).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn numbers_without_a_source_are_found() {
        for number in [
            "1.4 ms",
            "2 minutes",
            "3.2 ×",
            "1,024 MB",
            "5 times as fast",
            "0.5 s.",
            "four minutes",
            "0.1 %",
        ] {
            assert_eq!(found(&format!("# A\n\nIt takes {number}\n")), [3], "{number}");
        }
        assert_eq!(found("# A\n\nMilliseconds of a sum:\n\n| 1 | 2 |\n"), [3]);
    }

    #[test]
    fn a_command_a_record_and_a_page_of_measurements_are_sources() {
        for source in [
            "`cargo xtask papers yb-fig5`",
            "[record](papers/records/a-cpu.json)",
            "[performance](performance.md)",
            "<!-- record: a-cpu, N = 1, x / s -->3",
        ] {
            assert!(found(&format!("# A\n\nIt takes 3 ms by {source}.\n")).is_empty(), "{source}");
        }
        assert!(found("# A\n\nIt takes 3 ms.\n\n```sh\nfarfield bench\n```\n").is_empty());
        let above = "# A\n\n`cargo bench`\n\n## B\n\n3 ms\n\n### C\n\n4 ms\n";
        assert!(found(above).is_empty());
        assert_eq!(found("# A\n\n| `cargo bench` | 3 ms |\n"), [3], "a row is no source of others");
        let beside = "# A\n\n## B\n\n`cargo bench`\n\n### C\n\n3 ms\n\n## D\n\n4 ms\n";
        assert_eq!(found(beside), [13]);
    }

    #[test]
    fn other_numbers_need_none() {
        for text in [
            "21 levels",
            "$d=2s$",
            "`3 ms`",
            "10⁶ points",
            "2 × 3 boxes",
            "f32",
            "10 steps",
            "two cores",
        ] {
            assert!(found(&format!("# A\n\n{text}\n")).is_empty(), "{text}");
        }
        assert!(lines(check, &[("docs/decisions/01-a.md", "3 ms\n")]).is_empty());
    }
}

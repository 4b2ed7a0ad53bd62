//! Prose repeats no constant of the code by hand, so that none is stale.
//!
//! Three ways to name a constant pass: a link to it, prose without the number, and the number
//! behind a mark that this rule compares with the code, `<!-- constant: octree::MAX_LEVEL -->21`.
//! Prose is `README.md`, the pages in `docs`, and doc comments; tables and code are none.

use syn::ItemConst;

use super::Finding;
use crate::markdown;
use crate::tidy::reading::numbers;
use crate::tidy::reading::source::{Source, Tree};
use crate::tidy::reading::text::line_of;

/// A constant that users meet, and the phrases that quote it; `#` is the number.
struct Quoted {
    /// Crate, modules (as many as tell it from others of the name) and name.
    constant: &'static str,
    phrases: &'static [&'static str],
}

const QUOTED: [Quoted; 6] = [
    Quoted {
        constant: "octree::MAX_LEVEL",
        phrases: &["ends at # levels", "to level #", "deepest level is #"],
    },
    Quoted {
        constant: "expansions::bounds::MAX_ORDER",
        phrases: &["with the largest order, #", "largest order in use, #"],
    },
    Quoted { constant: "kernels-gpu::operators::MAX_ORDER", phrases: &["orders end at #"] },
    Quoted {
        constant: "fmm::MANY_RECEIVERS",
        phrases: &["checked at # receivers", "direct sum at # receivers", "sample of # receivers"],
    },
    Quoted { constant: "fmm::FEW", phrases: &["heaviest # ", "# heaviest"] },
    Quoted { constant: "fmm::MANY", phrases: &["(Σ|q|)²/Σq² < #"] },
];

/// The smallest value that a doc comment may not repeat from a constant of its own file.
const DISTINCT: f64 = 100.0;

const MARK: &str = "<!-- constant:";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let constants: Vec<Constant<'_>> = tree.rust().flat_map(constants).collect();
    let mut findings = unknown(tree, &constants);
    for page in tree.with_extension(".md").filter(|page| is_prose(&page.path)) {
        for (line, text) in markdown::paragraphs(&page.text) {
            findings.extend(Prose { path: &page.path, line, text }.check(&constants));
        }
    }
    for source in tree.rust().filter(|source| source.path.contains("src/")) {
        let own: Vec<&Constant<'_>> =
            constants.iter().filter(|constant| constant.path == source.path).collect();
        for doc in &source.code.docs {
            for (line, text) in markdown::paragraphs(&doc.text) {
                let prose = Prose { path: &source.path, line: doc.line + line - 1, text };
                findings.extend(prose.repeats(&own));
                findings.extend(prose.check(&constants));
            }
        }
    }
    findings
}

/// The constants of [`QUOTED`] that the code does not have.
fn unknown(tree: &Tree, constants: &[Constant<'_>]) -> Vec<Finding> {
    const THIS: &str = "xtask/src/tidy/rules/constants.rs";
    let Some(source) = tree.get(THIS) else { return Vec::new() };
    QUOTED
        .iter()
        .filter(|quoted| !constants.iter().any(|constant| constant.is(quoted.constant)))
        .map(|quoted| Finding {
            path: THIS.to_owned(),
            line: source.text.find(quoted.constant).map_or(1, |at| line_of(&source.text, at)),
            what: format!("no constant {} has a number for its value", quoted.constant),
            cure: "name it as crate::module::NAME, or delete its phrases".into(),
        })
        .collect()
}

/// Whether a page of Markdown is held to the rule; logs and generated pages are not.
fn is_prose(path: &str) -> bool {
    path.ends_with("README.md") && !path.contains("/ptx/") || path.starts_with("docs/")
}

/// A constant with a number for its value.
struct Constant<'a> {
    path: &'a str,
    name: &'a str,
    value: f64,
}

impl Constant<'_> {
    /// Whether `crate::module::NAME` means it; modules may be left out.
    fn is(&self, wanted: &str) -> bool {
        let mut parts: Vec<&str> = wanted.split("::").collect();
        let name = parts.pop();
        let mut folders = self.path.split('/').map(|part| part.trim_end_matches(".rs"));
        name == Some(self.name) && parts.iter().all(|part| folders.any(|folder| folder == *part))
    }
}

/// The constants of a file that have a number for their value.
fn constants(source: &Source) -> impl Iterator<Item = Constant<'_>> {
    let code = &source.code;
    let all = code.tokens().iter().enumerate().filter(|(_, token)| token.text == "const");
    // Parameters, functions and pointers begin with the word too; syn parses none of them as a constant.
    all.filter_map(|(at, _)| {
        let item: ItemConst = code.parse(code.item(at)).ok()?;
        let value = numbers::constant(&item.expr)?;
        Some(Constant { path: &source.path, name: code.text(at + 1), value })
    })
}

/// A paragraph with its place.
struct Prose<'a> {
    path: &'a str,
    line: usize,
    text: String,
}

impl Prose<'_> {
    /// The marks that are stale, and the phrases that quote a number without one.
    fn check(self, constants: &[Constant<'_>]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut text = self.text.replace('\n', " ");
        while let Some(start) = text.find(MARK) {
            let (wanted, end, number) = mark(&text[start..]);
            findings.extend(self.compare(start, wanted, number, constants));
            text.replace_range(start..start + end, &"_".repeat(end));
        }
        for quoted in &QUOTED {
            for phrase in quoted.phrases {
                for (at, number) in quotes(&text, phrase) {
                    findings.push(self.finding(
                        at,
                        format!("the prose quotes {number}, the value of {}", quoted.constant),
                        format!(
                            "link the constant, leave the number out, or write {MARK} {} -->{number}",
                            quoted.constant
                        ),
                    ));
                }
            }
        }
        findings
    }

    /// The finding for a marked number, unless it is the constant's.
    fn compare(
        &self,
        at: usize,
        wanted: &str,
        number: Option<f64>,
        constants: &[Constant<'_>],
    ) -> Option<Finding> {
        let values: Vec<f64> =
            constants.iter().filter(|constant| constant.is(wanted)).map(|c| c.value).collect();
        let (what, cure) = match (values.as_slice(), number) {
            ([], _) => (
                format!("no constant {wanted} has a number for its value"),
                "name it as crate::module::NAME".to_owned(),
            ),
            ([value, others @ ..], _) if others.iter().any(|other| other != value) => (
                format!("constants of several values are named {wanted}"),
                "name the module too".to_owned(),
            ),
            ([value, ..], Some(number)) if (number / value - 1.0).abs() < 1e-12 => return None,
            ([value, ..], _) => (
                format!("the number marked as {wanted} is stale"),
                format!("the constant is {value}"),
            ),
        };
        Some(self.finding(at, what, cure))
    }

    /// The numbers that are distinct enough to be the value of a constant of the same file.
    fn repeats(&self, own: &[&Constant<'_>]) -> Vec<Finding> {
        let text = self.text.replace('\n', " ");
        let text = unmarked(&text);
        let mut findings = Vec::new();
        for (at, word) in quotes(&text, "#") {
            let value = whole(word).map(|value| match value > 1.0 {
                true => value * unit(&text[at + word.len()..]),
                false => value,
            });
            let large = |value: &f64| *value >= DISTINCT;
            let constant = own.iter().find(|c| value.filter(large) == Some(c.value));
            if let Some(constant) = constant {
                findings.push(self.finding(
                    at,
                    format!("the doc comment quotes {word}, the value of {}", constant.name),
                    format!("write [`{}`] instead, or leave the number out", constant.name),
                ));
            }
        }
        findings
    }

    fn finding(&self, at: usize, what: String, cure: String) -> Finding {
        let before = &self.text.as_bytes()[..at];
        let line = self.line + before.iter().filter(|&&byte| byte == b'\n').count();
        Finding { path: self.path.to_owned(), line, what, cure }
    }
}

/// The value of a number that stands for itself: `8192`, `8,192`, `2¹³`, `10⁴`. Factors of a power of ten and powers of other
/// numbers are measured or derived, and equal a constant by chance.
fn whole(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let power = digits.len() < word.len();
    let plain = !word.contains(['·', '.', 'e']) && (!power || ["2", "10"].contains(&digits));
    numbers::leading(word).filter(|_| plain).map(|(value, _)| value)
}

/// The factor of a unit of bytes that follows a number; 1 where none does. One of a unit is a round number, as prose has it.
fn unit(rest: &str) -> f64 {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30)];
    let rest = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    units
        .iter()
        .find(|(name, _)| rest.starts_with(name))
        .map_or(1.0, |(_, power)| 2f64.powi(*power))
}

/// The name in a mark, the bytes of mark and number, and the number.
fn mark(text: &str) -> (&str, usize, Option<f64>) {
    let Some(end) = text.find("-->") else { return (text[MARK.len()..].trim(), text.len(), None) };
    let number = numbers::leading(&text[end + "-->".len()..]);
    let length = number.map_or(0, |(_, length)| length);
    (text[MARK.len()..end].trim(), end + "-->".len() + length, number.map(|(value, _)| value))
}

/// A text with its marked numbers blanked.
fn unmarked(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(start) = text.find(MARK) {
        let (_, end, _) = mark(&text[start..]);
        text.replace_range(start..start + end, &"_".repeat(end));
    }
    text
}

/// The numbers in a text that stand where a phrase has its `#`, each with its offset.
fn quotes<'a>(text: &'a str, phrase: &str) -> Vec<(usize, &'a str)> {
    let (before, after) = phrase.split_once('#').unwrap_or((phrase, ""));
    let mut found = Vec::new();
    if !text.contains(before) {
        return found;
    }
    let mut last_end = 0;
    for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let whole =
            at >= last_end && !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.');
        if !whole || !text[..at].ends_with(before) {
            continue;
        }
        if let Some((_, length)) = numbers::leading(&text[at..])
            && text[at + length..].starts_with(after)
        {
            found.push((at, &text[at..at + length]));
            last_end = at + length;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const KEY: (&str, &str) =
        ("crates/octree/src/key.rs", "//! Keys.\npub const MAX_LEVEL: u8 = 21;\n");

    #[test]
    fn a_number_in_a_known_phrase_needs_a_mark() {
        let by_hand = ("docs/a.md", "# A\n\nThe tree\nends at 21 levels.\n\n| 21 levels |\n");
        assert_eq!(lines(check, &[KEY, by_hand]), [("docs/a.md".into(), 4)]);
        let stale = ("README.md", "Keys go down to level 20.\n");
        assert_eq!(lines(check, &[KEY, stale]), [("README.md".into(), 1)]);
        let doc = ("crates/fmm/src/a.rs", "//! A.\n/// Down to\n/// level 21.\nfn f() {}\n");
        assert_eq!(lines(check, &[KEY, doc]), [("crates/fmm/src/a.rs".into(), 3)]);
        let code = "//! A.\nconst Q: &str =\n    \"octree::MAX_LEVEL\";\n";
        let found = lines(check, &[("xtask/src/tidy/rules/constants.rs", code)]);
        assert_eq!((found.len(), &found[0].1), (QUOTED.len(), &3));
        let log = ("CHANGELOG.md", "Trees of 21 levels.\n");
        assert!(lines(check, &[KEY, log]).is_empty());
    }

    #[test]
    fn a_marked_number_is_compared_with_the_code() {
        let good = "It has <!-- constant: octree::MAX_LEVEL -->21 levels.\n";
        assert!(lines(check, &[KEY, ("docs/a.md", good)]).is_empty());
        for bad in [
            "It has <!-- constant: octree::MAX_LEVEL -->20 levels.\n",
            "It has <!-- constant: octree::MAX_LEVEL -->no levels.\n",
            "It has <!-- constant: octree::DEEPEST -->21 levels.\n",
            "It has <!-- constant: fmm::MAX_LEVEL -->21 levels.\n",
        ] {
            assert_eq!(
                lines(check, &[KEY, ("docs/a.md", bad)]),
                [("docs/a.md".into(), 1)],
                "{bad}"
            );
        }
    }

    #[test]
    fn constants_of_one_name_are_told_apart_by_their_module() {
        let other = ("crates/octree/src/grid/mod.rs", "//! Grid.\nconst MAX_LEVEL: u8 = 9;\n");
        let short = ("docs/a.md", "To <!-- constant: octree::MAX_LEVEL -->21.\n");
        assert_eq!(lines(check, &[KEY, other, short]).len(), 1);
        let long = ("docs/a.md", "To <!-- constant: octree::grid::MAX_LEVEL -->9.\n");
        assert!(lines(check, &[KEY, other, long]).is_empty());
    }

    #[test]
    fn a_doc_comment_repeats_no_large_constant_of_its_file() {
        let bad = "//! Tasks of\n//! 8192 points.\nconst TASK: usize = 1 << 13;\nconst FEW: u8 = 4; // of 4\n";
        assert_eq!(lines(check, &[("a/src/b.rs", bad)]), [("a/src/b.rs".into(), 2)]);
        for good in ["[`TASK`]", "81920", "4", "8191", "20³", "8.192·10³", "16 KiB"] {
            let good = format!("//! Tasks of {good}.\nconst TASK: usize = 1 << 13;\n");
            assert!(lines(check, &[("a/src/b.rs", &good)]).is_empty(), "{good}");
        }
        for bad in ["8,192 points", "2¹³ points", "the 8192th", "8192-fold", "8 KiB"] {
            let bad = format!("//! Tasks of {bad}.\nconst TASK: usize = 1 << 13;\n");
            assert_eq!(lines(check, &[("a/src/b.rs", &bad)]).len(), 1, "{bad}");
        }
    }
}

//! Words of the glossary stand in comments and pages where other writers have another word.

use super::Finding;
use crate::tidy::reading::source::{Source, Tree};
use crate::tidy::reading::text::line_of;

/// Phrases, in lower case, with the words of the glossary.
const REPLACED: [(&str, &str); 5] = [
    ("order m", "azimuthal index m"),
    ("orders m", "azimuthal indices m"),
    ("order −m", "azimuthal index −m"),
    ("orders -m", "azimuthal indices −m"),
    ("angular order", "azimuthal index"),
];

/// The glossary names what it replaces, and rows of logs stay as they were.
const EXCEPT: [&str; 3] = ["docs/GLOSSARY.md", "docs/performance-gpu-log.md", "xtask/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .chain(tree.with_extension(".md"))
        .filter(|source| !is_exempt(source))
        .flat_map(findings)
        .collect()
}

fn is_exempt(source: &Source) -> bool {
    EXCEPT.iter().any(|path| source.path.starts_with(path))
}

fn findings(source: &Source) -> Vec<Finding> {
    let text = source.text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (phrase, cure) in REPLACED {
        let ends = |at: &usize| !text[*at + phrase.len()..].starts_with(is_letter);
        let begins = |at: &usize| !text[..*at].ends_with(is_letter);
        for at in text.match_indices(phrase).map(|(at, _)| at).filter(ends).filter(begins) {
            found.push(Finding {
                path: source.path.clone(),
                line: line_of(&text, at),
                what: format!("`{phrase}` is another word for the glossary's"),
                cure: format!("write `{cure}`"),
            });
        }
    }
    found
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn the_order_is_p() {
        let bad = "//! A.\n// A warp has an order m.\n// Angular order 3\n";
        let path = "crates/fmm/src/a.rs";
        assert_eq!(lines(check, &[(path, bad)]), [(path.into(), 2), (path.into(), 3)]);
        let good = "//! A.\n// The order may be 3, in order. Reorder m.\n";
        assert!(lines(check, &[(path, good)]).is_empty());
        assert!(lines(check, &[("docs/GLOSSARY.md", "order m\n")]).is_empty());
    }
}

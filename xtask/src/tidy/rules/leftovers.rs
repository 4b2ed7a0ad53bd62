//! No notes of unfinished work are left in the sources; they belong into the issue tracker.

use super::Finding;
use crate::tidy::reading::source::Tree;
use crate::tidy::reading::text::{line_of, words};

/// Written in parts, so that this file passes its own rule.
const NOTES: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = [".rs", ".md", ".toml"].into_iter().flat_map(|end| tree.with_extension(end));
    let mut findings = Vec::new();
    for source in sources.filter(|source| NOTES.iter().any(|note| source.text.contains(note))) {
        for (offset, word) in words(&source.text).filter(|(_, word)| NOTES.contains(word)) {
            findings.push(Finding {
                path: source.path.clone(),
                line: line_of(&source.text, offset),
                what: format!("{word} is left in the file"),
                cure: "do it, or open an issue and delete the note".into(),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn notes_are_found_in_comments_too() {
        let [first, second] = NOTES;
        let bad = format!("//! A.\n// {first}: later\nlet x = 1; // ({second})\n");
        assert_eq!(lines(check, &[("a.rs", &bad)]), [("a.rs".into(), 2), ("a.rs".into(), 3)]);
        assert!(lines(check, &[("a.md", "All is done; a todo list in lower case.")]).is_empty());
    }
}

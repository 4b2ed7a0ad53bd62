//! Rules of `cargo xtask tidy`, each in a file of its own, and their findings.

mod circles;
mod commands;
mod constants;
mod dependencies;
mod functions;
mod glossary;
mod layering;
mod leftovers;
mod length;
mod links;
mod logs;
mod measured;
mod module_comment;
mod panics;
mod papers;
mod pronouns;
mod unsafe_code;
mod vocabulary;
mod words;

use std::fmt;

use super::reading::source::Tree;

/// The rules, in the order in which their findings are printed.
pub(super) const RULES: [fn(&Tree) -> Vec<Finding>; 19] = [
    layering::check,
    words::check,
    papers::check,
    unsafe_code::check,
    panics::check,
    module_comment::check,
    length::check,
    leftovers::check,
    links::check,
    circles::check,
    functions::check,
    constants::check,
    pronouns::check,
    dependencies::check,
    measured::check,
    logs::check,
    commands::check,
    glossary::check,
    vocabulary::check,
];

/// A broken rule: where, what, and what to do.
#[derive(Debug, PartialEq)]
pub(super) struct Finding {
    pub(super) path: String,
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) what: String,
    pub(super) cure: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.path, self.line, self.what, self.cure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines at which `rule` finds something in a tree of these files.
    pub(super) fn lines(
        rule: fn(&Tree) -> Vec<Finding>,
        files: &[(&str, &str)],
    ) -> Vec<(String, usize)> {
        let files = files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned()));
        rule(&Tree::new(files).unwrap())
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect()
    }

    #[test]
    fn a_finding_reads_as_file_line_what_and_cure() {
        let finding = Finding { path: "a.rs".into(), line: 3, what: "x".into(), cure: "y".into() };
        assert_eq!(finding.to_string(), "a.rs:3: x (y)");
    }
}

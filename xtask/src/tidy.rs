//! `cargo xtask tidy`: the architecture rules as code.
//!
//! A rule is a function from the [`Tree`] of source files to [`Finding`]s, in a file of its own.

mod circles;
mod commands;
mod constants;
mod dependencies;
mod doc_comments;
mod functions;
mod glossary;
mod imports;
mod layering;
mod leftovers;
mod length;
mod links;
mod logs;
mod mask;
mod measured;
mod module_comment;
mod numbers;
mod panics;
mod pronouns;
mod quantities;
mod source;
mod unsafe_code;
mod uses;
mod words;

use std::fmt;

use crate::error::Error;
use crate::workspace;
use source::Tree;

/// The rules, in the order in which their findings are printed.
const RULES: [fn(&Tree) -> Vec<Finding>; 17] = [
    layering::check,
    words::check,
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
];

/// A broken rule: where, what, and what to do.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    /// Counted from 1.
    line: usize,
    what: String,
    cure: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} ({})", self.path, self.line, self.what, self.cure)
    }
}

/// Applies every rule to the workspace and prints the findings.
pub(crate) fn run() -> Result<(), Error> {
    let tree = Tree::read(workspace::root())?;
    let findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { Err(Error::Untidy { count: findings.len() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines at which `rule` finds something in a tree of these files.
    pub(super) fn lines(
        rule: fn(&Tree) -> Vec<Finding>,
        files: &[(&str, &str)],
    ) -> Vec<(String, usize)> {
        rule(&Tree::new(files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned()))))
            .into_iter()
            .map(|finding| (finding.path, finding.line))
            .collect()
    }

    #[test]
    fn a_finding_reads_as_file_line_what_and_cure() {
        let finding = Finding { path: "a.rs".into(), line: 3, what: "x".into(), cure: "y".into() };
        assert_eq!(finding.to_string(), "a.rs:3: x (y)");
    }

    /// Reading from the disk finds the workspace's own files.
    #[test]
    fn the_tree_holds_this_file_as_tested_code() {
        let tree = Tree::read(workspace::root()).unwrap();
        let this = tree.rust().find(|source| source.path == "xtask/src/tidy.rs").unwrap();
        assert!(this.library_code().contains("const RULES"));
        assert!(!this.library_code().contains("fn lines"));
        assert!(tree.has("README.md") && tree.has("crates/testbed"));
    }
}

//! `cargo xtask tidy`: the architecture rules as code.
//!
//! A rule is a function from the [`Tree`] of source files to [`Finding`]s, in a file of its own in `rules`; `reading` has what
//! rules read with.

mod reading;
mod rules;

use crate::error::Error;
use crate::workspace;
use reading::source::Tree;
use rules::{Finding, RULES};

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

    /// Reading from the disk finds the workspace's own files.
    #[test]
    fn the_tree_holds_this_file_as_tested_code() {
        let tree = Tree::read(workspace::root()).unwrap();
        let this = tree.rust().find(|source| source.path == "xtask/src/tidy.rs").unwrap();
        let has = |name: &str| this.library_code().any(|(_, token)| token.text == name);
        assert!(has("run") && !has("the_tree_holds_this_file_as_tested_code"));
        assert!(tree.has("README.md") && tree.has("crates/testbed"));
    }
}

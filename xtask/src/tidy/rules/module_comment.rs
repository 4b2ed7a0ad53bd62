//! A Rust file begins with a module comment: what is in it, and why.

use super::Finding;
use crate::tidy::reading::source::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|source| {
            let comment = source.text.strip_prefix("//!");
            comment.is_none_or(|rest| rest.lines().next().unwrap_or_default().trim().is_empty())
        })
        .map(|source| Finding {
            path: source.path.clone(),
            line: 1,
            what: "the file does not begin with a module comment".into(),
            cure: "begin it with `//! What this file is and why.`".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn the_comment_comes_first_and_says_something() {
        assert!(lines(check, &[("a.rs", "//! The tree.\nfn f() {}\n")]).is_empty());
        for bad in ["fn f() {}\n//! Late.\n", "//!\nfn f() {}\n", "// Plain.\n", ""] {
            assert_eq!(lines(check, &[("a.rs", bad)]), [("a.rs".into(), 1)]);
        }
    }
}

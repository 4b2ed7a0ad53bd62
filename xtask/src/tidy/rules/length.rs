//! A Rust file has at most [`MOST`] lines.

use super::Finding;
use crate::tidy::reading::source::Tree;

const MOST: usize = 400;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .map(|source| (source, source.text.lines().count()))
        .filter(|&(_, lines)| lines > MOST)
        .map(|(source, lines)| Finding {
            path: source.path.clone(),
            line: MOST + 1,
            what: format!("the file has {lines} lines, {MOST} are the most"),
            cure: "split it by idea".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn four_hundred_lines_pass_and_one_more_does_not() {
        assert!(lines(check, &[("a.rs", &"\n".repeat(400))]).is_empty());
        assert_eq!(lines(check, &[("a.rs", &"\n".repeat(401))]), [("a.rs".into(), 401)]);
        assert!(lines(check, &[("a.md", &"\n".repeat(500))]).is_empty());
    }
}

//! A library neither panics on purpose nor prints: it returns typed errors and reports.

use super::Finding;
use crate::tidy::reading::mask::line_of;
use crate::tidy::reading::source::{Source, Tree};

/// Patterns that library code does not contain, with the cure.
const FORBIDDEN: [(&str, &str); 10] = [
    (".unwrap()", "return an error, or restructure so that the case cannot arise"),
    (".expect(", "return an error, or restructure so that the case cannot arise"),
    ("panic!", "return an error"),
    ("todo!", "write it"),
    ("unimplemented!", "write it"),
    ("println!", "return the text, or emit a tracing event"),
    ("print!", "return the text, or emit a tracing event"),
    ("eprintln!", "return the text, or emit a tracing event"),
    ("eprint!", "return the text, or emit a tracing event"),
    ("dbg!", "delete it"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.rust().filter(|source| is_library(source)) {
        let code = source.library_code();
        for (pattern, cure) in FORBIDDEN {
            for (offset, _) in code.match_indices(pattern).filter(|&(at, _)| is_whole(&code, at)) {
                findings.push(Finding {
                    path: source.path.clone(),
                    line: line_of(&code, offset),
                    what: format!("`{pattern}` in library code"),
                    cure: cure.into(),
                });
            }
        }
    }
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings
}

/// Sources that downstream crates link; the command prints, and the test bed and the emulator check.
fn is_library(source: &Source) -> bool {
    if source.path.starts_with("kernels-gpu/src/") {
        return !source.path.starts_with("kernels-gpu/src/device/host/");
    }
    source.path.strip_prefix("crates/").and_then(|path| path.split_once('/')).is_some_and(
        |(name, rest)| rest.starts_with("src/") && !["farfield", "testbed"].contains(&name),
    )
}

/// Whether the match is not the end of a longer word, as `print!` is in `eprint!`.
fn is_whole(code: &str, at: usize) -> bool {
    code[at..].starts_with('.') || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn each_is_found_once_at_its_line() {
        for (pattern, _) in FORBIDDEN {
            let left = if pattern.starts_with('.') { "x" } else { "x; " };
            let bad = format!("//! A.\nfn f() {{\n    {left}{pattern}\n}}\n");
            assert_eq!(
                lines(check, &[("crates/octree/src/keys.rs", &bad)]),
                [("crates/octree/src/keys.rs".into(), 3)],
                "{pattern}"
            );
        }
    }

    #[test]
    fn tests_comments_strings_and_relatives_pass() {
        let good = "//! May .unwrap() in docs.\nfn f() { x.unwrap_or(1); y.expect_err(\"panic!\"); }\n\
                    /// ```\n/// f().unwrap();\n/// ```\n#[cfg(test)]\nmod tests { fn g() { x.unwrap(); } }\n";
        assert!(lines(check, &[("crates/octree/src/lib.rs", good)]).is_empty());
    }

    #[test]
    fn only_libraries_are_held_to_it() {
        for path in [
            "crates/farfield/src/main.rs",
            "crates/octree/tests/lists.rs",
            "kernels-gpu/src/device/host/block.rs",
            "xtask/src/a.rs",
        ] {
            assert!(lines(check, &[(path, "fn f() { x.unwrap(); }")]).is_empty(), "{path}");
        }
        let device = ("kernels-gpu/src/sort/mod.rs", "fn f() { x.unwrap(); }");
        assert_eq!(lines(check, &[device]).len(), 1);
    }
}

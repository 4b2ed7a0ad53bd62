//! A library neither panics on purpose nor prints: it returns typed errors and reports.

use super::Finding;
use crate::tidy::reading::code::Token;
use crate::tidy::reading::source::{Source, Tree};

/// Tokens that library code does not contain, with the cure.
const FORBIDDEN: [(&[&str], &str); 10] = [
    (&[".", "unwrap", "(", ")"], "return an error, or restructure so that the case cannot arise"),
    (&[".", "expect", "("], "return an error, or restructure so that the case cannot arise"),
    (&["panic", "!"], "return an error"),
    (&["todo", "!"], "write it"),
    (&["unimplemented", "!"], "write it"),
    (&["println", "!"], "return the text, or emit a tracing event"),
    (&["print", "!"], "return the text, or emit a tracing event"),
    (&["eprintln", "!"], "return the text, or emit a tracing event"),
    (&["eprint", "!"], "return the text, or emit a tracing event"),
    (&["dbg", "!"], "delete it"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.rust().filter(|source| is_library(source)) {
        let begins =
            |(at, token): &(usize, &Token)| token.text == "." || source.code.text(at + 1) == "!";
        for (at, token) in source.library_code().filter(begins) {
            let found = FORBIDDEN.iter().find(|(tokens, _)| source.code.reads(at, tokens));
            findings.extend(found.map(|(tokens, cure)| Finding {
                path: source.path.clone(),
                line: token.line,
                what: format!("`{}` in library code", tokens.concat()),
                cure: (*cure).into(),
            }));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn each_is_found_once_at_its_line() {
        for (tokens, _) in FORBIDDEN {
            let pattern = tokens.concat();
            let left = if pattern.starts_with('.') { "x" } else { "x; " };
            let right = if pattern.ends_with('(') { ")" } else { "" };
            let bad = format!("//! A.\nfn f() {{\n    {left}{pattern}{right}\n}}\n");
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

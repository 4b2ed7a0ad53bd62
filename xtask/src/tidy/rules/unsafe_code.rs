//! `unsafe` stands only in the SIMD and the device layer, each with the reason why it is sound just above.

use super::Finding;
use crate::tidy::reading::code::{Code, Token};
use crate::tidy::reading::source::{Source, Tree};

/// Folders and files in which `unsafe` may stand.
const ALLOWED: [&str; 14] = [
    "crates/lanes/src/",
    "benches/src/cpu/loops.rs",
    "kernels-gpu/src/device/",
    "kernels-gpu/src/machine/",
    // Who takes the duties of launches over views, once for all launches of an engine, a driver or a program.
    "crates/fmm/src/gpu/unchecked.rs",
    "crates/fmm/src/gpu/limited_machine.rs",
    "crates/fmm/src/gpu/device_plan/field.rs",
    "crates/testbed/src/bin/papers/unchecked.rs",
    "kernels-gpu/src/motion/driver.rs",
    "kernels-gpu/src/sort/pass.rs",
    "kernels-gpu/src/vectors/driver.rs",
    "kernels-gpu/tests/suite/common.rs",
    "kernels-gpu/tests/suite/cust.rs",
    "kernels-gpu/tests/suite/slices.rs",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(source: &Source) -> Vec<Finding> {
    let allowed = ALLOWED.iter().any(|folder| source.path.starts_with(folder));
    let code = &source.code;
    let mut findings = Vec::new();
    for (at, token) in code.tokens().iter().enumerate().filter(|(_, t)| t.text == "unsafe") {
        let finding = |what: &str, cure: &str| Finding {
            path: source.path.clone(),
            line: token.line,
            what: what.into(),
            cure: cure.into(),
        };
        let is_attribute = at > 1 && code.reads(at - 2, &["#", "["]);
        let is_pointer_type = code.reads(at + 1, &["fn", "("]);
        if !allowed {
            findings.push(finding(
                "`unsafe` outside the SIMD and the device layer",
                "write it safely, or add an operation to the crate lanes or to kernels-gpu's device",
            ));
        } else if !is_attribute
            && !is_pointer_type
            && !implements_a_trait(code, at)
            && !is_justified(source, token.line)
        {
            findings.push(finding(
                "`unsafe` without its reason",
                "say just above why it is sound: `// SAFETY: …`, or `# Safety` for a function",
            ));
        }
    }
    findings
}

/// Whether this begins a function in the implementation of a trait, which says what is asked for.
fn implements_a_trait(code: &Code, at: usize) -> bool {
    let tokens = code.tokens();
    let Some(braces) = (0..at).rev().find(|&open| tokens[open].next > at) else { return false };
    let ends = |token: &Token| matches!(token.text.as_str(), ";" | "{" | "}");
    let head = tokens[..braces].iter().rposition(ends).map_or(0, |end| end + 1);
    // Bounds over lifetimes have a `for` of their own, `for<'a>`.
    let is_for = |at| code.text(at) == "for" && code.text(at + 1) != "<";
    let of_a_trait = (head..braces).any(is_for);
    code.text(at + 1) == "fn" && of_a_trait && tokens[head..braces].iter().any(|t| t.text == "impl")
}

/// Whether the comments above a line, or on it, give the reason; attributes and the earlier lines of the same statement may
/// stand between. Comments are text, because they are no tokens.
fn is_justified(source: &Source, line: usize) -> bool {
    let lines: Vec<&str> = source.text.lines().take(line).collect();
    let tokens = source.code.tokens();
    let mut above = lines.iter().enumerate().rev();
    if above.next().is_some_and(|(_, text)| gives_reason(text)) {
        return true;
    }
    for (index, text) in above {
        if gives_reason(text) {
            return true;
        }
        let last = tokens[..tokens.partition_point(|token| token.line <= index + 1)].last();
        let ends = last
            .filter(|token| token.line == index + 1)
            .is_none_or(|token| matches!(token.text.as_str(), ";" | "{" | "}"));
        let text = text.trim();
        if ends && !text.starts_with("//") && !text.starts_with("#[") {
            return false;
        }
    }
    false
}

fn gives_reason(text: &str) -> bool {
    text.split_once("//")
        .is_some_and(|(_, comment)| comment.contains("SAFETY:") || comment.contains("# Safety"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const INSIDE: &str = "crates/lanes/src/avx2.rs";

    #[test]
    fn outside_the_layers_no_reason_helps() {
        let bad = "//! A.\n// SAFETY: x is in range.\nlet y = unsafe { x };\n";
        assert_eq!(lines(check, &[("crates/fmm/src/a.rs", bad)]).len(), 1);
        assert_eq!(lines(check, &[("kernels-gpu/src/sort/mod.rs", bad)]).len(), 1);
        assert!(lines(check, &[("kernels-gpu/src/device/view.rs", bad)]).is_empty());
        let good = "#![forbid(unsafe_code)]\n// unsafe is absent\nlet s = \"unsafe\";\n";
        assert!(lines(check, &[("crates/fmm/src/a.rs", good)]).is_empty());
    }

    #[test]
    fn inside_it_the_reason_stands_just_above() {
        for good in [
            "// SAFETY: a.\nlet y = unsafe { x };",
            "// SAFETY: a\n// and b.\nlet y =\n    unsafe { x };",
            "/// Loads.\n///\n/// # Safety\n///\n/// AVX2.\n#[inline]\npub unsafe fn load() {}",
            "type Kernel = unsafe fn(&[f64]);",
            "unsafe { x } // SAFETY: a.",
            "#[unsafe(no_mangle)]\nfn f() {}",
            "impl Load for u32 {\n    fn a() {}\n\n    unsafe fn load() {\n    }\n}",
            "// SAFETY: a.\nunsafe impl Load for u32 {\n    unsafe fn load() {\n    }\n}",
        ] {
            assert!(lines(check, &[(INSIDE, good)]).is_empty(), "{good}");
        }
        for bad in [
            "let y = unsafe { x };",
            "// SAFETY: of x.\nlet x = 1;\nlet y = unsafe { x };",
            "// SAFETY: of x.\n\nlet y = unsafe { x };",
            "/// Loads.\npub unsafe fn load() {}",
            "impl Load {\n    unsafe fn load() {}\n}",
        ] {
            assert_eq!(lines(check, &[(INSIDE, bad)]).len(), 1, "{bad}");
        }
    }
}

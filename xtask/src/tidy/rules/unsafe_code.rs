//! `unsafe` stands only in the SIMD and the device layer, each with the reason why it is sound just above.

use super::Finding;
use crate::tidy::reading::mask::{line_of, words};
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
    let lines: Vec<(&str, &str)> = source.text.lines().zip(source.code.lines()).collect();
    let mut findings = Vec::new();
    for (offset, _) in words(&source.code).filter(|&(_, word)| word == "unsafe") {
        let line = line_of(&source.code, offset);
        let finding = |what: &str, cure: &str| Finding {
            path: source.path.clone(),
            line,
            what: what.into(),
            cure: cure.into(),
        };
        if !allowed {
            findings.push(finding(
                "`unsafe` outside the SIMD and the device layer",
                "write it safely, or add an operation to the crate lanes or to kernels-gpu's device",
            ));
        } else if !source.code[..offset].ends_with("#[")
            && !is_pointer_type(&source.code[offset..])
            && !implements_a_trait(&lines[..line])
            && !is_justified(&lines[..line])
        {
            findings.push(finding(
                "`unsafe` without its reason",
                "say just above why it is sound: `// SAFETY: …`, or `# Safety` for a function",
            ));
        }
    }
    findings
}

/// Whether this is the type `unsafe fn(…)`, which does nothing itself.
fn is_pointer_type(code: &str) -> bool {
    let after = code["unsafe".len()..].trim_start();
    after.strip_prefix("fn").is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Whether the last of these lines begins a function of a trait, which says what is asked for.
fn implements_a_trait(lines: &[(&str, &str)]) -> bool {
    let indent = |code: &str| code.len() - code.trim_start().len();
    let Some(((_, last), above)) = lines.split_last() else { return false };
    let mut outside = above.iter().map(|(_, code)| *code).rev();
    let outside = outside.find(|code| !code.trim().is_empty() && indent(code) < indent(last));
    let outside = outside.unwrap_or_default().trim_start();
    let outside = outside.strip_prefix("unsafe ").unwrap_or(outside);
    last.contains("unsafe fn ") && outside.starts_with("impl") && outside.contains(" for ")
}

/// Whether the comments above the last of these lines, or on it, give the reason; attributes and
/// the earlier lines of the same statement may stand between.
fn is_justified(lines: &[(&str, &str)]) -> bool {
    let mut above = lines.iter().rev();
    if above.next().is_some_and(|(text, _)| gives_reason(text)) {
        return true;
    }
    for (text, code) in above {
        if gives_reason(text) {
            return true;
        }
        let (text, code) = (text.trim(), code.trim());
        let passes = text.starts_with("//") || text.starts_with("#[");
        if !passes && (code.is_empty() || code.ends_with([';', '{', '}'])) {
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

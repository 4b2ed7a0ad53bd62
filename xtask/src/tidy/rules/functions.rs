//! A function is short and takes few parameters.

use std::ops::Range;

use super::Finding;
use crate::tidy::reading::mask::{balanced, line_of, macro_bodies, words};
use crate::tidy::reading::source::{Source, Tree};

/// The most lines of a function, from its `fn` to its last brace.
const MOST_LINES: usize = 60;

/// The most lines of a function in a file of tests: those that list cases or write a reference are read from top to bottom.
const MOST_LINES_OF_TESTS: usize = 80;

/// The most parameters of a function, `self` not counted and each member of a tuple counted.
const MOST_PARAMETERS: usize = 6;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(source: &Source) -> Vec<Finding> {
    // Reproductions keep the parameter lists that the papers print.
    let of_a_paper = source.path.contains("/papers/");
    let of_tests = source.path.contains("/tests/") || source.path.ends_with("tests.rs");
    let most_lines = if of_tests { MOST_LINES_OF_TESTS } else { MOST_LINES };
    let mut findings = Vec::new();
    for function in functions(&source.code) {
        let mut finding = |what, cure: &str| {
            findings.push(Finding {
                path: source.path.clone(),
                line: function.line,
                what,
                cure: cure.into(),
            });
        };
        let Function { name, lines, parameters, .. } = &function;
        if *lines > most_lines {
            finding(
                format!("the function {name} has {lines} lines, {most_lines} are the most"),
                "split it by phase",
            );
        }
        if *parameters > MOST_PARAMETERS && !of_a_paper {
            finding(
                format!(
                    "the function {name} has {parameters} parameters, {MOST_PARAMETERS} are the most"
                ),
                "group those that belong together in a struct",
            );
        }
    }
    findings
}

/// The extent of a function.
struct Function<'a> {
    name: &'a str,
    /// Line of `fn`, counted from 1.
    line: usize,
    lines: usize,
    parameters: usize,
}

/// The functions of masked code; those of a foreign ABI and of macros are left out.
fn functions(code: &str) -> Vec<Function<'_>> {
    let macros = macro_bodies(code);
    let mut found = Vec::new();
    let mut before = "";
    for (start, word) in words(code) {
        let foreign = std::mem::replace(&mut before, word) == "extern";
        let in_macro = macros.iter().any(|body| body.contains(&start));
        if word == "fn" && !foreign && !in_macro {
            found.extend(function(code, start));
        }
    }
    found
}

/// The function whose `fn` is at `start`; `None` for the type of a function pointer.
fn function(code: &str, start: usize) -> Option<Function<'_>> {
    let (at, name) = words(&code[start..]).nth(1)?;
    let head = start + at + name.len();
    if !code[start + 2..start + at].trim().is_empty() {
        return None;
    }
    let generics = after_generics(code, head);
    let list = balanced(code, generics).filter(|list| code[list.clone()].starts_with('('))?;
    let end = body(code, list.end).map_or(list.end, |body| body.end);
    Some(Function {
        name,
        line: line_of(code, start),
        lines: code[start..end].matches('\n').count() + 1,
        parameters: parameters(&code[list.start + 1..list.end - 1]),
    })
}

/// The offset of the parenthesis behind the generic parameters that may begin at `start`.
fn after_generics(code: &str, start: usize) -> usize {
    let (mut depth, mut before) = (0i32, ' ');
    for (at, c) in code[start..].char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            '(' if depth == 0 => return start + at,
            _ => {}
        }
        before = c;
    }
    code.len()
}

/// The body of a function whose parameter list ends at `start`; `None` if a semicolon comes first.
fn body(code: &str, start: usize) -> Option<Range<usize>> {
    let mut at = start;
    loop {
        let next = at + code[at..].find(['{', ';', '(', '['])?;
        match code.as_bytes()[next] {
            b'{' => return balanced(code, next),
            b';' => return None,
            _ => at = balanced(code, next)?.end,
        }
    }
}

/// The number of parameters between the parentheses of a function, `self` not counted. Each member of a tuple counts: a tuple
/// groups parameters without a name for what they are.
fn parameters(list: &str) -> usize {
    let is_receiver = |parameter: &str| {
        let pattern = parameter.split(':').next().unwrap_or_default();
        words(pattern).last().is_some_and(|(_, word)| word == "self")
    };
    let parameters = split_outer(list, ',').into_iter();
    parameters.filter(|parameter| !is_receiver(parameter)).map(members).sum()
}

/// The number of members of a parameter whose pattern or type is a tuple, or a reference to one; else 1.
fn members(parameter: &str) -> usize {
    let of_tuple = |side: &str| {
        let side = side.trim_start_matches(['&', ' ']);
        let side = side.strip_prefix("mut ").unwrap_or(side);
        let tuple = balanced(side, 0).filter(|_| side.starts_with('('))?;
        Some(split_outer(&side[1..tuple.end - 1], ',').into_iter().map(members).sum())
    };
    split_outer(parameter, ':').into_iter().filter_map(of_tuple).fold(1, usize::max)
}

/// The parts of a text between separators outside of all brackets, trimmed; none of them is empty.
fn split_outer(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut before, mut start) = (0i32, ' ', 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn the_limit_of_lines_counts_from_fn_to_the_last_brace() {
        let of = |lines: usize| format!("//! A.\nfn f() {{\n{}}}\n", "x;\n".repeat(lines - 2));
        assert!(lines(check, &[("a.rs", &of(MOST_LINES))]).is_empty());
        assert_eq!(lines(check, &[("a.rs", &of(MOST_LINES + 1))]), [("a.rs".into(), 2)]);
        assert!(lines(check, &[("a/tests/b.rs", &of(MOST_LINES_OF_TESTS))]).is_empty());
        let long = of(MOST_LINES_OF_TESTS + 1);
        assert_eq!(lines(check, &[("a/tests.rs", &long)]), [("a/tests.rs".into(), 2)]);
    }

    #[test]
    fn parameters_are_counted_at_the_outer_level() {
        for (list, count) in [
            ("", 0),
            ("&self", 0),
            ("self: Box<Self>, a: u8,", 1),
            ("&'a mut self, a: [u8; 2]", 1),
            ("f: impl Fn(u8, u8) -> [u8; 2], b: HashMap<u8, u8>", 2),
            ("a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8", 7),
        ] {
            assert_eq!(parameters(list), count, "{list}");
        }
        let seven =
            "//! A.\n\nfn f<F: Fn(u8) -> u8>(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8);\n";
        assert_eq!(lines(check, &[("a.rs", seven)]), [("a.rs".into(), 3)]);
        assert!(lines(check, &[("a/src/papers/listing.rs", seven)]).is_empty());
    }

    #[test]
    fn members_of_tuples_are_parameters() {
        for (list, count) in [
            ("&self, a: (u8, Vec<(u8, u8)>)", 2),
            ("(a, b): (u8, [u8; 2]),\n    c: &mut (u8, &[u8]),\n", 4),
            ("(a, (b, [c, d])): (u8, (u8, [u8; 2]))", 3),
            ("(a, b): Pair, Point { x, y }: Point, nothing: (), f: fn(u8, u8)", 5),
            ("(a, b) in (0..8, 0..9), c in 0..3", 3),
            ("a: Option<(u8, u8)>, b: std::ops::Range<u8>", 2),
        ] {
            assert_eq!(parameters(list), count, "{list}");
        }
        let seven = "//! A.\n\nfn f(a: u8, (b, c): (u8, u8), d: u8, (e, f, g): (u8, u8, u8));\n";
        assert_eq!(lines(check, &[("a.rs", seven)]), [("a.rs".into(), 3)]);
    }

    #[test]
    fn entries_pointers_and_macros_pass() {
        let seven = "(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8)";
        let good = format!(
            "//! A.\nextern \"ptx-kernel\" fn k{seven} {{}}\ntype F = fn{seven};\n\
             macro_rules! m {{ () => {{ fn g{seven} {{}} }} }}\n"
        );
        assert!(lines(check, &[("a.rs", &good)]).is_empty());
    }

    #[test]
    fn bodies_follow_return_types_and_bounds() {
        let code = "fn f() -> [u8; 3] where u8: Into<u8> {\n\n}\nfn g();\nfn h() {}";
        let found: Vec<(&str, usize)> =
            functions(code).into_iter().map(|function| (function.name, function.lines)).collect();
        assert_eq!(found, [("f", 3), ("g", 1), ("h", 1)]);
    }
}

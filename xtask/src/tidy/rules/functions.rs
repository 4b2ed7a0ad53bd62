//! A function is short and takes few parameters.

use proc_macro2::TokenStream;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, FnArg, Generics, Ident, Pat, Token, Type, parenthesized};

use super::Finding;
use crate::tidy::reading::code::Code;
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
    /// None where a macro has parameters of its own form.
    parameters: usize,
}

/// The functions of a file; those of a foreign ABI and of macros that it defines are left out.
fn functions(code: &Code) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.tokens().len() {
        if code.text(at) == "macro_rules" {
            at = code.item(at).end;
            continue;
        }
        if code.text(at) == "fn" {
            found.extend(function(code, at));
        }
        at += 1;
    }
    found
}

/// The function whose `fn` is at `start`; `None` for one of a foreign ABI and for the type of a function pointer.
fn function(code: &Code, start: usize) -> Option<Function<'_>> {
    let name = code.tokens().get(start + 1).filter(|name| name.is_word())?;
    if start > 0 && ["extern", "\""].contains(&code.text(start - 1)) {
        return None;
    }
    let head = start..code.until(start, &["{", ";"]);
    let line = code.tokens()[start].line;
    let last = &code.tokens()[code.item(start).end - 1];
    let parameters = code.parse(head).map_or(0, |Parameters(count)| count);
    Some(Function { name: &name.text, line, lines: last.line - line + 1, parameters })
}

/// The number of parameters of a function, `self` not counted. Each member of a tuple counts: a tuple groups parameters
/// without a name for what they are.
struct Parameters(usize);

impl Parse for Parameters {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Token![fn]>()?;
        input.parse::<Ident>()?;
        input.parse::<Generics>()?;
        let list;
        parenthesized!(list in input);
        let counts = Punctuated::<usize, Token![,]>::parse_terminated_with(&list, count)?;
        // The type and the bounds.
        input.parse::<TokenStream>()?;
        Ok(Self(counts.into_iter().sum()))
    }
}

/// The count of a parameter; proptest's have the form `pattern in strategy`.
fn count(input: ParseStream<'_>) -> syn::Result<usize> {
    let ahead = input.fork();
    if let Ok(parameter) = ahead.parse::<FnArg>() {
        input.advance_to(&ahead);
        return Ok(match parameter {
            FnArg::Receiver(_) => 0,
            FnArg::Typed(typed) => in_pattern(&typed.pat).max(in_type(&typed.ty)),
        });
    }
    let pattern = Pat::parse_single(input)?;
    input.parse::<Token![in]>()?;
    input.parse::<Expr>()?;
    Ok(in_pattern(&pattern))
}

fn in_pattern(pattern: &Pat) -> usize {
    match pattern {
        Pat::Tuple(tuple) => tuple.elems.iter().map(in_pattern).sum(),
        Pat::Reference(reference) => in_pattern(&reference.pat),
        _ => 1,
    }
}

fn in_type(kind: &Type) -> usize {
    match kind {
        Type::Tuple(tuple) => tuple.elems.iter().map(in_type).sum(),
        Type::Reference(reference) => in_type(&reference.elem),
        _ => 1,
    }
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

    fn parameters(list: &str) -> usize {
        let code = Code::lex(&format!("fn f({list}) -> u8 {{}}")).unwrap();
        functions(&code)[0].parameters
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
        let code = Code::lex(code).unwrap();
        let found: Vec<(&str, usize)> =
            functions(&code).into_iter().map(|function| (function.name, function.lines)).collect();
        assert_eq!(found, [("f", 3), ("g", 1), ("h", 1)]);
    }
}

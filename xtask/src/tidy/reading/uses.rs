//! The names that a file defines, and those that it takes by `use` and by paths.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::UseTree;

use super::code::{Code, Token};

/// A name that a `use` brings in.
pub(crate) struct Use {
    pub(crate) line: usize,
    /// Path as written; a last segment `*` is a glob.
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    /// Whether the name is handed on to other modules.
    pub(crate) public: bool,
    /// Whether the name is handed on to other crates.
    pub(crate) exported: bool,
}

/// Keywords before the name of an item.
const ITEMS: [&str; 9] =
    ["fn", "struct", "enum", "trait", "const", "static", "type", "union", "macro_rules"];

/// Words that may stand behind such a keyword.
const BETWEEN: [&str; 4] = ["mut", "unsafe", "async", "extern"];

/// The names of the items that a file defines outside of all braces, those for tests left out.
pub(crate) fn defined(code: &Code) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut item = code.item(0);
    while !item.is_empty() {
        let head = &code.tokens()[item.start..code.until(item.start, &["{", ";"])];
        let words = head.iter().filter(|token| token.is_word() && !token.test);
        let words: Vec<&str> = words
            .map(|token| token.text.as_str())
            .filter(|word| !BETWEEN.contains(word))
            .take_while(|word| *word != "impl")
            .collect();
        let mut pairs = words.windows(2).filter(|pair| ITEMS.contains(&pair[0]));
        names.extend(pairs.find(|pair| pair[1] != "fn").map(|pair| pair[1].to_owned()));
        item = code.item(item.end);
    }
    names
}

/// The `use` statements of the code that a library ships, without their visibility.
pub(crate) fn statements(code: &Code) -> Vec<Range<usize>> {
    let tokens = code.tokens().iter().enumerate();
    tokens
        .filter(|(at, token)| token.text == "use" && !token.test && code.text(at + 1) != "<")
        .map(|(at, _)| at..code.until(at, &[";"]))
        .collect()
}

/// The names that the `use` statements of a library's code bring in.
pub(crate) fn uses(code: &Code) -> Vec<Use> {
    let mut found = Vec::new();
    for statement in statements(code) {
        let start = statement.start;
        let exported = start > 0 && code.text(start - 1) == "pub";
        let public = exported || start > 0 && code.text(start - 1) == ")";
        let line = code.tokens()[start].line;
        // Paths that begin with `::` lead to other crates and are no trees.
        let Ok(tree) = code.parse(start + 1..statement.end) else { continue };
        expand(Vec::new(), &tree, &mut |path, name| {
            found.push(Use { line, path, name, public, exported });
        });
    }
    found
}

/// Calls `each` with the path and the name of every leaf of a tree of uses.
fn expand(mut path: Vec<String>, tree: &UseTree, each: &mut impl FnMut(Vec<String>, String)) {
    let (last, name) = match tree {
        UseTree::Path(inside) => {
            path.push(inside.ident.to_string());
            return expand(path, &inside.tree, each);
        }
        UseTree::Group(group) => {
            return group.items.iter().for_each(|tree| expand(path.clone(), tree, each));
        }
        UseTree::Name(name) => (name.ident.to_string(), None),
        UseTree::Rename(name) => (name.ident.to_string(), Some(name.rename.to_string())),
        UseTree::Glob(_) => ("*".to_owned(), None),
    };
    if last != "self" || path.is_empty() {
        path.push(last);
    }
    let name = name.or_else(|| path.last().cloned());
    name.into_iter().for_each(|name| each(path.clone(), name));
}

/// The paths of two and more names, each with its line.
pub(crate) fn paths(code: &[&Token]) -> Vec<(usize, Vec<String>)> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    // Index of the last word of the last path.
    let mut last = None;
    let text = |at: Option<usize>| at.map_or("", |at| code[at].text.as_str());
    for (at, token) in code.iter().enumerate().filter(|(_, token)| token.is_word()) {
        let before = text(at.checked_sub(1));
        let behind = before == ":" && text(at.checked_sub(2)) == ":";
        match found.last_mut() {
            Some((_, path)) if behind && last == at.checked_sub(3) => path.push(token.text.clone()),
            _ => {
                // A path of a type in brackets, as in `<T as Trait>::f`, begins with no name.
                let first = if behind || before == "." { "" } else { &token.text };
                found.push((token.line, vec![first.to_owned()]));
            }
        }
        last = Some(at);
    }
    found.retain(|(_, path)| path.len() > 1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_expanded() {
        let code = "pub(crate) use a::{b, c::{self, d as e}, f::*};\nuse super::g;\nuse $crate::h;\nuse ::m::n;\n\
                    fn i() -> impl J + use<'_> {}\n#[cfg(test)]\nuse k::l;";
        let found = uses(&Code::lex(code).unwrap());
        let found: Vec<String> = found
            .iter()
            .map(|import| format!("{} {} {}", import.path.join("::"), import.name, import.public))
            .collect();
        let expected = [
            "a::b b true",
            "a::c c true",
            "a::c::d e true",
            "a::f::* * true",
            "super::g g false",
            "crate::h h false",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_items_of_the_file_itself_are_defined() {
        let code = "struct A(*const B);\nimpl<const N: u8> A { fn b() {} }\nconst fn c() {}\n\
             macro_rules! d { () => {} }\npub(crate) static mut E: u8 = 1;\nextern \"C\" fn f() {}\n\
             #[cfg(test)]\nfn g() {}\nm! { fn h() {} }\nuse i::{fn_j};\n";
        let found = defined(&Code::lex(code).unwrap());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["A", "E", "c", "d", "f"]);
    }

    #[test]
    fn paths_have_two_names_and_more() {
        let code = Code::lex("a::b(c) + <D as e::F>::g + h.i + j: ::k").unwrap();
        let found = paths(&code.tokens().iter().collect::<Vec<_>>());
        let found: Vec<String> = found.into_iter().map(|(_, path)| path.join("::")).collect();
        assert_eq!(found, ["a::b", "e::F"]);
    }
}

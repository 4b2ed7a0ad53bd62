//! The names that a file defines, and those that it takes by `use` and by paths.

use std::collections::BTreeSet;

use super::mask::words;

/// A name that a `use` brings in.
pub(crate) struct Use {
    pub(crate) offset: usize,
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

/// The names of the items that masked code defines outside of all braces.
pub(crate) fn defined(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let (mut depth, mut done, mut before) = (0, 0, "");
    for (start, word) in words(code) {
        for byte in code[done..start].bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        if depth == 0 && ITEMS.contains(&before) && !ITEMS.contains(&word) {
            names.insert(word.to_owned());
        }
        (done, before) = (start, word);
    }
    names
}

/// Begin and end of the `use` statements of masked code, visibility not included.
pub(crate) fn statements(code: &str) -> Vec<(usize, usize)> {
    words(code)
        .filter(|&(start, word)| {
            let before = code[..start].trim_end();
            word == "use"
                && (before.is_empty()
                    || before.ends_with([';', '{', '}', ']', ')'])
                    || before.ends_with("pub"))
        })
        .filter_map(|(start, _)| Some((start, start + code[start..].find(';')? + 1)))
        .collect()
}

/// The names that the `use` statements of masked code bring in.
pub(crate) fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for (start, end) in statements(code) {
        let line = code[..start].rsplit(['\n', ';', '{', '}']).next().unwrap_or_default();
        let public = line.trim_start().starts_with("pub");
        let exported = line.trim() == "pub";
        let list = &code[start + "use".len()..end - 1];
        expand(&[], list, &mut |path, name| {
            found.push(Use { offset: start, path, name, public, exported });
        });
    }
    found
}

/// Calls `each` with the path and the name of every leaf of a tree of uses.
fn expand(prefix: &[String], list: &str, each: &mut impl FnMut(Vec<String>, String)) {
    for item in split_outside_braces(list) {
        let mut path = prefix.to_vec();
        let (head, group) = match item.split_once('{') {
            Some((head, group)) => (head, group.rsplit_once('}').map(|(group, _)| group)),
            None => (item, None),
        };
        let (head, alias) = match head.split_once(" as ") {
            Some((head, alias)) => (head, Some(alias.trim())),
            None => (head, None),
        };
        path.extend(head.split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        match group {
            Some(group) => expand(&path, group, each),
            None => {
                if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                    path.pop();
                }
                let name = alias.map(str::to_owned).or_else(|| path.last().cloned());
                name.into_iter().for_each(|name| each(path.clone(), name));
            }
        }
    }
}

fn split_outside_braces(list: &str) -> Vec<&str> {
    let mut depth = 0;
    list.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|item| !item.trim().is_empty())
    .collect()
}

/// The paths of two and more names in masked code, each with its byte offset.
pub(crate) fn paths(code: &str) -> Vec<(usize, Vec<String>)> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    let mut end = None;
    for (start, word) in words(code) {
        let joined = end.is_some_and(|end| &code[end..start] == "::");
        end = Some(start + word.len());
        match found.last_mut() {
            Some((_, path)) if joined => path.push(word.to_owned()),
            _ => {
                // A path of a type in brackets, as in `<T as Trait>::f`, begins with no name.
                let behind = code[..start].ends_with("::") || code[..start].ends_with('.');
                let first = if behind { String::new() } else { word.to_owned() };
                found.push((start, vec![first]));
            }
        }
    }
    found.retain(|(_, path)| path.len() > 1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_expanded() {
        let found = uses("pub(crate) use a::{b, c::{self, d as e}, f::*};\nuse super::g;");
        let found: Vec<String> = found
            .iter()
            .map(|import| format!("{} {} {}", import.path.join("::"), import.name, import.public))
            .collect();
        let expected =
            ["a::b b true", "a::c c true", "a::c::d e true", "a::f::* * true", "super::g g false"];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_items_of_the_file_itself_are_defined() {
        let code =
            "struct A;\nimpl A { fn b() {} }\nconst fn c() {}\nmacro_rules! d { () => {} }\n";
        assert_eq!(defined(code).into_iter().collect::<Vec<_>>(), ["A", "c", "d"]);
    }

    #[test]
    fn paths_have_two_names_and_more() {
        let found = paths("a::b(c) + <D as e::F>::g + h.i");
        let found: Vec<String> = found.into_iter().map(|(_, path)| path.join("::")).collect();
        assert_eq!(found, ["a::b", "e::F"]);
    }
}

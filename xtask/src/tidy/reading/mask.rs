//! Blanks comments, literals and tests, so that rules can search code as plain text.
//!
//! Blanking keeps every line break and every byte offset: a match in the blanked text is at the
//! same line of the file.

use std::ops::Range;

/// The text with comments and the literals of strings and characters turned into spaces.
pub(crate) fn blank_comments(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_word = false;
    while let Some(first) = rest.chars().next() {
        let length = blank_length(rest, in_word);
        if length > 0 {
            blank(&mut blanked, &rest[..length]);
            rest = &rest[length..];
            in_word = false;
        } else {
            blanked.push(first);
            rest = &rest[first.len_utf8()..];
            in_word = is_word(first);
        }
    }
    blanked
}

/// Masked code with its test-only items turned into spaces.
pub(crate) fn blank_tests(code: &str) -> String {
    let mut blanked = String::with_capacity(code.len());
    let mut done = 0;
    for item in test_items(code) {
        blanked.push_str(&code[done..item.start]);
        blank(&mut blanked, &code[item.clone()]);
        done = item.end;
    }
    blanked.push_str(&code[done..]);
    blanked
}

/// Ranges of the items of masked code under `#[cfg(test)]`, attribute included; none contains another.
pub(crate) fn test_items(code: &str) -> impl Iterator<Item = Range<usize>> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let found = ["#[cfg(test)]", "#[cfg(all(test"]
            .iter()
            .filter_map(|attribute| code[done..].find(attribute))
            .min()?;
        let start = done + found;
        done = start + item_length(&code[start..]);
        Some(start..done)
    })
}

/// The words of masked code with their byte offsets: identifiers, keywords and numbers.
pub(crate) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(|c| !is_word(c))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - code.as_ptr() as usize, word))
}

/// The brackets that open at a byte offset of masked code, to the one that closes; `None` without one.
pub(crate) fn balanced(code: &str, start: usize) -> Option<Range<usize>> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at > start).then_some(start..at + 1);
        }
    }
    None
}

/// The bodies of the macros that masked code defines.
pub(crate) fn macro_bodies(code: &str) -> Vec<Range<usize>> {
    code.match_indices("macro_rules!")
        .filter_map(|(at, _)| balanced(code, at + code[at..].find(['{', '(', '['])?))
        .collect()
}

/// The line, from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn blank(blanked: &mut String, text: &str) {
    blanked.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

/// The bytes of the comment or literal that the text begins with, or 0.
fn blank_length(text: &str, in_word: bool) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment_length(text);
    }
    if text.starts_with('"') {
        return quoted_length(text, '"');
    }
    if text.starts_with('\'') {
        return character_length(text);
    }
    if in_word { 0 } else { raw_string_length(text) }
}

/// Block comments nest.
fn block_comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// A literal between two quotes, in which a backslash hides the next character.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut hidden = false;
    for (at, c) in text.char_indices().skip(1) {
        if hidden {
            hidden = false;
        } else if c == '\\' {
            hidden = true;
        } else if c == quote {
            return at + 1;
        }
    }
    text.len()
}

/// A character literal, or 0 for a lifetime.
fn character_length(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), _) => quoted_length(text, '\''),
        (_, Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// `r"…"`, `r#"…"#`, `br"…"`, `cr"…"` and so on, or 0.
fn raw_string_length(text: &str) -> usize {
    let Some(after) = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix)) else {
        return 0;
    };
    let hashes = after.len() - after.trim_start_matches('#').len();
    let Some(body) = after[hashes..].strip_prefix('"') else { return 0 };
    let end = format!("\"{}", &after[..hashes]);
    body.find(&end).map_or(text.len(), |at| text.len() - body.len() + at + end.len())
}

/// The length of the item that starts with an attribute: to its `;` or its closing brace, or to
/// the end of what encloses it, as of a last variant.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
        if depth == 0 && (byte == b'}' || byte == b';') {
            return at + 1;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_vanish_and_code_stays() {
        for (text, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d\n */ e", "a               \n    e"),
            (r#"f("x \" y") + 1"#, "f(        ) + 1"),
            (r##"f(r#"x " y"#, b)"##, "f(          , b)"),
            ("let c = '\"'; d", "let c =    ; d"),
            (r"let c = '\''; d", "let c =     ; d"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("number\"s\"", "number   "),
            ("r#type + r", "r#type + r"),
        ] {
            assert_eq!(blank_comments(text), code);
        }
    }

    #[test]
    fn blanking_keeps_lines_and_offsets() {
        let text = "a(\"é\n//\"); /* ∇\n*/ b // c\n";
        let code = blank_comments(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(line_of(&code, code.find('b').unwrap()), 3);
    }

    #[test]
    fn test_items_vanish_to_their_end() {
        let code = "a\n#[cfg(test)]\n#[path]\nmod t {\n fn f() -> [u8; 2] { b() }\n}\nc\n\
                    #[cfg(test)]\nuse x::{y, z};\nd\n#[cfg(not(test))]\ne";
        let shipped = blank_tests(code);
        assert_eq!(
            shipped.split_whitespace().collect::<Vec<_>>(),
            ["a", "c", ";", "d", "#[cfg(not(test))]", "e"]
        );
        assert_eq!(shipped.lines().count(), code.lines().count());
    }

    #[test]
    fn a_last_test_variant_ends_with_its_enum() {
        let shipped = blank_tests("enum E { A, #[cfg(test)] B }\nf()");
        assert_eq!(
            shipped.split_whitespace().collect::<Vec<_>>(),
            ["enum", "E", "{", "A,", "}", "f()"]
        );
    }

    #[test]
    fn words_are_whole() {
        let found: Vec<_> = words("unsafe_op unsafe{x1}").collect();
        assert_eq!(found, [(0, "unsafe_op"), (10, "unsafe"), (17, "x1")]);
    }
}

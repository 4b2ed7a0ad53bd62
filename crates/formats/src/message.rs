//! Messages of one line: text of files and names of paths may hold anything.

use std::path::Path;

/// The text on one line of at most `most` characters. Control characters and marks of the direction of writing are
/// escaped. A longer text loses its middle: its beginning names the place and its end, after the last semicolon, the cure.
///
/// ```
/// assert_eq!(formats::one_line("a\nb", 200), "a\\nb");
/// assert_eq!(formats::one_line("a.csv: 0123456789; cure", 16), "a.csv: 01…; cure");
/// ```
pub fn one_line(text: &str, most: usize) -> String {
    let escaped = escape(text);
    let length = escaped.chars().count();
    if length <= most {
        return escaped;
    }
    let cure = escaped.rfind("; ").map_or("", |at| &escaped[at..]).chars().count();
    let kept = most.saturating_sub(1);
    let tail = if cure <= kept * 2 / 3 { cure } else { kept / 2 };
    let head = escaped.chars().take(kept - tail);
    head.chain(['…']).chain(escaped.chars().skip(length - tail)).collect()
}

/// A path for messages: escaped, and its end alone where it is long.
pub(crate) fn shown(path: &Path) -> String {
    const LONGEST: usize = 60;
    let escaped = escape(&path.display().to_string());
    match escaped.chars().count() {
        length if length > LONGEST => {
            ['…'].into_iter().chain(escaped.chars().skip(length + 1 - LONGEST)).collect()
        }
        _ => escaped,
    }
}

/// The beginning of a text, short enough for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_mark(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Separators of lines, and marks without a glyph that change how the text around them is shown.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_cure_stay() {
        let text = format!("a.csv:17: has {}; choose among them", "x, ".repeat(500));
        for most in [60, 100, 200] {
            let line = one_line(&text, most);
            assert_eq!(line.chars().count(), most);
            assert!(line.starts_with("a.csv:17: has x") && line.ends_with("…; choose among them"));
        }
        for text in ["é".repeat(300), format!("a; {}", "b".repeat(300)), "; ".repeat(300)] {
            assert_eq!(one_line(&text, 200).chars().count(), 200);
        }
    }

    #[test]
    fn nothing_unseen_stays() {
        let text = "\0\u{1b}[2J\r\n\u{85}\u{202e}\u{2028}\u{feff}é";
        let line = "\\u{0}\\u{1b}[2J\\r\\n\\u{85}\\u{202e}\\u{2028}\\u{feff}é";
        assert_eq!(one_line(text, 200), line);
        let path = format!("{}/a.csv", "d".repeat(300));
        assert_eq!(shown(Path::new(&path)), format!("…{}/a.csv", "d".repeat(53)));
    }
}

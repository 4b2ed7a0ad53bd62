//! Formulas: TeX to MathML by the package `pulldown-latex`, whose output is mended and made safe inside of Markdown.

use std::path::PathBuf;

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::mathml::push_mathml;
use pulldown_latex::{Parser, ParserError, Storage};

use crate::error::Error;
use crate::workspace;

/// Package that converts formulas.
const PACKAGE: &str = "pulldown-latex";

/// Markup of the package that browsers do not read as it is meant, and the markup in its place: bars and slashes with
/// space around them, a space by a name that is escaped below, the micro sign for mu, a missing space between attributes.
const REPAIRS: [(&str, &str); 8] = [
    ("&amp;nbsp;", "\u{a0}"),
    ("&nbsp;", "\u{a0}"),
    ("<mi>\u{b5}</mi>", "<mi>\u{3bc}</mi>"),
    (
        "<mo symmetric=\"false\" stretchy=\"false\">|</mo>",
        "<mo stretchy=\"false\" lspace=\"0\" rspace=\"0\">|</mo>",
    ),
    (
        "<mo symmetric=\"false\" stretchy=\"false\">‖</mo>",
        "<mo stretchy=\"false\" lspace=\"0\" rspace=\"0\">‖</mo>",
    ),
    ("<mo>/</mo>", "<mo lspace=\"0\" rspace=\"0\">/</mo>"),
    ("\"minsize", "\" minsize"),
    ("<mi>±</mi>", "<mo form=\"prefix\">±</mo>"),
];

/// Delimiters of a set size, which browsers draw too small before an exponent, and those that fit their content.
const DELIMITERS: [(&str, &str); 4] =
    [("\\bigl", "\\left"), ("\\bigr", "\\right"), ("\\Bigl", "\\left"), ("\\Bigr", "\\right")];

/// A formula on a line of its own.
pub(super) fn block(tex: &str) -> Result<String, String> {
    Ok(format!("<div class=\"formula\">{}</div>", mathml(tex, DisplayMode::Block)?))
}

/// A formula within a line.
pub(super) fn inline(tex: &str) -> Result<String, String> {
    mathml(tex, DisplayMode::Inline)
}

/// MathML on one line, with no character that Markdown would read; the error says what the formula has of TeX that is not
/// known.
fn mathml(tex: &str, display_mode: DisplayMode) -> Result<String, String> {
    let storage = Storage::new();
    let fitted = DELIMITERS.iter().fold(tex.to_owned(), |tex, (old, new)| tex.replace(old, new));
    let events: Result<Vec<_>, _> = Parser::new(&fitted, &storage).collect();
    // The message goes on with a drawing of the place, over several lines.
    let events = events.map_err(|error| {
        let message = error.to_string();
        format!("${tex}$: {}", message.lines().next().unwrap_or_default())
    })?;
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut markup = String::new();
    let events = events.into_iter().map(Ok::<_, ParserError>);
    push_mathml(&mut markup, events, config).map_err(|error| format!("${tex}$: {error}"))?;
    let mended = REPAIRS.iter().fold(markup, |markup, (old, new)| markup.replace(old, new));
    // `docs/book.css` draws the line over an `overline`, because fonts have no bar that stretches.
    let lined = over(&mended, "<mi>‾</mi></mover>", "<mrow class=\"overline\">", "</mrow>");
    let tilde = "<mo stretchy=\"false\">˜</mo></mover>";
    Ok(escaped(&over(&lined, "<mi>~</mi></mover>", "<mover accent=\"true\">", tilde)))
}

/// Markup in which the elements `mover` that end with `end` begin and end otherwise.
fn over(markup: &str, end: &str, new_begin: &str, new_end: &str) -> String {
    const BEGIN: &str = "<mover>";
    let mut markup = markup.to_owned();
    while let Some(at) = markup.find(end) {
        // The element's own begin is the last one that no other end belongs to.
        let mut open = Vec::new();
        for (begin, _) in markup[..at].match_indices("mover") {
            match markup[..begin].chars().next_back() {
                Some('/') => drop(open.pop()),
                _ => open.push(begin - 1),
            }
        }
        markup.replace_range(at..at + end.len(), new_end);
        if let Some(begin) = open.pop().filter(|&begin| markup[begin..].starts_with(BEGIN)) {
            markup.replace_range(begin..begin + BEGIN.len(), new_begin);
        }
    }
    markup
}

/// Markup with the punctuation of its text as character references.
fn escaped(markup: &str) -> String {
    let mut escaped = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(c) = rest.chars().next() {
        let tag = rest.strip_prefix('<').is_some_and(|behind| {
            behind.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        });
        let end = if tag { rest.find('>').map_or(rest.len(), |end| end + 1) } else { c.len_utf8() };
        if !tag && c.is_ascii_punctuation() {
            escaped.push_str(&format!("&#{};", u32::from(c)));
        } else {
            escaped.push_str(&rest[..end]);
        }
        rest = &rest[end..];
    }
    escaped
}

/// Folder of the package's sources, which hold the font.
pub(super) fn package() -> Result<PathBuf, Error> {
    let metadata = workspace::cargo(&["metadata", "--format-version=1"]);
    let metadata = workspace::capture(metadata, "cargo metadata")?;
    manifest(&metadata)
        .and_then(|path| path.parent().map(PathBuf::from))
        .ok_or(Error::NoFont { package: PACKAGE })
}

/// The manifest of the package, from cargo's metadata.
fn manifest(metadata: &str) -> Option<PathBuf> {
    let start = format!("/{PACKAGE}-");
    let paths =
        metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let path = paths.map(|path| path.replace("\\\\", "/")).find(|path| path.contains(&start))?;
    Some(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_has_nothing_that_markdown_reads() {
        let markup = inline(r"\lvert x\rvert<a_1*b,\quad\overline{x}\ \tilde y").unwrap();
        assert!(markup.starts_with("<math") && markup.ends_with("</math>"));
        let mut texts =
            markup.split('<').filter_map(|part| part.split_once('>')).map(|part| part.1);
        assert!(texts.all(|text| !text.contains(['|', '*', '_', '>', '$', '`'])), "{markup}");
        for part in ["&#124;", "&#60;", "<mi>x</mi>", ">\u{a0}<"] {
            assert!(markup.contains(part), "{part} in {markup}");
        }
        assert!(!markup.contains('\n'));
    }

    #[test]
    fn blocks_have_a_box_of_their_own() {
        let markup = block(r"\sum_{j\ne i}\frac{q_j}{r_{ij}}").unwrap();
        assert!(markup.starts_with("<div class=\"formula\"><math display=\"block\">"));
    }

    #[test]
    fn accents_are_those_of_their_own_base() {
        let markup = inline(r"\overline{\tilde M_n^k}+\tilde y").unwrap();
        assert_eq!(markup.matches("<mover accent=\"true\">").count(), 2);
        assert_eq!(markup.matches("</mover>").count(), 2);
        assert!(markup.contains("<math display=\"inline\"><mrow class=\"overline\">"), "{markup}");
    }

    #[test]
    fn an_exponent_belongs_to_both_delimiters() {
        let markup = inline(r"\Bigl(\frac ar\Bigr)^p").unwrap();
        assert!(markup.contains("<msup><mrow><mo stretchy=\"true\">&#40;</mo>"), "{markup}");
    }

    #[test]
    fn an_unknown_command_is_named() {
        let error = inline(r"\frac12 + \nosuchcommand{x}").unwrap_err();
        assert!(error.contains(r"\nosuchcommand"), "{error}");
    }

    #[test]
    fn the_font_is_there() {
        assert!(package().unwrap().join(super::super::FONT.0).is_file());
    }
}

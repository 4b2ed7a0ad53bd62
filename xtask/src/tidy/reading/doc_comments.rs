//! The doc comments of a Rust file, as paragraphs.

/// A paragraph or list item of a doc comment, outside code, tables and headings.
#[derive(Debug, PartialEq)]
pub(crate) struct Paragraph {
    /// Line of the file on which the paragraph begins, counted from 1.
    pub(crate) line: usize,
    /// Whether the paragraph opens its doc comment.
    pub(crate) summary: bool,
    /// Lines without their comment marks, joined by line feeds; a list mark is dropped.
    pub(crate) text: String,
}

/// The paragraphs of all doc comments, from the top of the file.
pub(crate) fn paragraphs(text: &str) -> Vec<Paragraph> {
    let mut found = Vec::new();
    let mut open: Option<Comment> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark));
        let continued = match (&open, mark) {
            (Some(comment), Some(mark)) => comment.mark == mark,
            _ => false,
        };
        if !continued {
            found.extend(open.take().into_iter().flat_map(Comment::finish));
            open = mark.filter(|_| !line.starts_with("////")).map(Comment::new);
        }
        if let (Some(comment), Some(mark)) = (&mut open, mark) {
            comment.add(index + 1, &line[mark.len()..]);
        }
    }
    found.extend(open.into_iter().flat_map(Comment::finish));
    found
}

/// A doc comment that is being read.
struct Comment {
    mark: &'static str,
    fenced: bool,
    /// Whether the next line continues the last paragraph.
    inside: bool,
    paragraphs: Vec<Paragraph>,
}

impl Comment {
    fn new(mark: &'static str) -> Self {
        Self { mark, fenced: false, inside: false, paragraphs: Vec::new() }
    }

    fn add(&mut self, line: usize, text: &str) {
        let text = text.trim();
        if text.starts_with("```") {
            self.fenced = !self.fenced;
            self.inside = false;
            return;
        }
        if self.fenced || text.is_empty() || text.starts_with(['|', '#', '[']) && is_frame(text) {
            self.inside = false;
            return;
        }
        let item = list_item(text);
        match self.paragraphs.last_mut() {
            Some(last) if self.inside && item.is_none() => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            _ => {
                let summary = self.paragraphs.is_empty();
                let text = item.unwrap_or(text).to_owned();
                self.paragraphs.push(Paragraph { line, summary, text });
            }
        }
        self.inside = true;
    }

    fn finish(self) -> Vec<Paragraph> {
        self.paragraphs
    }
}

/// Whether a line that begins with `|`, `#` or `[` is a table row, a heading or a link's target.
fn is_frame(text: &str) -> bool {
    !text.starts_with('[') || text.contains("]: ")
}

/// The text of a list item, without its mark.
pub(crate) fn list_item(text: &str) -> Option<&str> {
    let bullet = ["- ", "* "].into_iter().find_map(|mark| text.strip_prefix(mark));
    bullet.or_else(|| {
        let (number, item) = text.split_once(". ")?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_end_at_blank_lines_items_and_code() {
        let file = "//! Head\n//! goes on.\n//!\n//! # Title\n//! - item\n//!   of two lines\n\
                    //! 2. second\n//! | row |\n//! ```\n//! code\n//! ```\n//! after\n\
                    mod a;\n    /// Field.\n    x: u8, // no\n//// ruler\n";
        let found: Vec<(usize, bool, String)> =
            paragraphs(file).into_iter().map(|p| (p.line, p.summary, p.text)).collect();
        let expected = [
            (1, true, "Head\ngoes on."),
            (5, false, "item\nof two lines"),
            (7, false, "second"),
            (12, false, "after"),
            (14, true, "Field."),
        ];
        assert_eq!(found, expected.map(|(line, summary, text)| (line, summary, text.to_owned())));
    }
}

//! Links, headings and paragraphs of Markdown.

/// The link targets of a page, each with its line from 1; those in code are none.
pub(crate) fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in prose(text) {
        let text = without_code(text);
        if let Some((_, target)) =
            text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]:"))
        {
            found.push((line, first_word(target)));
            continue;
        }
        for (at, _) in text.match_indices("](") {
            found.push((line, first_word(parenthesised(&text[at + 2..]))));
        }
    }
    found.retain(|(_, target)| !target.is_empty());
    found
}

/// The paragraphs of a page, each with its first line; tables and fenced code are none. A heading is one, and the target of a
/// link.
pub(crate) fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut last = None;
    for (line, text) in prose(text) {
        if text.trim().is_empty() || text.trim_start().starts_with('|') {
            continue;
        }
        match found.last_mut() {
            Some((_, paragraph)) if last == Some(line - 1) && !stands_alone(text) => {
                paragraph.push('\n');
                paragraph.push_str(text);
            }
            _ => found.push((line, text.to_owned())),
        }
        last = Some(line).filter(|_| !stands_alone(text));
    }
    found
}

/// Whether a line is a heading or the target of a link.
fn stands_alone(line: &str) -> bool {
    line.starts_with('#') || line.starts_with('[') && line.contains("]: ")
}

/// The anchors that the headings of a page get, as on GitHub: repeated ones are numbered.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug = slug(title.trim());
        let repeated = |n: &usize| match n {
            0 => slug.clone(),
            n => format!("{slug}-{n}"),
        };
        anchors.extend((0..).map(|n| repeated(&n)).find(|anchor| !anchors.contains(anchor)));
    }
    anchors
}

fn slug(title: &str) -> String {
    title
        .to_lowercase()
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

/// The lines outside fenced code, each with its number from 1.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, None) => return Some((index + 1, line)),
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => {}
        }
        None
    })
}

/// The cells of a row of a table; a bar behind a backslash or in code is text.
pub(crate) fn cells(row: &str) -> Vec<&str> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in inner.match_indices('|') {
        if !inner[..at].ends_with('\\') {
            cells.push(inner[start..at].trim());
            start = at + 1;
        }
    }
    cells.push(inner[start..].trim());
    cells
}

/// A line without its `code spans`.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The text up to the parenthesis that closes, or all of it.
pub(crate) fn parenthesised(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// The target itself, without a title after it or angle brackets around it.
fn first_word(target: &str) -> String {
    let word = target.split_whitespace().next().unwrap_or_default();
    word.trim_start_matches('<').trim_end_matches('>').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_and_code_is_not() {
        let page = "[a](b.md) ![c](d(1).png \"title\") `[no](no.md)` [e](<f.md>)\n\
                    ```\n[no](no.md)\n~~~\n```\n[g]: h.md#i\n- [x] done\n";
        let found = links(page);
        let targets: Vec<(usize, &str)> =
            found.iter().map(|(line, target)| (*line, target.as_str())).collect();
        assert_eq!(targets, [(1, "b.md"), (1, "d(1).png"), (1, "f.md"), (6, "h.md#i")]);
    }

    #[test]
    fn paragraphs_end_at_blank_lines_tables_headings_and_code() {
        let page = "a\nb\n\nc\n| d |\ne\n```\nf\n```\ng\n# h\ni\n[j]: k\nl";
        let expected = [
            (1, "a\nb"),
            (4, "c"),
            (6, "e"),
            (10, "g"),
            (11, "# h"),
            (12, "i"),
            (13, "[j]: k"),
            (14, "l"),
        ];
        assert_eq!(paragraphs(page), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn bars_behind_backslashes_are_text() {
        assert_eq!(cells("| a | \\|x\\| | |"), ["a", "\\|x\\|", ""]);
    }

    #[test]
    fn anchors_are_githubs() {
        let page = "# The `near` field, U\n## M2L & L2L\n### Cost\n### Cost\n#no\n```\n# no\n```\n";
        assert_eq!(anchors(page), ["the-near-field-u", "m2l--l2l", "cost", "cost-1"]);
    }
}

//! Prose names its subject in its first words: no paragraph of a doc comment or of a page begins with
//! a pronoun or a riddle.

use super::Finding;
use crate::markdown;
use crate::tidy::reading::source::{Source, Tree};

/// First words that stand in the place of a noun, or continue another sentence.
const RIDDLES: [&str; 24] = [
    "And", "But", "So", "Whatever", "What", "Which", "Who", "Whom", "Whose", "Why", "How", "Of",
    "They", "Them", "Their", "It", "Its", "That", "Those", "This", "These", "Such", "Ones",
    "Others",
];

/// First words of a summary that announce a clause instead of a noun; later paragraphs may begin so.
const CLAUSES: [&str; 2] = ["As", "Where"];

/// Prepositions before which a riddle word is one all the same, as in "By what …".
const PREPOSITIONS: [&str; 12] =
    ["After", "At", "Before", "Between", "By", "For", "From", "In", "On", "Over", "To", "With"];

/// Second words that make a preposition a riddle.
const HIDDEN: [&str; 14] = [
    "what", "which", "whom", "whose", "how", "where", "that", "those", "it", "its", "them", "they",
    "their", "whatever",
];

/// Quantifiers, which need a noun right behind.
const QUANTIFIERS: [&str; 10] =
    ["One", "All", "Each", "Both", "Few", "Many", "Most", "Some", "More", "Any"];

/// Second words that are no noun behind a quantifier.
const NO_NOUNS: [&str; 21] = [
    "of", "that", "which", "who", "whose", "what", "it", "they", "to", "for", "in", "on", "at",
    "with", "from", "by", "as", "is", "are", "than", "but",
];

/// Second words that make the object of a summary's verb a riddle, as in "Sets it …".
const OBJECTS: [&str; 4] = ["it", "them", "itself", "themselves"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.rust() {
        for doc in &source.code.docs {
            let mut summary = true;
            for (line, text) in markdown::paragraphs(&doc.text) {
                findings.extend(check_paragraph(source, doc.line + line - 1, &text, summary));
                summary &= text.starts_with('#');
            }
        }
    }
    for page in tree.with_extension(".md") {
        for (line, text) in markdown::paragraphs(&page.text) {
            findings.extend(check_paragraph(page, line, &text, false));
        }
    }
    findings
}

/// The findings of a paragraph and of the list items in it; a summary is the first of a doc comment.
fn check_paragraph(source: &Source, first: usize, text: &str, summary: bool) -> Vec<Finding> {
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1));
    let begins = lines.enumerate().filter_map(|(index, start)| {
        let text = &text[start..];
        let begin = list_item(text.trim_start()).or((index == 0).then_some(text))?;
        Some((first + index, riddle(begin, summary && index == 0)?))
    });
    let finding = |(line, riddle)| Finding {
        path: source.path.clone(),
        line,
        what: format!("the paragraph begins with {riddle:?}"),
        cure: "begin with the noun that it is about".into(),
    };
    begins.map(finding).collect()
}

/// The text of a list item, without its mark.
fn list_item(text: &str) -> Option<&str> {
    let bullet = ["- ", "* "].into_iter().find_map(|mark| text.strip_prefix(mark));
    bullet.or_else(|| {
        let (number, item) = text.split_once(". ")?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(item)
    })
}

/// The first words of a text, if they leave its subject to be guessed.
fn riddle(text: &str, summary: bool) -> Option<String> {
    let mut words = text.split_whitespace().map(bare);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    if first == "How" && second == "to" {
        return None;
    }
    if RIDDLES.contains(&first) || summary && CLAUSES.contains(&first) {
        return Some(first.to_owned());
    }
    let pair = PREPOSITIONS.contains(&first) && HIDDEN.contains(&second)
        || QUANTIFIERS.contains(&first) && NO_NOUNS.contains(&second)
        || summary && OBJECTS.contains(&second);
    pair.then(|| format!("{first} {second}"))
}

/// A word without emphasis around it and the punctuation behind it.
fn bare(word: &str) -> &str {
    word.trim_start_matches(['*', '_', '(', '"'])
        .trim_end_matches(['*', '_', ')', '"', ',', ';', ':', '.', '!', '?'])
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn riddles_are_found_at_their_line() {
        for bad in [
            "What rounding lost of the sums, where pairs are met once.",
            "They, in f64: written.",
            "Of `stage` the longest.",
            "Those of the receivers.",
            "Its length.",
            "So many points.",
            "How often, the first not counted",
            "How the far field is to come about",
            "By what errors fall a degree at the least",
            "For those of one sign.",
            "Few of one sign count as mixed.",
            "One that is empty.",
            "**All** of them.",
            "Where the row of a box begins.",
            "As [`near`], with softening.",
            "Sets it to work on some vectors.",
            "For\n/// those of one sign.",
        ] {
            let file = format!("//! A.\n\n    /// {bad}\nfn f() {{}}\n");
            assert_eq!(lines(check, &[("a.rs", &file)]), [("a.rs".into(), 3)], "{bad}");
        }
    }

    #[test]
    fn later_paragraphs_are_read_too() {
        let file = "//! Sums of pairs\n//! What continues a line passes.\n//!\n//! They are exact.\n//! - Its item.\n\
                    //! # Why\n//! So it is.\n\n/// # Errors\n/// Where few are.\nfn f() {}\n";
        let expected = [4, 5, 7, 10].map(|line| ("a.rs".to_owned(), line));
        assert_eq!(lines(check, &[("a.rs", file)]), expected);
    }

    #[test]
    fn pages_are_held_to_it_but_for_tables_and_code() {
        let page = "# What is a tree\n\nIts leaves.\n- They end.\n  Those too.\n1. **How** so.\n\n\
                    Where few charges carry the weight, they are summed.\n\n| It |\n```\nIt\n```\n";
        let expected = [3, 4, 6].map(|line| ("a.md".to_owned(), line));
        assert_eq!(lines(check, &[("a.md", page)]), expected);
    }

    #[test]
    fn lines_that_name_their_subject_pass() {
        for good in [
            "Whether list V is non-empty.",
            "How to read a file.",
            "One vector of charges.",
            "All boxes of a level.",
            "By default the source's.",
            "Compensation terms of the symmetric P2P",
            "`What` is a variant.",
            "Writes the sums; what remains is zero.",
            "Sums.\n///\n/// Where charges are concentrated, the heaviest are summed directly.",
            "Sums.\n/// ```\n/// What\n/// ```",
        ] {
            let file = format!("//! A.\n/// {good}\nfn f() {{}}\n// What a comment does.\n");
            assert!(lines(check, &[("a.rs", &file)]).is_empty(), "{good}");
        }
    }
}

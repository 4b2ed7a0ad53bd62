//! Words and lines of plain text.

/// The words of a text with their byte offsets: identifiers, keywords and numbers.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// The line, from 1, of a byte offset.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole() {
        let found: Vec<_> = words("unsafe_op unsafe{x1}").collect();
        assert_eq!(found, [(0, "unsafe_op"), (10, "unsafe"), (17, "x1")]);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!((line_of("a\nb", 0), line_of("a\nb", 2)), (1, 2));
    }
}

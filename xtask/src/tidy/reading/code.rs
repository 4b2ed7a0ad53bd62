//! The tokens of a Rust file as proc-macro2 lexes them, in one list, with those in the bodies of macros.
//!
//! syn parses pieces of the list ([`Code::parse`]) and never the whole file, because it leaves the bodies of macros unread.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};
use syn::LitStr;
use syn::parse::Parse;

/// The tokens of a file, doc comments apart and other comments left out.
#[derive(Default)]
pub(crate) struct Code {
    tokens: Vec<Token>,
    pub(crate) docs: Vec<Doc>,
    /// The items for tests only, attribute included; none contains another.
    pub(crate) tests: Vec<Range<usize>>,
}

/// A word, a number, a character of punctuation or a bracket, or the place of a literal.
pub(crate) struct Token {
    /// A double quote in the place of a string or a character.
    pub(crate) text: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Whether the token is compiled for tests only.
    pub(crate) test: bool,
    /// Index behind the token; of a bracket that opens, behind the one that closes.
    pub(crate) next: usize,
    /// The token for syn, with its contents; none of a bracket that closes.
    tree: Option<TokenTree>,
}

/// A doc comment: doc attributes in successive lines.
pub(crate) struct Doc {
    pub(crate) line: usize,
    /// Whether the comment is about what encloses it.
    inner: bool,
    /// Markdown, without white space around lines.
    pub(crate) text: String,
}

impl Code {
    pub(crate) fn lex(text: &str) -> Result<Self, LexError> {
        let mut code = Self::default();
        code.add(text.parse()?);
        for at in 0..code.tokens.len() {
            if code.text(at) == "#" && !code.tokens[at].test && code.is_for_tests(at) {
                let item = code.item(at);
                code.mark_tests(item.clone());
                code.tests.push(item);
            }
        }
        Ok(code)
    }

    fn add(&mut self, stream: TokenStream) {
        for tree in stream {
            let line = tree.span().start().line;
            let text = match &tree {
                TokenTree::Group(group) => {
                    self.add_group(group, line);
                    continue;
                }
                TokenTree::Ident(word) => word.to_string(),
                TokenTree::Punct(sign) => sign.as_char().to_string(),
                TokenTree::Literal(literal) => number(literal.to_string()),
            };
            self.push(text, line, Some(tree));
        }
    }

    fn add_group(&mut self, group: &Group, line: usize) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket | Delimiter::None => ("[", "]"),
        };
        if let Some(text) = self.doc(group) {
            let inner = self.tokens.pop_if(|token| token.text == "!").is_some();
            self.tokens.pop();
            return self.add_doc(line, inner, &text);
        }
        let at = self.tokens.len();
        self.push(open.to_owned(), line, Some(group.clone().into()));
        self.add(group.stream());
        self.push(close.to_owned(), group.span_close().start().line, None);
        self.tokens[at].next = self.tokens.len();
    }

    /// The text of an attribute `#[doc = "…"]`, to which the lexer turns a line of a doc comment.
    fn doc(&self, group: &Group) -> Option<String> {
        let signs = self.tokens.iter().rev().map(|token| token.text.as_str());
        let mut signs = signs.skip_while(|sign| *sign == "!");
        if group.delimiter() != Delimiter::Bracket || signs.next() != Some("#") {
            return None;
        }
        let mut inside = group.stream().into_iter();
        match (inside.next()?, inside.next()?, inside.next()?) {
            (TokenTree::Ident(name), _, TokenTree::Literal(text)) if name == "doc" => {
                syn::parse2::<LitStr>(TokenTree::from(text).into()).ok().map(|text| text.value())
            }
            _ => None,
        }
    }

    fn add_doc(&mut self, line: usize, inner: bool, text: &str) {
        let text = text.split('\n').map(str::trim).collect::<Vec<_>>().join("\n");
        let is_before = |doc: &&mut Doc| {
            doc.inner == inner && doc.line + doc.text.matches('\n').count() + 1 == line
        };
        match self.docs.last_mut().filter(is_before) {
            Some(doc) => doc.text = format!("{}\n{text}", doc.text),
            None => self.docs.push(Doc { line, inner, text }),
        }
    }

    fn push(&mut self, text: String, line: usize, tree: Option<TokenTree>) {
        let next = self.tokens.len() + 1;
        self.tokens.push(Token { text, line, test: false, next, tree });
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The text of a token; empty behind the last.
    pub(crate) fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    /// Whether the tokens from an index on have these texts.
    pub(crate) fn reads(&self, at: usize, texts: &[&str]) -> bool {
        let tokens = self.tokens.get(at..at + texts.len());
        tokens
            .is_some_and(|tokens| tokens.iter().zip(texts).all(|(token, text)| token.text == *text))
    }

    /// The first of these signs outside of brackets from an index on, or the end of what encloses it.
    pub(crate) fn until(&self, mut at: usize, signs: &[&str]) -> usize {
        while let Some(token) = self.tokens.get(at)
            && token.tree.is_some()
            && !signs.contains(&token.text.as_str())
        {
            at = token.next;
        }
        at
    }

    /// The item that begins at an index: to its semicolon or its braces, or to the end of what encloses it, as of a last
    /// variant.
    pub(crate) fn item(&self, start: usize) -> Range<usize> {
        let end = self.until(start, &[";", "{"]);
        let last = self.tokens.get(end).filter(|token| token.tree.is_some());
        start..last.map_or(end, |token| token.next)
    }

    pub(crate) fn mark_tests(&mut self, piece: Range<usize>) {
        self.tokens[piece].iter_mut().for_each(|token| token.test = true);
    }

    /// Whether the attribute of an item for tests only begins at an index.
    fn is_for_tests(&self, at: usize) -> bool {
        self.reads(at, &["#", "[", "cfg", "(", "test", ")"])
            || self.reads(at, &["#", "[", "cfg", "(", "all", "(", "test"])
    }

    /// A piece as syn reads it; the dollar signs of macros' variables are left out.
    pub(crate) fn parse<T: Parse>(&self, piece: Range<usize>) -> syn::Result<T> {
        let mut trees = Vec::new();
        let mut at = piece.start;
        while at < piece.end {
            trees.extend(self.tokens[at].tree.clone().filter(|_| self.text(at) != "$"));
            at = self.tokens[at].next;
        }
        syn::parse2(trees.into_iter().collect())
    }
}

impl Token {
    /// Whether the token is an identifier or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        matches!(self.tree, Some(TokenTree::Ident(_)))
    }
}

/// A literal as a token's text.
fn number(literal: String) -> String {
    if literal.starts_with(|c: char| c.is_ascii_digit()) { literal } else { "\"".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(code: &Code, test: bool) -> Vec<&str> {
        let tokens = code.tokens().iter().filter(|token| token.test == test && token.is_word());
        tokens.map(|token| token.text.as_str()).collect()
    }

    #[test]
    fn comments_and_literals_vanish_and_words_stay() {
        let text = "a // b\nc /* d /* e */ f\n */ g(\"h \\\" i\") + r#\"j \" k\"# + 'l' + '\\'' \
                    + m::<'n>(1u8) + b\"o\" + r#type // p";
        let code = Code::lex(text).unwrap();
        assert_eq!(words(&code, false), ["a", "c", "g", "m", "n", "r#type"]);
        let line = |word: &str| code.tokens().iter().find(|token| token.text == word).unwrap().line;
        assert_eq!(["a", "c", "g"].map(line), [1, 2, 3]);
    }

    #[test]
    fn test_items_end_at_their_braces_or_semicolons() {
        let text = "a\n#[cfg(test)]\n#[path]\nmod t {\n fn f() -> [u8; 2] { b() }\n}\nc\n\
                    #[cfg(all(test, unix))]\nuse x::y;\nd\n#[cfg(not(test))]\ne \
                    enum E { A, #[cfg(test)] B }\nf()";
        let code = Code::lex(text).unwrap();
        assert_eq!(
            words(&code, false),
            ["a", "c", "d", "cfg", "not", "test", "e", "enum", "E", "A", "f"]
        );
    }

    #[test]
    fn successive_doc_lines_are_a_comment_also_in_macros() {
        let text = "//! A\n//!\n//! a.\n/// B\n\n/// C\nm! {\n    #[doc = \"D\"]\n    /// d\n    e // f\n}\n//// g";
        let code = Code::lex(text).unwrap();
        let docs: Vec<(usize, &str)> =
            code.docs.iter().map(|doc| (doc.line, doc.text.as_str())).collect();
        assert_eq!(docs, [(1, "A\n\na."), (4, "B"), (6, "C"), (8, "D\nd")]);
        assert_eq!(words(&code, false), ["m", "e"]);
    }

    #[test]
    fn pieces_are_parsed() {
        let code = Code::lex("x; fn $f(a: u8) -> [u8; 2] { a } y").unwrap();
        let item = code.item(2);
        assert_eq!(code.text(item.end), "y");
        let function: syn::ItemFn = code.parse(item).unwrap();
        assert_eq!((function.sig.ident.to_string().as_str(), function.sig.inputs.len()), ("f", 1));
        assert!(code.parse::<syn::ItemFn>(0..2).is_err());
    }
}

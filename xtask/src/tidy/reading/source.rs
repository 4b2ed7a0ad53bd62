//! The source files of the workspace, as the rules see them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use syn::ItemMod;

use super::code::{Code, Token};
use crate::error::Error;

/// The text files that rules read, and the paths of all files and folders for links.
pub(crate) struct Tree {
    sources: Vec<Source>,
    paths: BTreeSet<String>,
}

/// A text file.
pub(crate) struct Source {
    /// From the root of the workspace, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Tokens; of Rust files only.
    pub(crate) code: Code,
}

impl Tree {
    /// A tree of files given as path and text; texts that no rule reads may be empty.
    pub(crate) fn new(files: impl Iterator<Item = (String, String)>) -> Result<Self, Error> {
        let mut tree = Self { sources: Vec::new(), paths: BTreeSet::new() };
        for (path, text) in files {
            for (end, _) in path.match_indices('/') {
                tree.paths.insert(path[..end].to_owned());
            }
            tree.paths.insert(path.clone());
            let rust = if path.ends_with(".rs") { &text } else { "" };
            let code =
                Code::lex(rust).map_err(|source| Error::Syntax { path: path.clone(), source })?;
            tree.sources.push(Source { path, text, code });
        }
        let modules: Vec<String> = tree.sources.iter().flat_map(Source::test_modules).collect();
        for Source { path, code, .. } in &mut tree.sources {
            let is_below = |module: &String| {
                let rest = path.strip_prefix(module);
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            if path.contains("/tests/") || modules.iter().any(is_below) {
                code.mark_tests(0..code.tokens().len());
            }
        }
        Ok(tree)
    }

    /// The files below `root`, without build output and hidden folders.
    pub(crate) fn read(root: &Path) -> Result<Self, Error> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        Self::new(files.into_iter())
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &Source> {
        self.with_extension(".rs")
    }

    pub(crate) fn with_extension(&self, extension: &str) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(move |source| source.path.ends_with(extension))
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.path == path)
    }

    /// Whether there is such a file or folder; the root is the empty path.
    pub(crate) fn has(&self, path: &str) -> bool {
        path.is_empty() || self.paths.contains(path)
    }

    /// Whether some file or folder has this at the end of its path.
    pub(crate) fn has_ending(&self, end: &str) -> bool {
        let is_end = |rest: &str| rest.is_empty() || rest.ends_with('/');
        self.paths.iter().any(|path| path.strip_suffix(end).is_some_and(is_end))
    }
}

impl Source {
    /// The tokens that a library ships, without tests, each with its index.
    pub(crate) fn library_code(&self) -> impl Iterator<Item = (usize, &Token)> {
        self.code.tokens().iter().enumerate().filter(|(_, token)| !token.test)
    }

    /// The module files that this file declares for tests only, without `.rs`.
    fn test_modules(&self) -> Vec<String> {
        let (folder, file) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let base = match file {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
        };
        let ended = self.code.tests.iter().filter(|item| self.code.text(item.end - 1) == ";");
        let modules = ended.filter_map(|item| self.code.parse::<ItemMod>(item.clone()).ok());
        modules.map(|module| format!("{base}/{}", module.ident)).collect()
    }
}

/// Adds the files below `folder` in the order of their names.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, String)>) -> Result<(), Error> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut entries =
        fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" {
            continue;
        }
        let (path, relative) = (entry.path(), format!("{prefix}{name}"));
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, &format!("{relative}/"), files)?;
            continue;
        }
        let read = [".rs", ".md", ".toml"].iter().any(|extension| name.ends_with(extension));
        let text = if read {
            fs::read_to_string(&path).map_err(|source| Error::File { path, source })?
        } else {
            String::new()
        };
        files.push((relative, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        Tree::new(files.iter().map(|&(path, text)| (path.into(), text.into()))).unwrap()
    }

    #[test]
    fn files_of_test_modules_hold_no_library_code() {
        let tree = tree(&[
            ("a/src/lib.rs", "#[cfg(test)]\nmod checks;\nmod tests_of_time;\nmod b;\n"),
            ("a/src/checks.rs", "fn one() {}"),
            ("a/src/checks/more.rs", "fn two() {}"),
            ("a/src/tests_of_time.rs", "fn three() {}"),
            ("a/src/b.rs", "#[cfg(test)]\npub(crate) mod deep;\n"),
            ("a/src/b/deep.rs", "fn four() {}"),
            ("a/tests/end_to_end.rs", "fn five() {}"),
        ]);
        let shipped: Vec<&str> = tree
            .rust()
            .filter(|source| source.library_code().any(|(_, token)| token.text == "fn"))
            .map(|source| source.path.as_str())
            .collect();
        assert_eq!(shipped, ["a/src/tests_of_time.rs"]);
    }

    #[test]
    fn a_file_without_tokens_is_an_error() {
        let files = [("a/b.rs".to_owned(), "fn f( {".to_owned())];
        let error = Tree::new(files.into_iter()).err().unwrap();
        assert!(error.to_string().starts_with("a/b.rs is no Rust"), "{error}");
    }

    #[test]
    fn folders_count_as_paths() {
        let tree = tree(&[("docs/theory/m2l.md", "")]);
        assert!(["", "docs", "docs/theory", "docs/theory/m2l.md"].iter().all(|p| tree.has(p)));
        assert!(!tree.has("docs/theory/m2l"));
    }
}

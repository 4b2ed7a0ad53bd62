//! The source files of the workspace, as the rules see them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::mask;
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
    /// The text with comments and literals blanked, line for line; for Rust files only.
    pub(crate) code: String,
    /// Whether the whole file is compiled for tests only.
    test_only: bool,
}

impl Tree {
    /// A tree of files given as path and text; texts that no rule reads may be empty.
    pub(crate) fn new(files: impl Iterator<Item = (String, String)>) -> Self {
        let mut tree = Self { sources: Vec::new(), paths: BTreeSet::new() };
        for (path, text) in files {
            for (end, _) in path.match_indices('/') {
                tree.paths.insert(path[..end].to_owned());
            }
            tree.paths.insert(path.clone());
            let code =
                if path.ends_with(".rs") { mask::blank_comments(&text) } else { String::new() };
            tree.sources.push(Source { path, text, code, test_only: false });
        }
        let modules: Vec<String> = tree.sources.iter().flat_map(Source::test_modules).collect();
        for source in &mut tree.sources {
            source.test_only = source.path.contains("/tests/")
                || modules.iter().any(|module| {
                    source
                        .path
                        .strip_prefix(module)
                        .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
                });
        }
        tree
    }

    /// The files below `root`, without build output and hidden folders.
    pub(crate) fn read(root: &Path) -> Result<Self, Error> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        Ok(Self::new(files.into_iter()))
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
    /// The code that a library ships: without tests, comments and literals, line for line.
    pub(crate) fn library_code(&self) -> String {
        if self.test_only { String::new() } else { mask::blank_tests(&self.code) }
    }

    /// The module files that this file declares for tests only, without `.rs`.
    fn test_modules(&self) -> Vec<String> {
        let (folder, file) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let base = match file {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
        };
        mask::test_items(&self.code)
            .filter_map(|item| {
                let name = self.code[item].trim_end().strip_suffix(';')?.rsplit_once("mod ")?.1;
                Some(format!("{base}/{}", name.trim()))
            })
            .collect()
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
        Tree::new(files.iter().map(|&(path, text)| (path.into(), text.into())))
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
            .filter(|source| source.library_code().contains("fn "))
            .map(|source| source.path.as_str())
            .collect();
        assert_eq!(shipped, ["a/src/tests_of_time.rs"]);
    }

    #[test]
    fn folders_count_as_paths() {
        let tree = tree(&[("docs/theory/m2l.md", "")]);
        assert!(["", "docs", "docs/theory", "docs/theory/m2l.md"].iter().all(|p| tree.has(p)));
        assert!(!tree.has("docs/theory/m2l"));
    }
}

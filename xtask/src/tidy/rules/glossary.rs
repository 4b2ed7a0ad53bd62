//! Things that the glossary names in its column of the code exist: files, folders, modules and identifiers.

use std::collections::HashSet;

use super::Finding;
use crate::markdown::{cells, prose};
use crate::tidy::reading::source::{Source, Tree};
use crate::tidy::reading::text::words;

const GLOSSARY: &str = "docs/GLOSSARY.md";

/// Head of the column that names code.
const COLUMN: &str = "in the code";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.get(GLOSSARY) else { return Vec::new() };
    let files = tree.rust().map(File::new).collect();
    let code = Code { tree, files };
    let missing = entries(&page.text).into_iter().filter(|(_, entry)| !code.has(entry));
    let finding = |(line, entry): (usize, &str)| Finding {
        path: GLOSSARY.into(),
        line,
        what: format!("the code has no `{entry}`"),
        cure: "name the file, crate::module or Type::item that holds the thing".into(),
    };
    missing.map(finding).collect()
}

/// Pieces of code in the cells of the column, each with its line.
fn entries(text: &str) -> Vec<(usize, &str)> {
    let mut entries = Vec::new();
    // Place of the column in a table that has it; none outside of tables.
    let mut table: Option<Option<usize>> = None;
    for (line, row) in prose(text) {
        if !row.trim_start().starts_with('|') {
            table = None;
            continue;
        }
        let cells = cells(row);
        let Some(column) = table else {
            table = Some(cells.iter().position(|cell| *cell == COLUMN));
            continue;
        };
        let cell = column.and_then(|column| cells.get(column)).copied().unwrap_or_default();
        entries.extend(cell.split('`').skip(1).step_by(2).map(|entry| (line, entry)));
    }
    entries
}

/// A Rust file and the words of its code.
struct File<'a> {
    path: &'a str,
    words: HashSet<&'a str>,
}

impl<'a> File<'a> {
    fn new(source: &'a Source) -> Self {
        let words = source.code.tokens().iter().filter(|token| token.is_word());
        Self { path: &source.path, words: words.map(|token| token.text.as_str()).collect() }
    }

    fn has(&self, words: &[&str]) -> bool {
        words.iter().all(|word| self.words.contains(word))
    }

    /// Whether the file is that of a module, or below it.
    fn is_of(&self, module: &str) -> bool {
        let rest = self.path.strip_prefix(module);
        rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    }
}

/// The workspace, as entries name it.
struct Code<'a> {
    tree: &'a Tree,
    files: Vec<File<'a>>,
}

impl Code<'_> {
    fn has(&self, entry: &str) -> bool {
        if self.tree.has(entry) {
            return true;
        }
        if entry.contains('/') || entry.ends_with(".rs") {
            return self.tree.has_ending(entry.trim_start_matches("*/"));
        }
        if entry.contains("::") {
            return self.has_path(&entry.split("::").collect::<Vec<_>>());
        }
        let is_name = |word: &&str| word.starts_with(|c: char| !c.is_ascii_digit());
        let mut names = words(entry).map(|(_, word)| word).filter(is_name);
        names.all(|name| self.files.iter().any(|file| file.has(&[name])))
    }

    /// Whether one file has all names of a path, below the crate and modules that the path begins with.
    fn has_path(&self, path: &[&str]) -> bool {
        let folders =
            [format!("crates/{}/src", path[0]), format!("{}/src", path[0].replace('_', "-"))];
        let Some(mut module) = folders.into_iter().find(|folder| self.tree.has(folder)) else {
            return self.files.iter().any(|file| file.has(path));
        };
        let mut names = &path[1..];
        while let [name, rest @ ..] = names
            && let inner = format!("{module}/{name}")
            && (self.tree.has(&inner) || self.tree.has(&format!("{inner}.rs")))
        {
            (module, names) = (inner, rest);
        }
        self.files.iter().any(|file| file.is_of(&module) && file.has(names))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    fn found(entry: &str) -> Vec<usize> {
        let page = format!(
            "# A\n\n| term | meaning | in the code |\n|---|---|---|\n| **a** | `gone` | `Plan` |\n\
             | **b** | \\|x\\| | {entry} |\n\n| letters | source |\n|---|---|\n| `gone` | `gone` |\n"
        );
        let files = [
            (GLOSSARY, page.as_str()),
            ("crates/fmm/src/lib.rs", "//! A gone one.\nmod plan;\npub use plan::Plan;\n"),
            ("crates/fmm/src/plan/mod.rs", "//! A.\npub struct Plan { order: usize }\n"),
            (
                "crates/fmm/src/plan/near.rs",
                "//! A.\nfn near_pairs() -> &'static str { \"gone\" }\n",
            ),
            ("crates/octree/src/lib.rs", "//! A.\npub struct Octree { order: usize }\n"),
            ("kernels-gpu/src/lists.rs", "//! A.\nstruct Lists;\n"),
            ("kernels-gpu/ptx/README.md", ""),
        ];
        lines(check, &files).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn names_of_things_pass() {
        for entry in [
            "`Plan`",
            "`Plan::order`, `order` everywhere",
            "`[Octree; 3]`, `0..near_pairs`",
            "`fmm::Plan`",
            "`fmm::plan`",
            "`fmm::plan::near`",
            "`fmm::plan::near_pairs`",
            "`kernels_gpu::lists::Lists`",
            "`kernels-gpu/ptx`, `*/src/plan`, `near.rs` in `Plan`",
            "–",
        ] {
            assert!(found(entry).is_empty(), "{entry}");
        }
    }

    #[test]
    fn names_of_nothing_are_found() {
        for entry in [
            "`gone`",
            "`order`, `Gone`",
            "`Plan::near_pairs`",
            "`fmm::Octree`",
            "`octree::Plan`",
            "`fmm::far`",
            "`fmm::plan::far::Plan`",
            "`kernels_gpu::ptx::Lists`",
            "`kernels-gpu/lists`, `Plan`",
            "`far.rs`",
        ] {
            assert_eq!(found(entry), [6], "{entry}");
        }
    }
}

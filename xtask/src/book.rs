//! `cargo xtask book`: the pages of `docs` as a book in HTML, formulas as MathML, every link checked.
//!
//! Pages are staged in `target/book/pages`: formulas are converted, links that lead out of `docs` become links to the
//! repository, and lines of `SUMMARY.md` that name a folder become its pages. `mdbook` turns them into
//! `target/book/html`, which needs no network to be read.

mod html;
mod maths;
mod mdbook;
mod pages;
mod summary;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::workspace;

/// Folder of the pages, from the root of the workspace.
const DOCS: &str = "docs";

/// Place of the font for formulas, in the package that converts them and in the book.
const FONT: (&str, &str) = ("font/latinmodern-math.woff2", "maths/latinmodern-math.woff2");

/// A page that is not fit for the book: where, and what to mend.
#[derive(Debug, PartialEq)]
struct Problem {
    path: String,
    /// Counted from 1; 0 for the whole page.
    line: usize,
    what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// Builds the book, and fails at a formula that cannot be converted or a link that leads nowhere.
pub(crate) fn run() -> Result<(), Error> {
    build(&mdbook::found_or_installed()?)
}

/// Builds the book where `mdbook` is or can be installed, or says why not.
pub(crate) fn check_if_possible() -> Result<(), Error> {
    match mdbook::found_or_installed() {
        Ok(mdbook) => build(&mdbook),
        Err(error) => {
            eprintln!("SKIPPED: the book, as there is no mdbook ({error})");
            Ok(())
        }
    }
}

fn build(mdbook: &Path) -> Result<(), Error> {
    let folder = workspace::target().join("book");
    let (staged, html) = (folder.join("pages"), folder.join("html"));
    for old in [&staged, &html] {
        if old.exists() {
            fs::remove_dir_all(old).map_err(|source| file_error(old, source))?;
        }
    }
    report(&stage(&staged)?)?;
    mdbook::build(mdbook, &staged, &html)?;
    report(&html::check(&html)?)?;
    println!("wrote {}", html.join("index.html").display());
    Ok(())
}

/// Fails if there are problems, after it has printed them.
fn report(problems: &[Problem]) -> Result<(), Error> {
    for problem in problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Book { count: problems.len() }) }
}

/// Writes the staged pages, with all other files of `docs` and the font.
fn stage(to: &Path) -> Result<Vec<Problem>, Error> {
    let docs = workspace::root().join(DOCS);
    let paths = files(&docs)?;
    let mut problems = Vec::new();
    for path in &paths {
        let from = docs.join(path);
        let read = || fs::read_to_string(&from).map_err(|source| file_error(&from, source));
        let bytes = if path == "SUMMARY.md" {
            summary::with_folders(&read()?, &paths, |page| title(&docs, page)).into_bytes()
        } else if path.ends_with(".md") {
            let (text, found) = pages::staged(path, &read()?, &paths);
            problems.extend(found);
            text.into_bytes()
        } else {
            fs::read(&from).map_err(|source| file_error(&from, source))?
        };
        write(&to.join(path), &bytes)?;
    }
    let font = maths::package()?.join(FONT.0);
    write(&to.join(FONT.1), &fs::read(&font).map_err(|source| file_error(&font, source))?)?;
    Ok(problems)
}

/// The first heading of a page of `docs`.
fn title(docs: &Path, page: &str) -> Option<String> {
    let text = fs::read_to_string(docs.join(page)).ok()?;
    text.lines().find_map(|line| line.strip_prefix("# ")).map(str::to_owned)
}

/// Paths of all files below a folder, from there and with forward slashes, in order.
fn files(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        let here = folder.join(&inside);
        let error = |source| file_error(&here, source);
        for entry in fs::read_dir(&here).map_err(error)? {
            let entry = entry.map_err(error)?;
            let path = format!("{inside}{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(error)?.is_dir() {
                folders.push(format!("{path}/"));
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| file_error(folder, source))?;
    }
    fs::write(path, bytes).map_err(|source| file_error(path, source))
}

fn file_error(path: &Path, source: std::io::Error) -> Error {
    Error::File { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages as they are: every formula is converted, and the summary names every page.
    #[test]
    fn the_pages_of_the_workspace_are_fit() {
        let folder = workspace::target().join("book-of-the-tests");
        let problems = stage(&folder).unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
        for page in files(&folder).unwrap().iter().filter(|path| path.ends_with(".md")) {
            assert!(
                page == "SUMMARY.md" || summary.contains(&format!("({page})")),
                "{page} is no chapter"
            );
        }
        fs::remove_dir_all(folder).unwrap();
    }

    /// Code of a page that the facade does not include would not be tested.
    #[test]
    fn every_page_of_the_guide_is_tested() {
        let tested = workspace::root().join("crates/farfield/src/guide.rs");
        let tested = fs::read_to_string(tested).unwrap();
        let pages = files(&workspace::root().join(DOCS).join("guide")).unwrap();
        assert!(!pages.is_empty());
        for page in pages.iter().filter_map(|page| page.strip_suffix(".md")) {
            assert!(tested.contains(&format!("\"{page}\",")), "add {page} to guide.rs");
        }
    }
}

//! Links of the finished book: each leads to a file of the book, and its anchor to an element there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{Problem, file_error, files};
use crate::error::Error;
use crate::links::{leads_out, resolve};

/// A page of HTML: the anchors that it has, and the targets that it names.
struct Page {
    anchors: BTreeSet<String>,
    targets: BTreeSet<String>,
}

/// Links of the book in a folder that lead nowhere.
pub(super) fn check(folder: &Path) -> Result<Vec<Problem>, Error> {
    let files = files(folder)?;
    let mut pages = BTreeMap::new();
    // The page of unknown addresses is shown at any address, so its links are absolute.
    for path in files.iter().filter(|path| path.ends_with(".html") && *path != "404.html") {
        let text = fs::read_to_string(folder.join(path))
            .map_err(|source| file_error(&folder.join(path), source))?;
        pages.insert(path.as_str(), Page::read(&text));
    }
    Ok(dead_links(&files, &pages))
}

fn dead_links(files: &BTreeSet<String>, pages: &BTreeMap<&str, Page>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (path, page) in pages {
        for target in page.targets.iter().filter(|target| !leads_out(target)) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { Some((*path).to_owned()) } else { resolve(path, file) };
            let what = match file.filter(|file| files.contains(file)) {
                None => "no such file",
                Some(file) => match pages.get(file.as_str()) {
                    Some(page) if !anchor.is_empty() && !page.anchors.contains(anchor) => {
                        "no such heading"
                    }
                    _ => continue,
                },
            };
            let what = format!("the link {target:?} leads to {what}; name a page of SUMMARY.md");
            problems.push(Problem { path: (*path).to_owned(), line: 0, what });
        }
    }
    problems
}

impl Page {
    fn read(text: &str) -> Self {
        let tags = || text.split('<').filter_map(|part| part.split_once('>')).map(|part| part.0);
        let values = |name: &'static str| tags().filter_map(move |tag| attribute(tag, name));
        let targets = values("href").chain(values("src")).filter(|target| !target.is_empty());
        let anchors = values("id").chain(values("name"));
        Self {
            anchors: anchors.map(str::to_owned).collect(),
            targets: targets.map(str::to_owned).collect(),
        }
    }
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let index = "<a href=\"guide/a.html#x\">a</a><a href=\"guide/a.html#y\">b</a><img src=\"no.svg\">\
                     <a href=\"https://x.org\">c</a><h1 id=\"top\">t</h1><a class=\"h\" href=\"#top\">d</a>";
        let guide = "<h2 id=\"x\">x</h2><a href=\"../index.html#nothing\">e</a><a href=\"../../up.html\">f</a>";
        let files = ["index.html", "guide/a.html"].map(str::to_owned).into_iter().collect();
        let pages = BTreeMap::from([
            ("index.html", Page::read(index)),
            ("guide/a.html", Page::read(guide)),
        ]);
        let found: Vec<String> =
            dead_links(&files, &pages).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        for dead in ["#nothing", "up.html", "a.html#y", "no.svg"] {
            assert!(found.iter().any(|problem| problem.contains(dead)), "{dead}");
        }
    }
}

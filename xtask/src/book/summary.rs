//! Chapters of the book: lines of `SUMMARY.md` that name a folder stand for the pages in it.

use std::collections::BTreeSet;

/// The summary with a line for each page of a folder in place of the folder's own.
///
/// `README.md` is left out, because it is a chapter above the others. Pages are in the order of their names.
pub(super) fn with_folders(
    summary: &str,
    files: &BTreeSet<String>,
    title: impl Fn(&str) -> Option<String>,
) -> String {
    let mut lines = Vec::new();
    for line in summary.lines() {
        let Some((indent, folder)) = folder(line) else {
            lines.push(line.to_owned());
            continue;
        };
        for page in files.iter().filter(|path| is_page_of(path, folder)) {
            let title = title(page).unwrap_or_else(|| page.clone());
            lines.push(format!("{indent}- [{title}]({page})"));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Indent and folder of a line such as `  - [Decisions](decisions/)`.
fn folder(line: &str) -> Option<(&str, &str)> {
    let item = line.trim_start();
    let target = item.strip_prefix("- [")?.split_once("](")?.1.strip_suffix(')')?;
    target.ends_with('/').then(|| (&line[..line.len() - item.len()], target))
}

fn is_page_of(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|name| name.ends_with(".md") && !name.contains('/') && name != "README.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_becomes_its_pages() {
        let files = ["a.md", "d/02-y.md", "d/01-x.md", "d/README.md", "d/p.svg", "d/e/f.md"];
        let files = files.map(str::to_owned).into_iter().collect();
        let title = |page: &str| (page == "d/01-x.md").then(|| "The x".to_owned());
        let summary = "# S\n\n- [A](a.md)\n  - [Ds](d/)\n- [B](a.md)\n";
        let expected =
            "# S\n\n- [A](a.md)\n  - [The x](d/01-x.md)\n  - [d/02-y.md](d/02-y.md)\n- [B](a.md)\n";
        assert_eq!(with_folders(summary, &files, title), expected);
    }
}

//! Relative links in Markdown lead to a file of the workspace, and their anchors to a heading.

use super::Finding;
use super::markdown::{anchors, links};
use super::source::{Source, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(".md").flat_map(|source| check_file(tree, source)).collect()
}

fn check_file(tree: &Tree, source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, target) in links(&source.text) {
        // A scheme such as https: or mailto: leads out of the workspace.
        if target.split(['/', '#']).next().is_some_and(|start| start.contains(':')) {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let resolved = if path.is_empty() {
            Some(source.path.clone())
        } else {
            resolve(&source.path, path).filter(|resolved| tree.has(resolved))
        };
        let problem = match resolved {
            None => Some(("no such file or folder", "correct the path or add the file")),
            Some(file) => (!anchor.is_empty() && !has_anchor(tree, &file, anchor))
                .then_some(("no such heading", "name an anchor of that file")),
        };
        if let Some((what, cure)) = problem {
            findings.push(Finding {
                path: source.path.clone(),
                line,
                what: format!("the link {target:?} leads to {what}"),
                cure: cure.into(),
            });
        }
    }
    findings
}

/// Anchors of other files than Markdown, such as line numbers, are not checked.
fn has_anchor(tree: &Tree, file: &str, anchor: &str) -> bool {
    tree.get(file).is_none_or(|source| {
        !file.ends_with(".md") || anchors(&source.text).iter().any(|known| known == anchor)
    })
}

/// The path from the root that a link in `file` means; `None` if it leads above the root.
fn resolve(file: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const GUIDE: (&str, &str) = ("docs/guide.md", "# Near field\n\nSee [here](#near-field).\n");

    #[test]
    fn links_that_lead_somewhere_pass() {
        let good = "[a](docs/guide.md) [b](docs/guide.md#near-field) [c](docs/) [d](https://x.y/z)\n\
                    [e](mailto:a@b.c) [f]\n\n[f]: docs/guide.md#near-field\n";
        let up = ("docs/theory/m2l.md", "[up](../guide.md) [root](../../README.md)\n");
        assert!(lines(check, &[("README.md", good), GUIDE, up]).is_empty());
    }

    #[test]
    fn dead_links_are_found_at_their_line() {
        for bad in ["[a](guide.md)", "[a](docs/guide.md#far-field)", "[a](../x.md)", "[a]: gone.md"]
        {
            let text = format!("# Title\n\n{bad}\n");
            let found = lines(check, &[("README.md", &text), GUIDE]);
            assert_eq!(found, [("README.md".into(), 3)], "{bad}");
        }
    }
}

//! Relative links in Markdown lead to a file of the workspace, and their anchors to a heading.

use super::Finding;
use crate::links::{leads_out, resolve};
use crate::markdown::{anchors, links};
use crate::tidy::reading::source::{Source, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_extension(".md").flat_map(|source| check_file(tree, source)).collect()
}

fn check_file(tree: &Tree, source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, target) in links(&source.text) {
        if leads_out(&target) {
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

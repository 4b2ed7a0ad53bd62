//! Targets of links, in pages and in the finished book.

/// Whether a target has a scheme, such as `https:` or `mailto:`, and so leads out of the files at hand.
pub(crate) fn leads_out(target: &str) -> bool {
    target.split(['/', '#']).next().is_some_and(|start| start.contains(':'))
}

/// The path that a link on a page means, both from the same root; `None` if it leads above that root.
pub(crate) fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_from_their_page() {
        assert_eq!(resolve("guide/a.md", "../theory/b.md").unwrap(), "theory/b.md");
        assert_eq!(resolve("a.md", "./guide/").unwrap(), "guide");
        assert_eq!(resolve("a.md", "../README.md"), None);
    }
}

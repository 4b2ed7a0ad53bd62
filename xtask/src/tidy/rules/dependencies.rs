//! Every dependency on a package of others is listed once, in the root manifest, and has its reason in CONTRIBUTING.md.

use super::Finding;
use crate::tidy::reading::source::{Source, Tree};

/// Page with a table of the packages.
const PAGE: &str = "docs/CONTRIBUTING.md";

/// Heading of the section that holds the table.
const SECTION: &str = "## Dependencies";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let (Some(root), Some(page)) = (tree.get("Cargo.toml"), tree.get(PAGE)) else {
        return Vec::new();
    };
    let (used, explained) = (listed(&root.text), explained(&page.text));
    let mut findings = Vec::new();
    for &(line, name) in &used {
        if !explained.iter().any(|(_, known)| *known == name) {
            findings.push(finding(
                "Cargo.toml",
                line,
                format!("the dependency {name} has no reason"),
                format!("add a row to the table of {PAGE}, or do without"),
            ));
        }
    }
    for &(line, name) in &explained {
        if !used.iter().any(|(_, known)| *known == name) {
            let what = format!("{name} is no dependency");
            findings.push(finding(PAGE, line, what, "delete the row".into()));
        }
    }
    let members = tree.with_extension("/Cargo.toml").filter(|manifest| is_member(manifest));
    findings.extend(members.flat_map(own_versions));
    findings
}

/// Manifests outside of the workspace name their versions themselves.
fn is_member(manifest: &Source) -> bool {
    !["fuzz/", "xtask/downstream/"].iter().any(|folder| manifest.path.starts_with(folder))
}

/// Dependencies of a member with a version of its own.
fn own_versions(manifest: &Source) -> Vec<Finding> {
    let entries = entries(&manifest.text, |table| table.ends_with("dependencies"));
    let own = entries.filter(|(_, _, rest)| !rest.contains("workspace") && !rest.contains("path"));
    let told = |(line, name, _): (usize, &str, &str)| {
        let what = format!("the version of {name} stands here");
        finding(&manifest.path, line, what, "move it to the root Cargo.toml".into())
    };
    own.map(told).collect()
}

fn finding(path: &str, line: usize, what: String, cure: String) -> Finding {
    Finding { path: path.into(), line, what, cure }
}

/// Packages of others in `[workspace.dependencies]`, each with its line.
fn listed(manifest: &str) -> Vec<(usize, &str)> {
    entries(manifest, |table| table == "workspace.dependencies")
        .filter(|(_, _, rest)| !rest.contains("path ="))
        .map(|(line, name, _)| (line, name))
        .collect()
}

/// Entries of the tables that `wanted` picks: line, key, and all behind the key.
fn entries(
    manifest: &str,
    wanted: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut inside = false;
    manifest.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            inside = wanted(table.trim_end_matches(']'));
            return None;
        }
        let end = line.find(['.', '=', ' '])?;
        (inside && !line.starts_with('#')).then(|| (index + 1, &line[..end], &line[end..]))
    })
}

/// Names in the first column of the section's table, in backquotes, each with its line.
fn explained(page: &str) -> Vec<(usize, &str)> {
    let lines = page.lines().enumerate();
    let section = lines.skip_while(|(_, line)| *line != SECTION).skip(1);
    let section = section.take_while(|(_, line)| !line.starts_with("## "));
    section
        .filter_map(|(index, line)| {
            let (name, _) = line.strip_prefix("| `")?.split_once('`')?;
            Some((index + 1, name))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const ROOT: &str = "[workspace]\nmembers = []\n[workspace.dependencies]\n\
        own = { package = \"a-own\", path = \"own\" }\nrayon = \"1\"\nzip = { version = \"9\" }\n\
        [profile.dev]\nopt-level = 2\n";

    #[test]
    fn reasons_and_dependencies_match() {
        let page = "# A\n\n## Dependencies\n\n| package | reason |\n|---|---|\n| `rayon` | threads |\n\
            | `gone` | none |\n\n## B\n\n| `other` | x |\n";
        let found = lines(check, &[("Cargo.toml", ROOT), (PAGE, page)]);
        assert_eq!(found, [("Cargo.toml".into(), 6), (PAGE.into(), 8)]);
    }

    #[test]
    fn members_take_versions_from_the_root() {
        let member = "[package]\nname = \"a\"\n[dependencies]\nrayon.workspace = true\n\
            b = { path = \"../b\" }\n[dev-dependencies]\nserde = \"1\"\n[[bench]]\nname = \"x\"\n";
        let page = "## Dependencies\n| `rayon` | r |\n| `zip` | z |\n";
        let files = [("Cargo.toml", ROOT), (PAGE, page), ("crates/a/Cargo.toml", member)];
        assert_eq!(lines(check, &files), [("crates/a/Cargo.toml".into(), 7)]);
        let outside = [("Cargo.toml", ROOT), (PAGE, page), ("fuzz/Cargo.toml", member)];
        assert!(lines(check, &outside).is_empty());
    }
}

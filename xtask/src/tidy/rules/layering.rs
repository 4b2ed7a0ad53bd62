//! Dependencies between crates point down the layers, as read from the manifests. Development dependencies are free.

use super::Finding;
use crate::tidy::reading::source::{Source, Tree};

/// Each library or command with the workspace crates that it may depend on; `None` is all.
const LAYERS: [(&str, Option<&[&str]>); 14] = [
    ("lanes", Some(&[])),
    ("parallel", Some(&[])),
    ("distributed", Some(&[])),
    ("octree", Some(&["parallel"])),
    ("formats", Some(&[])),
    ("expansions", Some(&["lanes"])),
    ("kernels-gpu", Some(&["octree", "expansions"])),
    ("fmm", Some(&["distributed", "lanes", "octree", "expansions", "kernels-gpu", "parallel"])),
    ("nbody", Some(&[])),
    ("pictures", Some(&["formats", "parallel"])),
    (
        "farfield",
        Some(&[
            "distributed",
            "expansions",
            "fmm",
            "formats",
            "kernels-gpu",
            "nbody",
            "octree",
            "parallel",
            "pictures",
        ]),
    ),
    ("reference", Some(&["lanes"])),
    ("testbed", None),
    ("conformance", Some(&[])),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests: Vec<(&str, &Source)> =
        tree.with_extension("/Cargo.toml").filter_map(|m| Some((crate_name(m)?, m))).collect();
    let mut findings = Vec::new();
    for &(name, manifest) in &manifests {
        let finding = |line, what, cure| Finding { path: manifest.path.clone(), line, what, cure };
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            findings.push(finding(
                1,
                format!("the crate {name} has no layer"),
                "add it to LAYERS in xtask/src/tidy/rules/layering.rs and to docs/ARCHITECTURE.md"
                    .into(),
            ));
            continue;
        };
        let Some(allowed) = allowed else { continue };
        for (line, dependency) in dependencies(&manifest.text) {
            let known = manifests.iter().any(|&(member, _)| member == dependency);
            if known && !allowed.contains(&dependency) {
                let allowed = if allowed.is_empty() { "none".into() } else { allowed.join(", ") };
                findings.push(finding(
                    line,
                    format!("{name} depends on {dependency}"),
                    format!("of the workspace's crates it may use: {allowed}; move the code up"),
                ));
            }
        }
    }
    findings
}

/// The crate of a manifest directly below `crates/`, or the device code; both are named as their folders.
fn crate_name(manifest: &Source) -> Option<&str> {
    let folder = manifest.path.strip_suffix("/Cargo.toml")?;
    let name = if folder == "kernels-gpu" { folder } else { folder.strip_prefix("crates/")? };
    (!name.contains('/')).then_some(name)
}

/// The normal and build dependencies of a manifest, each with its line.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut listed = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            let is_list = |t: &str| t.ends_with("dependencies") && !t.ends_with("dev-dependencies");
            listed = is_list(table);
            if let Some((list, name)) = table.rsplit_once('.')
                && is_list(list)
            {
                found.push((index + 1, name));
            }
        } else if listed && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            if !name.is_empty() {
                found.push((index + 1, name));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    const OCTREE: (&str, &str) = ("crates/octree/Cargo.toml", "[package]\nname = \"octree\"\n");

    #[test]
    fn every_way_to_write_a_dependency_is_read() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\n# no\n\
                        c = { path = \"../c\" }\n[dependencies.d]\npath = \"../d\"\n\
                        [target.'cfg(unix)'.dependencies]\ne=\"1\"\n[build-dependencies]\nf = \"1\"\n\
                        [dev-dependencies]\ng = \"1\"\n[dev-dependencies.h]\nversion = \"1\"\n";
        let expected = [(4, "b"), (6, "c"), (7, "d"), (10, "e"), (12, "f")];
        assert_eq!(dependencies(manifest), expected);
    }

    #[test]
    fn arrows_point_down_only() {
        let up = ("crates/lanes/Cargo.toml", "[dependencies]\noctree.workspace = true\n");
        assert_eq!(lines(check, &[OCTREE, up]), [("crates/lanes/Cargo.toml".into(), 2)]);
        let down =
            ("crates/fmm/Cargo.toml", "[dependencies]\noctree.workspace = true\nrayon = \"1\"\n");
        let free = ("crates/testbed/Cargo.toml", "[dependencies]\noctree.workspace = true\n");
        let tests = ("crates/lanes/Cargo.toml", "[dev-dependencies]\noctree.workspace = true\n");
        assert!(lines(check, &[OCTREE, down, free, tests]).is_empty());
        let device =
            "[target.'cfg(unix)'.dependencies]\noctree.workspace = true\nfmm.workspace = true\n";
        let device = ("kernels-gpu/Cargo.toml", device);
        assert_eq!(lines(check, &[OCTREE, down, device]), [("kernels-gpu/Cargo.toml".into(), 3)]);
    }

    #[test]
    fn a_new_crate_needs_a_layer() {
        let new = ("crates/rings/Cargo.toml", "[package]\nname = \"rings\"\n");
        assert_eq!(lines(check, &[new]), [("crates/rings/Cargo.toml".into(), 1)]);
        assert!(lines(check, &[("benches/Cargo.toml", "[dependencies]\n")]).is_empty());
    }
}

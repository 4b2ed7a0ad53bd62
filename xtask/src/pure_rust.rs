//! With default features nothing but Rust is compiled: no package in the dependency tree builds
//! or looks for a C library.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::workspace;

/// Packages that build scripts call C compilers and system libraries with.
const NATIVE: [&str; 6] = ["autotools", "bindgen", "cc", "cmake", "pkg-config", "vcpkg"];

/// Reads the dependency tree of this machine's target and names who brings a native package in.
pub(crate) fn run() -> Result<(), Error> {
    let tree = ["tree", "--workspace", "--prefix", "none", "--format", "{p}"];
    let tree = workspace::capture(workspace::cargo(&tree), "pure Rust")?;
    let found = native(&tree);
    if found.is_empty() { Ok(()) } else { Err(Error::Native { packages: found.join(", ") }) }
}

/// The native packages among the lines of `cargo tree`, each once.
fn native(tree: &str) -> Vec<&str> {
    let names: BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.into_iter().filter(|name| NATIVE.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_packages_are_named_once() {
        let tree =
            "formats v0.1.0 (/x/formats)\ncsv v1.4.0\nzstd-sys v2.0.0\ncc v1.2.0\ncc v1.2.0\n";
        assert_eq!(native(tree), ["cc"]);
        assert!(native("formats v0.1.0\nccc v1.0.0\n").is_empty());
    }
}

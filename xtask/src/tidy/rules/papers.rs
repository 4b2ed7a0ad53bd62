//! Reproductions of papers serve tests and the test bed: no product path names the module `papers`.

use super::Finding;
use crate::tidy::reading::source::{Source, Tree};

/// The module, and the folder of its files.
const PAPERS: &str = "papers";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in tree.rust().filter(|source| is_product(source)) {
        for (at, token) in source.library_code() {
            let declared = at > 0 && source.code.text(at - 1) == "mod";
            if token.text == PAPERS && !declared {
                findings.push(Finding {
                    path: source.path.clone(),
                    line: token.line,
                    what: format!("product code names `{PAPERS}`"),
                    cure: "move what both need out of the folder; the product depends on no reproduction"
                        .into(),
                });
            }
        }
    }
    findings
}

/// Sources of the product: not of the test bed, and in no folder of reproductions.
fn is_product(source: &Source) -> bool {
    let mut folders = source.path.split('/');
    let is_library = source.path.starts_with("crates/") || source.path.starts_with("kernels-gpu/");
    is_library
        && source.path.contains("/src/")
        && !source.path.starts_with("crates/testbed/")
        && folders.all(|folder| folder != PAPERS)
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn the_product_names_no_reproduction() {
        let (path, bad) =
            ("kernels-gpu/src/operators/driver.rs", "//! A.\nuse crate::papers::dense::dense;\n");
        assert_eq!(lines(check, &[(path, bad)]), [(path.into(), 2)]);
        let grouped = "//! A.\nuse octree::{Octree, papers};\n";
        assert_eq!(lines(check, &[("crates/fmm/src/cpu/a.rs", grouped)]).len(), 1);
    }

    #[test]
    fn reproductions_tests_and_the_test_bed_do() {
        let good = "//! A.\nuse octree::papers::walk::Links;\n";
        for path in [
            "kernels-gpu/src/papers/links/driver.rs",
            "kernels-gpu/tests/suite/links.rs",
            "crates/testbed/src/bin/papers/main.rs",
        ] {
            assert!(lines(check, &[(path, good)]).is_empty(), "{path}");
        }
        let root = "//! See [`papers`].\npub mod papers;\n#[cfg(test)]\nmod tests { use crate::papers::grid; }\n";
        assert!(lines(check, &[("crates/octree/src/lib.rs", root)]).is_empty());
    }
}

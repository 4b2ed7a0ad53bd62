//! Words that a crate's code does not contain, because its layer has no such thing.

use super::Finding;
use crate::tidy::reading::source::Tree;

/// A layer and what it is free of.
struct Absence {
    /// Folder in which the rule holds.
    inside: &'static str,
    /// Except here.
    except: &'static [&'static str],
    /// Identifiers, or their parts between underscores, in lower case.
    words: &'static [&'static str],
    cure: &'static str,
}

const ABSENCES: [Absence; 4] = [
    Absence {
        inside: "crates/octree/src/",
        except: &[],
        words: &["charge", "charges", "coefficient", "coefficients", "kernel", "multipole"],
        cure: "the tree is geometry only; do this in fmm",
    },
    Absence {
        inside: "crates/expansions/src/",
        except: &[],
        words: &["octree", "morton"],
        cure: "the operators know no tree; do this in fmm",
    },
    Absence {
        inside: "",
        except: &["kernels-gpu/", "crates/fmm/src/gpu/", "xtask/"],
        words: &["cudarc", "cust", "ptx"],
        cure: "CUDA stays in kernels-gpu and in the gpu folder of fmm",
    },
    Absence {
        inside: "",
        except: &["crates/distributed/", "crates/farfield/src/command/launch.rs", "xtask/"],
        words: &["mpi"],
        cure: "MPI stays in the crate distributed; the command meets it in launch.rs alone",
    },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for absence in &ABSENCES {
        for source in tree.rust().filter(|source| absence.holds_in(&source.path)) {
            for (_, token) in source.library_code().filter(|(_, token)| token.is_word()) {
                if let Some(part) = absence.found_in(&token.text) {
                    findings.push(Finding {
                        path: source.path.clone(),
                        line: token.line,
                        what: format!("`{}` says `{part}`", token.text),
                        cure: absence.cure.into(),
                    });
                }
            }
        }
    }
    findings
}

impl Absence {
    /// The word that is a part of an identifier.
    fn found_in(&self, name: &str) -> Option<&str> {
        let mut parts = name.split('_');
        parts
            .find_map(|part| self.words.iter().find(|word| part.eq_ignore_ascii_case(word)))
            .copied()
    }

    fn holds_in(&self, path: &str) -> bool {
        path.starts_with(self.inside) && !self.except.iter().any(|folder| path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    #[test]
    fn a_tree_without_charges_passes() {
        let good = "//! No charge here.\nfn recharge(count: usize) {}\n\
                    #[cfg(test)]\nmod tests { fn charges() {} }\n";
        assert!(lines(check, &[("crates/octree/src/lib.rs", good)]).is_empty());
        let bad = "//! A.\nfn gather(point_charges: &[f64]) {}\n";
        let found = lines(check, &[("crates/octree/src/lib.rs", bad)]);
        assert_eq!(found, [("crates/octree/src/lib.rs".into(), 2)]);
        assert!(lines(check, &[("crates/fmm/src/lib.rs", bad)]).is_empty());
    }

    #[test]
    fn device_and_process_bindings_stay_in_their_folder() {
        let bad = "//! A.\nuse cudarc::driver;\nuse mpi::traits::*;\n";
        assert_eq!(lines(check, &[("crates/fmm/src/passes.rs", bad)]).len(), 2);
        assert_eq!(lines(check, &[("crates/fmm/src/gpu/plan.rs", bad)]).len(), 1);
        assert_eq!(lines(check, &[("crates/distributed/src/lib.rs", bad)]).len(), 1);
    }
}

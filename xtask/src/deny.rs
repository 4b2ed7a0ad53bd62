//! Licences and sources of the packages of others: by `cargo-deny` where it is installed, and always by the lists of
//! deny.toml and cargo's own tree, which need no network.

use std::fs;

use crate::error::Error;
use crate::workspace;

/// Checks every package of every feature on every platform.
pub(crate) fn run() -> Result<(), Error> {
    let path = workspace::root().join("deny.toml");
    let rules = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
    let tree = ["tree", "--workspace", "--all-features", "--target=all", "--prefix=none"];
    let mut command = workspace::cargo(&tree);
    command.args(["--edges=all", "--format={p}|{l}"]);
    let tree = workspace::capture(command, "dependencies")?;
    let refused = refused(&tree, &allowed(&rules));
    if !refused.is_empty() {
        return Err(Error::Refused { packages: refused.join(", ") });
    }
    if workspace::capture_quietly("cargo", &["deny", "--version"]).is_none() {
        eprintln!("SKIPPED: advisories, as there is no cargo-deny (cargo install cargo-deny)");
        return Ok(());
    }
    let sure = ["deny", "check", "licenses", "bans", "sources"];
    workspace::execute(workspace::cargo(&sure), "cargo deny")?;
    // The list of advisories comes from the network, which not every machine has.
    if workspace::execute(workspace::cargo(&["deny", "fetch", "db"]), "advisories").is_err() {
        eprintln!("SKIPPED: advisories, as their list cannot be fetched");
        return Ok(());
    }
    workspace::execute(workspace::cargo(&["deny", "check", "advisories"]), "advisories")
}

/// Licences that deny.toml allows.
fn allowed(rules: &str) -> Vec<&str> {
    let licences = rules.split_once("[licenses]").map_or("", |(_, rest)| rest);
    let list = licences.split_once("allow = [").map_or("", |(_, rest)| rest);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    list.split(',')
        .map(|name| name.trim().trim_matches('"'))
        .filter(|name| !name.is_empty())
        .collect()
}

/// Packages whose licence is not allowed, or whose source is neither this workspace nor the registry.
fn refused(tree: &str, allowed: &[&str]) -> Vec<String> {
    let mut refused = Vec::new();
    for (package, licence) in tree.lines().filter_map(|line| line.split_once('|')) {
        let package = package.trim_end_matches(" (proc-macro)");
        let licence = licence.trim_end_matches(" (*)");
        let from_git = package.contains("://");
        if from_git || !is_allowed(licence, allowed) {
            refused.push(format!("{package} ({licence})"));
        }
    }
    refused.sort();
    refused.dedup();
    refused
}

/// Whether one of the licences to choose from is allowed; all that are joined by AND have to be.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let flat = expression.replace(" AND ", "&").replace(['(', ')'], "");
    flat.split('&').all(|part| {
        // Older manifests write a slash for OR.
        part.replace('/', " OR ").split(" OR ").any(|licence| allowed.contains(&licence.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: [&str; 3] = ["MIT", "Apache-2.0", "Unicode-3.0"];

    #[test]
    fn expressions_offer_choices() {
        for good in ["MIT", "GPL-3.0 OR MIT", "Zlib/MIT", "(MIT OR Zlib) AND Unicode-3.0"] {
            assert!(is_allowed(good, &ALLOWED), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "Zlib OR GPL-2.0"] {
            assert!(!is_allowed(bad, &ALLOWED), "{bad}");
        }
    }

    #[test]
    fn strangers_are_named_once() {
        let tree = "a v1.0.0|MIT\nb v2.0.0 (proc-macro)|GPL-3.0\nb v2.0.0 (proc-macro)|GPL-3.0 (*)\n\
                    c v0.1.0 (https://example.org/c#abc)|MIT\nd v0.1.0 (/work/d)|MIT\n\n";
        let found = refused(tree, &ALLOWED);
        assert_eq!(found, ["b v2.0.0 (GPL-3.0)", "c v0.1.0 (https://example.org/c#abc) (MIT)"]);
    }

    #[test]
    fn the_list_of_licences_is_read() {
        let rules = fs::read_to_string(workspace::root().join("deny.toml")).unwrap();
        assert!(allowed(&rules).contains(&"MIT") && allowed(&rules).len() > 3);
    }
}

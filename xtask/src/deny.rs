//! Licences, sources, duplicates and advisories of the packages of others, by `cargo-deny` and the rules of deny.toml.

use crate::error::Error;
use crate::workspace;

/// Checks that need no list of advisories.
const OWN: [&str; 5] = ["deny", "check", "licenses", "bans", "sources"];

/// Checks every package of every feature on every platform.
pub(crate) fn run() -> Result<(), Error> {
    if !is_installed() {
        return Err(Error::NoCargoDeny);
    }
    workspace::execute(workspace::cargo(&OWN), "cargo deny")?;
    // The list of advisories comes from the network, which not every machine has.
    if workspace::execute(workspace::cargo(&["deny", "fetch", "db"]), "advisories").is_err() {
        eprintln!("SKIPPED: advisories, as their list cannot be fetched");
        return Ok(());
    }
    workspace::execute(workspace::cargo(&["deny", "check", "advisories"]), "advisories")
}

/// Checks the packages where there is `cargo-deny`, or says that it is missing.
pub(crate) fn run_if_possible() -> Result<(), Error> {
    if is_installed() {
        return run();
    }
    eprintln!("SKIPPED: packages of others ({})", Error::NoCargoDeny);
    Ok(())
}

fn is_installed() -> bool {
    workspace::capture_quietly("cargo", &["deny", "--version"]).is_some()
}

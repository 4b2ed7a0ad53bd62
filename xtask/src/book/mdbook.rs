//! The program `mdbook`: found, or installed below `target`, because a dependency would slow down every build.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::workspace;

/// Version that is installed; others of the same series will do.
const VERSION: &str = "0.5.4";

/// Series of versions that read `docs/book.toml`.
const SERIES: &str = "mdbook v0.5.";

/// `mdbook` from PATH or from `target/tools`, or installed there by cargo.
pub(super) fn found_or_installed() -> Result<PathBuf, Error> {
    let tools = workspace::target().join("tools");
    let installed = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    if let Some(found) = [PathBuf::from("mdbook"), installed.clone()].into_iter().find(is_fit) {
        return Ok(found);
    }
    // Unoptimised, because it builds in half the time and the book in seconds.
    let mut install =
        workspace::cargo(&["install", "mdbook", "--version", VERSION, "--locked", "--debug"]);
    install.args(["--no-default-features", "--features=search", "--root"]).arg(&tools);
    workspace::execute(install, "installing mdbook")?;
    Ok(installed)
}

fn is_fit(program: &PathBuf) -> bool {
    workspace::capture_quietly(program, &["--version"])
        .is_some_and(|version| version.starts_with(SERIES))
}

/// Builds the book of staged pages.
pub(super) fn build(mdbook: &Path, pages: &Path, html: &Path) -> Result<(), Error> {
    let mut command = Command::new(mdbook);
    command.args([
        OsStr::new("build"),
        pages.as_os_str(),
        OsStr::new("--dest-dir"),
        html.as_os_str(),
    ]);
    let status = command
        .status()
        .map_err(|source| Error::Start { program: mdbook.display().to_string(), source })?;
    let rerun = "cargo xtask book".to_owned();
    if status.success() { Ok(()) } else { Err(Error::Step { step: "mdbook", rerun }) }
}

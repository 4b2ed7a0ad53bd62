//! `cargo xtask accuracy`: the table of measured errors in `docs/accuracy.md`, made anew.
//!
//! The `accuracy` program of the `testbed` crate measures and prints the whole page as Markdown.

use std::fs;

use crate::error::Error;
use crate::workspace;

/// Measures, and replaces the page only when the measurement succeeded.
pub(crate) fn run() -> Result<(), Error> {
    let program = ["run", "--release", "--package", "testbed", "--bin", "accuracy"];
    let page = workspace::capture(workspace::cargo(&program), "accuracy")?;
    if page.trim().is_empty() {
        return Err(Error::NoTable);
    }
    let path = workspace::root().join("docs").join("accuracy.md");
    fs::write(&path, page).map_err(|source| Error::File { path: path.clone(), source })?;
    println!("wrote {}", path.display());
    Ok(())
}

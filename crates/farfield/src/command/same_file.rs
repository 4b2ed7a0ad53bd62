//! An output that is an input.

use std::fs;
use std::path::Path;

use super::error::Error;

/// The path that stands for stdin.
pub(crate) const STDIN: &str = "-";

/// Refuses an output that is one of the inputs, also by way of links.
pub(crate) fn refuse(output: &Path, inputs: &[&Path]) -> Result<(), Error> {
    match inputs.iter().find(|input| is_same(output, input)) {
        Some(_) => Err(Error::OutputIsInput { output: output.to_owned() }),
        None => Ok(()),
    }
}

fn is_same(output: &Path, input: &Path) -> bool {
    let input = if input == Path::new(STDIN) { Path::new("/dev/stdin") } else { input };
    match (identity(output), identity(input)) {
        (Some(output), Some(input)) => output == input,
        _ => false,
    }
}

/// Device and number of a file: hard links share both.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    fs::canonicalize(path).ok()
}

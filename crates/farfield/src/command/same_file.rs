//! An output that is an input, and paths that stand for stdin and stdout.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::Error;

/// The path that stands for stdin, or for stdout.
pub(crate) const STDIN: &str = "-";

/// Refuses stdin where files alone are read.
pub(crate) fn refuse_stdin<'a>(inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
    match inputs.into_iter().any(|input| input == Path::new(STDIN)) {
        true => Err(Error::Stdin),
        false => Ok(()),
    }
}

/// Refuses stdout as the place of an output.
pub(crate) fn refuse_stdout(output: &Path) -> Result<(), Error> {
    if output == Path::new(STDIN) { Err(Error::Stdout) } else { Ok(()) }
}

/// Refuses an output that is stdout or one of the inputs, also by way of links.
pub(crate) fn refuse(output: &Path, inputs: &[&Path]) -> Result<(), Error> {
    refuse_stdout(output)?;
    Inputs::of(inputs).refuse(output)
}

/// The files that are read, known by their identities: many outputs are compared with many inputs.
pub(crate) struct Inputs(HashSet<Identity>);

impl Inputs {
    /// The identities of the inputs that exist.
    pub(crate) fn of(inputs: &[&Path]) -> Inputs {
        let stdin = Path::new("/dev/stdin");
        let path = |&input: &&Path| identity(if input == Path::new(STDIN) { stdin } else { input });
        Inputs(inputs.iter().filter_map(path).collect())
    }

    /// Refuses an output that is one of the inputs, also by way of links.
    pub(crate) fn refuse(&self, output: &Path) -> Result<(), Error> {
        match identity(output) {
            Some(identity) if self.0.contains(&identity) => {
                Err(Error::OutputIsInput { output: output.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// The path at the end of links, also where the file or its folder is missing: outputs of one place replace each other.
pub(crate) fn place(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.as_os_str().is_empty() => {
            place(Path::new(".")).join(name)
        }
        (Some(folder), Some(name)) => place(folder).join(name),
        _ => path.to_owned(),
    })
}

/// Device and number of a file: hard links share both.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::canonicalize(path).ok()
}

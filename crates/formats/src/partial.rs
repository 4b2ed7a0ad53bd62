//! A file that appears under its name only when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A file beside its destination, removed unless [`Partial::complete`] renames it.
pub(crate) struct Partial {
    temporary: PathBuf,
    destination: PathBuf,
    kept: bool,
}

impl Partial {
    /// Creates `.NAME.PID-K.partial` in the folder of the destination, so that renaming is atomic.
    pub(crate) fn create(destination: &Path) -> io::Result<(Partial, File)> {
        let name = destination.file_name().unwrap_or_default().to_string_lossy();
        let process = std::process::id();
        let mut attempt = 0;
        loop {
            let temporary =
                destination.with_file_name(format!(".{name}.{process}-{attempt}.partial"));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let destination = destination.to_owned();
                    return Ok((Partial { temporary, destination, kept: false }, file));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Gives the file its name, replacing what had it.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.destination)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing can be done about a failure here; the write already reports one.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

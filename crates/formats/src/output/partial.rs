//! A file that appears under its name only when it is complete.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{At, Error, Fault};

/// The partial files of this process, for the end by a signal.
static PARTIAL_FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the files that are being written in this process. A program that ends by a signal calls this function and then
/// exits: as long as the result lives, no thread begins or completes a file.
pub fn remove_partial_files() -> WritingStopped {
    let mut files = partial_files();
    for file in files.drain(..) {
        // Nothing can be done about a failure here.
        let _ = fs::remove_file(file);
    }
    WritingStopped(files)
}

/// Proof that no file is begun or completed in this process; see [`remove_partial_files`].
#[must_use = "writing goes on when this is dropped"]
pub struct WritingStopped(#[expect(dead_code, reason = "held")] MutexGuard<'static, Vec<PathBuf>>);

impl fmt::Debug for WritingStopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WritingStopped")
    }
}

fn partial_files() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTIAL_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file of any content that appears under its name when it is complete; until then it is removed when it is dropped,
/// and by [`remove_partial_files`].
///
/// ```
/// use std::io::Write;
///
/// let path = std::env::temp_dir().join(format!("partial-{}.txt", std::process::id()));
/// let mut file = formats::PartialFile::create(&path)?;
/// file.write_all(b"complete, or not there")?;
/// assert!(!path.exists());
/// file.complete()?;
/// assert!(path.exists());
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PartialFile {
    path: PathBuf,
    partial: Partial,
    output: BufWriter<File>,
}

impl PartialFile {
    /// Begins a file beside its destination.
    ///
    /// # Errors
    /// A folder that is missing or not writable, and a path that names no file or a protected one.
    pub fn create(path: impl AsRef<Path>) -> Result<PartialFile, Error> {
        let path = path.as_ref().to_owned();
        match Partial::create(&path) {
            Ok((partial, file)) => Ok(PartialFile { path, partial, output: BufWriter::new(file) }),
            Err(fault) => Err(At::from(fault).of(&path)),
        }
    }

    /// Gives the file its name, replacing what had it.
    ///
    /// # Errors
    /// Failures to write what is left, and to rename; then nothing is left of the file.
    pub fn complete(self) -> Result<(), Error> {
        let PartialFile { path, partial, output } = self;
        let complete = || output.into_inner()?.sync_all().and_then(|()| partial.complete());
        complete().map_err(|error| At::from(Fault::Write(error)).of(&path))
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl fmt::Debug for PartialFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PartialFile").field(&self.path).finish()
    }
}

/// A file beside its destination, removed unless [`Partial::complete`] renames it.
pub(crate) struct Partial {
    temporary: PathBuf,
    destination: PathBuf,
    kept: bool,
}

impl Partial {
    /// Creates `.NAME.PID-K.partial` in the folder of the destination, so that renaming is atomic. Who may read a file that is
    /// replaced may read this one.
    pub(crate) fn create(destination: &Path) -> Result<(Partial, File), Fault> {
        let begin = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let (partial, file) = Self::begin(destination, begin)?;
        if let Ok(replaced) = fs::metadata(&partial.destination) {
            // A file system without permissions refuses this, and has none to keep.
            let _ = file.set_permissions(replaced.permissions());
        }
        Ok((partial, file))
    }

    /// A second name of this file, beside another destination: a hard link, which few file systems have none of.
    pub(crate) fn linked(&self, destination: &Path) -> Result<Partial, Fault> {
        let link = |path: &Path| fs::hard_link(&self.temporary, path);
        Ok(Self::begin(destination, link)?.0)
    }

    /// Begins a file under a name beside its destination that nothing has.
    fn begin<F>(
        destination: &Path,
        begin: impl Fn(&Path) -> io::Result<F>,
    ) -> Result<(Partial, F), Fault> {
        let destination = resolve(destination)?;
        let name = destination.file_name().unwrap_or_default().to_string_lossy();
        // Names have 255 bytes at most.
        let name: String = name.chars().take(40).collect();
        let process = std::process::id();
        let mut files = partial_files();
        let mut attempt = 0;
        loop {
            let temporary =
                destination.with_file_name(format!(".{name}.{process}-{attempt}.partial"));
            match begin(&temporary) {
                Ok(file) => {
                    files.push(temporary.clone());
                    return Ok((Partial { temporary, destination, kept: false }, file));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => {
                    attempt += 1;
                }
                Err(e) => return Err(Fault::Write(e)),
            }
        }
    }

    /// Gives the file its name, replacing what had it.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        let _files = partial_files();
        fs::rename(&self.temporary, &self.destination)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        partial_files().retain(|file| *file != self.temporary);
        if !self.kept {
            // Nothing can be done about a failure here; the write already reports one.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The path that will be written, at the end of links; refuses what is there and must not be replaced.
fn resolve(destination: &Path) -> Result<PathBuf, Fault> {
    let names_folder = destination.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
    if names_folder {
        return Err(Fault::NotAFile);
    }
    match fs::symlink_metadata(destination) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(destination.to_owned()),
        Err(error) => Err(Fault::Write(error)),
        Ok(_) => {
            let resolved = fs::canonicalize(destination).map_err(|_| Fault::NotAFile)?;
            let metadata = fs::metadata(&resolved).map_err(Fault::Write)?;
            match metadata.is_file() {
                false => Err(Fault::NotAFile),
                true if metadata.permissions().readonly() => Err(Fault::Protected),
                true => Ok(resolved),
            }
        }
    }
}

//! The files of a run, and the order in which they are written.
//!
//! At each output: the table of diagnostics, then the snapshot, then the state. Each replaces its predecessor as a whole. So
//! whatever the state has, the other files have too, and a run that goes on from the state writes what may be newer again.
//! Snapshot and state get their names in this order. They are one file where the format is the state's, else they are written
//! side by side.

use std::fs;
use std::io::ErrorKind;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, Builder};

use formats::{PartialSnapshot, Snapshot, read_snapshot, write_text};

use super::Error;
use super::diagnostics::Table;
use super::settings::Settings;

const SETTINGS: &str = "run.txt";
/// The state has a folder of its own, so that `*.npz` names the snapshots alone.
const RESUME: &str = "resume";
const STATE: &str = "state.npz";
const DIAGNOSTICS: &str = "diagnostics.csv";

/// The folder of a run.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn state_path(&self) -> PathBuf {
        self.path.join(RESUME).join(STATE)
    }

    /// Settings of the run in the folder, if a state was written there.
    pub(super) fn settings(&self) -> Result<Option<Settings>, Error> {
        let (path, state) = (self.path.join(SETTINGS), self.state_path());
        let damaged = |error: std::io::Error| Error::Damaged {
            path: path.clone(),
            what: format!("cannot be read ({error})"),
        };
        if !state.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(damaged)?;
        Settings::parse(&path, &text).map(Some)
    }

    /// Makes the folder and writes the settings.
    pub(super) fn create(&self, settings: &Settings) -> Result<(), crate::command::error::Error> {
        let refused = |source| Error::Folder { folder: self.path.clone(), source };
        fs::create_dir_all(&self.path).map_err(refused)?;
        fs::create_dir_all(self.path.join(RESUME)).map_err(refused)?;
        Ok(write_text(self.path.join(SETTINGS), &settings.text())?)
    }

    /// The state that was written last. Partial files of an earlier process are removed.
    pub(super) fn state(&self) -> Result<Snapshot, crate::command::error::Error> {
        self.clean();
        Ok(read_snapshot(self.state_path())?)
    }

    /// Refuses a state that is not that of the last row of the table: a snapshot that was changed in place is a state that was.
    pub(super) fn check_state(&self, is_of_last_row: bool) -> Result<(), Error> {
        let what = || format!("is not the state of the last row of {DIAGNOSTICS}");
        match is_of_last_row {
            true => Ok(()),
            false => Err(Error::Damaged { path: self.state_path(), what: what() }),
        }
    }

    /// The first rows of the table of diagnostics.
    pub(super) fn table(&self, rows: u64) -> Result<Table, Error> {
        let path = self.path.join(DIAGNOSTICS);
        let damaged = |what: String| Error::Damaged { path: path.clone(), what };
        match fs::read_to_string(&path) {
            Ok(text) => {
                Table::parse(&text, rows).ok_or_else(|| damaged(format!("fewer than {rows} rows")))
            }
            Err(error) => Err(damaged(format!("cannot be read ({error})"))),
        }
    }

    /// Writes an output.
    pub(super) fn write(
        &self,
        output: u64,
        extension: &str,
        table: &str,
        state: &Snapshot,
    ) -> Result<(), formats::Error> {
        let snapshot = self.path.join(format!("snapshot-{output:04}.{extension}"));
        write_text(self.path.join(DIAGNOSTICS), table)?;
        let state_path = self.state_path();
        let (snapshot, kept) = if state_path.extension().is_some_and(|of| of == extension) {
            let snapshot = PartialSnapshot::write(&snapshot, state)?;
            // A file system without links takes a copy.
            let link = snapshot.linked(&state_path);
            let kept = link.or_else(|_| PartialSnapshot::write(&state_path, state))?;
            (snapshot, kept)
        } else {
            thread::scope(|scope| {
                let write = || PartialSnapshot::write(&state_path, state);
                let begun = Builder::new().name("state".to_owned()).spawn_scoped(scope, write);
                let kept = begun.map_err(|error| formats::Error::writing(&self.path, error))?;
                let snapshot = PartialSnapshot::write(&snapshot, state);
                let kept = kept.join().unwrap_or_else(|panic| resume_unwind(panic));
                Ok::<_, formats::Error>((snapshot?, kept?))
            })?
        };
        snapshot.complete()?;
        kept.complete()
    }

    /// Removes partial files that a killed process left. A failure leaves them, which does no harm.
    fn clean(&self) {
        let folders = [self.path.clone(), self.path.join(RESUME)];
        let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok());
        for entry in entries.flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') && name.ends_with(".partial") {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return,
                    _ => (),
                }
            }
        }
    }
}

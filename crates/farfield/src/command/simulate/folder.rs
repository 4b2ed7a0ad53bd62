//! The files of a run, and the order in which they are written.
//!
//! At each output: the table of diagnostics, then the snapshot, then the state. Each replaces its predecessor as a whole. So
//! whatever the state has, the other files have too, and a run that goes on from the state writes what may be newer again.
//! Snapshot and state get their names in this order. They are one file where the format is the state's, else they are written
//! side by side.
//!
//! A run begins where no file has a name of its own, and keeps other runs away by a lock until it ends.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, Builder};

use formats::{PartialSnapshot, Snapshot, read_snapshot, write_text};

use super::Error;
use super::diagnostics::Table;
use super::settings::Settings;
use crate::command::same_file;

const SETTINGS: &str = "run.txt";
/// The state has a folder of its own, so that `*.npz` names the snapshots alone.
const RESUME: &str = "resume";
const STATE: &str = "state.npz";
/// The file in the folder of the state that a run locks.
const LOCK: &str = "lock";
const DIAGNOSTICS: &str = "diagnostics.csv";
/// Beginnings of the names of partial files.
const PARTIAL: [&str; 4] = [".run.txt.", ".diagnostics.csv.", ".snapshot-", ".state.npz."];

/// The folder of a run.
pub(super) struct Folder {
    path: PathBuf,
    /// The locked file; the lock ends with it.
    lock: Option<File>,
    begun: Option<Begun>,
}

/// The account of what [`Folder::begin`] made.
struct Begun {
    /// Whether the folder was not there.
    made: bool,
    extension: &'static str,
}

/// A new run, as its folder has to know it.
pub(super) struct NewRun<'a> {
    pub(super) input: &'a Path,
    pub(super) settings: &'a Settings,
    /// Whether a run of these settings that was killed before its first state may begin again.
    pub(super) again: bool,
}

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), lock: None, begun: None }
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

    /// Keeps other runs away from the folder as long as this value lives. Does nothing where no run has begun.
    pub(super) fn lock(&mut self) -> Result<(), crate::command::error::Error> {
        let resume = self.path.join(RESUME);
        if self.lock.is_some() || !resume.is_dir() {
            return Ok(());
        }
        let path = resume.join(LOCK);
        let file = File::options().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| formats::Error::writing(&path, error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Error::Locked { folder: self.path.clone() }.into());
        }
        // A file system without locks goes without.
        self.lock = Some(file);
        Ok(())
    }

    /// Refuses a run whose files would replace others.
    pub(super) fn check_free(&self, run: &NewRun<'_>) -> Result<(), Error> {
        if self.state_path().exists() {
            return Err(Error::Begun { folder: self.path.clone() });
        }
        let extension = run.settings.format.extension();
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| is_name_of_a_run(name, extension)).collect();
        names.sort();
        // Nothing replaces a folder.
        let paths = || names.iter().map(|name| self.path.join(name)).filter(|path| path.is_file());
        if paths().any(|path| same_file::refuse(&path, &[run.input]).is_err()) {
            return Err(Error::Input { path: run.input.to_owned() });
        }
        let text = fs::read_to_string(self.path.join(SETTINGS));
        let killed = run.again && text.is_ok_and(|text| text == run.settings.text());
        let own = if killed { self.first_files(extension).to_vec() } else { Vec::new() };
        match paths().find(|path| !own.contains(path)) {
            Some(path) => Err(Error::Occupied { path }),
            None => Ok(()),
        }
    }

    /// Files that are written before the first state.
    fn first_files(&self, extension: &str) -> [PathBuf; 3] {
        [SETTINGS, DIAGNOSTICS, &snapshot_name(0, extension)].map(|name| self.path.join(name))
    }

    /// Makes the folder, locks it, and writes the settings.
    pub(super) fn begin(&mut self, run: &NewRun<'_>) -> Result<(), crate::command::error::Error> {
        let (made, resume) = (!self.path.exists(), self.path.join(RESUME));
        let refused = |source| Error::Folder { folder: self.path.clone(), source };
        fs::create_dir_all(&self.path).map_err(refused)?;
        fs::create_dir_all(resume).map_err(refused)?;
        self.lock()?;
        // Another run may have been here since this one looked.
        self.check_free(run)?;
        self.begun = Some(Begun { made, extension: run.settings.format.extension() });
        self.clean();
        Ok(write_text(self.path.join(SETTINGS), &run.settings.text())?)
    }

    /// Removes what a new run wrote that failed before its first state.
    pub(super) fn abandon(&self) {
        let Some(Begun { made, extension }) = self.begun else {
            return;
        };
        if self.state_path().exists() {
            return;
        }
        let resume = self.path.join(RESUME);
        let lock = resume.join(LOCK);
        // The run has an error of its own to tell; folders with other files stay.
        for file in self.first_files(extension).iter().chain([&lock]) {
            let _ = fs::remove_file(file);
        }
        let _ = fs::remove_dir(resume);
        if made {
            let _ = fs::remove_dir(&self.path);
        }
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
        let snapshot = self.path.join(snapshot_name(output, extension));
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
            let of_a_run = PARTIAL.iter().any(|begin| name.starts_with(begin));
            if of_a_run && name.ends_with(".partial") {
                match fs::remove_file(entry.path()) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return,
                    _ => (),
                }
            }
        }
    }
}

fn snapshot_name(output: u64, extension: &str) -> String {
    format!("snapshot-{output:04}.{extension}")
}

/// Whether a run with snapshots of this extension may write a file of this name.
fn is_name_of_a_run(name: &str, extension: &str) -> bool {
    let snapshot = name.strip_suffix(extension).and_then(|name| name.strip_suffix('.'));
    let number = snapshot.and_then(|name| name.strip_prefix("snapshot-"));
    let is_number = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    [SETTINGS, DIAGNOSTICS].contains(&name) || number.is_some_and(is_number)
}

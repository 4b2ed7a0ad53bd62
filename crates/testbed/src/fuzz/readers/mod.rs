//! Damaged files for [`formats::read_points`] and [`formats::read_snapshot`].
//!
//! | file | what |
//! |---|---|
//! | `sound.rs` | small sound files of every format, from which damaged ones are made |
//! | `damage.rs` | the kinds of damage |

mod damage;
mod sound;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use formats::{
    Charges, Column, Error, Fault, PositionColumns, Selection, read_points, read_snapshot,
};

use super::{Dice, Failure, Kind, guarded};
pub use damage::damaged;
pub use sound::{Content, Sound, sound_files};

/// Name and bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Extension, such as `csv.gz`.
    pub extension: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Input {
    /// The bytes of a file; the extension is all behind the first dot of its name.
    ///
    /// # Errors
    ///
    /// The system's error of reading the file.
    pub fn from_file(path: &Path) -> std::io::Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let extension = name.split_once('.').map_or("", |(_, extension)| extension).to_owned();
        Ok(Self { extension, bytes: fs::read(path)? })
    }
}

/// Outcome of reading without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Points were read.
    Points,
    /// A typed error was returned.
    Refused,
}

/// Time within which a file of some kilobytes is read, on a busy machine.
const LONGEST: Duration = Duration::from_secs(2);

/// A folder for the files to read; it is deleted in the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty folder in memory where the system has such, named after the process and `name`.
    ///
    /// # Errors
    ///
    /// The system's error of making a folder.
    pub fn new(name: &str) -> std::io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("farfield-fuzz-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind in the temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Selections that a file is read with.
pub fn selections() -> [Selection; 5] {
    let with = |charges| Selection { charges, ..Selection::default() };
    let names = ["x", "y", "z"].map(|name| Column::Name(name.to_owned()));
    [
        Selection::default(),
        with(Charges::Unit),
        with(Charges::Ignored),
        Selection {
            positions: Some(PositionColumns::Each(names)),
            charges: Charges::Column(Column::Name("q".to_owned())),
        },
        Selection {
            positions: Some(PositionColumns::Each([3, 2, 1].map(Column::Number))),
            charges: Charges::Column(Column::Number(4)),
        },
    ]
}

/// Damages a sound file and reads it.
///
/// # Errors
///
/// The failure and the file that it comes from.
pub fn throw(
    dice: &mut Dice,
    sound: &[Sound],
    folder: &Folder,
) -> Result<Outcome, (Failure, Input)> {
    let input = damaged(dice, sound);
    let selections = selections();
    let selection = &selections[dice.pick(&[0, 0, 1, 1, 2, 2, 3, 4])];
    check(&input, selection, folder).map_err(|failure| (failure, input))
}

/// Reads a file and judges the outcome.
///
/// # Errors
///
/// A panic, a file that takes too long, points that are not what a reader promises, or an error without a cure.
pub fn check(input: &Input, selection: &Selection, folder: &Folder) -> Result<Outcome, Failure> {
    let path = folder.path().join(format!("input.{}", input.extension));
    let io = |error: std::io::Error| Failure::new(Kind::Wrong, format!("no file to read: {error}"));
    fs::write(&path, &input.bytes).map_err(io)?;
    let start = Instant::now();
    let outcome = guarded(|| judge(&path, selection))?;
    match start.elapsed() {
        time if time > LONGEST => {
            let size = input.bytes.len();
            Err(Failure::new(Kind::Slow, format!("{size} bytes took {time:?}")))
        }
        _ => Ok(outcome),
    }
}

/// Judges what both readers make of a file; points of either are enough.
fn judge(path: &Path, selection: &Selection) -> Result<Outcome, Failure> {
    let snapshot = judge_snapshot(path)?;
    // These extensions are those of snapshots alone.
    let only = ["tipsy", "gadget"];
    if path.extension().is_some_and(|extension| only.iter().any(|name| extension == *name)) {
        return Ok(snapshot);
    }
    judge_points(path, selection)
}

fn wrong(message: impl Into<String>) -> Result<Outcome, Failure> {
    Err(Failure::new(Kind::Wrong, message.into()))
}

fn judge_snapshot(path: &Path) -> Result<Outcome, Failure> {
    match read_snapshot(path) {
        Err(error) => judge_error(&error),
        Ok(snapshot) if snapshot.positions.is_empty() => wrong("an empty snapshot and no error"),
        Ok(snapshot) => match snapshot.check() {
            Ok(()) => Ok(Outcome::Points),
            Err(fault) => wrong(format!("an unsound snapshot was read: {fault}")),
        },
    }
}

fn judge_error(error: &Error) -> Result<Outcome, Failure> {
    let message = error.to_string();
    if matches!(error.fault, Fault::Open(_)) {
        return wrong(format!("the file was not opened: {message}"));
    }
    match message.lines().count() == 1 && message.contains(';') {
        true => Ok(Outcome::Refused),
        false => wrong(format!("an error without a cure, or of several lines: {message:?}")),
    }
}

fn judge_points(path: &Path, selection: &Selection) -> Result<Outcome, Failure> {
    let points = match read_points(path, selection) {
        Ok(points) => points,
        Err(error) => return judge_error(&error),
    };
    let n = points.positions.len();
    if n == 0 {
        return wrong("no points and no error");
    }
    let charges = points.charges.len();
    if charges != if selection.charges == Charges::Ignored { 0 } else { n } {
        return wrong(format!("{charges} charges for {n} points"));
    }
    let numbers = points.positions.as_flattened().iter().chain(&points.charges);
    match numbers.clone().all(|x| x.is_finite()) {
        true => Ok(Outcome::Points),
        false => wrong("a number that is not finite was read"),
    }
}

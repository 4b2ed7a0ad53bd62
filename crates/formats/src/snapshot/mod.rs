//! Snapshots: the state of a simulation at one time, as simulations write it and pictures take it.

pub(crate) mod binary;
mod bytes;
mod gadget;
mod npz;
mod softening;
mod text;
mod tipsy;
mod unread;
mod vtk;

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use crate::error::{At, Error, Fault};
use crate::input::{blame_gzip, give_charges, unpack};
use crate::limits::LONGEST_STREAM;
use crate::memory::{Seekable, read_all, read_fault, reserve_exact};
use crate::output::partial::Partial;
use crate::output::{check, partial, stream};
use crate::path::Format;
use crate::points::PointTable;
use crate::points::selection::Selection;
use crate::{sniff, vtk as legacy};
use binary::Binary;

pub use softening::read_softenings;
pub use unread::unread_velocities;

/// The state of a simulation at one time. All arrays have the same length N and order; units are the caller's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Time since the beginning.
    pub time: f64,
    /// Number of steps since the beginning.
    pub step: u64,
    /// Positions: shape (N, 3).
    pub positions: Vec<[f64; 3]>,
    /// Velocities: shape (N, 3).
    pub velocities: Vec<[f64; 3]>,
    /// Masses: shape (N).
    pub masses: Vec<f64>,
    /// Identity numbers, which a particle keeps from snapshot to snapshot: shape (N).
    pub ids: Vec<u64>,
}

impl Snapshot {
    /// Points at rest at time 0, numbered from 0.
    ///
    /// # Errors
    /// Memory that does not hold velocities and identity numbers.
    pub fn at_rest(points: PointTable) -> Result<Snapshot, Fault> {
        let PointTable { positions, charges: masses } = points;
        let (velocities, ids) = (zeros(positions.len())?, numbered(positions.len())?);
        Ok(Snapshot { time: 0.0, step: 0, positions, velocities, masses, ids })
    }

    /// Compares the lengths of the arrays, and looks for numbers that are not finite.
    ///
    /// # Errors
    /// The first array of another length than the positions', or the first number that is not finite.
    pub fn check(&self) -> Result<(), Fault> {
        let expected = self.positions.len();
        let lengths = [
            ("velocities", self.velocities.len()),
            ("masses", self.masses.len()),
            ("ids", self.ids.len()),
        ];
        if let Some((array, found)) = lengths.into_iter().find(|&(_, found)| found != expected) {
            return Err(Fault::Length { array, found, expected });
        }
        finite("time", 1, &[self.time])?;
        finite("positions", 3, self.positions.as_flattened())?;
        finite("velocities", 3, self.velocities.as_flattened())?;
        finite("masses", 1, &self.masses)
    }
}

/// Formats of snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotFormat {
    /// Arrays of numpy in an archive: every digit is kept.
    Npz,
    /// Legacy VTK, an unstructured grid of vertices, for ParaView and meshio, in f64: every digit is kept.
    Vtk,
    /// TIPSY's standard form, in f32, without identity numbers and step.
    Tipsy,
    /// GADGET's first binary form, in f32, without step.
    Gadget,
}

impl SnapshotFormat {
    /// All formats.
    pub const ALL: [SnapshotFormat; 4] =
        [SnapshotFormat::Npz, SnapshotFormat::Vtk, SnapshotFormat::Tipsy, SnapshotFormat::Gadget];

    /// The extension of file names, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            SnapshotFormat::Npz => "npz",
            SnapshotFormat::Vtk => "vtk",
            SnapshotFormat::Tipsy => "tipsy",
            SnapshotFormat::Gadget => "gadget",
        }
    }
}

/// Reads a snapshot. The beginning of the file names a binary format, whatever the extension; other files are read as
/// [`read_points`](crate::read_points) does, with masses by their usual names, which win over those of charges; columns
/// vx, vy and vz of tables, or v_x, vel_x, velocity_x and so on, are velocities, and points without them are at rest.
///
/// | format | content |
/// |---|---|
/// | NPZ | `positions`, `pos` or `coordinates` (N, 3), or `x`, `y`, `z`; `masses` or charges (N); `velocities`, `vel` or `velocity` (N, 3), or `vx`, `vy`, `vz`; `ids` (N), `time` and `step`, each 0 or counted from 0 where it is missing; in any capitals |
/// | VTK | legacy polydata or unstructured grid, ASCII or binary, also compressed by gzip: masses or charges, `velocity` and `id` of the point data, `TIME` and `CYCLE` of the field data |
/// | TIPSY | standard (big-endian) and native (little-endian) form: gas, dark matter and stars, numbered in this order |
/// | GADGET | binary forms 1 and 2 of either order of bytes, f32 or f64, in one file: all kinds of particles in the file's order |
///
/// TIPSY and GADGET have no step, which is then 0.
///
/// Every number is finite, and there is at least one point. Cost: one pass, O(N) memory, bounded by the length of the
/// file.
///
/// # Errors
/// A missing, empty or damaged file, arrays of different lengths, a number that is not finite, and points that memory
/// does not hold.
pub fn read_snapshot(path: impl AsRef<Path>) -> Result<Snapshot, Error> {
    read_selected_snapshot(path, &Selection::of_masses())
}

/// Reads a snapshot as [`read_snapshot`] does, but positions and masses from the columns or arrays that are selected.
///
/// ```
/// use formats::{Charges, Selection, read_selected_snapshot, write_text};
///
/// let path = std::env::temp_dir().join(format!("formats-selected-{}.csv", std::process::id()));
/// write_text(&path, "id,X,Y,Z,M_sun,vx,vy,vz\n7,1,2,3,0.5,0,0,1\n")?;
/// let charges = Charges::Column("M_sun".parse()?);
/// let selection = Selection { positions: Some("X,Y,Z".parse()?), charges };
/// let snapshot = read_selected_snapshot(&path, &selection)?;
/// assert_eq!((snapshot.masses[0], snapshot.velocities[0]), (0.5, [0.0, 0.0, 1.0]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of [`read_snapshot`], a column that is not there, and charges that are ignored.
pub fn read_selected_snapshot(
    path: impl AsRef<Path>,
    selection: &Selection,
) -> Result<Snapshot, Error> {
    let path = path.as_ref();
    let read = match read_binary(path, selection) {
        Ok(Some(snapshot)) => Ok(snapshot),
        Ok(None) => text::read(path, selection),
        Err(fault) => Err(At::from(fault).of(path)),
    };
    let mut snapshot = read.map_err(|error| Error { fault: of_names(error.fault), ..error })?;
    let count = snapshot.positions.len();
    let checked = match count {
        0 => Err(Fault::Empty),
        _ => give_charges(&mut snapshot.masses, count, selection).and_then(|()| snapshot.check()),
    };
    checked.map_err(|fault| At::from(fault).of(path))?;
    Ok(snapshot)
}

/// Writes a snapshot; the extension names the format. A file of that name is replaced, at the end.
///
/// | extension | content |
/// |---|---|
/// | `.npz` | arrays `positions` (N, 3), `velocities` (N, 3), `masses` (N), `ids` (N), `time` (), `step` (): every digit is kept |
/// | `.vtk` | legacy VTK, an unstructured grid of vertices, for ParaView (5.9 or later) and meshio: `velocity`, `mass` and `id` as point data, time and step as field data; f64 |
/// | `.tipsy` | TIPSY's standard form, all particles as dark matter; f32, without identity numbers and step |
/// | `.gadget` | GADGET's first binary form, all particles as halo; f32, without step |
///
/// # Errors
/// An unknown extension, arrays of different lengths, numbers that are not finite or beyond the range of the format, a
/// path that names no file, or a failure to write; then the folder is left as it was.
pub fn write_snapshot(path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<(), Error> {
    PartialSnapshot::write(path, snapshot)?.complete()
}

/// A snapshot that is written and has its name when it is completed: files that belong together are written side by side
/// and completed in their order. Dropped before, it leaves nothing.
pub struct PartialSnapshot {
    path: PathBuf,
    partial: Partial,
}

impl PartialSnapshot {
    /// Writes what [`write_snapshot`] writes, beside its destination.
    ///
    /// # Errors
    /// Errors of [`write_snapshot`].
    pub fn write(path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<Self, Error> {
        let path = path.as_ref();
        let written = snapshot.check().and_then(|()| write(path, snapshot));
        let partial = written.map_err(|fault| At::from(fault).of(path))?;
        Ok(Self { path: path.to_owned(), partial })
    }

    /// A second name of the file, of the same format, which is completed on its own: a hard link, which takes no time to
    /// write. Either name stays when the file of the other is replaced or removed; what is written into one of them in
    /// place is written into both.
    ///
    /// # Errors
    /// A folder that is missing, not writable or on another file system, and a file system without hard links.
    pub fn linked(&self, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let partial = self.partial.linked(path).map_err(|fault| At::from(fault).of(path))?;
        Ok(Self { path: path.to_owned(), partial })
    }

    /// Gives the file its name, replacing what had it.
    ///
    /// # Errors
    /// A failure to rename; then nothing is left of the file.
    pub fn complete(self) -> Result<(), Error> {
        let Self { path, partial } = self;
        partial.complete().map_err(|error| At::from(Fault::Write(error)).of(&path))
    }
}

impl fmt::Debug for PartialSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PartialSnapshot").field(&self.path).finish()
    }
}

/// Tells before a long computation whether [`write_snapshot`] knows the extension and may write to the folder. Creates a
/// file there and removes it.
///
/// # Errors
/// An unknown extension, a folder that is missing or not writable, and a path that names no file.
pub fn check_snapshot_path(path: impl AsRef<Path>) -> Result<(), Error> {
    check(path.as_ref(), &FORMATS)
}

const FORMATS: [Format; 4] = [Format::Npz, Format::Vtk, Format::Tipsy, Format::Gadget];

fn write(path: &Path, snapshot: &Snapshot) -> Result<Partial, Fault> {
    let (format, gzip) = Format::of(path, &FORMATS)?;
    match format {
        Format::Tipsy => single(snapshot).and_then(|()| tipsy::check(snapshot))?,
        Format::Gadget => single(snapshot).and_then(|()| gadget::check(snapshot))?,
        _ => {}
    }
    partial(path, |file| match format {
        Format::Vtk => stream(file, gzip, |output| vtk::write(output, snapshot)),
        Format::Tipsy => stream(file, gzip, |output| tipsy::write(output, snapshot)),
        Format::Gadget => stream(file, gzip, |output| gadget::write(output, snapshot)),
        _ => npz::write(file, snapshot),
    })
}

/// Refuses numbers beyond the range of f32.
fn single(snapshot: &Snapshot) -> Result<(), Fault> {
    let Snapshot { positions, velocities, masses, .. } = snapshot;
    let arrays = [
        ("positions", 3, positions.as_flattened()),
        ("velocities", 3, velocities.as_flattened()),
        ("masses", 1, masses),
    ];
    for (array, width, values) in arrays {
        if let Some(index) = values.iter().position(|&value| !(value as f32).is_finite()) {
            let (place, value) = (element(array, width, index), values[index]);
            return Err(Fault::Range { place, value });
        }
    }
    Ok(())
}

/// Reads a snapshot of a binary format; `None` where the beginning names none.
fn read_binary(path: &Path, selection: &Selection) -> Result<Option<Snapshot>, Fault> {
    if path.is_dir() {
        return Err(Fault::Folder);
    }
    let mut file = File::open(path).map_err(Fault::Open)?;
    let is_file = file.metadata().map_err(Fault::Open)?.is_file();
    let mut beginning = Vec::new();
    (&mut file).take(binary::BEGINNING).read_to_end(&mut beginning).map_err(read_fault)?;
    match is_file {
        true => {
            file.rewind().map_err(Fault::Read)?;
            read_format(&mut BufReader::new(file), &beginning, selection)
        }
        false => {
            let stream = Cursor::new(beginning.clone()).chain(file);
            let mut whole = Cursor::new(read_all(stream, LONGEST_STREAM)?);
            read_format(&mut whole, &beginning, selection)
        }
    }
}

fn read_format(
    input: &mut dyn Seekable,
    beginning: &[u8],
    selection: &Selection,
) -> Result<Option<Snapshot>, Fault> {
    if beginning.starts_with(b"PK\x03\x04") {
        return npz::read(input, selection).map(Some);
    }
    if beginning.starts_with(legacy::SIGNATURE) {
        return vtk::read(input, selection).map(Some);
    }
    if sniff::is_gzip(beginning) {
        return read_packed(input, selection);
    }
    Binary::of(beginning).map(|binary| binary.read(input, selection)).transpose()
}

/// The fault of a snapshot, of whose columns only names tell that they are velocities.
fn of_names(fault: Fault) -> Fault {
    match fault {
        Fault::Unnamed { width, .. } => Fault::NoNames { width },
        fault => fault,
    }
}

/// Reads a compressed VTK file, the only binary format that is one; `None` where the beginning names another.
fn read_packed(packed: &mut dyn BufRead, selection: &Selection) -> Result<Option<Snapshot>, Fault> {
    let (beginning, mut stream) = unpack(packed)?;
    match beginning.starts_with(legacy::SIGNATURE) {
        true => vtk::read(&mut stream, selection).map(Some).map_err(blame_gzip),
        false => Ok(None),
    }
}

/// Velocities of points at rest.
fn zeros(count: usize) -> Result<Vec<[f64; 3]>, Fault> {
    let mut values = Vec::new();
    reserve_exact(&mut values, count)?;
    values.resize(count, [0.0; 3]);
    Ok(values)
}

/// Identity numbers of points that have none.
fn numbered(count: usize) -> Result<Vec<u64>, Fault> {
    let mut values = Vec::new();
    reserve_exact(&mut values, count)?;
    values.extend(0..count as u64);
    Ok(values)
}

/// Refuses the first number that is not finite, in an array of rows of `width`.
fn finite(array: &str, width: usize, values: &[f64]) -> Result<(), Fault> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => {
            Err(Fault::NotFinite { place: element(array, width, index), value: values[index] })
        }
        None => Ok(()),
    }
}

/// An element of an array for messages, such as `positions[17, 2]`.
fn element(array: &str, width: usize, index: usize) -> String {
    match width {
        1 if array == "time" => array.to_owned(),
        1 => format!("{array}[{index}]"),
        _ => format!("{array}[{}, {}]", index / width, index % width),
    }
}

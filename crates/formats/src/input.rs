//! Reading points: from a path or a stream to a table of finite numbers.

use std::convert::identity;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::ops::Range;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{At, Error, Fault};
use crate::limits::LONGEST_STREAM;
use crate::memory::{Counted, Expanding, read_all, read_fault, reserve_exact};
use crate::path::Format;
use crate::points::PointTable;
use crate::points::places::{LineNumbers, LocatedPoints, Places, PointRows};
use crate::points::selection::{Charges, Selection};
use crate::snapshot::binary::{self, Binary};
use crate::text::rows::ReadRows;
use crate::text::table::{self, Separator};
use crate::text::{pqr, xyz};
use crate::vtk::{Dataset, Keep};
use crate::{npy, npz, sniff};

/// Reads the points of a file whose extension names the format; each but `.npz`, `.tipsy`
/// and `.gadget` may be gzipped.
///
/// | extension | columns that a [`Selection`] may name or number |
/// |---|---|
/// | `.csv` | comma-separated; names from the first row, if no field of it is a number |
/// | `.dat`, `.txt`, `.tsv` | separated by white space; names from the first row, or from the comment (`#`) before it |
/// | `.pqr` | x, y, z, charge, radius |
/// | `.xyz` | element, x, y, z, charge; or as the key `Properties` of extended XYZ names them |
/// | `.npy` | an array (N, columns), without names |
/// | `.npz` | arrays `positions` (N, 3) or `x`, `y`, `z` (N); `charges` or `masses` (N), in any capitals |
/// | `.vtk` | legacy VTK, polydata or unstructured grid, ASCII or binary: x, y, z and the point data by name, vectors as `name_x`, `name_y`, `name_z` |
/// | `.tipsy`, `.gadget` | snapshots as [`read_snapshot`](crate::read_snapshot) reads them, known by their beginning whatever the extension: x, y, z, vx, vy, vz, mass |
///
/// Every number read is finite, and there is at least one point. Cost: one pass, O(N) memory. Memory is bounded by the
/// file: lines end within 1 MiB, a compressed file expands at most 100-fold or to 256 MiB, and lengths that a file
/// announces are compared with its real one.
///
/// # Errors
/// A missing, empty or damaged file, a row of the wrong width, a field that is not a finite
/// number, a column that is not there, charges that cannot be found, and points that memory does not hold.
pub fn read_points(path: impl AsRef<Path>, selection: &Selection) -> Result<PointTable, Error> {
    Ok(read_located_points(path, selection)?.points)
}

/// Reads points as [`read_points`] does, with the place of each in the file and the cells that join them.
///
/// # Errors
/// Errors of [`read_points`].
pub fn read_located_points(
    path: impl AsRef<Path>,
    selection: &Selection,
) -> Result<LocatedPoints, Error> {
    let path = path.as_ref();
    located(path, read_path(path, selection), selection)
}

/// Whether [`read_point_rows`] reads the file: an NPY array, not compressed, by its extension.
pub fn has_rows(path: impl AsRef<Path>) -> bool {
    matches!(Format::of(path.as_ref(), &READABLE), Ok((Format::Npy, false)))
}

/// Reads some rows of an NPY array of shape (N, columns): those that `rows` chooses when it is given N. Other rows are not
/// read, and not checked. Cost: O(rows chosen), in time and memory.
///
/// ```
/// use formats::{PointTable, Selection, read_point_rows, write_points};
///
/// let path = std::env::temp_dir().join(format!("formats-rows-{}.npy", std::process::id()));
/// let points = PointTable { positions: vec![[0.0; 3], [1.0; 3], [2.0; 3]], charges: vec![4.0, 5.0, 6.0] };
/// write_points(&path, &points)?;
/// let half = read_point_rows(&path, &Selection::default(), |n| n / 2..n)?;
/// assert_eq!((half.points.charges, half.total), (vec![5.0, 6.0], 3));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of [`read_points`] for an NPY array; for other files, that of an array which does not begin as one.
pub fn read_point_rows(
    path: impl AsRef<Path>,
    selection: &Selection,
    rows: impl FnOnce(usize) -> Range<usize>,
) -> Result<PointRows, Error> {
    let path = path.as_ref();
    let read = || -> Result<(PointTable, usize), Fault> {
        if path.is_dir() {
            return Err(Fault::Folder);
        }
        let file = File::open(path).map_err(Fault::Open)?;
        let length = file.metadata().map_err(Fault::Open)?.len();
        let (mut points, total) = npy::read_rows(BufReader::new(file), length, selection, rows)?;
        if total == 0 {
            return Err(Fault::Empty);
        }
        give_charges(&mut points.charges, points.positions.len(), selection)?;
        Ok((points, total))
    };
    let (points, total) = read().map_err(|fault| At::from(fault).of(path))?;
    Ok(PointRows { points, total, places: Places::new(path.to_owned(), LineNumbers::default()) })
}

/// Gives `count` points the charges that no file holds.
pub(crate) fn give_charges(
    charges: &mut Vec<f64>,
    count: usize,
    selection: &Selection,
) -> Result<(), Fault> {
    if selection.charges == Charges::Unit {
        reserve_exact(charges, count.saturating_sub(charges.len()))?;
        charges.resize(count, 1.0);
    }
    Ok(())
}

/// Reads points from a stream such as stdin, which messages call `stdin`. Its beginning names the format: the signature of
/// gzip, NPY, NPZ or VTK; a header of TIPSY or GADGET; a number alone, as in XYZ; a record of PQR; commas in the first row, as in CSV; else a table
/// separated by white space. An archive (NPZ) and a
/// binary snapshot end within 1 GiB.
///
/// ```
/// use formats::{Selection, read_stream};
///
/// let stream = "x,y,z,q\n0,0,0,1\n\n1,0,0,2\n".as_bytes();
/// let located = read_stream(stream, &Selection::default())?;
/// assert_eq!(located.points.charges, [1.0, 2.0]);
/// assert_eq!(located.places.of(1), "stdin:4");
/// # Ok::<(), formats::Error>(())
/// ```
///
/// # Errors
/// Errors of [`read_points`].
pub fn read_stream(mut stream: impl Read, selection: &Selection) -> Result<LocatedPoints, Error> {
    located(Path::new("stdin"), read_unnamed(&mut stream, selection), selection)
}

/// Checks that there are points, and gives them their places and the charges that no file holds.
fn located(
    path: &Path,
    rows: Result<ReadRows, At>,
    selection: &Selection,
) -> Result<LocatedPoints, Error> {
    let complete = rows.and_then(|mut rows| {
        if rows.points.positions.is_empty() {
            return Err(Fault::Empty.into());
        }
        give_charges(&mut rows.points.charges, rows.points.positions.len(), selection)?;
        Ok(rows)
    });
    let ReadRows { points, lines, cells } = complete.map_err(|at| at.of(path))?;
    Ok(LocatedPoints { points, places: Places::new(path.to_owned(), lines), cells })
}

const READABLE: [Format; 10] = [
    Format::Csv,
    Format::Table,
    Format::Tsv,
    Format::Pqr,
    Format::Xyz,
    Format::Npy,
    Format::Npz,
    Format::Vtk,
    Format::Tipsy,
    Format::Gadget,
];

fn read_path(path: &Path, selection: &Selection) -> Result<ReadRows, At> {
    if path.is_dir() {
        return Err(Fault::Folder.into());
    }
    let named = Format::of(path, &READABLE);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return Err(named.map_or_else(identity, |_| Fault::Open(error)).into()),
    };
    let metadata = file.metadata().map_err(Fault::Open)?;
    let length = metadata.is_file().then_some(metadata.len());
    let binary = match length {
        Some(_) => Binary::of_file(&mut file)?,
        None => None,
    };
    if let Some(binary) = binary {
        return Ok(binary.points(&mut BufReader::new(file), selection)?.into());
    }
    let (format, gzip) = named?;
    let mut file = BufReader::new(file);
    match format {
        Format::Npz if length.is_some() => Ok(npz::read(&mut file, selection)?.into()),
        format if gzip => read_gzip(&mut file, |_| format, selection),
        format => read_format(&mut file, format, length, selection),
    }
}

fn read_unnamed(stream: &mut dyn Read, selection: &Selection) -> Result<ReadRows, At> {
    let (beginning, stream) = begin(stream).map_err(At::from)?;
    let mut stream = BufReader::new(stream);
    if sniff::is_gzip(&beginning) {
        return read_gzip(&mut stream, sniff::format, selection);
    }
    read_format(&mut stream, sniff::format(&beginning), None, selection)
}

/// The beginning of a stream, and the stream with its beginning.
fn begin(mut stream: impl Read) -> Result<(Vec<u8>, impl Read), Fault> {
    let mut beginning = Vec::new();
    (&mut stream).take(sniff::BEGINNING).read_to_end(&mut beginning).map_err(read_fault)?;
    Ok((beginning.clone(), Cursor::new(beginning).chain(stream)))
}

/// Reads compressed points, in the format for their beginning.
fn read_gzip(
    packed: &mut dyn BufRead,
    format: impl Fn(&[u8]) -> Format,
    selection: &Selection,
) -> Result<ReadRows, At> {
    let blame = |at: At| match blame_gzip(at.fault) {
        fault @ Fault::Gzip(_) => fault.into(),
        fault => At { fault, ..at },
    };
    let (beginning, mut stream) = unpack(packed)?;
    read_format(&mut stream, format(&beginning), None, selection).map_err(blame)
}

/// The beginning of a compressed stream, and the stream with its beginning.
pub(crate) fn unpack(packed: &mut dyn BufRead) -> Result<(Vec<u8>, impl BufRead), Fault> {
    let decoder = MultiGzDecoder::new(Counted { input: packed, bytes: 0 });
    let begun = begin(Expanding::new(decoder, |decoder| decoder.get_ref().bytes));
    let (beginning, stream) = begun.map_err(blame_gzip)?;
    Ok((beginning, BufReader::new(stream)))
}

/// The fault of a compressed stream: a failure to read is nearly always one to decompress.
pub(crate) fn blame_gzip(fault: Fault) -> Fault {
    match fault {
        Fault::Read(error) => Fault::Gzip(error),
        fault => fault,
    }
}

/// Reads points in a format; `length` is that of the input, where it is known. Inputs are dynamic, so that readers of
/// formats are compiled once.
fn read_format(
    input: &mut dyn BufRead,
    format: Format,
    length: Option<u64>,
    selection: &Selection,
) -> Result<ReadRows, At> {
    match format {
        Format::Csv => table::read(input, Separator::Comma, selection),
        Format::Table | Format::Tsv => table::read(input, Separator::White, selection),
        Format::Tipsy | Format::Gadget => {
            let mut snapshot = Cursor::new(read_all(input, LONGEST_STREAM)?);
            let name = if format == Format::Tipsy { "TIPSY" } else { "GADGET" };
            Ok(binary::read_named(&mut snapshot, name, selection)?.into())
        }
        Format::Vtk => {
            let dataset = Dataset::read(input, Keep::PointsAndCells)?;
            let points = dataset.table(selection)?;
            Ok(ReadRows { points, cells: dataset.cells, ..ReadRows::default() })
        }
        Format::Pqr => pqr::read(input, selection),
        Format::Xyz => xyz::read(input, selection),
        Format::Npy => Ok(npy::read(input, length, selection)?.into()),
        Format::Npz => {
            let archive = read_all(input, LONGEST_STREAM)?;
            Ok(npz::read(&mut Cursor::new(archive), selection)?.into())
        }
    }
}

//! Writing points and fields: complete, or not at all.
//!
//! | file | what |
//! |---|---|
//! | `field.rs` | potential and gradient, at once or part after part |
//! | `partial.rs` | a file that appears under its name when it is complete |

pub(crate) mod field;
pub(crate) mod partial;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{At, Error, Fault};
use crate::output::field::{FieldParts, FieldTable, arrays, each_part, each_row, names};
use crate::output::partial::Partial;
use crate::path::Format;
use crate::points::PointTable;
use crate::text::{table, xyz};
use crate::{npy, npz, vtk};

/// Writes a field; the extension names the format. A file of that name is replaced, at the end.
///
/// | extension | content |
/// |---|---|
/// | `.npz` | arrays `positions` (N, 3), `charges` (N) if given, `potential` (N), `gradient` (N, 3) |
/// | `.csv` | a row of names x, y, z, charge, potential, gradient_x, gradient_y, gradient_z; then rows |
/// | `.dat`, `.txt` | the same, separated by spaces, the names as a comment |
/// | `.vtk` | legacy VTK, an unstructured grid of vertices, for ParaView (5.9 or later) and meshio, with charge, potential and gradient as point data |
///
/// Text holds every digit that a round trip needs; `.gz` on top of an extension compresses, but
/// for `.npz`.
///
/// # Errors
/// An unknown extension, arrays of different lengths, a path that names no file, or a failure to write; then the folder
/// is left as it was.
pub fn write_field(path: impl AsRef<Path>, field: &FieldTable<'_>) -> Result<(), Error> {
    let (path, mut parts) = (path.as_ref(), *field);
    let write = |()| put_field(path, &mut parts);
    field.check().and_then(write).map_err(|fault| At::from(fault).of(path))
}

/// Writes a field that comes part after part, as [`write_field`] writes one: the file is the same, to the byte. Archives
/// and VTK take each array from all parts, tables take each part once.
///
/// # Errors
/// Errors of [`write_field`], and those of the parts.
pub fn write_field_parts(path: impl AsRef<Path>, field: &mut dyn FieldParts) -> Result<(), Error> {
    let path = path.as_ref();
    put_field(path, field).map_err(|fault| At::from(fault).of(path))
}

/// Writes points: `.csv`, `.dat`, `.txt`, `.xyz`, `.npy` and `.npz`, such that
/// [`read_points`](crate::read_points) gives back the same points by its defaults.
///
/// # Errors
/// As for [`write_field`].
pub fn write_points(path: impl AsRef<Path>, points: &PointTable) -> Result<(), Error> {
    let path = path.as_ref();
    let expected = points.positions.len();
    let charges = &points.charges;
    (charges.is_empty() || charges.len() == expected)
        .then_some(())
        .ok_or(Fault::Length { array: "charges", found: charges.len(), expected })
        .and_then(|()| put_points(path, points))
        .map_err(|fault| At::from(fault).of(path))
}

/// Writes a text as a whole: a file of that name is replaced, at the end.
///
/// # Errors
/// A path that names no file, or a failure to write; then the folder is left as it was.
pub fn write_text(path: impl AsRef<Path>, text: &str) -> Result<(), Error> {
    let path = path.as_ref();
    let write = |output: &mut dyn Write| output.write_all(text.as_bytes());
    put(path, |file| stream(file, false, write)).map_err(|fault| At::from(fault).of(path))
}

/// Writes points with velocities as [`write_points`] writes points: in `.csv`, `.dat` and `.txt` the columns vx, vy and vz
/// follow x, y and z, and [`read_snapshot`](crate::read_snapshot) reads them. `.xyz` and `.npy` have no place for velocities
/// and are written without; `.npz` is [`write_snapshot`](crate::write_snapshot)'s.
///
/// # Errors
/// As for [`write_points`].
pub fn write_moving_points(
    path: impl AsRef<Path>,
    points: &PointTable,
    velocities: &[[f64; 3]],
) -> Result<(), Error> {
    let path = path.as_ref();
    match Format::of(path, &POINT_FORMATS) {
        Ok((format @ (Format::Csv | Format::Table), gzip)) => {
            put_moving(path, (format, gzip), points, velocities)
                .map_err(|fault| At::from(fault).of(path))
        }
        _ => write_points(path, points),
    }
}

fn put_moving(
    path: &Path,
    (format, gzip): (Format, bool),
    points: &PointTable,
    velocities: &[[f64; 3]],
) -> Result<(), Fault> {
    let PointTable { positions, charges } = points;
    let expected = positions.len();
    for (array, found) in [("charges", charges.len()), ("velocities", velocities.len())] {
        if found != expected {
            return Err(Fault::Length { array, found, expected });
        }
    }
    let row = |i: usize| [&positions[i][..], &velocities[i], &charges[i..=i]].concat();
    let names = ["x", "y", "z", "vx", "vy", "vz", "mass"];
    put(path, |file| {
        stream(file, gzip, |output| text(output, format, &names, (0..expected).map(row)))
    })
}

/// Tells before a long computation whether [`write_field`] knows the extension and may write to the folder. Creates a
/// file there and removes it.
///
/// # Errors
/// An unknown extension, a folder that is missing or not writable, and a path that names no file.
pub fn check_field_path(path: impl AsRef<Path>) -> Result<(), Error> {
    check(path.as_ref(), &FIELD_FORMATS)
}

/// Tells before a long computation whether [`write_points`] knows the extension and may write to the folder.
///
/// # Errors
/// Errors of [`check_field_path`].
pub fn check_points_path(path: impl AsRef<Path>) -> Result<(), Error> {
    check(path.as_ref(), &POINT_FORMATS)
}

const FIELD_FORMATS: [Format; 4] = [Format::Npz, Format::Csv, Format::Table, Format::Vtk];
const POINT_FORMATS: [Format; 5] =
    [Format::Csv, Format::Table, Format::Xyz, Format::Npy, Format::Npz];

pub(crate) fn check(path: &Path, formats: &[Format]) -> Result<(), Error> {
    let checked = Format::of(path, formats).and_then(|_| Partial::create(path)).map(drop);
    checked.map_err(|fault| At::from(fault).of(path))
}

fn put_field(path: &Path, field: &mut dyn FieldParts) -> Result<(), Fault> {
    let (format, gzip) = Format::of(path, &FIELD_FORMATS)?;
    let rows: usize = field.lengths().into_iter().sum();
    put(path, |file| match format {
        Format::Npz => archive(file, |archive| {
            for array in arrays(field) {
                let width = array.width() as u64;
                archive.array_by_parts(array.name(), width, rows as u64, |output| {
                    each_part(field, array, |values| npy::numbers(output, values.iter().copied()))
                })?;
            }
            Ok(())
        }),
        Format::Vtk => stream(file, gzip, |output| vtk::write(output, field)),
        format => stream(file, gzip, |output| {
            let separator = head(output, format)?;
            table::write_names(output, separator, &names(field))?;
            each_row(field, |row| table::write_row(output, separator, row))
        }),
    })
}

fn put_points(path: &Path, points: &PointTable) -> Result<(), Fault> {
    let (format, gzip) = Format::of(path, &POINT_FORMATS)?;
    let PointTable { positions, charges } = points;
    let width = if charges.is_empty() { 3 } else { 4 };
    let row = |i: usize| positions[i].into_iter().chain(charges.get(i).copied()).collect();
    put(path, |file| match format {
        Format::Npz => archive(file, |arrays| {
            arrays.array("positions", 3, flat(positions))?;
            if charges.is_empty() {
                return Ok(());
            }
            arrays.array("charges", 1, charges.iter().copied())
        }),
        Format::Npy => stream(file, gzip, |output| {
            let value = |k: usize| match (k / width, k % width) {
                (i, 3) => charges[i],
                (i, axis) => positions[i][axis],
            };
            npy::write(output, width as u64, (0..width * positions.len()).map(value))
        }),
        Format::Xyz => stream(file, gzip, |output| xyz::write(output, points)),
        format => stream(file, gzip, |output| {
            let names = &["x", "y", "z", "charge"][..width];
            text(output, format, names, (0..positions.len()).map(row))
        }),
    })
}

/// Writes a file by way of a partial one, which is gone if anything fails.
pub(crate) fn put(path: &Path, write: impl FnOnce(File) -> io::Result<File>) -> Result<(), Fault> {
    partial(path, write)?.complete().map_err(Fault::Write)
}

/// Writes a file that has its name when it is completed.
pub(crate) fn partial(
    path: &Path,
    write: impl FnOnce(File) -> io::Result<File>,
) -> Result<Partial, Fault> {
    let (partial, file) = Partial::create(path)?;
    write(file).and_then(|file| file.sync_all()).map_err(Fault::Write)?;
    Ok(partial)
}

pub(crate) fn stream(
    file: File,
    gzip: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<File> {
    let mut output = BufWriter::new(file);
    if gzip {
        let mut encoder = GzEncoder::new(output, Compression::default());
        write(&mut encoder)?;
        output = encoder.finish()?;
    } else {
        write(&mut output)?;
    }
    Ok(output.into_inner()?)
}

pub(crate) fn archive(
    file: File,
    write: impl FnOnce(&mut npz::Writer<BufWriter<File>>) -> io::Result<()>,
) -> io::Result<File> {
    let mut arrays = npz::Writer::new(BufWriter::new(file));
    write(&mut arrays)?;
    Ok(arrays.finish()?.into_inner()?)
}

fn text(
    output: &mut dyn Write,
    format: Format,
    names: &[&str],
    mut rows: impl Iterator<Item = Vec<f64>>,
) -> io::Result<()> {
    let separator = head(output, format)?;
    table::write_names(output, separator, names)?;
    rows.try_for_each(|row| table::write_row(output, separator, &row))
}

/// Writes what stands before the names of columns; returns what stands between columns.
fn head(output: &mut dyn Write, format: Format) -> io::Result<&'static str> {
    if format == Format::Csv {
        return Ok(",");
    }
    write!(output, "# ")?;
    Ok(" ")
}

pub(crate) fn flat(vectors: &[[f64; 3]]) -> impl ExactSizeIterator<Item = f64> {
    vectors.as_flattened().iter().copied()
}

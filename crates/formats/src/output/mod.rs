//! Writing points and fields: complete, or not at all.
//!
//! | file | what |
//! |---|---|
//! | `field.rs` | potential and gradient, at once or part after part |
//! | `points.rs` | points, at rest or with velocities |
//! | `partial.rs` | a file that appears under its name when it is complete |

pub(crate) mod field;
pub(crate) mod partial;
pub(crate) mod points;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{At, Error, Fault};
use crate::output::field::{FieldParts, FieldTable, arrays, each_part, each_row, names};
use crate::output::partial::Partial;
use crate::path::Format;
use crate::text::table;
use crate::vtk::cells::Cells;
use crate::{npy, npz, vtk};

/// Writes a field; the extension names the format. A file of that name is replaced, at the end.
///
/// | extension | content |
/// |---|---|
/// | `.npz` | arrays `positions` (N, 3), `charges` (N) if given, `potential` (N), `gradient` (N, 3) |
/// | `.csv` | a row of names x, y, z, charge, potential, gradient_x, gradient_y, gradient_z; then rows |
/// | `.dat`, `.txt` | the same, separated by spaces, the names as a comment |
/// | `.tsv` | the same, separated by tabs, the names as a row |
/// | `.vtk` | legacy VTK, an unstructured grid of vertices, for ParaView (5.9 or later) and meshio, with charge, potential and gradient as point data; [`write_field_parts`] takes other cells |
///
/// Text holds every digit that a round trip needs; `.gz` on top of an extension compresses, but
/// for `.npz`.
///
/// # Errors
/// An unknown extension, arrays of different lengths, a path that names no file, or a failure to write; then the folder
/// is left as it was.
pub fn write_field(path: impl AsRef<Path>, field: &FieldTable<'_>) -> Result<(), Error> {
    let (path, mut parts) = (path.as_ref(), *field);
    let write = |()| put_field(path, &mut parts, &Cells::default());
    field.check().and_then(write).map_err(|fault| At::from(fault).of(path))
}

/// Writes a field that comes part after part, as [`write_field`] writes one: the file is the same, to the byte. Archives
/// and VTK take each array from all parts, tables take each part once.
///
/// A VTK file has the given cells, such as the polygons of a surface that was read, if these join as many points as the
/// field has; else it has one vertex a receiver.
///
/// # Errors
/// Errors of [`write_field`], and those of the parts.
pub fn write_field_parts(
    path: impl AsRef<Path>,
    field: &mut dyn FieldParts,
    cells: &Cells,
) -> Result<(), Error> {
    let path = path.as_ref();
    put_field(path, field, cells).map_err(|fault| At::from(fault).of(path))
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

/// Tells before a long computation whether [`write_field`] knows the extension and may write to the folder. Creates a
/// file there and removes it.
///
/// # Errors
/// An unknown extension, a folder that is missing or not writable, and a path that names no file.
pub fn check_field_path(path: impl AsRef<Path>) -> Result<(), Error> {
    check(path.as_ref(), &FIELD_FORMATS)
}

const FIELD_FORMATS: [Format; 5] =
    [Format::Npz, Format::Csv, Format::Table, Format::Tsv, Format::Vtk];

pub(crate) fn check(path: &Path, formats: &[Format]) -> Result<(), Error> {
    let checked = Format::of(path, formats).and_then(|_| Partial::create(path)).map(drop);
    checked.map_err(|fault| At::from(fault).of(path))
}

fn put_field(path: &Path, field: &mut dyn FieldParts, cells: &Cells) -> Result<(), Fault> {
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
        Format::Vtk => stream(file, gzip, |output| vtk::write(output, field, cells)),
        format => stream(file, gzip, |output| {
            let separator = head(output, format)?;
            table::write_names(output, separator, &names(field))?;
            each_row(field, |row| table::write_row(output, separator, row))
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
    match format {
        Format::Csv => Ok(","),
        Format::Tsv => Ok("\t"),
        _ => write!(output, "# ").map(|()| " "),
    }
}

pub(crate) fn flat(vectors: &[[f64; 3]]) -> impl ExactSizeIterator<Item = f64> {
    vectors.as_flattened().iter().copied()
}

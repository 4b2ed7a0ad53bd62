//! Reading points: from a path to a table of finite numbers.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::{At, Error, Fault};
use crate::path::Format;
use crate::points::PointTable;
use crate::selection::{Charges, Selection};
use crate::table::{self, Separator};
use crate::{npy, npz, pqr, xyz};

/// Reads the points of a file whose extension names the format; each but `.npz` may be gzipped.
///
/// | extension | columns that a [`Selection`] may name or number |
/// |---|---|
/// | `.csv` | comma-separated; names from the first row, if no field of it is a number |
/// | `.dat`, `.txt` | separated by white space; names from the first row, or from the comment (`#`) before it |
/// | `.pqr` | x, y, z, charge, radius |
/// | `.xyz` | element, x, y, z, charge; or as the key `Properties` of extended XYZ names them |
/// | `.npy` | an array (N, columns), without names |
/// | `.npz` | arrays `positions` (N, 3) or `x`, `y`, `z` (N); `charges` or `masses` (N) |
///
/// Every number read is finite, and there is at least one point. Cost: one pass, O(N) memory.
///
/// # Errors
/// A missing, empty or damaged file, a row of the wrong width, a field that is not a finite
/// number, a column that is not there, and charges that cannot be found.
pub fn read_points(path: impl AsRef<Path>, selection: &Selection) -> Result<PointTable, Error> {
    let path = path.as_ref();
    read(path, selection).map_err(|at| at.of(path))
}

const READABLE: [Format; 6] =
    [Format::Csv, Format::Table, Format::Pqr, Format::Xyz, Format::Npy, Format::Npz];

fn read(path: &Path, selection: &Selection) -> Result<PointTable, At> {
    let (format, gzip) = Format::of(path, &READABLE)?;
    let file = BufReader::new(File::open(path).map_err(Fault::Open)?);
    let mut points = if format == Format::Npz {
        npz::read(file, selection)?
    } else if gzip {
        read_stream(BufReader::new(MultiGzDecoder::new(file)), format, selection)
            .map_err(blame_gzip)?
    } else {
        read_stream(file, format, selection)?
    };
    if points.positions.is_empty() {
        return Err(Fault::Empty.into());
    }
    if selection.charges == Charges::Unit {
        points.charges = vec![1.0; points.positions.len()];
    }
    Ok(points)
}

fn read_stream(
    input: impl BufRead,
    format: Format,
    selection: &Selection,
) -> Result<PointTable, At> {
    match format {
        Format::Csv => table::read(input, Separator::Comma, selection),
        Format::Pqr => pqr::read(input, selection),
        Format::Xyz => xyz::read(input, selection),
        Format::Npy => Ok(npy::read(input, selection)?),
        Format::Table | Format::Npz | Format::Vtk => {
            table::read(input, Separator::White, selection)
        }
    }
}

/// A failure to read a gzipped file is nearly always one to decompress it.
fn blame_gzip(at: At) -> At {
    match at.fault {
        Fault::Read(error) => Fault::Gzip(error).into(),
        fault => At { fault, ..at },
    }
}

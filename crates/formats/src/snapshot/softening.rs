//! Softening lengths of single particles, which a sum with one length for all leaves out.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::binary::{self, Binary};
use super::tipsy;
use crate::error::Fault;
use crate::input::read_points;
use crate::npz::Archive;
use crate::path::Format;
use crate::points::column::{Column, PositionColumns};
use crate::points::selection::{Charges, Selection};

/// Names of an array or column of softening lengths.
const NAMES: [&str; 3] = ["softening", "softenings", "eps"];

/// Smallest and largest softening length of the particles of a file: of an array of NPZ or a column of a table named
/// softening, softenings or eps, or of TIPSY's particles. `None` where the file has no such lengths or cannot be read, and
/// for pipes. Readers of points and snapshots leave these lengths out, and programs can tell so.
///
/// Cost: one pass over the lengths; in a table or TIPSY file that has some, over the file.
pub fn read_softenings(path: impl AsRef<Path>) -> Option<[f64; 2]> {
    let lengths = lengths(path.as_ref()).ok()??;
    let range = |[low, high]: [f64; 2], length: f64| [low.min(length), high.max(length)];
    let first = *lengths.first()?;
    Some(lengths.into_iter().fold([first; 2], range))
}

fn lengths(path: &Path) -> Result<Option<Vec<f64>>, Fault> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(Fault::Open)?;
    let beginning = binary::beginning(&mut file)?;
    if beginning.starts_with(b"PK\x03\x04") {
        return of_archive(file);
    }
    if let Some(Binary::Tipsy(endian)) = Binary::of(&beginning) {
        return tipsy::softenings(BufReader::new(file), endian).map(Some);
    }
    Ok(match Format::of(path, &[Format::Csv, Format::Table, Format::Tsv, Format::Xyz]) {
        Ok(_) => NAMES.iter().find_map(|name| of_column(path, name)),
        Err(_) => None,
    })
}

/// The array of an archive, or its one number.
fn of_archive(file: File) -> Result<Option<Vec<f64>>, Fault> {
    let mut arrays = Archive::open(BufReader::new(file))?;
    let Some(name) = arrays.first_of(NAMES) else {
        return Ok(None);
    };
    let array = arrays.array(name)?;
    let one = array.scalar().map(|length| vec![length]);
    one.or_else(|_| array.numbers(None)).map(Some)
}

/// The column of a table, of which only the beginning is read where it has no such column.
fn of_column(path: &Path, name: &str) -> Option<Vec<f64>> {
    let columns = [name; 3].map(|name| Column::Name(name.to_owned()));
    let positions = Some(PositionColumns::Each(columns));
    let rows = read_points(path, &Selection { positions, charges: Charges::Ignored }).ok()?;
    Some(rows.positions.into_iter().map(|[length, ..]| length).collect())
}

//! NPZ: an archive of numpy arrays with names.

use std::io::{self, Read, Seek, Write};

use zip::read::ZipArchive;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::column::{Column, PositionColumns};
use crate::error::Fault;
use crate::npy::{self, Array};
use crate::points::PointTable;
use crate::selection::{CHARGE_NAMES, Charges, Picked, Selection};

/// Reads the arrays `positions` or x, y, z, and one of charges, or those that are selected.
pub(crate) fn read(input: impl Read + Seek, selection: &Selection) -> Result<PointTable, Fault> {
    let mut archive = Archive(ZipArchive::new(input).map_err(archive_fault)?);
    let positions = match &selection.positions {
        Some(PositionColumns(columns)) => archive.join(columns)?,
        None if archive.has("positions") => {
            let picked = Picked { position: [0, 1, 2], charge: None };
            archive.array("positions")?.points(|_| Ok(picked))?.positions
        }
        None => archive.join(&["x", "y", "z"].map(|name| Column::Name(name.to_owned())))?,
    };
    let found = CHARGE_NAMES.into_iter().find(|name| archive.has(name));
    let name = match &selection.charges {
        Charges::Column(column) => Some(name_of(column)?),
        Charges::Named => Some(found.ok_or(Fault::NoCharges)?),
        Charges::Unit | Charges::Ignored => None,
    };
    let charges = match name {
        Some(name) => archive.array(name)?.numbers(Some(positions.len()))?,
        None => Vec::new(),
    };
    Ok(PointTable { positions, charges })
}

struct Archive<R>(ZipArchive<R>);

impl<R: Read + Seek> Archive<R> {
    fn has(&self, name: &str) -> bool {
        self.0.index_for_name(&format!("{name}.npy")).is_some()
    }

    fn array(&mut self, name: &str) -> Result<Array, Fault> {
        match self.0.by_name(&format!("{name}.npy")) {
            Ok(entry) => return Array::read(entry, name),
            Err(ZipError::FileNotFound) => {}
            Err(other) => return Err(archive_fault(other)),
        }
        let names = self.0.file_names().flatten();
        let names: Vec<String> =
            names.map(|name| name.trim_end_matches(".npy").to_owned()).collect();
        Err(Fault::NoArray { wanted: format!("{name:?}"), available: names.join(", ") })
    }

    /// Positions from three arrays of shape (N).
    fn join(&mut self, columns: &[Column; 3]) -> Result<Vec<[f64; 3]>, Fault> {
        let [x, y, z] = columns;
        let x = self.array(name_of(x)?)?.numbers(None)?;
        let y = self.array(name_of(y)?)?.numbers(Some(x.len()))?;
        let z = self.array(name_of(z)?)?.numbers(Some(x.len()))?;
        Ok(x.into_iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z]).collect())
    }
}

fn name_of(column: &Column) -> Result<&str, Fault> {
    match column {
        Column::Name(name) => Ok(name),
        Column::Number(number) => Err(Fault::NumberedArray(*number)),
    }
}

fn archive_fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => Fault::Read(error),
        other => Fault::Archive(other.to_string()),
    }
}

/// Writes arrays one after the other into an archive, uncompressed: digits of measured numbers
/// hardly compress.
pub(crate) struct Writer<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Writer<W> {
    pub(crate) fn new(output: W) -> Writer<W> {
        Writer(ZipWriter::new(output))
    }

    /// Adds an array of rows of `width` numbers; of width 1 a plain vector.
    pub(crate) fn array(
        &mut self,
        name: &str,
        width: u64,
        values: impl ExactSizeIterator<Item = f64>,
    ) -> io::Result<()> {
        const HEADER: u64 = 1 << 16;
        let bytes = 8 * values.len() as u64 + HEADER;
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(bytes >= u64::from(u32::MAX));
        self.0.start_file(format!("{name}.npy"), options)?;
        npy::write(&mut self.0, width, values)
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        Ok(self.0.finish()?)
    }
}

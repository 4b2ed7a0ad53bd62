//! Faults of files, each told in one line with the cure.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::available::Available;
use crate::limits::{EXPANDED, EXPANSION, LONGEST_LINE, LONGEST_STREAM};
use crate::message::{one_line, shown};
use crate::points::column::Column;

/// Characters of a message at most: a program's name before it leaves it below 200.
const LONGEST: usize = 190;

/// A fault of a file with its place: `stars.dat:17: …`. The message is one line that fits two of a terminal.
#[derive(Debug, thiserror::Error)]
pub struct Error {
    /// The file as the caller named it.
    pub path: PathBuf,
    /// Line of a text file, counted from 1.
    pub line: Option<u64>,
    /// The fault.
    #[source]
    pub fault: Fault,
}

impl Error {
    /// The error of a failure to write a file.
    pub fn writing(path: &Path, error: io::Error) -> Error {
        At::from(Fault::Write(error)).of(path)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or(String::new(), |line| format!(":{line}"));
        f.write_str(&one_line(&format!("{}{line}: {}", shown(&self.path), self.fault), LONGEST))
    }
}

/// A fault of a file; the message ends with the cure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be opened.
    #[error("cannot be opened ({0}); check the path and its permissions")]
    Open(#[source] io::Error),
    /// The path is a folder's.
    #[error("is a folder; name a file in it")]
    Folder,
    /// Reading broke off.
    #[error("cannot be read ({0}); check that it is a regular file on a sound disk")]
    Read(#[source] io::Error),
    /// The file ends in `.gz`, but does not decompress.
    #[error(
        "is not a sound gzip file ({0}); copy or compress it again, or drop the ending .gz if it is not compressed"
    )]
    Gzip(#[source] io::Error),
    /// The extension names no format known here.
    #[error("{found} names no known format; use one of {known}")]
    Extension {
        /// The extension, in words where there is none.
        found: String,
        /// The extensions that are known, separated by commas.
        known: String,
    },
    /// The file holds no point.
    #[error("holds no points; give a file with at least one")]
    Empty,
    /// A text file is not UTF-8.
    #[error("is not UTF-8 text; save it as UTF-8, or check that the extension names the format")]
    Text,
    /// A line of a text file has no end for long.
    #[error("has a line of more than {} MiB; break it, or check that the extension names the format", LONGEST_LINE >> 20)]
    LongLine,
    /// Lines end with a carriage return alone, as on old Macs.
    #[error("has a carriage return within a line; end lines with a line feed (tr '\\r' '\\n')")]
    CarriageReturn,
    /// A compressed file expands beyond all measure.
    #[error(
        "expands more than {EXPANSION}-fold and beyond {} MiB; if that is meant, give it uncompressed", EXPANDED >> 20
    )]
    Expands,
    /// An archive that comes through a pipe has no end for long.
    #[error("is an archive of more than {} MiB in a pipe; give the name of its file", LONGEST_STREAM >> 20)]
    LongStream,
    /// The points do not fit into memory.
    #[error("{count} values do not fit into memory; use fewer points, or raise the memory limit")]
    Memory {
        /// Values that would have been held.
        count: u64,
    },
    /// A row is longer or shorter than the first.
    #[error(
        "found {found} columns, expected {expected} as in the first row; complete or remove the line"
    )]
    Width {
        /// Columns of this row.
        found: usize,
        /// Columns of the first row.
        expected: usize,
    },
    /// A field is not a number.
    #[error("found {text:?} in column {column}, expected a number; correct or remove the line")]
    Number {
        /// Column, counted from 1.
        column: usize,
        /// The beginning of the field.
        text: String,
    },
    /// A number is NaN or infinite.
    #[error("{place} is {value}, expected a finite number; correct or remove the point")]
    NotFinite {
        /// Column of a text file, or an array element such as `positions[17, 2]`.
        place: String,
        /// The value found.
        value: f64,
    },
    /// A number is beyond the range of f64.
    #[error("{place} is {text:?}, beyond the largest number 1.8e308; choose a larger unit")]
    Magnitude {
        /// Column of a text file.
        place: String,
        /// The beginning of the field.
        text: String,
    },
    /// A line does not follow the format.
    #[error("found {found:?}, expected {expected}; correct the line")]
    Line {
        /// The beginning of the line.
        found: String,
        /// Text that the format asks for.
        expected: &'static str,
    },
    /// The number of points differs from the one announced.
    #[error(
        "found {found} lines of points, expected {expected} as line 1 says; correct the count, and keep one frame a file"
    )]
    Count {
        /// Lines after the comment line.
        found: u64,
        /// The number in the first line.
        expected: u64,
    },
    /// A selected column is not there.
    #[error("has no column {wanted}; the columns are {available}: choose among them")]
    NoColumn {
        /// The column selected.
        wanted: Column,
        /// The columns of the file.
        available: Available,
    },
    /// A selected name is that of several columns or arrays.
    #[error("has several {things} named {name:?}; rename all but one")]
    Ambiguous {
        /// Columns or arrays.
        things: &'static str,
        /// The name.
        name: String,
    },
    /// Columns are named, but none x, y and z; or fewer than three columns are there.
    #[error(
        "has no columns x, y, z, but {available}; name the three of positions ({option} A,B,C)"
    )]
    NoPositions {
        /// The columns of the file.
        available: Available,
        /// The option that names columns of this file.
        option: &'static str,
    },
    /// A table of commas has one column, whose name has another separator.
    #[error(
        "separates columns by {separator:?} where a table .csv has commas; write commas and decimal points, or save it as .dat with white space"
    )]
    NotCommas {
        /// The separator found.
        separator: char,
    },
    /// A row of a table of white space has commas, too, but not between all fields.
    #[error(
        "separates fields by commas and by white space; use one of them, and write decimals with points"
    )]
    MixedSeparators,
    /// The file has more columns than x, y, z, charge, and no names to tell them apart.
    #[error(
        "has {width} columns without names; say which are x,y,z ({option} 1,2,3){}", if *.charges { " and which the charge (--charge 4)" } else { "" }
    )]
    Unnamed {
        /// Columns of the first row.
        width: usize,
        /// The option that names columns of this file.
        option: &'static str,
        /// Whether charges are read, too.
        charges: bool,
    },
    /// Charges are needed, and no column is known to hold them.
    #[error(
        "has no charges, but {available}; name their column (--charge NAME or NUMBER) or give each point the charge 1 (--unit-charges)"
    )]
    NoCharges {
        /// The columns or arrays of the file.
        available: Available,
    },
    /// A snapshot has more columns than x, y, z, mass, and no names to tell them apart.
    #[error(
        "has {width} columns without names; begin the file with them, as x, y, z, vx, vy, vz, m, or say which are x,y,z (--columns 1,2,3) and which the mass (--charge 4)"
    )]
    NoNames {
        /// Columns of the first row.
        width: usize,
    },
    /// Atoms of a PDB file, where charges are expected.
    #[error(
        "its atoms have PDB's occupancies where a PQR file has charges; pdb2pqr makes a PQR file of it"
    )]
    Pdb,
    /// An array is not in the archive.
    #[error("has no array {wanted}; the arrays are {available}: choose among them")]
    NoArray {
        /// The array looked for.
        wanted: String,
        /// The arrays of the archive.
        available: Available,
    },
    /// An array of an archive was selected by number.
    #[error("has arrays with names, so there is no column {0}; select by name")]
    NumberedArray(usize),
    /// An array has the wrong shape.
    #[error("{array} has shape {}, expected {expected}; {cure}", tuple(.shape))]
    Shape {
        /// Name of the array.
        array: String,
        /// Shape found.
        shape: Vec<u64>,
        /// Shape expected, N being the number of points.
        expected: Box<str>,
        /// Remedy, in numpy's words where it has some.
        cure: &'static str,
    },
    /// An array is not of real numbers.
    #[error("{array} has type {found}, expected f4, f8, i4 or i8; {}", conversion(.found))]
    Type {
        /// Name of the array.
        array: String,
        /// Numpy's description of the type.
        found: String,
    },
    /// An array is not of whole numbers.
    #[error("{array} has type {found}, expected u8, i8, u4 or i4; convert it with astype('u8')")]
    IntegerType {
        /// Name of the array.
        array: String,
        /// Numpy's description of the type.
        found: String,
    },
    /// An identity number or count is negative.
    #[error("{place} is {value}, expected a whole number from 0 on; correct it")]
    Negative {
        /// Element such as `ids[17]`.
        place: String,
        /// The value found.
        value: i64,
    },
    /// A binary snapshot does not follow its format.
    #[error("is not a sound {format} file ({cause}, at byte {offset}); copy or write it again")]
    Record {
        /// Name of the format.
        format: &'static str,
        /// Place in the file, in bytes from 0.
        offset: u64,
        /// Part of the format that is missing.
        cause: String,
    },
    /// A VTK file has a dataset whose points are not told one by one.
    #[error("is a VTK dataset of type {found}; convert it to POLYDATA or UNSTRUCTURED_GRID")]
    Dataset {
        /// Type of the dataset.
        found: String,
    },
    /// A snapshot is spread over several files.
    #[error("is one of {0} files of a snapshot; join them into one")]
    Parts(u32),
    /// A number is beyond the range of the format.
    #[error("{place} is {value:e}, which the format does not hold; write .npz, or change the unit")]
    Range {
        /// Array element such as `positions[17, 2]`.
        place: String,
        /// The value.
        value: f64,
    },
    /// A charge that is no mass, for a format of masses.
    #[error("{place} is {value}, and the format holds masses, 0 or more; write .npz or .vtk")]
    NegativeMass {
        /// Array element such as `charges[17]`.
        place: String,
        /// The value.
        value: f64,
    },
    /// An array ends before its last number.
    #[error("{array} ends after {found} of {expected} numbers; copy or write the file again")]
    Truncated {
        /// Name of the array.
        array: String,
        /// Whole numbers found.
        found: u64,
        /// Numbers that the header announces.
        expected: u64,
    },
    /// An array is not in numpy's format.
    #[error("{array} is not a sound .npy array ({cause}); write it again with numpy.save")]
    Npy {
        /// Name of the array.
        array: String,
        /// Part of numpy's format that is missing.
        cause: String,
    },
    /// An archive is not a zip file.
    #[error("is not a sound .npz archive ({0}); write it again with numpy.savez")]
    Archive(String),
    /// The arrays to write differ in length.
    #[error("{array} has {found} elements for {expected} points; give one a point")]
    Length {
        /// Name of the array.
        array: &'static str,
        /// Length of the array.
        found: usize,
        /// Number of positions.
        expected: usize,
    },
    /// The format cannot count so many points.
    #[error("cannot hold {found} points, the format ends at {limit}; write .npz")]
    TooMany {
        /// Number of points.
        found: usize,
        /// The largest number of points.
        limit: usize,
    },
    /// The path to write to is that of a folder, a device, a pipe or a broken link.
    #[error("is not a regular file; name a new file, or a file to replace")]
    NotAFile,
    /// The file to replace is write-protected.
    #[error("is write-protected; name another file, or change its permissions")]
    Protected,
    /// Writing failed; nothing is left of the file.
    #[error("cannot be written ({0}); check the folder, its permissions and the space left")]
    Write(#[source] io::Error),
}

/// A fault at a line, before the path is known.
#[derive(Debug)]
pub(crate) struct At {
    pub(crate) line: Option<u64>,
    pub(crate) fault: Fault,
}

impl At {
    pub(crate) fn line(line: u64, fault: Fault) -> At {
        At { line: Some(line), fault }
    }

    pub(crate) fn of(self, path: &Path) -> Error {
        Error { path: path.to_owned(), line: self.line, fault: self.fault }
    }
}

impl From<Fault> for At {
    fn from(fault: Fault) -> At {
        At { line: None, fault }
    }
}

/// The way to real numbers from an array of this type; numpy does not convert one of fields.
fn conversion(found: &str) -> &'static str {
    match found.starts_with('[') {
        true => "write its fields with numpy.savez(positions=…, charges=…)",
        false => "convert it with astype('f8')",
    }
}

/// A shape as numpy writes it.
fn tuple(shape: &[u64]) -> String {
    match shape {
        [length] => format!("({length},)"),
        _ => {
            let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!("({})", lengths.join(", "))
        }
    }
}

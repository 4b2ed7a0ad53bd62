//! NPZ: an archive of numpy arrays with names.
//!
//! | file | what |
//! |---|---|
//! | `directory.rs` | names, places and lengths of the members of a zip archive |
//! | `writer.rs` | zip archives of members that are not compressed |

mod directory;
pub(crate) mod writer;

use std::io::{self, Read, Seek, Write};

use crate::available::Available;
use crate::error::Fault;
use crate::limits::LONGEST_HEADER;
use crate::memory::{Seekable, reserve_exact};
use crate::message::excerpt;
use crate::npy::integers;
use crate::npy::{self, Array};
use crate::npz::directory::{Content, Member, ZipFault, read_directory};
use crate::npz::writer::ZipWriter;
use crate::points::PointTable;
use crate::points::column::{Column, PositionColumns};
use crate::points::selection::{Charges, Selection};

/// Names of an array of positions, shape (N, 3), of which the first that is there counts.
const POSITIONS: [&str; 3] = ["positions", "pos", "coordinates"];

/// Names of an array of velocities, shape (N, 3).
pub(crate) const VELOCITIES: [&str; 3] = ["velocities", "vel", "velocity"];

/// Reads the arrays `positions` or x, y, z, and one of charges, or those that are selected.
pub(crate) fn read(input: &mut dyn Seekable, selection: &Selection) -> Result<PointTable, Fault> {
    Archive::open(input)?.points(selection)
}

/// An archive whose directory was read.
pub(crate) struct Archive<R> {
    input: R,
    members: Vec<Member>,
}

impl<R: Read + Seek> Archive<R> {
    pub(crate) fn open(mut input: R) -> Result<Archive<R>, Fault> {
        let members = read_directory(&mut input).map_err(archive_fault)?;
        Ok(Archive { input, members })
    }

    /// Positions and charges that are selected.
    pub(crate) fn points(&mut self, selection: &Selection) -> Result<PointTable, Fault> {
        let positions = match &selection.positions {
            Some(PositionColumns::Each(columns)) => self.join(columns)?,
            Some(PositionColumns::Vector(name)) => self.array(name)?.positions()?,
            None => match self.first_of(POSITIONS) {
                Some(name) => self.array(name)?.positions()?,
                None if !["x", "y", "z"].iter().any(|name| self.has(name)) => {
                    let names = POSITIONS.map(|name| format!("{name:?}")).join(", ");
                    return Err(self.missing(format!("{names}, nor x, y, z")));
                }
                None => self.join(&["x", "y", "z"].map(|name| Column::Name(name.to_owned())))?,
            },
        };
        let found = self.first_of(selection.charges.names());
        let name = match &selection.charges {
            Charges::Column(column) => Some(name_of(column)?),
            Charges::Named | Charges::Masses => {
                let none = || Fault::NoCharges { available: self.available() };
                Some(found.ok_or_else(none)?)
            }
            Charges::Unit | Charges::Ignored => None,
        };
        let charges = match name {
            Some(name) => self.array(name)?.numbers(Some(positions.len()))?,
            None => Vec::new(),
        };
        Ok(PointTable { positions, charges })
    }

    /// Whether there is an array of this name; capitals are the same as small letters.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.array().eq_ignore_ascii_case(name))
    }

    /// The first of these names that an array has as it is; failing that, in other capitals.
    pub(crate) fn first_of<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Option<&'static str> {
        let is_there = |name: &&str| self.members.iter().any(|member| member.array() == *name);
        let exact = names.into_iter().find(is_there);
        exact.or_else(|| names.into_iter().find(|name| self.has(name)))
    }

    /// The numbers of an array.
    pub(crate) fn array(&mut self, name: &str) -> Result<Array, Fault> {
        self.content(name, |content, name, length| Array::read(content, name, length))
    }

    /// The whole numbers of an array.
    pub(crate) fn integers(&mut self, name: &str) -> Result<Vec<u64>, Fault> {
        self.content(name, |content, name, length| integers::read(content, name, length))
    }

    fn content<A>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Content<&mut R>, &str, Option<u64>) -> Result<A, Fault>,
    ) -> Result<A, Fault> {
        let exact = self.members.iter().any(|member| member.array() == name);
        let is_named = |member: &&Member| match exact {
            true => member.array() == name,
            false => member.array().eq_ignore_ascii_case(name),
        };
        let mut named = self.members.iter().filter(is_named);
        let member = match (named.next(), named.next()) {
            (Some(member), None) => member,
            (Some(_), Some(_)) => {
                return Err(Fault::Ambiguous { things: "arrays", name: excerpt(name) });
            }
            (None, _) => return Err(self.missing(format!("{name:?}"))),
        };
        let mut content = member.open(&mut self.input).map_err(archive_fault)?;
        let array = read(&mut content, member.array(), member.known_length())?;
        if content.is_sound() {
            return Ok(array);
        }
        Err(Fault::Archive(format!("the checksum of {} is wrong", excerpt(name))))
    }

    fn missing(&self, wanted: String) -> Fault {
        Fault::NoArray { wanted, available: self.available() }
    }

    /// All arrays, for messages.
    fn available(&self) -> Available {
        self.members.iter().map(Member::array).collect()
    }

    /// Vectors from three arrays of shape (N).
    pub(crate) fn join(&mut self, columns: &[Column; 3]) -> Result<Vec<[f64; 3]>, Fault> {
        let [x, y, z] = columns;
        let x = self.array(name_of(x)?)?.numbers(None)?;
        let y = self.array(name_of(y)?)?.numbers(Some(x.len()))?;
        let z = self.array(name_of(z)?)?.numbers(Some(x.len()))?;
        let mut positions = Vec::new();
        reserve_exact(&mut positions, x.len())?;
        positions.extend(x.into_iter().zip(y).zip(z).map(|((x, y), z)| [x, y, z]));
        Ok(positions)
    }
}

fn name_of(column: &Column) -> Result<&str, Fault> {
    match column {
        Column::Name(name) => Ok(name),
        Column::Number(number) => Err(Fault::NumberedArray(*number)),
    }
}

fn archive_fault(fault: ZipFault) -> Fault {
    match fault {
        ZipFault::Read(error) => Fault::Read(error),
        ZipFault::Damaged(cause) => Fault::Archive(cause.to_owned()),
    }
}

/// Writes arrays one after the other into an archive, uncompressed: digits of measured numbers
/// hardly compress.
pub(crate) struct Writer<W>(ZipWriter<W>);

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
        let rows = values.len() as u64 / width;
        self.array_by_parts(name, width, rows, |output| npy::numbers(output, values))
    }

    /// Adds an array of so many rows, whose numbers `write` writes one after the other.
    pub(crate) fn array_by_parts(
        &mut self,
        name: &str,
        width: u64,
        rows: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let most = 8 * width * rows + LONGEST_HEADER;
        self.0.member(&format!("{name}.npy"), most, |output| {
            npy::write_header(output, width, rows)?;
            write(output)
        })
    }

    /// Adds a single number, of shape ().
    pub(crate) fn scalar(&mut self, name: &str, value: f64) -> io::Result<()> {
        self.0.member(&format!("{name}.npy"), LONGEST_HEADER, |output| {
            npy::write_scalar(output, value)
        })
    }

    /// Adds whole numbers of this shape.
    pub(crate) fn integers(&mut self, name: &str, shape: &[u64], values: &[u64]) -> io::Result<()> {
        let most = 8 * values.len() as u64 + LONGEST_HEADER;
        self.0.member(&format!("{name}.npy"), most, |output| integers::write(output, shape, values))
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

//! NPY: one array of numpy, with rows of points or one number a point.
//!
//! | file | what |
//! |---|---|
//! | `header.rs` | type, order and shape of the array |
//! | `numbers.rs` | numbers of the array as they arrive |
//! | `integers.rs` | arrays of whole numbers, with every digit |

mod header;
pub(crate) mod integers;
pub(crate) mod numbers;

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::error::Fault;
use crate::memory::{read_fault, reserve_exact};
use crate::npy::header::Header;
use crate::npy::numbers::{Opened, reader};
use crate::pack::write_bytes;
use crate::points::PointTable;
use crate::points::selection::{Picked, Selection};

/// Reads the points of an array of shape (N, columns); `length` is that of the input, where it is known.
pub(crate) fn read(
    mut input: impl Read,
    length: Option<u64>,
    selection: &Selection,
) -> Result<PointTable, Fault> {
    let array = Array::read(&mut input, NAME, length)?;
    array.check_table(selection)?;
    array.points(|columns| selection.pick(&[], columns))
}

/// Name of the array of an NPY file.
const NAME: &str = "the array";

/// Rows of an array, of which `rows` chooses by the number of all, and that number. The input has `length` bytes; only
/// its header and the bytes of the rows are read.
pub(crate) fn read_rows(
    mut input: impl Read + Seek,
    length: u64,
    selection: &Selection,
    rows: impl FnOnce(usize) -> Range<usize>,
) -> Result<(PointTable, usize), Fault> {
    let wrong = |found| Fault::Type { array: NAME.to_owned(), found };
    let opened = Opened::read(&mut input, NAME, reader, wrong)?;
    let (size, read) = opened.numbers;
    opened.check_length(length)?;
    if length > opened.header_bytes + opened.expected() * size {
        return Err(opened.goes_on());
    }
    let whole =
        Array { name: NAME.to_owned(), header: opened.header, values: Vec::new(), first: 0 };
    whole.check_table(selection)?;
    let &[n_rows, columns] = whole.header.shape.as_slice() else {
        return Err(whole.misshapen("(N, columns)", "give a row x, y, z for each point"));
    };
    let rows = rows(n_rows as usize);
    let (first, count) = (rows.start as u64, rows.len() as u64);
    // Runs of numbers: one of all columns, or one a column where the first index runs fastest.
    let (runs, run, stride) = match whole.header.fortran_order {
        true => (columns, count, n_rows),
        false => (1, count * columns, 0),
    };
    let start = if whole.header.fortran_order { first } else { first * columns };
    let mut values = Vec::new();
    for k in 0..runs {
        let at = opened.header_bytes + (k * stride + start) * size;
        input.seek(SeekFrom::Start(at)).map_err(read_fault)?;
        let found = read(&mut input, run, true)?;
        if (found.len() as u64) < run {
            // The file became shorter meanwhile.
            let expected = n_rows * columns;
            return Err(Fault::Truncated { array: NAME.to_owned(), found: 0, expected });
        }
        values.extend(found);
    }
    let header = Header { shape: vec![count, columns], ..whole.header };
    let part = Array { header, values, first: rows.start, ..whole };
    Ok((part.points(|columns| selection.pick(&[], columns))?, n_rows as usize))
}

/// The numbers of an array, widened to f64.
pub(crate) struct Array {
    name: String,
    header: Header,
    /// Numbers in the file's order, as many as the shape says.
    values: Vec<f64>,
    /// Number of the first row in the file.
    first: usize,
}

impl Array {
    /// Reads an array, which messages call `name`, to the end of an input, whose length may be known.
    pub(crate) fn read(
        input: &mut impl Read,
        name: &str,
        length: Option<u64>,
    ) -> Result<Array, Fault> {
        let wrong = |found| Fault::Type { array: name.to_owned(), found };
        let (header, values) = Opened::read(input, name, reader, wrong)?.all(input, length)?;
        Ok(Array { name: name.to_owned(), header, values, first: 0 })
    }

    /// The one number of an array of shape () or (1,).
    pub(crate) fn scalar(&self) -> Result<f64, Fault> {
        match self.values.len() {
            1 => self.finite(0, || self.name.clone()),
            _ => Err(self.misshapen("()", "give one number")),
        }
    }

    /// Refuses arrays that are no table of points.
    fn check_table(&self, selection: &Selection) -> Result<(), Fault> {
        let cure = match *self.header.shape.as_slice() {
            [_, 3..=4] => return Ok(()),
            [3..=4, 5..=u64::MAX] if selection.positions.is_none() => "save its transpose (.T)",
            [_, ..3] => "give x, y and z for each point",
            [_, _] => return Ok(()),
            _ => "give a row x, y, z for each point",
        };
        Err(self.misshapen("(N, 3) or (N, 4)", cure))
    }

    /// The points of an array of shape (N, 3) in an archive.
    pub(crate) fn positions(&self) -> Result<Vec<[f64; 3]>, Fault> {
        let cure = match *self.header.shape.as_slice() {
            [_, 3] => {
                let picked = Picked { position: [0, 1, 2], charge: None };
                return Ok(self.points(|_| Ok(picked))?.positions);
            }
            [3, _] => "save its transpose (.T)",
            [_, 4..=u64::MAX] => {
                "keep three columns ([:, :3]), and save charges as an array charges"
            }
            [_, ..3] => "give x, y and z for each point",
            _ => "give a row x, y, z for each point",
        };
        Err(self.misshapen("(N, 3)", cure))
    }

    /// The points of an array of shape (N, columns), whose columns `pick` chooses.
    fn points(
        &self,
        pick: impl FnOnce(usize) -> Result<Picked, Fault>,
    ) -> Result<PointTable, Fault> {
        let &[rows, columns] = self.header.shape.as_slice() else {
            return Err(self.misshapen("(N, columns)", "give a row x, y, z for each point"));
        };
        let (rows, columns) = (rows as usize, columns as usize);
        let Picked { position: [x, y, z], charge } = pick(columns)?;
        let value = |row: usize, column: usize| {
            let index = if self.header.fortran_order {
                column * rows + row
            } else {
                row * columns + column
            };
            self.finite(index, || format!("{}[{}, {column}]", self.name, self.first + row))
        };
        let mut points = PointTable::default();
        reserve_exact(&mut points.positions, rows)?;
        for i in 0..rows {
            points.positions.push([value(i, x)?, value(i, y)?, value(i, z)?]);
        }
        if let Some(charge) = charge {
            reserve_exact(&mut points.charges, rows)?;
            for i in 0..rows {
                points.charges.push(value(i, charge)?);
            }
        }
        Ok(points)
    }

    /// Numbers of an array of shape (N) or (N, 1), one a point.
    pub(crate) fn numbers(self, points: Option<usize>) -> Result<Vec<f64>, Fault> {
        let length = match *self.header.shape.as_slice() {
            [length] | [length, 1] => Some(length),
            _ => None,
        };
        let expected = match points {
            Some(points) if length != Some(points as u64) => format!("({points},)"),
            None if length.is_none() => "(N,)".to_owned(),
            _ => {
                for i in 0..self.values.len() {
                    self.finite(i, || format!("{}[{i}]", self.name))?;
                }
                return Ok(self.values);
            }
        };
        Err(self.misshapen(&expected, "give one number a point"))
    }

    fn finite(&self, index: usize, place: impl FnOnce() -> String) -> Result<f64, Fault> {
        let value = self.values[index];
        if value.is_finite() { Ok(value) } else { Err(Fault::NotFinite { place: place(), value }) }
    }

    fn misshapen(&self, expected: &str, cure: &'static str) -> Fault {
        Fault::Shape {
            array: self.name.clone(),
            shape: self.header.shape.clone(),
            expected: expected.into(),
            cure,
        }
    }
}

/// Writes rows of `width` numbers; of width 1 as a plain vector.
pub(crate) fn write(
    output: &mut dyn Write,
    width: u64,
    values: impl ExactSizeIterator<Item = f64>,
) -> io::Result<()> {
    write_header(output, width, values.len() as u64 / width)?;
    numbers(output, values)
}

/// Writes the header of so many rows of `width` numbers.
pub(crate) fn write_header(output: &mut dyn Write, width: u64, rows: u64) -> io::Result<()> {
    let shape = if width == 1 { vec![rows] } else { vec![rows, width] };
    Header { descr: "<f8".to_owned(), fortran_order: false, shape }.write(output)
}

/// Writes numbers of an array.
pub(crate) fn numbers(output: &mut dyn Write, values: impl Iterator<Item = f64>) -> io::Result<()> {
    write_bytes(output, values.map(f64::to_le_bytes))
}

/// Writes a single number, of shape ().
pub(crate) fn write_scalar(output: &mut dyn Write, value: f64) -> io::Result<()> {
    Header { descr: "<f8".to_owned(), fortran_order: false, shape: Vec::new() }.write(output)?;
    output.write_all(&value.to_le_bytes())
}

//! NPY: one array of numpy, with rows of points or one number a point.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::error::Fault;
use crate::memory::{read_fault, reserve, reserve_exact};
use crate::message::excerpt;
use crate::npy_header::Header;
use crate::points::PointTable;
use crate::selection::{Picked, Selection};

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
    let opened = Opened::read(&mut input, NAME)?;
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

/// An array whose header is read.
struct Opened {
    name: String,
    header: Header,
    header_bytes: u64,
    /// Bytes of a number, and their reader.
    numbers: (u64, Reader),
}

impl Opened {
    fn read(input: &mut impl Read, name: &str) -> Result<Opened, Fault> {
        let damaged = |cause| Fault::Npy { array: name.to_owned(), cause };
        let (header, header_bytes) = Header::read(input).map_err(damaged)?;
        match reader(&header.descr) {
            Some(numbers) => Ok(Opened { name: name.to_owned(), header, header_bytes, numbers }),
            None => Err(Fault::Type { array: name.to_owned(), found: excerpt(&header.descr) }),
        }
    }

    /// Numbers that the shape announces.
    fn expected(&self) -> u64 {
        let lengths = self.header.shape.iter();
        let product = lengths.copied().try_fold(1u64, u64::checked_mul);
        product.unwrap_or(u64::MAX)
    }

    /// Refuses an input of so many bytes that holds fewer numbers.
    fn check_length(&self, length: u64) -> Result<(), Fault> {
        let held = length.saturating_sub(self.header_bytes) / self.numbers.0;
        if held < self.expected() { Err(self.truncated(held)) } else { Ok(()) }
    }

    fn truncated(&self, found: u64) -> Fault {
        Fault::Truncated { array: self.name.clone(), found, expected: self.expected() }
    }

    fn goes_on(&self) -> Fault {
        let cause = format!("it goes on after its {} numbers", self.expected());
        Fault::Npy { array: self.name.clone(), cause }
    }
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
        let opened = Opened::read(input, name)?;
        if let Some(length) = length {
            opened.check_length(length)?;
        }
        let values = (opened.numbers.1)(input, opened.expected(), length.is_some())?;
        if (values.len() as u64) < opened.expected() {
            return Err(opened.truncated(values.len() as u64));
        }
        // The end has to be seen: decompressors check their sums there.
        match input.read(&mut [0]).map_err(read_fault)? {
            0 => Ok(Array { name: opened.name, header: opened.header, values, first: 0 }),
            _ => Err(opened.goes_on()),
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

/// Reads so many numbers, whose bytes are known to be there or not.
type Reader = fn(&mut dyn Read, u64, bool) -> Result<Vec<f64>, Fault>;

/// Bytes and reader of the numbers of a type, by numpy's name of the type.
fn reader(descr: &str) -> Option<(u64, Reader)> {
    Some(match descr {
        "<f8" => (8, |input, count, sure| numbers(input, count, sure, f64::from_le_bytes)),
        ">f8" => (8, |input, count, sure| numbers(input, count, sure, f64::from_be_bytes)),
        "<f4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| f32::from_le_bytes(b).into()))
        }
        ">f4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| f32::from_be_bytes(b).into()))
        }
        "<i4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| i32::from_le_bytes(b).into()))
        }
        ">i4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| i32::from_be_bytes(b).into()))
        }
        "<i8" => {
            (8, |input, count, sure| numbers(input, count, sure, |b| i64::from_le_bytes(b) as f64))
        }
        ">i8" => {
            (8, |input, count, sure| numbers(input, count, sure, |b| i64::from_be_bytes(b) as f64))
        }
        _ => return None,
    })
}

/// Reads up to `count` numbers of `SIZE` bytes each, fewer if the input ends before. Memory grows as numbers arrive,
/// unless it is sure that so many are there: a header may announce any length.
fn numbers<const SIZE: usize>(
    input: &mut dyn Read,
    count: u64,
    sure: bool,
    number: impl Fn([u8; SIZE]) -> f64,
) -> Result<Vec<f64>, Fault> {
    const NUMBERS: u64 = 1 << 13;
    let mut values = Vec::new();
    if sure {
        reserve_exact(&mut values, count as usize)?;
    }
    let mut buffer = Vec::new();
    while (values.len() as u64) < count {
        let wanted = NUMBERS.min(count - values.len() as u64) * SIZE as u64;
        buffer.clear();
        let found = (&mut *input).take(wanted).read_to_end(&mut buffer).map_err(read_fault)?;
        reserve(&mut values, found / SIZE)?;
        values.extend(buffer.as_chunks::<SIZE>().0.iter().map(|&bytes| number(bytes)));
        if (found as u64) < wanted {
            break;
        }
    }
    Ok(values)
}

/// Writes rows of `width` numbers; of width 1 as a plain vector.
pub(crate) fn write(
    output: &mut dyn Write,
    width: u64,
    values: impl ExactSizeIterator<Item = f64>,
) -> io::Result<()> {
    let rows = values.len() as u64 / width;
    let shape = if width == 1 { vec![rows] } else { vec![rows, width] };
    Header { descr: "<f8".to_owned(), fortran_order: false, shape }.write(output)?;
    for value in values {
        output.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

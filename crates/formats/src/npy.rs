//! NPY: one array of numpy, with rows of points or one number a point.

use std::io::{self, Read, Write};

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
    let array = Array::read(&mut input, "the array", length)?;
    let expected = "(N, 3) or (N, 4)";
    match *array.header.shape.as_slice() {
        [_, 3..=4] => {}
        [3..=4, 5..=u64::MAX] if selection.positions.is_none() => {
            return Err(array.misshapen(expected, "save its transpose (.T)"));
        }
        [_, ..3] => return Err(array.misshapen(expected, "give x, y and z for each point")),
        [_, _] => {}
        _ => return Err(array.misshapen(expected, "give a row x, y, z for each point")),
    }
    array.points(|columns| selection.pick(&[], columns))
}

/// The numbers of an array, widened to f64.
pub(crate) struct Array {
    name: String,
    header: Header,
    /// Numbers in the file's order, as many as the shape says.
    values: Vec<f64>,
}

impl Array {
    /// Reads an array, which messages call `name`, to the end of an input, whose length may be known.
    pub(crate) fn read(
        input: &mut impl Read,
        name: &str,
        length: Option<u64>,
    ) -> Result<Array, Fault> {
        let wrong = |found| Fault::Type { array: name.to_owned(), found };
        let (header, values) = values(input, name, length, reader, wrong)?;
        Ok(Array { name: name.to_owned(), header, values })
    }

    /// The one number of an array of shape () or (1,).
    pub(crate) fn scalar(&self) -> Result<f64, Fault> {
        match self.values.len() {
            1 => self.finite(0, || self.name.clone()),
            _ => Err(self.misshapen("()", "give one number")),
        }
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
            self.finite(index, || format!("{}[{row}, {column}]", self.name))
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

/// Header and values of an array, which is read to the end of an input, whose length may be known. `reader` names the
/// types that fit, `wrong` is the fault of another.
pub(crate) fn values<V>(
    input: &mut impl Read,
    name: &str,
    length: Option<u64>,
    reader: Types<V>,
    wrong: impl Fn(String) -> Fault,
) -> Result<(Header, Vec<V>), Fault> {
    let damaged = |cause| Fault::Npy { array: name.to_owned(), cause };
    let (header, header_bytes) = Header::read(input).map_err(damaged)?;
    let (size, read) = reader(&header.descr).ok_or_else(|| wrong(excerpt(&header.descr)))?;
    let product = header.shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
    let expected = product.unwrap_or(u64::MAX);
    let truncated = |found| Fault::Truncated { array: name.to_owned(), found, expected };
    if let Some(length) = length {
        let held = length.saturating_sub(header_bytes) / size;
        if held < expected {
            return Err(truncated(held));
        }
    }
    let values = read(input, expected, length.is_some())?;
    if (values.len() as u64) < expected {
        return Err(truncated(values.len() as u64));
    }
    // The end has to be seen: decompressors check their sums there.
    match input.read(&mut [0]).map_err(read_fault)? {
        0 => Ok((header, values)),
        _ => Err(damaged(format!("it goes on after its {expected} numbers"))),
    }
}

/// Bytes and reader of the numbers of a type, by numpy's name of the type.
pub(crate) type Types<V> = fn(&str) -> Option<(u64, Reader<V>)>;

/// Reads so many numbers, whose bytes are known to be there or not.
pub(crate) type Reader<V> = fn(&mut dyn Read, u64, bool) -> Result<Vec<V>, Fault>;

/// Bytes and reader of the numbers of a type, by numpy's name of the type.
fn reader(descr: &str) -> Option<(u64, Reader<f64>)> {
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
pub(crate) fn numbers<const SIZE: usize, V>(
    input: &mut dyn Read,
    count: u64,
    sure: bool,
    number: impl Fn([u8; SIZE]) -> V,
) -> Result<Vec<V>, Fault> {
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

/// Writes a single number, of shape ().
pub(crate) fn write_scalar(output: &mut dyn Write, value: f64) -> io::Result<()> {
    Header { descr: "<f8".to_owned(), fortran_order: false, shape: Vec::new() }.write(output)?;
    output.write_all(&value.to_le_bytes())
}

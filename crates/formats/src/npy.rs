//! NPY: one array of numpy, with rows of points or one number a point.

use std::io::{self, Read, Write};

use crate::error::Fault;
use crate::npy_header::Header;
use crate::points::PointTable;
use crate::selection::{Picked, Selection};

/// Reads the points of an array of shape (N, columns).
pub(crate) fn read(input: impl Read, selection: &Selection) -> Result<PointTable, Fault> {
    Array::read(input, "the array")?.points(|columns| selection.pick(&[], columns))
}

/// The numbers of an array, widened to f64.
pub(crate) struct Array {
    name: String,
    header: Header,
    /// Numbers in the file's order, as many as the shape says.
    values: Vec<f64>,
}

impl Array {
    /// Reads an array, which messages call `name`.
    pub(crate) fn read(mut input: impl Read, name: &str) -> Result<Array, Fault> {
        let header = Header::read(&mut input)
            .map_err(|cause| Fault::Npy { array: name.to_owned(), cause })?;
        let Some(read) = reader(&header.descr) else {
            return Err(Fault::Type { array: name.to_owned(), found: header.descr });
        };
        let product = header.shape.iter().try_fold(1u64, |product, &n| product.checked_mul(n));
        let expected = product.unwrap_or(u64::MAX);
        let values = read(&mut input, expected).map_err(Fault::Read)?;
        let found = values.len() as u64;
        if found < expected {
            return Err(Fault::Truncated { array: name.to_owned(), found, expected });
        }
        Ok(Array { name: name.to_owned(), header, values })
    }

    /// The points of an array of shape (N, columns), whose columns `pick` chooses.
    pub(crate) fn points(
        &self,
        pick: impl FnOnce(usize) -> Result<Picked, Fault>,
    ) -> Result<PointTable, Fault> {
        let &[rows, columns] = self.header.shape.as_slice() else {
            return Err(self.misshapen("(N, 3) or (N, 4)".to_owned()));
        };
        let (rows, columns) = (rows as usize, columns as usize);
        let picked = pick(columns)?;
        let value = |row: usize, column: usize| {
            let index = if self.header.fortran_order {
                column * rows + row
            } else {
                row * columns + column
            };
            self.finite(index, || format!("{}[{row}, {column}]", self.name))
        };
        let [x, y, z] = picked.position;
        let positions = (0..rows).map(|i| Ok([value(i, x)?, value(i, y)?, value(i, z)?]));
        let charges = picked.charge.into_iter().flat_map(|q| (0..rows).map(move |i| value(i, q)));
        Ok(PointTable {
            positions: positions.collect::<Result<_, Fault>>()?,
            charges: charges.collect::<Result<_, Fault>>()?,
        })
    }

    /// Numbers of an array of shape (N) or (N, 1), one a point.
    pub(crate) fn numbers(&self, points: Option<usize>) -> Result<Vec<f64>, Fault> {
        let length = match *self.header.shape.as_slice() {
            [length] | [length, 1] => Some(length),
            _ => None,
        };
        match (length, points) {
            (None, None) => Err(self.misshapen("(N,)".to_owned())),
            (length, Some(points)) if length != Some(points as u64) => {
                Err(self.misshapen(format!("({points},)")))
            }
            _ => (0..self.values.len())
                .map(|i| self.finite(i, || format!("{}[{i}]", self.name)))
                .collect(),
        }
    }

    fn finite(&self, index: usize, place: impl FnOnce() -> String) -> Result<f64, Fault> {
        let value = self.values[index];
        if value.is_finite() { Ok(value) } else { Err(Fault::NotFinite { place: place(), value }) }
    }

    fn misshapen(&self, expected: String) -> Fault {
        Fault::Shape { array: self.name.clone(), shape: self.header.shape.clone(), expected }
    }
}

type Reader = fn(&mut dyn Read, u64) -> io::Result<Vec<f64>>;

/// Reader of the numbers of a type, by numpy's name of the type.
fn reader(descr: &str) -> Option<Reader> {
    Some(match descr {
        "<f8" => |input, count| numbers(input, count, f64::from_le_bytes),
        ">f8" => |input, count| numbers(input, count, f64::from_be_bytes),
        "<f4" => |input, count| numbers(input, count, |b| f32::from_le_bytes(b).into()),
        ">f4" => |input, count| numbers(input, count, |b| f32::from_be_bytes(b).into()),
        "<i4" => |input, count| numbers(input, count, |b| i32::from_le_bytes(b).into()),
        ">i4" => |input, count| numbers(input, count, |b| i32::from_be_bytes(b).into()),
        "<i8" => |input, count| numbers(input, count, |b| i64::from_le_bytes(b) as f64),
        ">i8" => |input, count| numbers(input, count, |b| i64::from_be_bytes(b) as f64),
        _ => return None,
    })
}

/// Reads up to `count` numbers of `SIZE` bytes each, fewer if the input ends before.
fn numbers<const SIZE: usize>(
    input: &mut dyn Read,
    count: u64,
    number: impl Fn([u8; SIZE]) -> f64,
) -> io::Result<Vec<f64>> {
    const NUMBERS: u64 = 1 << 13;
    // Grows as numbers arrive: the header of a damaged file may announce any length.
    let mut values = Vec::new();
    let mut buffer = Vec::new();
    while (values.len() as u64) < count {
        let wanted = NUMBERS.min(count - values.len() as u64) * SIZE as u64;
        buffer.clear();
        let found = (&mut *input).take(wanted).read_to_end(&mut buffer)?;
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

//! NPY arrays of whole numbers from 0 on: identity numbers and counts, with every digit.

use std::io::{self, Read, Write};

use crate::error::Fault;
use crate::npy::header::Header;
use crate::npy::numbers::{Opened, Reader, numbers};
use crate::pack::write_bytes;

/// Reads the whole numbers of an array, of any shape, to the end of an input.
pub(crate) fn read(
    input: &mut impl Read,
    name: &str,
    length: Option<u64>,
) -> Result<Vec<u64>, Fault> {
    let wrong = |found| Fault::IntegerType { array: name.to_owned(), found };
    let (header, values) = Opened::read(input, name, reader, wrong)?.all(input, length)?;
    let negative = |&value: &u64| value > i64::MAX as u64;
    match values.iter().position(negative).filter(|_| header.descr.contains('i')) {
        Some(index) => {
            Err(Fault::Negative { place: format!("{name}[{index}]"), value: values[index] as i64 })
        }
        None => Ok(values),
    }
}

/// Writes whole numbers: a plain vector, or a single number of shape ().
pub(crate) fn write(output: &mut dyn Write, shape: &[u64], values: &[u64]) -> io::Result<()> {
    let header = Header { descr: "<u8".to_owned(), fortran_order: false, shape: shape.to_vec() };
    header.write(output)?;
    write_bytes(output, values.iter().map(|value| value.to_le_bytes()))
}

/// Bytes and reader of the numbers of a type; negative numbers come out beyond the range of i64.
fn reader(descr: &str) -> Option<(u64, Reader<u64>)> {
    Some(match descr {
        "<u8" => (8, |input, count, sure| numbers(input, count, sure, u64::from_le_bytes)),
        ">u8" => (8, |input, count, sure| numbers(input, count, sure, u64::from_be_bytes)),
        "<i8" => (8, |input, count, sure| numbers(input, count, sure, u64::from_le_bytes)),
        ">i8" => (8, |input, count, sure| numbers(input, count, sure, u64::from_be_bytes)),
        "<u4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| u32::from_le_bytes(b).into()))
        }
        ">u4" => {
            (4, |input, count, sure| numbers(input, count, sure, |b| u32::from_be_bytes(b).into()))
        }
        "<i4" => (4, |input, count, sure| {
            numbers(input, count, sure, |b| i64::from(i32::from_le_bytes(b)) as u64)
        }),
        ">i4" => (4, |input, count, sure| {
            numbers(input, count, sure, |b| i64::from(i32::from_be_bytes(b)) as u64)
        }),
        _ => return None,
    })
}

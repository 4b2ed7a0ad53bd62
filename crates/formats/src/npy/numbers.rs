//! Numbers of an NPY array: its header, their type, and the numbers as they arrive.

use std::io::Read;

use crate::error::Fault;
use crate::memory::{read_fault, reserve, reserve_exact};
use crate::message::excerpt;
use crate::npy::header::Header;

/// An array whose header is read.
pub(crate) struct Opened<V> {
    pub(crate) name: String,
    pub(crate) header: Header,
    pub(crate) header_bytes: u64,
    /// Bytes of a number, and their reader.
    pub(crate) numbers: (u64, Reader<V>),
}

impl<V> Opened<V> {
    /// Reads the header of an array. `types` names the types that fit, `wrong` is the fault of another.
    pub(crate) fn read(
        input: &mut impl Read,
        name: &str,
        types: Types<V>,
        wrong: impl Fn(String) -> Fault,
    ) -> Result<Opened<V>, Fault> {
        let damaged = |cause| Fault::Npy { array: name.to_owned(), cause };
        let (header, header_bytes) = Header::read(input).map_err(damaged)?;
        let numbers = types(&header.descr).ok_or_else(|| wrong(excerpt(&header.descr)))?;
        Ok(Opened { name: name.to_owned(), header, header_bytes, numbers })
    }

    /// Numbers that the shape announces.
    pub(crate) fn expected(&self) -> u64 {
        let lengths = self.header.shape.iter();
        let product = lengths.copied().try_fold(1u64, u64::checked_mul);
        product.unwrap_or(u64::MAX)
    }

    /// Refuses an input of so many bytes that holds fewer numbers.
    pub(crate) fn check_length(&self, length: u64) -> Result<(), Fault> {
        let held = length.saturating_sub(self.header_bytes) / self.numbers.0;
        if held < self.expected() { Err(self.truncated(held)) } else { Ok(()) }
    }

    /// Header and numbers, which end with the input, whose length may be known.
    pub(crate) fn all(
        self,
        input: &mut impl Read,
        length: Option<u64>,
    ) -> Result<(Header, Vec<V>), Fault> {
        if let Some(length) = length {
            self.check_length(length)?;
        }
        let values = (self.numbers.1)(input, self.expected(), length.is_some())?;
        if (values.len() as u64) < self.expected() {
            return Err(self.truncated(values.len() as u64));
        }
        // The end has to be seen: decompressors check their sums there.
        match input.read(&mut [0]).map_err(read_fault)? {
            0 => Ok((self.header, values)),
            _ => Err(self.goes_on()),
        }
    }

    fn truncated(&self, found: u64) -> Fault {
        Fault::Truncated { array: self.name.clone(), found, expected: self.expected() }
    }

    pub(crate) fn goes_on(&self) -> Fault {
        let cause = format!("it goes on after its {} numbers", self.expected());
        Fault::Npy { array: self.name.clone(), cause }
    }
}

/// Bytes and reader of the numbers of a type, by numpy's name of the type.
pub(crate) type Types<V> = fn(&str) -> Option<(u64, Reader<V>)>;

/// Reads so many numbers, whose bytes are known to be there or not.
pub(crate) type Reader<V> = fn(&mut dyn Read, u64, bool) -> Result<Vec<V>, Fault>;

/// Bytes and reader of the numbers of a type that are widened to f64, by numpy's name of the type.
pub(crate) fn reader(descr: &str) -> Option<(u64, Reader<f64>)> {
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

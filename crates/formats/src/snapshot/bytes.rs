//! Numbers of a binary file, in either order of bytes, each with its place for messages.

use std::io::{Read, Seek, SeekFrom};

use crate::error::Fault;
use crate::memory::read_fault;
use crate::npy::numbers::numbers;

/// Order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl Endian {
    pub(super) const BOTH: [Endian; 2] = [Endian::Little, Endian::Big];

    /// The number at a place of some bytes, which is known to be there.
    pub(super) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let mut number = [0; 4];
        number.copy_from_slice(&bytes[at..at + 4]);
        match self {
            Endian::Little => u32::from_le_bytes(number),
            Endian::Big => u32::from_be_bytes(number),
        }
    }

    /// The number at a place of some bytes, which is known to be there.
    pub(super) fn f64(self, bytes: &[u8], at: usize) -> f64 {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        match self {
            Endian::Little => f64::from_le_bytes(number),
            Endian::Big => f64::from_be_bytes(number),
        }
    }
}

/// A binary file of known length.
pub(super) struct Bytes<R> {
    input: R,
    format: &'static str,
    pub(super) endian: Endian,
    offset: u64,
    length: u64,
}

impl<R: Read + Seek> Bytes<R> {
    pub(super) fn new(mut input: R, format: &'static str, endian: Endian) -> Result<Self, Fault> {
        let length = input.seek(SeekFrom::End(0)).map_err(Fault::Read)?;
        input.rewind().map_err(Fault::Read)?;
        Ok(Bytes { input, format, endian, offset: 0, length })
    }

    /// Place of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Number of bytes to the end.
    pub(super) fn left(&self) -> u64 {
        self.length.saturating_sub(self.offset)
    }

    /// A fault of the format at a place.
    pub(super) fn fault(&self, offset: u64, cause: impl Into<String>) -> Fault {
        Fault::Record { format: self.format, offset, cause: cause.into() }
    }

    /// The next bytes, of a header.
    pub(super) fn header<const SIZE: usize>(&mut self) -> Result<[u8; SIZE], Fault> {
        if self.left() < SIZE as u64 {
            return Err(self.fault(self.offset, "the file ends"));
        }
        let mut bytes = [0; SIZE];
        self.input.read_exact(&mut bytes).map_err(read_fault)?;
        self.offset += SIZE as u64;
        Ok(bytes)
    }

    /// The next number of 32 bits.
    pub(super) fn word(&mut self) -> Result<u32, Fault> {
        Ok(self.endian.u32(&self.header::<4>()?, 0))
    }

    /// Passes over bytes, which have to be there.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), Fault> {
        if self.left() < count {
            return Err(self.fault(self.offset, "the file ends"));
        }
        self.offset += count;
        self.input.seek(SeekFrom::Start(self.offset)).map_err(Fault::Read)?;
        Ok(())
    }

    /// The next `count` floats of 4 or 8 bytes, widened to f64.
    pub(super) fn floats(&mut self, count: u64, size: u64, name: &str) -> Result<Vec<f64>, Fault> {
        self.announced(count, size, name)?;
        let input = &mut self.input;
        let values = match (size, self.endian) {
            (4, Endian::Little) => numbers(input, count, true, |b| f32::from_le_bytes(b).into()),
            (4, Endian::Big) => numbers(input, count, true, |b| f32::from_be_bytes(b).into()),
            (_, Endian::Little) => numbers(input, count, true, f64::from_le_bytes),
            (_, Endian::Big) => numbers(input, count, true, f64::from_be_bytes),
        };
        self.taken(values, count, size, name)
    }

    /// The next `count` whole numbers of 4 or 8 bytes.
    pub(super) fn integers(
        &mut self,
        count: u64,
        size: u64,
        name: &str,
    ) -> Result<Vec<u64>, Fault> {
        self.announced(count, size, name)?;
        let input = &mut self.input;
        let values = match (size, self.endian) {
            (4, Endian::Little) => numbers(input, count, true, |b| u32::from_le_bytes(b).into()),
            (4, Endian::Big) => numbers(input, count, true, |b| u32::from_be_bytes(b).into()),
            (_, Endian::Little) => numbers(input, count, true, u64::from_le_bytes),
            (_, Endian::Big) => numbers(input, count, true, u64::from_be_bytes),
        };
        self.taken(values, count, size, name)
    }

    /// Compares the numbers announced with the bytes that are there, before memory is taken.
    fn announced(&self, count: u64, size: u64, name: &str) -> Result<(), Fault> {
        match self.left() / size {
            found if found < count => {
                Err(Fault::Truncated { array: name.to_owned(), found, expected: count })
            }
            _ => Ok(()),
        }
    }

    fn taken<V>(
        &mut self,
        values: Result<Vec<V>, Fault>,
        count: u64,
        size: u64,
        name: &str,
    ) -> Result<Vec<V>, Fault> {
        let values = values?;
        let found = values.len() as u64;
        if found < count {
            return Err(Fault::Truncated { array: name.to_owned(), found, expected: count });
        }
        self.offset += count * size;
        Ok(values)
    }
}

//! Memory in bounds: what an input announces is not believed.

use std::io::{self, BufRead, Read, Seek};

use crate::error::Fault;
use crate::limits::{EXPANDED, EXPANSION};

/// Makes room for more values, or refuses.
pub(crate) fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Fault> {
    values.try_reserve(more).map_err(|_| full(values.len().saturating_add(more)))
}

/// Makes room for exactly so many more values, or refuses.
pub(crate) fn reserve_exact<T>(values: &mut Vec<T>, more: usize) -> Result<(), Fault> {
    values.try_reserve_exact(more).map_err(|_| full(values.len().saturating_add(more)))
}

fn full(count: usize) -> Fault {
    Fault::Memory { count: count as u64 }
}

/// An input of known length, which is read in any order.
pub(crate) trait Seekable: BufRead + Seek {}

impl<R: BufRead + Seek> Seekable for R {}

/// A reader that counts the bytes taken from it.
pub(crate) struct Counted<R> {
    pub(crate) input: R,
    pub(crate) bytes: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.bytes += amount as u64;
        self.input.consume(amount);
    }
}

/// A decompressor that ends with [`Expands`] where its output outgrows its input by far.
pub(crate) struct Expanding<D> {
    decoder: D,
    /// Compressed bytes taken so far.
    taken: fn(&D) -> u64,
    given: u64,
}

impl<D: Read> Expanding<D> {
    pub(crate) fn new(decoder: D, taken: fn(&D) -> u64) -> Expanding<D> {
        Expanding { decoder, taken, given: 0 }
    }
}

impl<D: Read> Read for Expanding<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.given += count as u64;
        let limit = (self.taken)(&self.decoder).saturating_mul(EXPANSION).max(EXPANDED);
        if self.given > limit { Err(io::Error::other(Expands)) } else { Ok(count) }
    }
}

/// Mark of an input that expands beyond all measure.
#[derive(Debug, thiserror::Error)]
#[error("expands beyond all measure")]
pub(crate) struct Expands;

/// The fault of a failure to read.
pub(crate) fn read_fault(error: io::Error) -> Fault {
    match error.get_ref() {
        Some(cause) if cause.is::<Expands>() => Fault::Expands,
        _ => Fault::Read(error),
    }
}

/// Reads all of an input that ends within `limit` bytes, or refuses.
pub(crate) fn read_all(mut input: impl Read, limit: u64) -> Result<Vec<u8>, Fault> {
    const PART: usize = 1 << 16;
    let mut bytes = Vec::new();
    let mut part = vec![0; PART];
    loop {
        match input.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(count) if (bytes.len() + count) as u64 > limit => return Err(Fault::LongStream),
            Ok(count) => {
                reserve(&mut bytes, count)?;
                bytes.extend_from_slice(&part[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(read_fault(error)),
        }
    }
}

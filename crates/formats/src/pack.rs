//! Numbers as bytes, thousands at a time: a call of the output for each number takes longer than the number's copy.

use std::io::{self, Write};

/// Bytes that are written at once, more than a buffered writer holds.
const BYTES: usize = 1 << 16;

/// Writes the bytes of numbers.
pub(crate) fn write_bytes<const SIZE: usize>(
    output: &mut dyn Write,
    numbers: impl Iterator<Item = [u8; SIZE]>,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(BYTES);
    for number in numbers {
        bytes.extend_from_slice(&number);
        if bytes.len() + SIZE > BYTES {
            output.write_all(&bytes)?;
            bytes.clear();
        }
    }
    output.write_all(&bytes)
}

//! Numbers as bytes, thousands at a time: a call of the output for each number takes longer than the number's copy.

use std::io::{self, Write};

/// Bytes that are written at once, more than a buffered writer holds.
const BYTES: usize = 1 << 16;

/// Writes the bytes of numbers.
pub(crate) fn write_bytes<const SIZE: usize>(
    output: &mut dyn Write,
    numbers: impl Iterator<Item = [u8; SIZE]>,
) -> io::Result<()> {
    let (mut numbers, mut chunk) = (numbers, vec![[0; SIZE]; BYTES / SIZE]);
    loop {
        let mut count = 0;
        for (place, number) in chunk.iter_mut().zip(&mut numbers) {
            *place = number;
            count += 1;
        }
        output.write_all(chunk[..count].as_flattened())?;
        if count < chunk.len() {
            return Ok(());
        }
    }
}

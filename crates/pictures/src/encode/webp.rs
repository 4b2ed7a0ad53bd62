//! Animated WebP: frames without loss in a RIFF container (RFC 9649, section 2.7).

use std::io::{self, Write};

use image_webp::{ColorType, WebPEncoder};

use super::MovieForm;
use crate::image::Image;

/// Bit of the header that says that frames follow.
const ANIMATED: u32 = 2;
/// Bytes of a file before the form of a single picture: `RIFF`, length, `WEBP`.
const RIFF: usize = 12;

pub(super) struct Webp<W> {
    output: W,
    /// Chunks of the frames so far: the file begins with its length.
    chunks: Vec<u8>,
    size: [u32; 2],
    delay: u32,
}

impl<W: Write> Webp<W> {
    pub(super) fn new(output: W, form: &MovieForm) -> Webp<W> {
        let size = [form.size.width, form.size.height].map(|pixels| pixels as u32);
        let mut chunks = Vec::new();
        let header = [&ANIMATED.to_le_bytes()[..], &three(size[0] - 1), &three(size[1] - 1)];
        chunk(&mut chunks, b"VP8X", &header.concat());
        // Black background; no end of repetitions.
        chunk(&mut chunks, b"ANIM", &[0, 0, 0, 255, 0, 0]);
        Webp { output, chunks, size, delay: form.delay(1000.0).into() }
    }

    pub(super) fn push(&mut self, image: &Image) -> io::Result<()> {
        let [width, height] = self.size;
        let mut file = Vec::new();
        WebPEncoder::new(&mut file)
            .encode(image.pixels.as_flattened(), width, height, ColorType::Rgb8)
            .map_err(io::Error::other)?;
        let place = [[0; 3], [0; 3], three(width - 1), three(height - 1), three(self.delay)];
        // The last byte says: do not blend, leave the frame.
        let frame = [place.as_flattened(), &[2], &file[RIFF..]].concat();
        chunk(&mut self.chunks, b"ANMF", &frame);
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        let length = u32::try_from(self.chunks.len() + 4).map_err(io::Error::other)?;
        self.output.write_all(b"RIFF")?;
        self.output.write_all(&length.to_le_bytes())?;
        self.output.write_all(b"WEBP")?;
        self.output.write_all(&self.chunks)?;
        self.output.flush()
    }
}

/// Adds a chunk: name, length, content, and a zero where the length is odd.
fn chunk(chunks: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) {
    chunks.extend(name);
    chunks.extend((content.len() as u32).to_le_bytes());
    chunks.extend(content);
    if content.len() % 2 == 1 {
        chunks.push(0);
    }
}

/// A number of 24 bits.
fn three(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

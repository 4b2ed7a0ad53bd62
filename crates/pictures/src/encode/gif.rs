//! GIF with one palette for all frames: the colour map, and greys for the labels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use gif::{Encoder, Frame, Repeat};

use super::MovieForm;
use crate::colours::STEPS;
use crate::image::Image;

/// Colours of the palette.
const COLOURS: usize = 256;

pub(super) struct Gif<W: Write> {
    encoder: Encoder<W>,
    palette: Vec<[u8; 3]>,
    /// Index of each colour that was met.
    indices: HashMap<[u8; 3], u8>,
    delay: u16,
    size: [u16; 2],
}

impl<W: Write> Gif<W> {
    pub(super) fn new(output: W, form: &MovieForm) -> io::Result<Gif<W>> {
        let grey = |k: usize| [(k * 255 / (COLOURS - STEPS - 1)) as u8; 3];
        let greys = (0..COLOURS - STEPS).map(grey);
        let palette: Vec<[u8; 3]> = form.colours.table().into_iter().chain(greys).collect();
        let size = [form.size.width, form.size.height].map(|pixels| pixels as u16);
        let mut encoder = Encoder::new(output, size[0], size[1], palette.as_flattened())
            .map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        let delay = form.delay(100.0);
        Ok(Gif { encoder, palette, indices: HashMap::new(), delay, size })
    }

    pub(super) fn push(&mut self, image: &Image) -> io::Result<()> {
        let Gif { palette, indices, .. } = self;
        let buffer: Vec<u8> = image
            .pixels
            .iter()
            .map(|colour| *indices.entry(*colour).or_insert_with(|| nearest(palette, *colour)))
            .collect();
        let [width, height] = self.size;
        let frame = Frame {
            width,
            height,
            delay: self.delay,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(io::Error::other)
    }

    /// Writes the end of the file.
    pub(super) fn finish(self) -> io::Result<()> {
        self.encoder.into_inner().map_err(io::Error::other)?.flush()
    }
}

fn nearest(palette: &[[u8; 3]], colour: [u8; 3]) -> u8 {
    let distance = |other: &[u8; 3]| -> i32 {
        let pairs = other.iter().zip(colour);
        pairs.map(|(&a, b)| (i32::from(a) - i32::from(b)).pow(2)).sum()
    };
    let nearest = (0..palette.len()).min_by_key(|&index| distance(&palette[index]));
    nearest.unwrap_or(0) as u8
}

//! Encoders of pictures and movies.

mod gif;
mod webp;

use std::io::{self, Write};
use std::path::Path;

use crate::camera::Size;
use crate::colours::Colours;
use crate::error::Error;
use crate::image::Image;

/// Formats of movies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovieFormat {
    /// GIF: 256 colours, which the colour maps fit into.
    Gif,
    /// Animated PNG.
    Apng,
    /// Animated WebP without loss, the smallest.
    Webp,
}

impl MovieFormat {
    /// The format that the extension of a file names.
    ///
    /// # Errors
    /// An extension that is none of `.gif`, `.apng`, `.png` and `.webp`.
    pub fn of(path: &Path) -> Result<MovieFormat, Error> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "gif" => Ok(MovieFormat::Gif),
            "apng" | "png" => Ok(MovieFormat::Apng),
            "webp" => Ok(MovieFormat::Webp),
            _ => Err(Error::Extension {
                name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                what: "movies",
                known: ".gif, .apng, .png, .webp",
            }),
        }
    }

    /// Refuses a number of frames a second that the format does not keep to 5 %: the time of a frame is a whole
    /// number of units, 10 ms (GIF) or 1 ms.
    ///
    /// # Errors
    /// A rate that is kept less well, with the nearest rates that are kept.
    pub fn check_rate(self, rate: f64) -> Result<(), Error> {
        let (format, per_second) = match self {
            MovieFormat::Gif => ("GIF", 100.0),
            MovieFormat::Apng => ("APNG", 1000.0),
            MovieFormat::Webp => ("WebP", 1000.0),
        };
        let kept = |delay: f64| per_second / delay.clamp(1.0, LONGEST);
        let delay = per_second / rate;
        if (kept(delay.round()) / rate - 1.0).abs() <= OFF {
            return Ok(());
        }
        let (slower, faster) = (kept(delay.ceil()), kept(delay.floor()));
        Err(Error::Rate { format, rate, slower, faster })
    }
}

/// Longest time of a frame in units.
const LONGEST: f64 = 65535.0;
/// Relative difference of the rate that is kept from the one asked for, at most.
const OFF: f64 = 0.05;

/// Form of a movie, known before its first frame.
#[derive(Clone, Copy, Debug)]
pub struct MovieForm {
    /// File format.
    pub format: MovieFormat,
    /// Size of each frame.
    pub size: Size,
    /// Number of frames.
    pub frames: usize,
    /// Frames a second; the time of a frame is rounded as [`MovieFormat::check_rate`] says.
    pub rate: f64,
    /// Colour map of the frames.
    pub colours: Colours,
}

impl MovieForm {
    /// Time of a frame in units of `1/per_second` seconds, at least one.
    fn delay(&self, per_second: f64) -> u16 {
        (per_second / self.rate).round().clamp(1.0, LONGEST) as u16
    }
}

/// A movie that grows frame by frame and repeats for ever.
pub struct Movie<W: Write>(Encoder<W>);

enum Encoder<W: Write> {
    Gif(gif::Gif<W>),
    Apng(Box<png::Writer<W>>),
    Webp(webp::Webp<W>),
}

impl<W: Write> std::fmt::Debug for Movie<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Movie")
    }
}

impl<W: Write> Movie<W> {
    /// Begins a movie.
    ///
    /// # Errors
    /// Failures to write.
    pub fn new(output: W, form: &MovieForm) -> io::Result<Movie<W>> {
        Ok(Movie(match form.format {
            MovieFormat::Gif => Encoder::Gif(gif::Gif::new(output, form)?),
            MovieFormat::Apng => {
                let mut encoder = encoder(output, form.size);
                encoder.set_animated(form.frames as u32, 0).map_err(io::Error::other)?;
                encoder.set_frame_delay(form.delay(1000.0), 1000).map_err(io::Error::other)?;
                Encoder::Apng(Box::new(encoder.write_header().map_err(io::Error::other)?))
            }
            MovieFormat::Webp => Encoder::Webp(webp::Webp::new(output, form)),
        }))
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// Failures to write, and more frames than were announced.
    pub fn push(&mut self, image: &Image) -> io::Result<()> {
        match &mut self.0 {
            Encoder::Gif(gif) => gif.push(image),
            Encoder::Apng(writer) => {
                writer.write_image_data(image.pixels.as_flattened()).map_err(io::Error::other)
            }
            Encoder::Webp(webp) => webp.push(image),
        }
    }

    /// Ends the movie.
    ///
    /// # Errors
    /// Failures to write, and fewer frames than were announced.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Encoder::Gif(gif) => gif.finish(),
            Encoder::Apng(writer) => writer.finish().map_err(io::Error::other),
            Encoder::Webp(webp) => webp.finish(),
        }
    }
}

/// Writes a picture as PNG.
///
/// # Errors
/// Failures to write.
pub fn write_png(output: impl Write, image: &Image) -> io::Result<()> {
    let mut writer = encoder(output, image.size).write_header().map_err(io::Error::other)?;
    writer.write_image_data(image.pixels.as_flattened()).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)
}

fn encoder<'a, W: Write>(output: W, size: Size) -> png::Encoder<'a, W> {
    let mut encoder = png::Encoder::new(output, size.width as u32, size.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
}

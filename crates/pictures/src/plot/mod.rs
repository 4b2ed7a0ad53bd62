//! Diagrams: energy and momentum against time, density profiles, time and error against the number of points.

mod axes;
mod centre;
mod cost;
mod energy;
mod panel;
mod profile;

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use formats::PartialFile;
use plotters::prelude::*;
use plotters::style::FontStyle;

use crate::camera::Size;
use crate::encode::write_png;
use crate::error::Error;
use crate::image::Image;
use crate::text::FONT;
use panel::Pixels;

pub use axes::{Axis, Series};
pub use cost::{Run, cost};
pub use energy::{Diagnostics, energy};
pub use profile::{Profile, profiles};

/// Width of a diagram in pixels. Text is large enough to be read at half of it, on a phone.
const WIDTH: usize = 960;
/// Height of a panel in pixels.
const HEIGHT: usize = 620;
/// Pixels drawn along a side of a pixel of a PNG, which is their average: the drawing package widens lines by up to two
/// pixels, the more the flatter they are.
const SAMPLES: usize = 3;
/// Pixels by which the drawing package sets text above its place in a PNG, where an SVG has it right.
const RAISED: i32 = 6;

/// One pair of axes with its series.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title above the axes.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Series, each a line.
    pub series: Vec<Series>,
}

/// Panels below each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The panels, from above.
    pub panels: Vec<Panel>,
}

impl Figure {
    /// Writes the figure as `.svg` or `.png`; the extension tells.
    ///
    /// # Errors
    /// Another extension, a panel without two points, an axis longer than f64 holds, and a failure to write, which leaves no file.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let bytes = match extension.as_str() {
            "svg" => self.svg()?.into_bytes(),
            "png" => self.png()?,
            _ => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                return Err(Error::Extension { name, what: "diagrams", known: ".svg, .png" });
            }
        };
        let mut file = PartialFile::create(path)?;
        file.write_all(&bytes).map_err(|error| formats::Error::writing(path, error))?;
        Ok(file.complete()?)
    }

    /// The figure as an SVG text.
    ///
    /// # Errors
    /// A panel without two points, and an axis longer than f64 holds.
    pub fn svg(&self) -> Result<String, Error> {
        let Size { width, height } = self.size();
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, (width as u32, height as u32));
        self.draw(&backend.into_drawing_area(), Pixels { scale: 1, raised: 0 })?;
        Ok(text)
    }

    /// The figure as the bytes of a PNG file.
    ///
    /// # Errors
    /// A panel without two points, and an axis longer than f64 holds.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let Size { width, height } = self.size();
        let size = Size { width: SAMPLES * width, height: SAMPLES * height };
        let mut pixels = vec![[255; 3]; size.pixels()];
        let dimensions = (size.width as u32, size.height as u32);
        let backend = BitMapBackend::with_buffer(pixels.as_flattened_mut(), dimensions);
        let drawn = Pixels { scale: SAMPLES as i32, raised: RAISED };
        self.draw(&backend.into_drawing_area(), drawn)?;
        let mut bytes = Vec::new();
        let image = Image { size: self.size(), pixels: averaged(&pixels, size) };
        write_png(&mut bytes, &image).map_err(|e| Error::Chart(e.to_string()))?;
        Ok(bytes)
    }

    fn size(&self) -> Size {
        Size { width: WIDTH, height: HEIGHT * self.panels.len().max(1) }
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, plotters::coord::Shift>,
        drawn: Pixels,
    ) -> Result<(), Error> {
        font()?;
        area.fill(&WHITE).map_err(|error| Error::Chart(error.to_string()))?;
        for (panel, area) in self.panels.iter().zip(area.split_evenly((self.panels.len(), 1))) {
            panel::draw(panel, &area, drawn)?;
        }
        area.present().map_err(|error| Error::Chart(error.to_string()))
    }
}

/// The averages of squares of [`SAMPLES`]² pixels.
fn averaged(pixels: &[[u8; 3]], size: Size) -> Vec<[u8; 3]> {
    let rows = pixels.chunks_exact(SAMPLES * size.width);
    let squares = rows.flat_map(|rows| {
        (0..size.width / SAMPLES).map(move |column| {
            let rows = rows.chunks_exact(size.width);
            let square = rows.flat_map(move |row| &row[SAMPLES * column..][..SAMPLES]);
            let sums = square.fold([0; 3], |sums: [usize; 3], pixel| {
                std::array::from_fn(|channel| sums[channel] + usize::from(pixel[channel]))
            });
            sums.map(|sum| (sum / (SAMPLES * SAMPLES)) as u8)
        })
    });
    squares.collect()
}

/// Makes the embedded font known to the drawing package, once.
fn font() -> Result<(), Error> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        plotters::style::register_font("sans-serif", FontStyle::Normal, FONT).is_ok()
    });
    if *known { Ok(()) } else { Err(Error::Chart("the embedded font is damaged".to_owned())) }
}

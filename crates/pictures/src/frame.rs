//! One picture of a snapshot: surface density, colours and labels.

use crate::camera::Camera;
use crate::colours::{Colours, STEPS};
use crate::error::Error;
use crate::image::Image;
use crate::memory::filled;
use crate::overlay::{Labels, label};
use crate::scale::Scale;
use crate::surface::SurfaceDensity;

/// Pixels that one task colours: a logarithm each, in 5 ns.
const PIXELS: usize = parallel::min_length(5.0);

/// Draws a surface density with its labels.
///
/// # Errors
/// A picture that memory does not hold.
pub fn draw(
    density: &SurfaceDensity,
    camera: &Camera,
    scale: Scale,
    colours: Colours,
    labels: &Labels,
) -> Result<Image, Error> {
    let table = colours.table();
    let values = &density.values;
    let colour = |i: usize| table[(scale.place(values[i]) * (STEPS - 1) as f64).round() as usize];
    let mut pixels = filled(values.len(), density.size, || [0; 3])?;
    parallel::fill(&mut pixels, PIXELS, colour);
    let mut image = Image { size: density.size, pixels };
    label(&mut image, labels, camera, scale, colours);
    Ok(image)
}

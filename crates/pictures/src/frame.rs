//! One picture of a snapshot: surface density, colours and labels.

use rayon::prelude::*;

use crate::camera::Camera;
use crate::colours::{Colours, STEPS};
use crate::image::Image;
use crate::overlay::{Labels, label};
use crate::scale::Scale;
use crate::surface::SurfaceDensity;

/// Draws a surface density with its labels.
pub fn draw(
    density: &SurfaceDensity,
    camera: &Camera,
    scale: Scale,
    colours: Colours,
    labels: &Labels,
) -> Image {
    let table = colours.table();
    let colour = |value: &f64| table[(scale.place(*value) * (STEPS - 1) as f64).round() as usize];
    let pixels = density.values.par_iter().map(colour).collect();
    let mut image = Image { size: density.size, pixels };
    label(&mut image, labels, camera, scale, colours);
    image
}

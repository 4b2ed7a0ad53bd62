//! Projected surface density: mass per area of each pixel, smoothed where points are sparse.
//!
//! Each point is spread over a square that holds about as many points everywhere, so that a picture is sharp where there
//! are many points and smooth where there are few. Squares come from a pyramid of grids, each twice as coarse as the one
//! below: counts tell the level of a point, triangular-shaped clouds (Hockney and Eastwood, "Computer Simulation Using
//! Particles", section 5-2) spread it there, and quadratic B-splines bring coarse levels onto fine ones (Lane and
//! Riesenfeld, IEEE PAMI 2, 1980). Both keep the mass.

mod grid;
mod pyramid;

use crate::camera::{Camera, Size};
use crate::error::Error;
use crate::memory::filled;
use pyramid::Pyramid;

/// Points that one task projects, in 4 ns each.
const PROJECTED: usize = parallel::min_length(4.0);

/// Surface density of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceDensity {
    /// Size of the picture.
    pub size: Size,
    /// Mass per area of each pixel, row by row from the upper left corner: shape (height, width).
    pub values: Vec<f64>,
    /// Area of a pixel.
    pub pixel_area: f64,
}

impl SurfaceDensity {
    /// Mass inside the picture.
    pub fn mass(&self) -> f64 {
        self.values.iter().sum::<f64>() * self.pixel_area
    }
}

/// Surface density of points with masses (absolute values) as a camera sees them. The same input gives the same bits for
/// any number of threads, because sums are those of whole numbers. Cost: O(N + pixels), in rayon's current pool; 16 bytes
/// a point and about 20 a pixel.
///
/// # Errors
/// A picture that memory does not hold.
///
/// ```
/// use pictures::{Camera, Size, surface_density};
///
/// let camera = Camera::new([0.0, 0.0, 1.0], [0.0; 3], 4.0)?;
/// let size = Size { width: 200, height: 100 };
/// let density = surface_density(&[[0.0; 3], [1.0, 0.5, 9.0]], &[1.0, 2.0], &camera, size)?;
/// assert!((density.mass() - 3.0).abs() < 0.01);
/// # Ok::<(), pictures::Error>(())
/// ```
pub fn surface_density(
    positions: &[[f64; 3]],
    masses: &[f64],
    camera: &Camera,
    size: Size,
) -> Result<SurfaceDensity, Error> {
    let place = |i: usize| camera.project(positions[i], size);
    let places = parallel::collect(positions.len(), PROJECTED, place);
    let pixel_area = camera.pixel_area(size);
    let total: f64 = masses.iter().map(|mass| mass.abs()).sum();
    let values = if total > 0.0 && total.is_finite() {
        let unit = total / pyramid::WHOLE;
        let pyramid = Pyramid::count(&places, size)?;
        let mut mass = pyramid.spread(&places, masses, unit)?;
        let scale = unit / pixel_area;
        mass.iter_mut().for_each(|value| *value *= scale);
        mass
    } else {
        filled(size.pixels(), size, || 0.0)?
    };
    Ok(SurfaceDensity { size, values, pixel_area })
}

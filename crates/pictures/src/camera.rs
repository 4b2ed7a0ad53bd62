//! The camera: an orthographic projection of space onto the pixels of a picture.

use crate::error::Error;

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl Size {
    /// Number of pixels.
    pub fn pixels(self) -> usize {
        self.width * self.height
    }
}

/// An orthographic projection. The picture shows `width` units of length from its left to its right edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Point in the middle of the picture.
    pub centre: [f64; 3],
    /// Length from the left to the right edge.
    pub width: f64,
    right: [f64; 3],
    up: [f64; 3],
}

impl Camera {
    /// Looks at `centre` from the direction `view`. The z axis points up in the picture; where the view is along z, the
    /// y axis does.
    ///
    /// # Errors
    /// A direction of length zero, and numbers that are not finite or a width that is not positive.
    pub fn new(view: [f64; 3], centre: [f64; 3], width: f64) -> Result<Camera, Error> {
        let toward = normalised(view).ok_or(Error::View(view))?;
        if !(width.is_finite() && width > 0.0) {
            return Err(Error::Width(width));
        }
        let is_along_z = toward[0].hypot(toward[1]) < 1e-6;
        let vertical = if is_along_z { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let right = normalised(cross(vertical, toward)).ok_or(Error::View(view))?;
        Ok(Camera { centre, width, right, up: cross(toward, right) })
    }

    /// The camera after a walk around the centre by an angle, about the picture's vertical axis.
    #[must_use]
    pub fn turned(self, degrees: f64) -> Camera {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let toward = cross(self.right, self.up);
        let right = std::array::from_fn(|k| cos * self.right[k] - sin * toward[k]);
        Camera { right, ..self }
    }

    /// Column and row of a point, in pixels from the upper left corner.
    pub fn project(&self, point: [f64; 3], size: Size) -> [f64; 2] {
        let offset: [f64; 3] = std::array::from_fn(|k| point[k] - self.centre[k]);
        let scale = size.width as f64 / self.width;
        [
            0.5 * size.width as f64 + scale * dot(offset, self.right),
            0.5 * size.height as f64 - scale * dot(offset, self.up),
        ]
    }

    /// Area of a pixel in units of length squared.
    pub fn pixel_area(&self, size: Size) -> f64 {
        (self.width / size.width as f64).powi(2)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector of length 1 in this direction, if it has one.
fn normalised(vector: [f64; 3]) -> Option<[f64; 3]> {
    let largest = vector.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    if !vector.iter().all(|x| x.is_finite()) || largest == 0.0 {
        return None;
    }
    let scaled = vector.map(|x| x / largest);
    let length = dot(scaled, scaled).sqrt();
    Some(scaled.map(|x| x / length))
}

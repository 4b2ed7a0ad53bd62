//! An image in memory.

use crate::camera::Size;

/// An image of 8 bits for red, green and blue each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Size in pixels.
    pub size: Size,
    /// Red, green and blue, row by row from the upper left corner: shape (height, width).
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// Mixes a colour into a pixel; outside of the image nothing happens.
    pub(crate) fn blend(&mut self, [x, y]: [i64; 2], colour: [u8; 3], share: f32) {
        let Size { width, height } = self.size;
        if (0..width as i64).contains(&x) && (0..height as i64).contains(&y) {
            let pixel = &mut self.pixels[y as usize * width + x as usize];
            for (below, above) in pixel.iter_mut().zip(colour) {
                let mixed = f32::from(*below) * (1.0 - share) + f32::from(above) * share;
                *below = mixed.round() as u8;
            }
        }
    }

    /// Fills a rectangle from its upper left corner.
    pub(crate) fn fill(&mut self, [x, y]: [i64; 2], [width, height]: [i64; 2], colour: [u8; 3]) {
        for row in y..y + height {
            for column in x..x + width {
                self.blend([column, row], colour, 1.0);
            }
        }
    }
}

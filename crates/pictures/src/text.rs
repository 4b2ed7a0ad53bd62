//! Text in images, by an embedded font.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use crate::image::Image;

/// DejaVu Sans, cut down to Latin, Greek and signs of formulas; its licence stands beside it.
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");

/// A text without characters that XML 1.0 (section 2.2) excludes, or that have no glyph: they become spaces.
pub(crate) fn printable(text: &str) -> String {
    let excluded = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.replace(excluded, " ")
}

/// A font at a size in pixels.
pub(crate) struct Text {
    font: FontRef<'static>,
    scale: PxScale,
}

impl Text {
    /// The embedded font with lines of so many pixels; `None` if it is damaged.
    pub(crate) fn new(pixels: f32) -> Option<Text> {
        let font = FontRef::try_from_slice(FONT).ok()?;
        Some(Text { font, scale: PxScale::from(pixels) })
    }

    /// Width of a text in pixels.
    pub(crate) fn width(&self, text: &str) -> f32 {
        let font = self.font.as_scaled(self.scale);
        text.chars().map(|c| font.h_advance(font.glyph_id(c))).sum()
    }

    /// Draws a text whose upper left corner is here.
    pub(crate) fn draw(&self, image: &mut Image, [x, y]: [f32; 2], text: &str, colour: [u8; 3]) {
        let font = self.font.as_scaled(self.scale);
        let mut x = x;
        for c in text.chars() {
            let id = font.glyph_id(c);
            let glyph = id.with_scale_and_position(self.scale, point(x, y + font.ascent()));
            if let Some(outline) = self.font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|column, row, share| {
                    let place =
                        [corner.x as i64 + i64::from(column), corner.y as i64 + i64::from(row)];
                    image.blend(place, colour, share.min(1.0));
                });
            }
            x += font.h_advance(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(printable("a\u{1}b\n\u{9f}\u{fffe}é𝄞"), "a b   é𝄞");
    }
}

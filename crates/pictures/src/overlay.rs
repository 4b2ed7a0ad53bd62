//! Labels of a picture: scale bar, time stamp, colour bar.

use crate::camera::Camera;
use crate::colours::{Colours, STEPS};
use crate::image::Image;
use crate::numbers::short;
use crate::scale::Scale;
use crate::text::Text;

/// Labels of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Time of the time stamp; `None` draws no stamp.
    pub time: Option<f64>,
    /// Unit of times, such as `Myr`.
    pub time_unit: String,
    /// Unit of lengths, such as `kpc`.
    pub length_unit: String,
}

const WHITE: [u8; 3] = [255, 255, 255];

/// Draws the labels: time above on the left, scale bar below on the left, colour bar below on the right.
pub(crate) fn label(
    image: &mut Image,
    labels: &Labels,
    camera: &Camera,
    scale: Scale,
    colours: Colours,
) {
    let size = image.size;
    let pixels = (size.height as f32 / 24.0).max(11.0);
    let Some(text) = Text::new(pixels) else {
        return;
    };
    let margin = pixels * 0.8;
    if let Some(time) = labels.time {
        let stamp = format!("t = {}", with_unit(&fixed(time), &labels.time_unit));
        text.draw(image, [margin, margin * 0.7], &stamp, WHITE);
    }

    let thick = (pixels / 6.0).max(2.0) as i64;
    let below = size.height as i64 - margin as i64 - thick;
    let length = round_length(camera.width / 4.0);
    let bar = (length / camera.width * size.width as f64).round() as i64;
    image.fill([margin as i64, below], [bar, thick], WHITE);
    let name = with_unit(&short(length), &labels.length_unit);
    text.draw(image, [margin, below as f32 - 1.25 * pixels], &name, WHITE);

    // The colour bar has room where the picture is wide enough.
    let bar = size.width as i64 / 4;
    let left = size.width as i64 - margin as i64 - bar;
    let table = colours.table();
    for column in 0..bar {
        let step = column as usize * STEPS / bar as usize;
        image.fill([left + column, below - thick], [1, 2 * thick], table[step]);
    }
    let [low, high] = [scale.low, scale.high].map(|density| short(one_digit(density)));
    let above = below as f32 - thick as f32 - 1.25 * pixels;
    text.draw(image, [left as f32, above], &low, WHITE);
    text.draw(image, [(left + bar) as f32 - text.width(&high), above], &high, WHITE);
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `most`.
pub(crate) fn round_length(most: f64) -> f64 {
    let power = 10f64.powi(most.log10().floor() as i32);
    [5.0, 2.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|length| *length <= most)
        .unwrap_or(power)
}

/// A positive number with its first digit alone, rounded.
fn one_digit(number: f64) -> f64 {
    format!("{number:.0e}").parse().unwrap_or(number)
}

/// A time whose digits do not dance from frame to frame.
fn fixed(time: f64) -> String {
    match time.abs() {
        0.0 => "0.00".to_owned(),
        1e-2..100.0 => format!("{time:.2}"),
        100.0..1e6 => format!("{time:.1}"),
        _ => format!("{time:.2e}"),
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round() {
        for (most, expected) in [(1.0, 1.0), (0.99, 0.5), (3.7, 2.0), (70.0, 50.0), (0.02, 0.02)] {
            assert!((round_length(most) / expected - 1.0).abs() < 1e-12, "{most}");
        }
        assert_eq!([0.05, 20.0, 2e7].map(short), ["0.05", "20", "2·10⁷"]);
        assert_eq!([0.0432, 0.96, 7.4e-6].map(one_digit).map(short), ["0.04", "1", "7·10⁻⁶"]);
    }
}

//! Axes and series of a diagram, and the range and the labels that suit them.

use std::ops::Range;

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Name with unit.
    pub label: String,
    /// Whether the axis is logarithmic; numbers that are not positive are then left out.
    pub logarithmic: bool,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), logarithmic: false }
    }

    /// A logarithmic axis.
    pub fn logarithmic(label: impl Into<String>) -> Axis {
        Axis { label: label.into(), logarithmic: true }
    }

    /// Whether the axis can show a number.
    pub(super) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.logarithmic || value > 0.0)
    }

    /// A range around some numbers, with `above` times its length left free above; `None` where there are none.
    pub(super) fn range(
        &self,
        values: impl Iterator<Item = f64>,
        above: f64,
    ) -> Option<Range<f64>> {
        const ROOM: f64 = 0.04;
        /// Decades below which an axis ends at powers of ten, so that two of them are labelled.
        const FEW: f64 = 2.0;
        let shown = values.filter(|&value| self.shows(value)).map(|value| (value, value));
        let (low, high) = shown.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        if self.logarithmic {
            let (mut low, mut high) = (low.log10(), high.log10());
            if high - low < FEW {
                (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
            }
            let room = ROOM * (high - low);
            let high = (high + room + above * (high - low)).min(308.0);
            return Some(10f64.powf((low - room).max(-307.0))..10f64.powf(high));
        }
        let least = f64::max(low.abs(), high.abs()) * 1e-9;
        let room = ((high - low) * ROOM).max(least).max(f64::MIN_POSITIVE * 1e9);
        let (low, high) = (low - room, (high + room) + above * (high - low));
        Some(low.max(f64::MIN)..high.min(f64::MAX))
    }

    /// A number as a label: short, with a true minus and a power of ten where that is shorter. Rounding errors of an axis
    /// with this range are 0.
    pub(super) fn number(&self, value: f64, range: &Range<f64>) -> String {
        let noise = if self.logarithmic { 0.0 } else { 1e-9 * (range.end - range.start).abs() };
        let text = match value.abs() {
            small if small <= noise => "0".to_owned(),
            1e-3..1e4 => format!("{}", (value * 1e6).round() / 1e6),
            _ => power(value),
        };
        text.replace('-', "−")
    }
}

/// A number as a multiple of a power of ten: 2·10⁵, 10⁻³.
fn power(value: f64) -> String {
    let text = format!("{value:.1e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = exponent.chars().map(superscript).collect();
    match digits.strip_suffix(".0").unwrap_or(digits) {
        "1" => format!("10{raised}"),
        digits => format!("{digits}·10{raised}"),
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
    }
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points in the order of the line.
    pub points: Vec<(f64, f64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let axis = Axis::linear("");
        for (value, text) in [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "−2.5"),
            (1e-3, "0.001"),
            (1e-12, "10⁻¹²"),
            (2e5, "2·10⁵"),
            (-1.5e7, "−1.5·10⁷"),
        ] {
            assert_eq!(axis.number(value, &(0.0..1e-4)), text);
        }
    }

    #[test]
    fn ranges_hold_their_numbers_and_are_never_empty() {
        for values in [vec![1.0, 5.0], vec![3.0], vec![0.0], vec![-1e300, 1e300], vec![1e-12, 1.0]]
        {
            for axis in [Axis::linear(""), Axis::logarithmic("")] {
                if let Some(range) = axis.range(values.iter().copied(), 0.3) {
                    assert!(range.start < range.end && range.end.is_finite(), "{range:?}");
                    let shown = values.iter().filter(|value| axis.shows(**value));
                    assert!(shown.clone().all(|value| range.contains(value)), "{range:?}");
                }
            }
        }
        assert_eq!(Axis::linear("").number(5e-17, &(-0.5..0.5)), "0");
        assert_eq!(Axis::logarithmic("").range([0.0, -1.0].into_iter(), 0.0), None);
    }
}

//! Axes and series of a diagram, and the range and the labels that suit them.

use std::ops::Range;

use crate::numbers::{is_plain, power, short};

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

    /// A number as a label. Rounding errors of an axis with this range are 0; a logarithmic axis has powers of ten alone
    /// where one of its numbers is shorter so.
    pub(super) fn number(&self, value: f64, range: &Range<f64>) -> String {
        if self.logarithmic && !(is_plain(range.start) && is_plain(range.end)) {
            return power(value);
        }
        let noise = if self.logarithmic { 0.0 } else { 1e-9 * (range.end - range.start).abs() };
        if value.abs() <= noise { "0".to_owned() } else { short(value) }
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
    fn labels_of_an_axis_are_alike() {
        let axis = Axis::logarithmic("");
        let labels =
            |range: Range<f64>| [0.001, 1.0, 100.0].map(|value| axis.number(value, &range));
        assert_eq!(labels(2e-3..3e3), ["0.001", "1", "100"]);
        assert_eq!(labels(2e-7..3e3), ["10⁻³", "10⁰", "10²"]);
        assert_eq!(labels(2e-2..3e7), ["10⁻³", "10⁰", "10²"]);
        assert_eq!(Axis::linear("").number(0.002, &(0.0..1e5)), "0.002");
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

//! Axes and series of a diagram, and the range and the labels that suit them.

use std::ops::Range;

use crate::error::Error;
use crate::numbers::{is_plain, power, short};

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Name with unit.
    pub label: String,
    /// Whether the axis is logarithmic; numbers that are not positive, or subnormal, are then left out.
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
        value.is_finite() && (!self.logarithmic || value >= f64::MIN_POSITIVE)
    }

    /// A range around some numbers, with `above` times its length left free above; `None` where there are none. Its length is
    /// finite, because the drawing package has no end of ticks on an infinite one.
    pub(super) fn range(
        &self,
        values: impl Iterator<Item = f64>,
        above: f64,
    ) -> Result<Option<Range<f64>>, Error> {
        const ROOM: f64 = 0.04;
        /// Decades below which an axis ends at powers of ten, so that two of them are labelled.
        const FEW: f64 = 2.0;
        let shown = values.filter(|&value| self.shows(value)).map(|value| (value, value));
        let Some((low, high)) = shown.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else {
            return Ok(None);
        };
        if self.logarithmic {
            let (mut low, mut high) = (low.log10(), high.log10());
            if high - low < FEW {
                (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
            }
            let room = ROOM * (high - low);
            let (low, high) = (low - room, high + room + above * (high - low));
            return Ok(Some(
                10f64.powf(low).max(f64::MIN_POSITIVE)..10f64.powf(high).min(f64::MAX),
            ));
        }
        let least = f64::max(low.abs(), high.abs()) * 1e-9;
        let room = ((high - low) * ROOM).max(least).max(f64::MIN_POSITIVE * 1e9);
        let start = (low - room).max(f64::MIN);
        let end = ((high + room) + above * (high - low)).min(f64::MAX);
        match (end - start).is_finite() {
            true => Ok(Some(start..end)),
            false => Err(Error::Range { axis: self.label.clone(), low, high }),
        }
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
        let (least, most) = (f64::MIN_POSITIVE, f64::MAX);
        for values in [
            vec![1.0, 5.0],
            vec![3.0],
            vec![0.0],
            vec![-1e300, 1e300],
            vec![1e-12, 1.0],
            vec![1e308],
            vec![0.0, 1e308],
            vec![most],
            vec![-most],
            vec![least, 1e308],
        ] {
            for axis in [Axis::linear(""), Axis::logarithmic("")] {
                if let Some(range) = axis.range(values.iter().copied(), 0.3).unwrap() {
                    assert!((range.end - range.start).is_finite(), "{range:?}");
                    assert!(range.start < range.end, "{range:?}");
                    let shown = values.iter().filter(|value| axis.shows(**value));
                    let holds = |value: &f64| (range.start..=range.end).contains(value);
                    assert!(shown.clone().all(holds), "{range:?}");
                }
            }
        }
        assert_eq!(Axis::linear("").number(5e-17, &(-0.5..0.5)), "0");
        let below = [0.0, -1.0, 1e-310].into_iter();
        assert!(Axis::logarithmic("").range(below, 0.0).unwrap().is_none());
    }

    #[test]
    fn ranges_beyond_f64_are_refused() {
        for values in [[-1e308, 1e308], [f64::MIN, f64::MAX], [0.0, f64::MAX]] {
            let range = Axis::linear("time").range(values.into_iter(), 0.0);
            assert!(matches!(range, Err(Error::Range { .. })), "{values:?}");
            // A logarithmic axis has room for all.
            assert!(Axis::logarithmic("").range(values.into_iter(), 1.0).unwrap().is_some());
        }
    }
}

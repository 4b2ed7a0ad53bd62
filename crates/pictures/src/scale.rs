//! The logarithmic scale from surface densities to colours.

use crate::surface::SurfaceDensity;

/// Surface densities of the darkest and the brightest colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Mass per area of the darkest colour.
    pub low: f64,
    /// Mass per area of the brightest colour.
    pub high: f64,
}

/// Share of bright pixels that may be clipped.
const CLIPPED: f64 = 5e-4;
/// Share of the dark pixels with mass that may be clipped.
const DARK: f64 = 0.2;
/// Largest factor between the ends.
const RANGE: f64 = 1e5;
/// Smallest factor between the ends.
const LEAST: f64 = 1e2;

impl Scale {
    /// A scale for several pictures: the brightest of them sets the high end, the darkest the low one, at most five
    /// decades below. `None` where no picture has mass.
    pub fn of<'a>(pictures: impl IntoIterator<Item = &'a SurfaceDensity>) -> Option<Scale> {
        let scales = pictures.into_iter().filter_map(|picture| {
            let mut values: Vec<f64> =
                picture.values.iter().copied().filter(|&value| value > 0.0).collect();
            values.sort_by(f64::total_cmp);
            let last = values.len().checked_sub(1)?;
            let at = |share: f64| values[(share * last as f64) as usize];
            Some(Scale { low: at(DARK), high: at(1.0 - CLIPPED) })
        });
        let widest = |a: Scale, b: Scale| Scale { low: a.low.min(b.low), high: a.high.max(b.high) };
        let Scale { low, high } = scales.reduce(widest)?;
        Some(Scale { low: low.clamp(high / RANGE, high / LEAST), high })
    }

    /// Place of a surface density between the ends, 0 to 1, on the logarithmic scale.
    pub fn place(&self, density: f64) -> f64 {
        if density <= self.low {
            return 0.0;
        }
        ((density / self.low).ln() / (self.high / self.low).ln()).min(1.0)
    }
}

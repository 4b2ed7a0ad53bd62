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
/// Pixels that are looked at, at most: those of larger pictures are sampled, so that memory holds them.
const SAMPLED: usize = 1 << 22;
/// Smallest factor between the ends.
const LEAST: f64 = 1e2;

impl Scale {
    /// A scale for several pictures: the brightest of them sets the high end, the darkest the low one, at most five
    /// decades below. `None` where no picture has mass.
    pub fn of<'a>(pictures: impl IntoIterator<Item = &'a SurfaceDensity>) -> Option<Scale> {
        Scale::around(pictures.into_iter().filter_map(Scale::ends))
    }

    /// The ends that one picture asks for; `None` where it has no mass.
    pub(crate) fn ends(picture: &SurfaceDensity) -> Option<Scale> {
        let step = picture.values.len().div_ceil(SAMPLED).max(1);
        let values = picture.values.iter().step_by(step).copied();
        let mut values: Vec<f64> = values.filter(|&value| value > 0.0).collect();
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let at = |share: f64| values[(share * last as f64) as usize];
        Some(Scale { low: at(DARK), high: at(1.0 - CLIPPED) })
    }

    /// The scale that holds the ends of several pictures.
    pub(crate) fn around(ends: impl IntoIterator<Item = Scale>) -> Option<Scale> {
        let widest = |a: Scale, b: Scale| Scale { low: a.low.min(b.low), high: a.high.max(b.high) };
        let Scale { low, high } = ends.into_iter().reduce(widest)?;
        Some(Scale { low: low.clamp(high / RANGE, high / LEAST), high })
    }

    /// Place of a surface density between the ends, 0 to 1, on the logarithmic scale.
    pub fn place(&self, density: f64) -> f64 {
        if density <= self.low {
            return 0.0;
        }
        // Differences of logarithms: quotients of far ends overflow.
        let low = self.low.ln();
        ((density.ln() - low) / (self.high.ln() - low)).min(1.0)
    }
}

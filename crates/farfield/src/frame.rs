//! The frame of a system: the middle and the unit of length in which its points are summed.

/// Origin and unit of length of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) middle: [f64; 3],
    /// A power of two.
    pub(crate) unit: f64,
}

impl Frame {
    /// The frame of no particles.
    #[cfg(feature = "gpu")]
    pub(crate) const NONE: Self = Self { middle: [0.0; 3], unit: 1.0 };

    /// The frame of particles between two corners.
    pub(crate) fn around(low: [f64; 3], high: [f64; 3]) -> Self {
        let middle = [0, 1, 2].map(|axis| low[axis] + 0.5 * (high[axis] - low[axis]));
        let size = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        Self { middle, unit: power_of_two(size) }
    }
}

/// The largest power of two up to a size, where both it and its inverse are normal numbers; else 1.
fn power_of_two(size: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let power = f64::from_bits(size.to_bits() >> MANTISSA << MANTISSA);
    if power.is_normal() && (1.0 / power).is_normal() { power } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::power_of_two;

    #[test]
    fn units_are_powers_of_two() {
        for (size, unit) in
            [(1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (0.3, 0.25), (1e300, 2f64.powi(996))]
        {
            assert_eq!(power_of_two(size), unit);
        }
        for size in [0.0, f64::INFINITY, f64::NAN, 1e-310] {
            assert_eq!(power_of_two(size), 1.0);
        }
    }
}

//! Units of length and charge: powers of two, by which scaling is exact.

#[cfg(feature = "gpu")]
use super::scalar::Scalar;

/// The power of two in which the pairwise sums measure length, so that the domain's side is of
/// order 1 and nothing over- or underflows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit(f64);

impl Unit {
    /// The largest power of two that is not above `side`.
    pub(crate) fn of(side: f64) -> Self {
        // Logarithms of sides just below a power of two are rounded up.
        let exponent = (side.to_bits() >> (f64::MANTISSA_DIGITS - 1) & 0x7ff) as i32 - 1023;
        Self(2f64.powi(exponent.clamp(-1000, 1000)))
    }

    /// A length in the caller's unit, in this one.
    pub(crate) fn shrink(self, length: f64) -> f64 {
        // As exact as division, and faster.
        length * self.0.recip()
    }

    /// Binary exponent of the factor from results in this unit and one of charge to the caller's units: `power` is 1 for
    /// potentials, 2 for gradients.
    pub(crate) fn magnitude(self, charge: f64, power: i32) -> f64 {
        charge.log2() - f64::from(power) * self.0.log2()
    }

    /// Factor from a potential in this unit and one of charge to the caller's units.
    pub(crate) fn potential(self, charge: f64) -> f64 {
        finite(charge / self.0)
    }

    /// Factor from a gradient in this unit and one of charge to the caller's units.
    pub(crate) fn gradient(self, charge: f64) -> f64 {
        finite(charge / self.0 / self.0)
    }
}

/// The number nearest to a factor: zeros stay zeros whatever the scale.
fn finite(factor: f64) -> f64 {
    factor.min(f64::MAX)
}

#[cfg(feature = "gpu")]
/// Charges that one task looks at.
const TASK: usize = parallel::min_length(0.7);

/// A unit of charge: the power of two that makes the largest of order 1, so that sums do not overflow
/// in f32 where the result does not.
#[cfg(feature = "gpu")]
pub(crate) fn charge_unit<T: Scalar>(charges: &[T]) -> f64 {
    let largest_of = |_, charges: &[T]| charges.iter().map(|q| q.widen().abs()).fold(0.0, f64::max);
    let parts = parallel::map_parts(charges.chunks(TASK), largest_of);
    unit_of_largest(parts.into_iter().fold(0.0, f64::max))
}

/// The unit of charges of which the largest has this magnitude.
pub(crate) fn unit_of_largest(largest: f64) -> f64 {
    if largest > 0.0 { Unit::of(largest).0 } else { 1.0 }
}

//! Accuracy of one pair.

/// Accuracy of the 1/r of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairAccuracy {
    /// About 4 digits.
    Digits4,
    /// About 8 digits; all digits of f32.
    Digits8,
    /// About 12 digits.
    Digits12,
    /// Accuracy of the type, to rounding.
    Full,
}

impl PairAccuracy {
    /// The cheapest accuracy whose relative error is below a tenth of `tolerance`.
    pub fn for_tolerance(tolerance: f64) -> Self {
        match tolerance {
            t if t >= 6.2e-4 => Self::Digits4,
            t if t >= 1e-7 => Self::Digits8,
            t if t >= 1e-11 => Self::Digits12,
            _ => Self::Full,
        }
    }
}

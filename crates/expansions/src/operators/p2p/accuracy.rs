//! Accuracy of one pair.

/// Accuracy of the 1/r of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairAccuracy {
    /// About 4 digits.
    Digits4,
    /// About 8 digits; all digits of f32.
    Digits8,
    /// About 12 digits, where there are kernels for it; elsewhere all digits.
    Digits12,
    /// Accuracy of the type, to rounding.
    Full,
}

impl PairAccuracy {
    /// All accuracies, the cheapest first.
    const ALL: [Self; 4] = [Self::Digits4, Self::Digits8, Self::Digits12, Self::Full];

    /// The cheapest accuracy whose relative error is at most a tenth of `tolerance`.
    pub fn for_tolerance(tolerance: f64) -> Self {
        let is_enough = |accuracy: &Self| accuracy.relative_error() <= 0.1 * tolerance;
        Self::ALL.into_iter().find(is_enough).unwrap_or(Self::Full)
    }

    /// The largest relative error of 1/r; zero where rounding alone is left.
    pub fn relative_error(self) -> f64 {
        let of_bits = |bits: u32| 1.0 / (1_u64 << bits) as f64;
        match self {
            Self::Digits4 => of_bits(14),
            // 27 bits, and rounding of the step that makes them.
            Self::Digits8 => 1e-8,
            Self::Digits12 => of_bits(40),
            Self::Full => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_pairs_are_a_tenth_of_the_tolerance_at_most() {
        for k in 0..140 {
            let tolerance = 10.0_f64.powf(-0.1 * f64::from(k));
            let error = PairAccuracy::for_tolerance(tolerance).relative_error();
            assert!(error <= 0.1 * tolerance, "{error} at {tolerance}");
        }
        let found = [1e-3, 1e-7, 1e-11, 1e-13].map(PairAccuracy::for_tolerance);
        assert_eq!(found, PairAccuracy::ALL);
    }
}

//! Variants of the pair kernels that are compiled: gradient, softening and bits of 1/√.

use super::PairAccuracy;

/// Work that is compiled once for each variant.
pub(super) trait ByVariant {
    /// Runs the variant: `GRADIENT` for sums with a gradient, `SOFT` for a softening above 0, 1/√ to `BITS` bits
    /// (64: to rounding).
    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self);
}

/// Runs the variant for these arguments.
pub(super) fn for_variant(
    accuracy: PairAccuracy,
    gradient: bool,
    soft: bool,
    work: impl ByVariant,
) {
    match (gradient, soft, accuracy) {
        (true, false, PairAccuracy::Digits4) => work.run::<true, false, 14>(),
        (true, false, PairAccuracy::Digits8) => work.run::<true, false, 27>(),
        (true, false, PairAccuracy::Digits12) => work.run::<true, false, 40>(),
        (true, false, PairAccuracy::Full) => work.run::<true, false, 64>(),
        (true, true, _) => work.run::<true, true, 64>(),
        (false, false, PairAccuracy::Digits4) => work.run::<false, false, 14>(),
        (false, false, PairAccuracy::Digits8) => work.run::<false, false, 27>(),
        (false, false, PairAccuracy::Digits12) => work.run::<false, false, 40>(),
        (false, false, PairAccuracy::Full) => work.run::<false, false, 64>(),
        (false, true, _) => work.run::<false, true, 64>(),
    }
}

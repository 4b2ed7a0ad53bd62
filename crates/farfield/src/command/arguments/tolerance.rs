//! Tolerances as arguments.

use crate::command::error::Error;

/// Refuses a tolerance that is no relative error. The smallest that a method reaches is known to its plan.
pub(crate) fn check(tolerance: f64) -> Result<(), Error> {
    match tolerance > 0.0 && tolerance <= 1.0 {
        true => Ok(()),
        false => Err(fmm::Error::Tolerance { tolerance }.into()),
    }
}

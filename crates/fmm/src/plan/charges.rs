//! What must hold of charges, whatever evaluates them.

use expansions::order::Signs;
use rayon::prelude::*;

use crate::accuracy::signs_of;
use crate::{Error, Scalar};

/// Charges that one task looks at.
const TASK: usize = 1 << 13;

/// Refuses unusable charges and tells their signs.
pub(super) fn signs_of_vectors<T: Scalar>(
    charges: &[&[T]],
    n_sources: usize,
) -> Result<Signs, Error> {
    let mut signs = Signs::Same;
    for (vector, charges) in charges.iter().enumerate() {
        let found = charges.len();
        if found != n_sources {
            return Err(Error::ChargeCount { vector, found, expected: n_sources });
        }
        let is_bad = |q: &T| !q.is_finite();
        if charges.par_chunks(TASK).any(|chunk| chunk.iter().any(is_bad))
            && let Some(index) = charges.iter().position(is_bad)
        {
            let value = charges[index].widen();
            return Err(Error::ChargeNotFinite { vector, index, value });
        }
        if signs_of(charges) == Signs::Mixed {
            signs = Signs::Mixed;
        }
    }
    Ok(signs)
}

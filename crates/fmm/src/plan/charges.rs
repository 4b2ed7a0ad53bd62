//! What must hold of charges, whatever evaluates them.

use expansions::order::Signs;
use rayon::prelude::*;

use crate::heavy::is_concentrated;
use crate::{Error, Scalar};

/// Charges that one task looks at.
const TASK: usize = 1 << 14;

/// Refuses unusable charges and tells the signs of each vector.
pub(super) fn signs_of_vectors<T: Scalar>(
    charges: &[&[T]],
    n_sources: usize,
) -> Result<Vec<Signs>, Error> {
    let signs = |(vector, charges): (usize, &&[T])| {
        let found = charges.len();
        if found != n_sources {
            return Err(Error::ChargeCount { vector, found, expected: n_sources });
        }
        let kinds = charges.par_chunks(TASK).map(Kinds::of).reduce(Kinds::default, Kinds::or);
        if kinds.not_finite
            && let Some(index) = charges.iter().position(|q| !q.is_finite())
        {
            let value = charges[index].widen();
            return Err(Error::ChargeNotFinite { vector, index, value });
        }
        // Few of one sign count as mixed: that much stronger a sum comes of many only.
        let mixed = kinds.negative && kinds.positive || is_concentrated(charges);
        Ok(if mixed { Signs::Mixed } else { Signs::Same })
    };
    charges.iter().enumerate().map(signs).collect()
}

/// Which kinds there are among charges.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    negative: bool,
    positive: bool,
    not_finite: bool,
}

impl Kinds {
    fn of<T: Scalar>(charges: &[T]) -> Self {
        charges.iter().fold(Self::default(), |kinds, q| Self {
            negative: kinds.negative | (*q < T::ZERO),
            positive: kinds.positive | (*q > T::ZERO),
            not_finite: kinds.not_finite | !q.is_finite(),
        })
    }

    fn or(self, other: Self) -> Self {
        Self {
            negative: self.negative | other.negative,
            positive: self.positive | other.positive,
            not_finite: self.not_finite | other.not_finite,
        }
    }
}

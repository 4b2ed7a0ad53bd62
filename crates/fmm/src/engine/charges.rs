//! Charges: their checks, signs and concentration.

use std::time::Instant;

use rayon::prelude::*;

use super::scalar::Scalar;
use crate::api::Error;

/// Signs of the charges. Where they are mixed the sums nearly cancel, and errors weigh more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Signs {
    /// No two charges have opposite signs.
    Same,
    /// Both signs occur.
    Mixed,
}

/// Charge vectors of one evaluation, checked.
#[derive(Clone, Debug)]
pub(crate) struct Charges<'a, T> {
    /// Vectors in the caller's order, one charge a source.
    pub(crate) vectors: &'a [&'a [T]],
    /// Signs over all vectors. Concentrated charges count as mixed: errors average only over many charges.
    pub(crate) signs: Signs,
    /// Signs of each vector, for kernels that depend on them.
    pub(crate) signs_by_vector: Vec<Signs>,
    /// An earlier gradient at the receivers, for the relative opening criterion.
    pub(crate) earlier: Option<&'a [[T; 3]]>,
    /// Seconds that the checks took.
    pub(crate) seconds: f64,
}

/// Charges that one task looks at: some 10 µs of work, ten times the start of a task.
const TASK: usize = 1 << 14;

impl<'a, T: Scalar> Charges<'a, T> {
    /// Refuses vectors of another length and charges that are not finite.
    pub(crate) fn new(
        vectors: &'a [&'a [T]],
        n_sources: usize,
        earlier: Option<&'a [[T; 3]]>,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let signs_by_vector = Self::check(vectors, n_sources)?;
        let mixed = signs_by_vector.contains(&Signs::Mixed);
        let signs = if mixed { Signs::Mixed } else { Signs::Same };
        let seconds = start.elapsed().as_secs_f64();
        Ok(Self { vectors, signs, signs_by_vector, earlier, seconds })
    }

    /// The signs of each vector, which have to be of the right length and finite.
    pub(crate) fn check(vectors: &[&[T]], n_sources: usize) -> Result<Vec<Signs>, Error> {
        let signs = |(k, charges): (usize, &&[T])| signs_of_vector(k, charges, n_sources);
        vectors.iter().enumerate().map(signs).collect()
    }
}

/// The signs of one vector that has a finite charge for each source.
fn signs_of_vector<T: Scalar>(
    vector: usize,
    charges: &[T],
    n_sources: usize,
) -> Result<Signs, Error> {
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
    let mixed = kinds.negative && kinds.positive || is_concentrated(charges);
    Ok(if mixed { Signs::Mixed } else { Signs::Same })
}

/// Kinds of numbers among charges.
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

/// Smallest effective number of charges for which errors average: to a 32nd of a single charge's.
const MANY: f64 = 1024.0;

/// Charges that one task adds up: some 10 µs of work, ten times the start of a task.
const ADDED: usize = 1 << 13;

/// Whether the participation (Σ|q|)² / Σq², the number of charges were they of equal size, is small.
pub(crate) fn is_concentrated<T: Scalar>(charges: &[T]) -> bool {
    let largest = charges.par_iter().map(|q| q.widen().abs()).reduce(|| 0.0, f64::max);
    largest > 0.0 && is_few(share_sums(charges, largest))
}

/// Sums of |q| and q² in the unit of the largest charge, in which squares neither over- nor underflow.
pub(crate) fn share_sums<T: Scalar>(charges: &[T], largest: f64) -> [f64; 2] {
    let add = |[sum, squares]: [f64; 2], q: &T| {
        let share = q.widen().abs() / largest;
        [sum + share, squares + share * share]
    };
    // Chunks of fixed length: the same bits for any number of threads.
    let parts: Vec<[f64; 2]> =
        charges.par_chunks(ADDED).map(|part| part.iter().fold([0.0; 2], add)).collect();
    parts.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// Whether charges with these sums are few by their participation.
pub(crate) fn is_few([sum, squares]: [f64; 2]) -> bool {
    sum * sum < MANY * squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concentration_is_seen_at_any_scale() {
        let mut charges: Vec<f64> = (0..4000).map(|i| f64::from(i % 7) - 3.5).collect();
        for scale in [1e-300, 1.0, 1e300] {
            let scaled = |charges: &[f64]| charges.iter().map(|q| q * scale).collect::<Vec<_>>();
            assert!(!is_concentrated(&scaled(&charges)));
            assert!(is_concentrated(&scaled(&charges[..500])));
            charges[17] = -1e4;
            assert!(is_concentrated(&scaled(&charges)));
            charges[17] = 0.5;
        }
        assert!(!is_concentrated(&[0.0; 10]));
        assert!(!is_concentrated::<f32>(&[]));
    }
}

//! The range of results: what the float type of the results cannot hold is refused.

use super::scalar::Scalar;
use crate::api::{Error, Field, Output, Precision};

/// Results that one task looks at.
const TASK: usize = parallel::min_length(1.3);

/// Results of one output and charge vector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultRange {
    pub(crate) vector: usize,
    pub(crate) output: Output,
    /// Binary exponent of the factor from the results' unit to the caller's.
    pub(crate) factor: f64,
}

impl ResultRange {
    /// [`Self::check`] for what a field has of potential and gradient, each by a factor of its own.
    pub(crate) fn check_field<T: Scalar, N: Scalar>(
        vector: usize,
        field: &Field<N>,
        [of_potential, of_gradient]: [f64; 2],
        receiver: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        let potential = Self { vector, output: Output::Potential, factor: of_potential };
        potential.check::<T, N>(&field.potential, &receiver)?;
        let gradient = Self { vector, output: Output::Gradient, factor: of_gradient };
        gradient.check::<T, N>(field.gradient.as_flattened(), |number| receiver(number / 3))
    }

    /// Refuses results in `N` of which the largest, in the caller's unit, is none of `T`. The error names the receiver
    /// `index` of its place.
    pub(crate) fn check<T: Scalar, N: Scalar>(
        self,
        results: &[N],
        index: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        let Some((place, value)) = largest(results) else { return Ok(()) };
        let Self { vector, output, factor } = self;
        let (index, precision) = (index(place), T::PRECISION);
        let refusal = |exponent| Error::ResultRange { vector, index, output, exponent, precision };
        range_of_results::<T>(value, factor).map_err(refusal)
    }
}

/// The place and magnitude of the largest number. Larger than all numbers is what is none.
fn largest<N: Scalar>(values: &[N]) -> Option<(usize, f64)> {
    let larger = |a: (usize, f64), b: (usize, f64)| {
        if b.1 > a.1 || (b.1.is_nan() && !a.1.is_nan()) { b } else { a }
    };
    let largest_of = |task: usize, values: &[N]| {
        let magnitudes = values.iter().map(|x| x.widen().abs());
        (task * TASK..).zip(magnitudes).reduce(larger)
    };
    parallel::map_parts(values.chunks(TASK), largest_of).into_iter().flatten().reduce(larger)
}

/// Checks that a float type has `value` times 2^`factor`. Gives the decimal exponent of a result that is beyond the range
/// of normal numbers, NaN for one that is no number.
fn range_of_results<T: Scalar>(value: f64, factor: f64) -> Result<(), f64> {
    let exponent = value.log2() + factor;
    // A factor beyond f64 serves zeros only.
    let scales = Precision::F64.normal_exponents().contains(&factor);
    match value == 0.0 || (scales && T::PRECISION.normal_exponents().contains(&exponent)) {
        true => Ok(()),
        false => Err(exponent * std::f64::consts::LOG10_2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_result_decides() {
        let check = |values: &[f64], factor| {
            let range = ResultRange { vector: 0, output: Output::Potential, factor };
            range.check::<f32, _>(values, |place| place + 10)
        };
        assert!(check(&[], 0.0).is_ok());
        assert!(check(&[0.0, 1.0, -3.0], 0.0).is_ok());
        assert!(check(&[0.0; 3], 2000.0).is_ok());
        for (values, factor) in [([0.0, -1e39], 0.0), ([0.5, 1.0], 128.0), ([0.5, f64::NAN], 0.0)] {
            match check(&values, factor) {
                Err(Error::ResultRange { index, precision, .. }) => {
                    assert_eq!((index, precision), (11, Precision::F32));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

//! Checks a field against the direct sum at some of its receivers.

use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};
use rayon::prelude::*;

use crate::hierarchy::Hierarchy;
use crate::{Field, Scalar};

/// Errors of one output over the receivers that were checked.
///
/// Relative ones are |value − reference| / |reference| at each receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// ‖values − references‖₂ / ‖references‖₂.
    pub l2: f64,
    /// Root mean square of the relative errors.
    pub rms: f64,
    /// Largest relative error.
    pub max: f64,
    /// Mean of the relative errors (Nakasato, eq. 4).
    pub mean_relative: f64,
}

/// Measured errors of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SampledError {
    /// How many receivers were checked.
    pub receivers: usize,
    /// Errors of the potential.
    pub potential: Errors,
    /// Errors of the gradient; zero where there is none.
    pub gradient: Errors,
}

impl Errors {
    /// From the absolute error and the magnitude of the reference at each receiver.
    fn new(pairs: &[(f64, f64)]) -> Self {
        let relative = |&(error, reference): &(f64, f64)| match reference {
            0.0 if error == 0.0 => 0.0,
            _ => error / reference,
        };
        let square = |x: f64| x * x;
        let mean = |sum: f64| sum / pairs.len().max(1) as f64;
        let errors: f64 = pairs.iter().map(|pair| square(pair.0)).sum();
        let references: f64 = pairs.iter().map(|pair| square(pair.1)).sum();
        Self {
            l2: relative(&(errors.sqrt(), references.sqrt())),
            rms: mean(pairs.iter().map(|pair| square(relative(pair))).sum()).sqrt(),
            max: pairs.iter().map(relative).fold(0.0, f64::max),
            mean_relative: mean(pairs.iter().map(relative).sum()),
        }
    }
}

/// Receivers for which the direct sum is taken by one task.
const TASK: usize = 32;

/// Errors of `field`, the first vector of which came from `charges`, at `count` receivers.
pub(crate) fn sample_error<T: Scalar>(
    hierarchy: &Hierarchy<T>,
    charges: &[T],
    field: &Field<T>,
    softening: f64,
    count: usize,
) -> SampledError {
    let widen = |slice: &[T]| -> Vec<f64> { slice.iter().map(|x| x.widen()).collect() };
    let (sources, receivers) = (hierarchy.sources(), hierarchy.receivers());
    let coordinates = sources.slices(0..sources.len()).map(widen);
    let order = hierarchy.tree.source_order();
    let charges: Vec<f64> = order.iter().map(|index| charges[*index as usize].widen()).collect();
    let charges = [charges.as_slice()];
    let coordinates = coordinates.each_ref().map(Vec::as_slice);
    let sources = Sources { coordinates, charges: &charges };
    let softening = hierarchy.unit.shrink(softening);

    let positions = sample(receivers.len(), count);
    let indices = hierarchy.tree.receiver_order();
    let check = |positions: &[usize]| -> Vec<(usize, [f64; 4])> {
        let all = receivers.slices(0..receivers.len());
        let points = all.map(|c| positions.iter().map(|at| c[*at].widen()).collect::<Vec<f64>>());
        let mut sums = [(); 4].map(|()| vec![0.0; positions.len()]);
        let [potential, x, y, z] = &mut sums;
        let part = PointSums { potential, gradient: [x, y, z] };
        let points = points.each_ref().map(Vec::as_slice);
        let all_sources = 0..order.len();
        p2p(&sources, &[all_sources], points, softening, PairAccuracy::Full, &mut [part]);
        let reference = |(k, at): (usize, &usize)| {
            let potential = sums[0][k] * hierarchy.unit.potential(1.0);
            let [x, y, z] = [1, 2, 3].map(|axis| sums[axis][k] * hierarchy.unit.gradient(1.0));
            (indices[*at] as usize, [x, y, z, potential])
        };
        positions.iter().enumerate().map(reference).collect()
    };
    let references: Vec<_> = positions.par_chunks(TASK).flat_map_iter(check).collect();
    compare(field, references.into_iter())
}

/// Errors of `field` at receivers whose gradient and potential are known.
pub(crate) fn compare<T: Scalar>(
    field: &Field<T>,
    references: impl Iterator<Item = (usize, [f64; 4])>,
) -> SampledError {
    let with_gradient = !field.gradient.is_empty();
    let pair = |(index, [x, y, z, potential]): (usize, [f64; 4])| {
        let error = (field.potential[index].widen() - potential).abs();
        let mut gradient = (0.0, 0.0);
        if with_gradient {
            let (value, reference) = (field.gradient[index].map(T::widen), [x, y, z]);
            let difference = [0, 1, 2].map(|axis| value[axis] - reference[axis]);
            gradient = (length(difference), length(reference));
        }
        [(error, potential.abs()), gradient]
    };
    let pairs: Vec<_> = references.map(pair).collect();
    let of = |output: usize| pairs.iter().map(|pair| pair[output]).collect::<Vec<_>>();
    SampledError {
        receivers: pairs.len(),
        potential: Errors::new(&of(0)),
        gradient: Errors::new(&of(1)),
    }
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    x.hypot(y).hypot(z)
}

/// `count` distinct numbers below `n`, or all of them: one at random from each of `count` equal
/// stretches, the same for the same arguments.
pub(crate) fn sample(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let start = |k: usize| (k as u128 * n as u128 / count as u128) as usize;
    (0..count).map(|k| start(k) + random() as usize % (start(k + 1) - start(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_distinct_and_in_range() {
        for (n, count) in [(0, 5), (1, 1), (7, 7), (10, 3), (1000, 999), (5, 50)] {
            let sample = sample(n, count);
            assert_eq!(sample.len(), count.min(n));
            assert!(sample.windows(2).all(|w| w[0] < w[1]));
            assert!(sample.iter().all(|i| *i < n));
        }
    }

    #[test]
    fn errors_of_a_known_case() {
        let errors = Errors::new(&[(3.0, 30.0), (4.0, 40.0)]);
        assert_eq!(errors, Errors { l2: 0.1, rms: 0.1, max: 0.1, mean_relative: 0.1 });
        assert_eq!(Errors::new(&[(0.0, 0.0)]), Errors::default());
        assert_eq!(Errors::new(&[(1.0, 0.0)]).max, f64::INFINITY);
    }
}

//! Verification: errors of a field against the direct sum at some of its receivers, and the net force.
//!
//! | file | what |
//! |---|---|
//! | `check.rs` | the check of each evaluation: its error, estimated at a few receivers |
//! | `cancellation.rs` | how far sums cancel, and the rounding to expect of them |
//! | `picks.rs` | importance sampling of receivers |
//! | `stretches.rs` | stretches of the cumulated probability, with a pick each |
//! | `references.rs` | direct sums in f64 at a few receivers |
//! | `far_parts.rs` | the same in f32 where sources are far |
//! | `double_double.rs` | the same in double-double arithmetic, where sums cancel |
//! | `rounding.rs` | checks of sums whose points were rounded |
//! | `net_force.rs` | the net force on an isolated system |

use crate::api::{Errors, Field, Outputs, SampledError, worse};
use crate::engine::{Scalar, Unit};

mod cancellation;
mod check;
mod double_double;
mod far_parts;
mod net_force;
mod picks;
mod references;
mod rounding;
mod stretches;

#[cfg(feature = "gpu")]
pub(crate) use cancellation::Terms;
#[cfg(feature = "gpu")]
pub(crate) use check::CheckedByDevice;
pub(crate) use check::{Checked, Estimate, sums_without_doubt};
pub(crate) use double_double::exact_sums;
pub(crate) use expansions::numerics::importance::{Sums, Weights};
pub(crate) use far_parts::FewReceivers;
pub(crate) use net_force::{force_sums, net_force, net_force_of};
pub(crate) use picks::{PickPart, Picks, block_sums, local_limits, squares, total};
#[cfg(feature = "gpu")]
pub(crate) use picks::{limiting, targets};
pub(crate) use references::{Alone, Direct, Totals, Wide};
pub(crate) use rounding::{MANY_SOURCES, ROUNDED_SAFETY, error_of_rounded, weights_of_rounded};

/// Gradient and potential in a plan's unit and one of charge, in the caller's.
pub(crate) fn in_units([x, y, z, potential]: [f64; 4], unit: Unit, charge: f64) -> [f64; 4] {
    let [x, y, z] = [x, y, z].map(|part| part * unit.gradient(charge));
    [x, y, z, potential * unit.potential(charge)]
}

/// Gradient and potential of a field at one receiver; zeros for an output that is not there.
pub(crate) fn value_at<T: Scalar>(field: &Field<T>, index: usize) -> [f64; 4] {
    let gradient = field.gradient.get(index).copied().unwrap_or([T::ZERO; 3]);
    let potential = field.potential.get(index).copied().unwrap_or(T::ZERO);
    let [x, y, z] = gradient.map(T::widen);
    [x, y, z, potential.widen()]
}

/// Errors of values (gx, gy, gz, Φ), each with its reference.
pub(crate) fn compare(
    checked: impl Iterator<Item = ([f64; 4], [f64; 4])>,
    outputs: Outputs,
) -> SampledError {
    let pair = |(value, reference): ([f64; 4], [f64; 4])| {
        let error = (value[3] - reference[3]).abs();
        let difference = [0, 1, 2].map(|axis| value[axis] - reference[axis]);
        let [x, y, z, potential] = reference;
        let gradient = (length(difference), length([x, y, z]));
        ((error, potential.abs()), gradient)
    };
    let (potentials, gradients): (Vec<_>, Vec<_>) = checked.map(pair).unzip();
    SampledError {
        receivers: potentials.len(),
        potential: outputs.has_potential().then(|| errors(&potentials)),
        gradient: outputs.has_gradient().then(|| errors(&gradients)),
    }
}

/// Errors from the absolute error and the magnitude of the reference at each receiver.
fn errors(pairs: &[(f64, f64)]) -> Errors {
    let relative = |&(error, reference): &(f64, f64)| match reference {
        0.0 if error == 0.0 => 0.0,
        _ => error / reference,
    };
    let square = |x: f64| x * x;
    let mean = |sum: f64| sum / pairs.len().max(1) as f64;
    let errors: f64 = pairs.iter().map(|pair| square(pair.0)).sum();
    let references: f64 = pairs.iter().map(|pair| square(pair.1)).sum();
    Errors {
        l2: relative(&(errors.sqrt(), references.sqrt())),
        rms: mean(pairs.iter().map(|pair| square(relative(pair))).sum()).sqrt(),
        max: pairs.iter().map(relative).fold(0.0, worse),
        mean_relative: mean(pairs.iter().map(relative).sum()),
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
        let found = errors(&[(3.0, 30.0), (4.0, 40.0)]);
        assert_eq!(found, Errors { l2: 0.1, rms: 0.1, max: 0.1, mean_relative: 0.1 });
        assert_eq!(errors(&[(0.0, 0.0)]), Errors::default());
        assert_eq!(errors(&[(1.0, 0.0)]).max, f64::INFINITY);
        let found = errors(&[(1.0, 2.0), (f64::NAN, 1.0), (0.0, 1.0)]);
        assert!(found.max.is_nan() && found.l2.is_nan());
    }
}

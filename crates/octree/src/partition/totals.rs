//! Totals over processes: the only communication that the partition needs.

use crate::boxes::aabb::Aabb;

/// Arrays added, or compared, over all processes: an all-reduce.
///
/// Each method is a collective: every process calls it the same number of times, with arrays of one length. Integers
/// only, so that the totals have the same bits whatever the order of addition.
pub trait Totals {
    /// Replaces each value by its sum over all processes.
    fn sum(&mut self, values: &mut [u64]);

    /// Replaces each value by its maximum over all processes.
    fn max(&mut self, values: &mut [u64]);
}

/// Totals of one process: the values themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OneProcess;

impl Totals for OneProcess {
    fn sum(&mut self, _values: &mut [u64]) {}

    fn max(&mut self, _values: &mut [u64]) {}
}

/// The bounds of the points of all processes, from those of each. One [`Totals::max`] of six values.
///
/// Bounds have no NaN: [`point_bounds`](super::point_bounds) sees to that.
pub fn global_bounds(bounds: Aabb, totals: &mut dyn Totals) -> Aabb {
    let mut values = [0; 6];
    for d in 0..3 {
        values[d] = !rank_of(bounds.min[d]);
        values[3 + d] = rank_of(bounds.max[d]);
    }
    totals.max(&mut values);
    Aabb {
        min: [0, 1, 2].map(|d| float_of(!values[d])),
        max: [3, 4, 5].map(|d| float_of(values[d])),
    }
}

/// Bits of a number, as an integer in the order of numbers.
fn rank_of(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// Inverse of [`rank_of`].
fn float_of(rank: u64) -> f64 {
    f64::from_bits(if rank >> 63 == 1 { rank ^ 1 << 63 } else { !rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_keep_the_order_of_floats() {
        let ascending = [f64::NEG_INFINITY, -3.5, -1e-310, -0.0, 0.0, 5e-324, 2.0, f64::INFINITY];
        assert!(ascending.map(rank_of).is_sorted_by(|a, b| a < b));
        assert_eq!(ascending.map(|x| float_of(rank_of(x)).to_bits()), ascending.map(f64::to_bits));
    }

    #[test]
    fn one_process_has_its_own_bounds() {
        let bounds = Aabb::EMPTY.with([1.0, -2.0, 3.0]).with([-0.5, 7.0, 0.0]);
        assert_eq!(global_bounds(bounds, &mut OneProcess), bounds);
        assert_eq!(global_bounds(Aabb::EMPTY, &mut OneProcess), Aabb::EMPTY);
    }
}

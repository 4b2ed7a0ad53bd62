//! Folds in lanes: an accumulator for each of several neighbouring items, so that the compiler takes them at once and no
//! addition waits for the one before.

use octree::Aabb;

use super::scalar::Scalar;

/// Accumulators of the items of each lane: item i is in lane i mod L.
pub(crate) fn fold_lanes<const L: usize, Q: Copy, A: Copy>(
    items: &[Q],
    start: A,
    add: impl Fn(A, Q) -> A,
) -> [A; L] {
    let mut lanes = [start; L];
    let (rows, rest) = items.as_chunks::<L>();
    for row in rows {
        for (lane, item) in lanes.iter_mut().zip(row) {
            *lane = add(*lane, *item);
        }
    }
    for (lane, item) in lanes.iter_mut().zip(rest) {
        *lane = add(*lane, *item);
    }
    lanes
}

/// Whether all numbers are finite.
pub(crate) fn all_finite<T: Scalar>(numbers: &[T]) -> bool {
    // Zero times a number that is not finite is not a number, nor is any sum with it.
    let lanes: [T; 16] = fold_lanes(numbers, T::ZERO, |sum, x| sum + x * T::ZERO);
    lanes.into_iter().all(T::is_finite)
}

/// Bounds of points, by one core.
pub(crate) fn bounds<T: Scalar>(points: &[[T; 3]]) -> Aabb {
    let (numbers, inf) = (points.as_flattened(), T::narrow(f64::INFINITY));
    // Lane k is along axis k mod 3.
    let lows: [T; 12] = fold_lanes(numbers, inf, |low, x| if x < low { x } else { low });
    let highs: [T; 12] = fold_lanes(numbers, -inf, |high, x| if x > high { x } else { high });
    let along = |lanes: [T; 12], axis: usize, join: fn(f64, f64) -> f64, start| {
        lanes.into_iter().skip(axis).step_by(3).map(T::widen).fold(start, join)
    };
    Aabb {
        min: [0, 1, 2].map(|axis| along(lows, axis, f64::min, f64::INFINITY)),
        max: [0, 1, 2].map(|axis| along(highs, axis, f64::max, f64::NEG_INFINITY)),
    }
}

/// Positions that one task bounds.
const TASK: usize = parallel::min_length(0.7);

/// Bounds of all points of some sets, in parallel.
pub(crate) fn bounds_of_sets<T: Scalar, const N: usize>(sets: [&[[T; 3]]; N]) -> Aabb {
    let tasks = sets.into_iter().flat_map(|set| set.chunks(TASK));
    let parts = parallel::map_parts(tasks, |_, points| bounds(points));
    parts.into_iter().fold(Aabb::EMPTY, Aabb::union)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_in_one_lane() {
        for n in [0, 1, 7, 8, 9, 100] {
            let items: Vec<u64> = (0..n).collect();
            let lanes: [u64; 8] = fold_lanes(&items, 0, |sum, item| sum + item + 1);
            assert_eq!(lanes.iter().sum::<u64>(), n * (n + 1) / 2);
            let first = (0..n).step_by(8).map(|item| item + 1).sum();
            assert_eq!(lanes[0], first);
        }
    }

    #[test]
    fn bounds_are_those_of_each_axis() {
        for n in [0, 1, 3, 4, 5, 100] {
            let point = |i: i32| [i % 7, -(i % 5), 3 * i].map(f64::from);
            let points: Vec<[f64; 3]> = (0..n).map(point).collect();
            let expected = points.iter().fold(Aabb::EMPTY, |all, point| all.with(*point));
            assert_eq!(bounds(&points), expected);
        }
    }

    #[test]
    fn one_number_that_is_not_finite_is_seen() {
        for n in [1, 16, 1000] {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut numbers = vec![f32::MAX; n];
                assert!(all_finite(&numbers));
                numbers[n / 2] = bad;
                assert!(!all_finite(&numbers));
            }
        }
    }
}

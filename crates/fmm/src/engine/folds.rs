//! Folds in lanes: an accumulator for each of several neighbouring items, so that the compiler takes them at once and no
//! addition waits for the one before.

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
pub(crate) fn all_finite<T: super::Scalar>(numbers: &[T]) -> bool {
    // Zero times a number that is not finite is not a number, nor is any sum with it.
    let lanes: [T; 16] = fold_lanes(numbers, T::ZERO, |sum, x| sum + x * T::ZERO);
    lanes.into_iter().all(T::is_finite)
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

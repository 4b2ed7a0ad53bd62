//! Bookmarks: the first point of each non-empty box in sorted order (Hu, Gumerov and Duraiswami, Alg. 3).
//!
//! The paper finds them by two scans over all 8^lmax bins, and compares the raw bins where it must
//! compare their prefix sums. Sorted codes hold the same steps without the empty boxes.

use std::ops::Range;

/// Points or boxes that one task takes.
const TASK: usize = 1 << 14;

/// The bookmarks of the non-empty boxes and their indices, from sorted box indices.
///
/// The bookmarks are n_boxes + 1 places: box i holds the points `bookmarks[i]..bookmarks[i + 1]`.
/// The indices ascend. O(n).
pub fn bookmarks_and_box_indices(sorted: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let starts_box = |i: usize| i == 0 || sorted[i - 1] != sorted[i];
    let of_task = |places: Range<usize>| -> Vec<u32> {
        places.filter(|&i| starts_box(i)).map(|i| i as u32).collect()
    };
    let mut bookmarks = parallel::map_ranges(0..sorted.len(), TASK, of_task).concat();
    let indices = parallel::collect(bookmarks.len(), TASK, |i| sorted[bookmarks[i] as usize]);
    bookmarks.push(sorted.len() as u32);
    (bookmarks, indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn bookmarks_part_the_codes(mut codes in prop::collection::vec(0u64..64, 0..300)) {
            codes.sort_unstable();
            let (bookmarks, indices) = bookmarks_and_box_indices(&codes);
            prop_assert_eq!(bookmarks.len(), indices.len() + 1);
            prop_assert!(indices.is_sorted_by(|a, b| a < b));
            let rebuilt: Vec<u64> = indices
                .iter()
                .zip(bookmarks.windows(2))
                .flat_map(|(&index, ends)| (ends[0]..ends[1]).map(move |_| index))
                .collect();
            prop_assert_eq!(rebuilt, codes);
        }
    }
}

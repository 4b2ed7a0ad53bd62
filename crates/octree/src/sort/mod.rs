//! Pseudo-sort: points in the order of their boxes, in linear time by histograms and prefix sums (Hu,
//! Gumerov and Duraiswami, Alg. 1).
//!
//! The paper's single histogram has 8^lmax bins and leaves the order inside a box to chance. Here the
//! first histogram has at most 2¹⁵ bins; deeper boxes are told apart inside its bins
//! (`bins`), so memory stays small at every level. The order inside a box is the caller's, so the result is
//! unique: the same bits for any number of threads. Codes of a few ascending runs are merged instead (`runs`).

mod bins;
mod histogram;
mod runs;

/// Bits of the first digit at most: the histogram of one thread (128 KiB) stays in its cache.
const DIGIT_BITS: u32 = 15;

/// Codes that one task takes.
const TASK: usize = 1 << 14;

/// Codes in ascending order, and their places in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorted {
    /// Sorted place → place in the input; ascending where codes are equal.
    pub permutation: Vec<u32>,
    /// The codes in ascending order.
    pub codes: Vec<u64>,
}

/// Sorts `codes` (box indices; fewer than 2³² of them), equal ones in the order given.
///
/// O(n) for codes of a fixed number of bits.
pub fn pseudo_sort(codes: &[u64]) -> Sorted {
    debug_assert!(u32::try_from(codes.len()).is_ok());
    let Some(&first) = codes.first() else {
        return Sorted { permutation: Vec::new(), codes: Vec::new() };
    };
    if let Some(sorted) = runs::merged(codes) {
        return sorted;
    }
    // Leading bits that all codes share tell nothing apart: skipping them lets clustered points fill
    // the histogram as uniform ones do.
    let varying = parallel::map_parts(codes.chunks(TASK), |_, codes| {
        codes.iter().fold(0, |varying, code| varying | code ^ first)
    });
    let varying = varying.iter().fold(0, |a, b| a | b);
    let bits = u64::BITS - varying.leading_zeros();
    let digit_bits = bits.min(DIGIT_BITS).min(codes.len().ilog2());
    let shift = bits - digit_bits;
    let mask = (1 << digit_bits) - 1;
    let (mut permutation, bookmarks) =
        histogram::distribute(codes, 1 << digit_bits, |code| ((code >> shift) & mask) as usize);
    let mut sorted = vec![0; codes.len()];
    bins::sort_bins(codes, &bookmarks, &mut permutation, &mut sorted, shift > 0);
    Sorted { permutation, codes: sorted }
}

#[cfg(test)]
mod tests {
    use super::pseudo_sort;
    use proptest::prelude::*;

    fn is_stable_sort(codes: &[u64]) {
        let mut expected: Vec<u32> = (0..codes.len() as u32).collect();
        expected.sort_by_key(|&i| codes[i as usize]);
        let sorted = pseudo_sort(codes);
        assert!(sorted.codes.iter().zip(&expected).all(|(&c, &i)| c == codes[i as usize]));
        assert_eq!(sorted.permutation, expected);
    }

    /// Pseudo-random bits, reproducible.
    fn mixed(i: u64) -> u64 {
        let x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ x >> 27
    }

    #[test]
    fn wide_narrow_constant_and_clustered_codes() {
        let n = 50_000;
        is_stable_sort(&[]);
        is_stable_sort(&[7]);
        is_stable_sort(&vec![u64::MAX; n]);
        for bits in [1, 3, 6, 15, 16, 24, 63] {
            is_stable_sort(&(0..n as u64).map(|i| mixed(i) >> (64 - bits)).collect::<Vec<_>>());
        }
        // All but a few points in one bin of the first digit, and again in the second.
        is_stable_sort(
            &(0..n as u64)
                .map(|i| if i % 9999 == 0 { mixed(i) } else { mixed(i) >> 50 })
                .collect::<Vec<_>>(),
        );
    }

    #[test]
    fn runs_are_merged_in_the_order_given() {
        for (n, n_runs, bits) in [(1, 1, 63), (40_000, 1, 20), (40_000, 2, 63), (50_001, 7, 12)] {
            for more in 0..3 {
                let n_runs = n_runs + 5 * more;
                let codes: Vec<u64> = (0..n).map(|i| mixed(i) >> (64 - bits)).collect();
                let mut runs: Vec<Vec<u64>> =
                    codes.chunks(codes.len().div_ceil(n_runs)).map(<[u64]>::to_vec).collect();
                runs.iter_mut().for_each(|run| run.sort_unstable());
                is_stable_sort(&runs.concat());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sorts_any_codes(codes in prop::collection::vec(any::<u64>(), 0..600), shift in 0u32..64) {
            is_stable_sort(&codes.iter().map(|c| c >> shift).collect::<Vec<_>>());
        }
    }
}

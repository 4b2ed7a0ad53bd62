//! Random distinct indices: the receivers of a sampled check.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// `min(k, n)` distinct indices below `n`, ascending; every such set is equally likely.
///
/// Floyd's algorithm (Bentley & Floyd 1987): `k` draws, O(k log k) for the order.
pub fn sample(n: usize, k: usize, seed: u64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut chosen = std::collections::BTreeSet::new();
    for last in n.saturating_sub(k)..n {
        let index = random.random_range(0..=last as u64) as usize;
        if !chosen.insert(index) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_distinct_and_in_range() {
        for (n, k) in [(0, 5), (1, 0), (1, 1), (10, 10), (3, 10), (1000, 37)] {
            let indices = sample(n, k, 11);
            assert_eq!(indices.len(), k.min(n));
            assert!(indices.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(indices.iter().all(|&index| index < n));
        }
    }

    #[test]
    fn every_index_is_as_likely() {
        let (n, k, rounds) = (20, 5, 4000);
        let mut counts = vec![0.0; n];
        for seed in 0..rounds {
            for index in sample(n, k, seed) {
                counts[index] += 1.0;
            }
        }
        let p = k as f64 / n as f64;
        let expected = rounds as f64 * p;
        // Five standard deviations of a binomial count.
        let spread = 5.0 * (expected * (1.0 - p)).sqrt();
        assert!(counts.iter().all(|count: &f64| (count - expected).abs() < spread), "{counts:?}");
    }
}

//! Charges for the point sets: all of one sign, as in gravity, and of both, as in electrostatics.
//!
//! Charges come from ChaCha8, so a seed means the same charges on every platform.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// `n` masses, uniform in `[0, 1)`.
pub fn masses(n: usize, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| random.random::<f64>()).collect()
}

/// `n` charges of mixed sign, uniform in `[-0.5, 0.5)`.
pub fn mixed(n: usize, seed: u64) -> Vec<f64> {
    masses(n, seed).into_iter().map(|mass| mass - 0.5).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_stay_in_their_range_around_its_mean() {
        let n = 10_000;
        // Four standard deviations of the mean of n uniform numbers.
        let spread = 4.0 / (12.0 * n as f64).sqrt();
        for (values, low) in [(masses(n, 3), 0.0), (mixed(n, 3), -0.5)] {
            assert_eq!(values.len(), n);
            assert!(values.iter().all(|&value| low <= value && value < low + 1.0));
            let mean = values.iter().sum::<f64>() / n as f64;
            assert!((mean - low - 0.5).abs() < spread, "mean {mean}");
        }
    }

    #[test]
    fn a_seed_names_its_charges() {
        assert_eq!(mixed(100, 7), mixed(100, 7));
        assert_ne!(mixed(100, 7), mixed(100, 8));
        assert_eq!(masses(10, 7), masses(100, 7)[..10]);
    }
}

//! Deterministic sources and comparisons of expansions, shared by the tests of the reference path.

use expansions::papers::complex::{Complex64, coefficient_count};

/// `count` points in the cube of side 1 about `center`, with charges of both signs.
pub(crate) fn cloud(seed: u64, count: usize, center: [f64; 3]) -> (Vec<[f64; 3]>, Vec<f64>) {
    // Knuth's MMIX generator; the upper bits are good enough for points.
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| (center.map(|c| c + uniform()), 2.0 * uniform())).unzip()
}

/// An expansion of order `order` with all coefficients zero.
pub(crate) fn zeros(order: usize) -> Vec<Complex64> {
    vec![Complex64::new(0.0, 0.0); coefficient_count(order)]
}

/// The largest difference of two expansions, relative to the largest coefficient of the second.
pub(crate) fn relative_difference(a: &[Complex64], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let largest = b.iter().map(Complex64::l1_norm).fold(0.0, f64::max);
    let difference = a.iter().zip(b).map(|(a, b)| (a - b).l1_norm()).fold(0.0, f64::max);
    difference / largest
}

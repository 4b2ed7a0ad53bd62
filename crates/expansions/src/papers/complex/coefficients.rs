//! Storage of a complex expansion: p(p+1)/2 coefficients with m ≥ 0, ordered by degree.

pub use num_complex::Complex64;

/// The largest order p of this path: M2L needs (4p − 4)!, and `f64` ends at 170!.
pub const MAX_ORDER: usize = 43;

/// The place of the coefficient (n, m), 0 ≤ m ≤ n, in an array of this path.
#[must_use]
pub const fn index(n: usize, m: usize) -> usize {
    n * (n + 1) / 2 + m
}

/// The length p(p+1)/2 of an expansion of order p.
#[must_use]
pub const fn coefficient_count(order: usize) -> usize {
    index(order, 0)
}

/// The coefficient (n, m) for either sign of m, from an array that stores m ≥ 0.
#[must_use]
pub fn signed(coefficients: &[Complex64], n: usize, m: isize) -> Complex64 {
    let stored = coefficients[index(n, m.unsigned_abs())];
    if m < 0 { stored.conj() } else { stored }
}

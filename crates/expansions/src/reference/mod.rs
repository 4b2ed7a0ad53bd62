//! The papers' complex basis: Yokota and Barba's equations 2–10 and Listings 3–5 as they print them.
//!
//! This path is slow and plain on purpose. It says what the fast real basis must equal: straight
//! loops over the printed sums in `f64`, checked against direct sums, and joined to the real
//! coefficients by [`real_map`]. Use it to test an operator or a kernel, not to compute.
//!
//! # Conventions
//!
//! - Y_n^m (eq. 6) has no factor (2n+1)/4π, and its P_n^m carries the Condon–Shortley phase (−1)^m
//!   of eq. 8. The sign of m enters only through e^{imβ}, so Y_n^{−m} is the conjugate of Y_n^m.
//! - An expansion of order p keeps the degrees n = 0..p−1 and stores m ≥ 0 only:
//!   p(p+1)/2 complex numbers, ordered by [`index`]. The rest follows from M_n^{−m} = conj(M_n^m).
//! - Nothing is scaled. A multipole coefficient has the unit charge · lengthⁿ, a local one
//!   charge · length⁻ⁿ⁻¹. With coordinates of order one and p ≤ [`MAX_ORDER`] all stays finite.
//! - Operators *add* to their output, as the passes of an FMM need.
//!
//! # Errata of the paper
//!
//! Equation 8 prints (2m−1)!; the value is (2m−1)!!, as Listing 3 computes it. Listing 5 allots
//! p(p+1)/2 entries to `sharedYnm`, but Listing 3 writes p(2p+1): see
//! [`listings::shared_ynm_len`].

extern crate alloc;

pub mod harmonics;
pub mod legendre;
pub mod listings;
pub mod operators;
pub mod real_map;
pub mod translations;

pub use num_complex::Complex64;
pub use operators::{l2p, l2p_gradient, m2p, m2p_gradient, p2l, p2m};
pub use translations::{l2l, m2l, m2m};

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

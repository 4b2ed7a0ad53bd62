//! Formulas of the solid harmonics and their operators that host and device share.
//!
//! | module | what it has | `docs/theory/formulas.md` |
//! |---|---|---|
//! | [`recurrence`] | the harmonics of a point, degree by degree | section 2 |
//! | [`normalization`] | factors of the harmonics' recurrences | section 2 |
//! | [`differentiation`] | factors of the gradient | section 2 |
//! | [`coaxial`] | factors of translations along z | section 5 |
//! | [`rotation`] | Wigner's d and the real blocks of rotations | section 5 |
//! | [`complex`] | complex numbers | – |
//! | [`waves`] | numbers and classes of plane waves | section 10 |
//! | [`expected`] | errors to expect at a receiver from the expansions that act on it | – |
//! | [`importance`] | probabilities of picking receivers by outputs and errors | – |
//! | [`roots`] | square roots and factorials in constants | – |
//!
//! Nothing here needs memory or a standard library, and all but the recurrences can be evaluated at compile time. So
//! `kernels-gpu` compiles these modules for devices and makes constants of the factors, while the host's tables
//! have the same factors for any order.

pub mod coaxial;
pub mod complex;
pub mod differentiation;
pub mod expected;
pub mod importance;
pub mod normalization;
pub mod recurrence;
pub mod roots;
pub mod rotation;
pub mod waves;

/// (−1)^k
pub const fn parity(k: usize) -> f64 {
    if k.is_multiple_of(2) { 1.0 } else { -1.0 }
}

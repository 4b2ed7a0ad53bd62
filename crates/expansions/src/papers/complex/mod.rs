//! Complex spherical-harmonic expansions: equations 2–10 of Yokota and Barba (2011), as printed.
//!
//! Plain loops over the printed sums, in `f64`. Tests compare the real basis of
//! [`operators`](crate::operators) with this one, after the map of [`real_map`].
//!
//! | here | what | paper |
//! |---|---|---|
//! | [`legendre`] | P_n^m | eqs 7–9 |
//! | [`harmonics`] | A_n^m, Y_n^m, rⁿ Y_n^m and r⁻ⁿ⁻¹ Y_n^m | eqs 5, 6 |
//! | [`operators`] | P2M, P2L, M2P, L2P | eqs 2, 3 |
//! | [`translations`] | M2M, M2L, L2L | eq. 4; Cheng, Greengard and Rokhlin (1999) |
//! | [`coefficients`] | array layout | – |
//! | [`real_map`] | complex coefficients ↔ real ones | – |
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
//! # Erratum
//!
//! Equation 8 prints (2m−1)!; the value is (2m−1)!!, as Listing 3 computes it.

pub mod coefficients;
pub mod harmonics;
pub mod legendre;
pub mod operators;
pub mod real_map;
pub mod translations;

pub use coefficients::{Complex64, MAX_ORDER, coefficient_count, index, signed};
pub use operators::{l2p, l2p_gradient, m2p, m2p_gradient, p2l, p2m};
pub use translations::{l2l, m2l, m2m};

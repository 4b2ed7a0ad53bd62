//! Factors of the derivatives of the solid harmonics.

use core::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use super::roots::root;

/// Magnitudes of the factors of R_{n−1}^{m−1}, R_{n−1}^m and R_{n−1}^{m+1} in the derivatives of R_n^m, m ≥ 0.
///
/// The factors of I_{n+1}^{m+1}, I_{n+1}^m and I_{n+1}^{m−1} in the derivatives of I_n^m are, negated, the factors of R_n^m in
/// the derivatives of R_{n+1}^{m+1}, R_{n+1}^m and R_{n+1}^{m−1}: the derivative of one basis is the adjoint of that of
/// the other.
pub const fn factors(n: usize, m: usize) -> [f64; 3] {
    let to_zero = if m == 1 { SQRT_2 } else { 1.0 };
    let from_zero = if m == 0 { FRAC_1_SQRT_2 } else { 0.5 };
    let lower = if m == 0 { 0.0 } else { 0.5 * to_zero * root((n + m) * (n + m - 1)) };
    let upper = from_zero * root((n - m) * (n - m).saturating_sub(1));
    [lower, root((n - m) * (n + m)), upper]
}

//! The map between the papers' complex coefficients and this crate's real ones, both ways.
//!
//! The real basis is Schmidt semi-normalised and has no phase (−1)^m; for m > 0 its functions are
//! √2 √((n−m)!/(n+m)!) rⁿ |phase-free P_n^m| times cos mβ (azimuthal index m) and sin mβ (index −m). Since
//! M_n^m holds Y_n^{−m}, the map of a degree is
//!
//! M_{n,0} = Re M_n^0, M_{n,m} = (−1)^m √2 Re M_n^m, M_{n,−m} = −(−1)^m √2 Im M_n^m,
//!
//! and the same for L. It is orthogonal on the full set of orders. Real arrays hold p² numbers at
//! n² + n + m, in units of the box side s: charge for a multipole M_i = Σ q R_i(y/s), and likewise
//! for a local expansion Φ = (1/s) Σ L_i R_i(x/s). So degree n is also scaled, by s⁻ⁿ and s^{n+1}.

use super::coefficients::{Complex64, coefficient_count, index};
use core::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Writes the real, box-scaled form of a complex multipole expansion: p(p+1)/2 to p² numbers.
pub fn multipole_to_real(order: usize, side: f64, complex: &[Complex64], real: &mut [f64]) {
    to_real(order, Scale { first: 1.0, ratio: 1.0 / side }, complex, real);
}

/// Writes the complex form of a real multipole expansion; the inverse of [`multipole_to_real`].
pub fn multipole_from_real(order: usize, side: f64, real: &[f64], complex: &mut [Complex64]) {
    from_real(order, Scale { first: 1.0, ratio: side }, real, complex);
}

/// Writes the real, box-scaled form of a complex local expansion: p(p+1)/2 to p² numbers.
pub fn local_to_real(order: usize, side: f64, complex: &[Complex64], real: &mut [f64]) {
    to_real(order, Scale { first: side, ratio: side }, complex, real);
}

/// Writes the complex form of a real local expansion; the inverse of [`local_to_real`].
pub fn local_from_real(order: usize, side: f64, real: &[f64], complex: &mut [Complex64]) {
    from_real(order, Scale { first: 1.0 / side, ratio: 1.0 / side }, real, complex);
}

/// The factor `first` · `ratio`ⁿ of degree n.
#[derive(Clone, Copy)]
struct Scale {
    first: f64,
    ratio: f64,
}

fn to_real(order: usize, scale: Scale, complex: &[Complex64], real: &mut [f64]) {
    debug_assert!(complex.len() >= coefficient_count(order) && real.len() >= order * order);
    let mut factor = scale.first;
    for n in 0..order {
        let center = n * n + n;
        real[center] = factor * complex[index(n, 0)].re;
        for m in 1..=n {
            let value = complex[index(n, m)] * (phase(m) * SQRT_2 * factor);
            real[center + m] = value.re;
            real[center - m] = -value.im;
        }
        factor *= scale.ratio;
    }
}

fn from_real(order: usize, scale: Scale, real: &[f64], complex: &mut [Complex64]) {
    debug_assert!(complex.len() >= coefficient_count(order) && real.len() >= order * order);
    let mut factor = scale.first;
    for n in 0..order {
        let center = n * n + n;
        complex[index(n, 0)] = Complex64::new(factor * real[center], 0.0);
        for m in 1..=n {
            let value = Complex64::new(real[center + m], -real[center - m]);
            complex[index(n, m)] = value * (phase(m) * FRAC_1_SQRT_2 * factor);
        }
        factor *= scale.ratio;
    }
}

/// The Condon–Shortley phase (−1)^m, which only the complex basis carries.
fn phase(m: usize) -> f64 {
    if m.is_multiple_of(2) { 1.0 } else { -1.0 }
}

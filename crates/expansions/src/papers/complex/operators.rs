//! P2M, P2L, M2P and L2P in the complex basis: equations 2 and 3.
//!
//! Positions, centres and targets are Cartesian, in one unit. Every function costs O(p²) for each
//! particle or target. The potential is Φ = Σ q/r, so a gradient points towards positive charge.

use super::coefficients::{Complex64, MAX_ORDER, coefficient_count, index, signed};
use super::harmonics::{irregular, regular};
use num_traits::Float;

/// P2M, eq. 2: adds M_n^m = Σ_j q_j ρ_jⁿ Y_n^{−m}(α_j, β_j) to `multipole`.
pub fn p2m(
    order: usize,
    center: [f64; 3],
    positions: &[[f64; 3]],
    charges: &[f64],
    multipole: &mut [Complex64],
) {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    debug_assert_eq!(positions.len(), charges.len());
    for (&position, &charge) in positions.iter().zip(charges) {
        let basis = regular(order - 1, from(center, position));
        for (coefficient, value) in multipole[..coefficient_count(order)].iter_mut().zip(basis) {
            *coefficient += value.conj() * charge;
        }
    }
}

/// P2L, eq. 3: adds L_n^m = Σ_j q_j ρ_j⁻ⁿ⁻¹ Y_n^{−m}(α_j, β_j) to `local`; no source at the centre.
pub fn p2l(
    order: usize,
    center: [f64; 3],
    positions: &[[f64; 3]],
    charges: &[f64],
    local: &mut [Complex64],
) {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    debug_assert_eq!(positions.len(), charges.len());
    for (&position, &charge) in positions.iter().zip(charges) {
        let basis = irregular(order - 1, from(center, position));
        for (coefficient, value) in local[..coefficient_count(order)].iter_mut().zip(basis) {
            *coefficient += value.conj() * charge;
        }
    }
}

/// M2P, eq. 2: Φ = Σ r⁻ⁿ⁻¹ Y_n^m M_n^m at a target, for ρ < r.
///
/// The error is at most A/(r−a) · (a/r)^p, for sources within a of the centre and A = Σ|q|.
#[must_use]
pub fn m2p(order: usize, center: [f64; 3], multipole: &[Complex64], target: [f64; 3]) -> f64 {
    sum_real(order, multipole, &irregular(order - 1, from(center, target)))
}

/// L2P, eq. 3: Φ = Σ rⁿ Y_n^m L_n^m at a target, for r < ρ.
#[must_use]
pub fn l2p(order: usize, center: [f64; 3], local: &[Complex64], target: [f64; 3]) -> f64 {
    sum_real(order, local, &regular(order - 1, from(center, target)))
}

/// ∇Φ of [`m2p`], from the harmonics of one degree more.
///
/// With ∂± = ∂x ± i∂y: ∂z, ∂+ and ∂− of r⁻ⁿ⁻¹Y_n^m are −√((n+1)²−m²), √((n+m+1)(n+m+2)) and
/// −√((n−m+1)(n−m+2)) times r⁻ⁿ⁻² Y_{n+1} of azimuthal index m, m+1 and m−1.
#[must_use]
pub fn m2p_gradient(
    order: usize,
    center: [f64; 3],
    multipole: &[Complex64],
    target: [f64; 3],
) -> [f64; 3] {
    let basis = irregular(order, from(center, target));
    sum_gradient(order, multipole, |n, m| {
        let (up, down) = ((n + m + 1) as f64, (n - m + 1) as f64);
        Derivatives {
            z: basis[index(n + 1, m)] * -Float::sqrt(up * down),
            plus: basis[index(n + 1, m + 1)] * Float::sqrt(up * (up + 1.0)),
            minus: lowered(&basis, n + 1, m) * Float::sqrt(down * (down + 1.0)),
        }
    })
}

/// ∇Φ of [`l2p`], from the harmonics of one degree less.
///
/// With ∂± = ∂x ± i∂y: ∂z, ∂+ and ∂− of rⁿY_n^m are √(n²−m²), √((n−m)(n−m−1)) and
/// −√((n+m)(n+m−1)) times rⁿ⁻¹ Y_{n−1} of azimuthal index m, m+1 and m−1.
#[must_use]
pub fn l2p_gradient(
    order: usize,
    center: [f64; 3],
    local: &[Complex64],
    target: [f64; 3],
) -> [f64; 3] {
    let basis = regular(order - 1, from(center, target));
    let zero = Complex64::new(0.0, 0.0);
    sum_gradient(order, local, |n, m| {
        let (sum, difference) = ((n + m) as f64, (n - m) as f64);
        Derivatives {
            z: if m < n { basis[index(n - 1, m)] * Float::sqrt(sum * difference) } else { zero },
            plus: if m + 1 < n {
                basis[index(n - 1, m + 1)] * Float::sqrt(difference * (difference - 1.0))
            } else {
                zero
            },
            minus: if m.abs_diff(1) < n {
                lowered(&basis, n - 1, m) * Float::sqrt(sum * (sum - 1.0))
            } else {
                zero
            },
        }
    })
}

/// ∂z, ∂x + i∂y and ∂x − i∂y of one complex basis function.
struct Derivatives {
    z: Complex64,
    plus: Complex64,
    minus: Complex64,
}

/// The function of azimuthal index m − 1 that ∂− gives, with its sign, which is + where m − 1 = −1.
fn lowered(basis: &[Complex64], n: usize, m: usize) -> Complex64 {
    let value = signed(basis, n, m as isize - 1);
    if m == 0 { value } else { -value }
}

/// Σ_{n,m} basis · coefficients over both signs of m: twice the real part for m > 0.
fn sum_real(order: usize, coefficients: &[Complex64], basis: &[Complex64]) -> f64 {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    let mut sum = 0.0;
    for n in 0..order {
        for m in 0..=n {
            sum += weight(m) * (basis[index(n, m)] * coefficients[index(n, m)]).re;
        }
    }
    sum
}

/// Sum of [`sum_real`] for each of the three Cartesian derivatives of the basis.
fn sum_gradient(
    order: usize,
    coefficients: &[Complex64],
    derivatives: impl Fn(usize, usize) -> Derivatives,
) -> [f64; 3] {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    let mut gradient = [0.0; 3];
    for n in 0..order {
        for m in 0..=n {
            let coefficient = coefficients[index(n, m)] * weight(m);
            let Derivatives { z, plus, minus } = derivatives(n, m);
            gradient[0] += 0.5 * (coefficient * (plus + minus)).re;
            gradient[1] += 0.5 * (coefficient * (plus - minus)).im;
            gradient[2] += (coefficient * z).re;
        }
    }
    gradient
}

fn weight(m: usize) -> f64 {
    if m == 0 { 1.0 } else { 2.0 }
}

fn from(center: [f64; 3], point: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|axis| point[axis] - center[axis])
}

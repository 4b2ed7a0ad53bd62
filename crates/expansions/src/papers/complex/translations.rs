//! M2M, M2L and L2L in the complex basis, O(p⁴) each.
//!
//! M2L is eq. 4. The paper does not print M2M and L2L; they are the theorems of Greengard and
//! Rokhlin, as in Cheng, Greengard and Rokhlin (1999), in the paper's notation. All three are
//! unchanged if Y loses its phase (−1)^m: the factors i^{…} only mend the signs of negative m.

use super::coefficients::{Complex64, MAX_ORDER, index, signed};
use super::harmonics::{a, irregular, regular};

/// M2M: adds the multipole expansion about `from` to the one about `to`; exact for every degree.
///
/// M_j^k = Σ_{n≤j} Σ_m M_{j−n}^{k−m} i^{|k|−|m|−|k−m|} A_n^m A_{j−n}^{k−m} ρⁿ Y_n^{−m}(α, β) / A_j^k,
/// where (ρ, α, β) is the old centre seen from the new one.
pub fn m2m(
    order: usize,
    from: [f64; 3],
    to: [f64; 3],
    multipole: &[Complex64],
    translated: &mut [Complex64],
) {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    let shift = regular(order - 1, difference(from, to));
    for (j, k) in targets(order) {
        let mut sum = Complex64::new(0.0, 0.0);
        for n in 0..=j {
            for m in orders(n).filter(|m| (k - m).unsigned_abs() <= j - n) {
                let sign = even_power_of_i(k.abs() - m.abs() - (k - m).abs());
                let factor = sign * a(n, m) * a(j - n, k - m) / a(j, k);
                sum += signed(multipole, j - n, k - m) * signed(&shift, n, -m) * factor;
            }
        }
        translated[index(j, k.unsigned_abs())] += sum;
    }
}

/// M2L, eq. 4: adds the local expansion about `to` of a multipole expansion about `from`.
///
/// L_j^k = Σ_{n<p} Σ_m M_n^m i^{|k−m|−|k|−|m|} A_n^m A_j^k Y_{j+n}^{m−k}(α, β)
/// / ((−1)^j A_{j+n}^{m−k} ρ^{j+n+1}), where (ρ, α, β) is the new centre seen from the old one:
/// with (−1)^j in place of (−1)^n this is the direction for which the equation holds.
///
/// For sources and targets within a of their centres, d apart, the error decays like (a/(d−a))^p.
pub fn m2l(
    order: usize,
    from: [f64; 3],
    to: [f64; 3],
    multipole: &[Complex64],
    local: &mut [Complex64],
) {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    let shift = irregular(2 * order - 2, difference(to, from));
    for (j, k) in targets(order) {
        let mut sum = Complex64::new(0.0, 0.0);
        for n in 0..order {
            for m in orders(n) {
                let sign = even_power_of_i((k - m).abs() - k.abs() - m.abs()) * parity(j);
                let factor = sign * a(n, m) * a(j, k) / a(j + n, m - k);
                sum += signed(multipole, n, m) * signed(&shift, j + n, m - k) * factor;
            }
        }
        local[index(j, k.unsigned_abs())] += sum;
    }
}

/// L2L: adds the local expansion about `from` to the one about `to`; exact for every polynomial.
///
/// L_j^k = Σ_{n≥j} Σ_m L_n^m i^{|m|−|m−k|−|k|} A_{n−j}^{m−k} A_j^k Y_{n−j}^{m−k}(α, β) ρ^{n−j} / A_n^m,
/// where (ρ, α, β) is the new centre seen from the old one.
pub fn l2l(
    order: usize,
    from: [f64; 3],
    to: [f64; 3],
    local: &[Complex64],
    translated: &mut [Complex64],
) {
    debug_assert!((1..=MAX_ORDER).contains(&order));
    let shift = regular(order - 1, difference(to, from));
    for (j, k) in targets(order) {
        let mut sum = Complex64::new(0.0, 0.0);
        for n in j..order {
            for m in orders(n).filter(|m| (m - k).unsigned_abs() <= n - j) {
                let sign = even_power_of_i(m.abs() - (m - k).abs() - k.abs());
                let factor = sign * a(n - j, m - k) * a(j, k) / a(n, m);
                sum += signed(local, n, m) * signed(&shift, n - j, m - k) * factor;
            }
        }
        translated[index(j, k.unsigned_abs())] += sum;
    }
}

/// The stored coefficients (j, k ≥ 0) of an expansion.
fn targets(order: usize) -> impl Iterator<Item = (usize, isize)> {
    (0..order).flat_map(|j| (0..=j as isize).map(move |k| (j, k)))
}

fn orders(n: usize) -> impl Iterator<Item = isize> {
    -(n as isize)..=n as isize
}

/// i^e for even e.
fn even_power_of_i(exponent: isize) -> f64 {
    if exponent % 4 == 0 { 1.0 } else { -1.0 }
}

/// (−1)^n.
fn parity(n: usize) -> f64 {
    if n.is_multiple_of(2) { 1.0 } else { -1.0 }
}

fn difference(point: [f64; 3], center: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|axis| point[axis] - center[axis])
}

//! Factors of recurrences, rotations and translations for every order, made at compile time by `expansions::numerics`.
//!
//! In kernels of a fixed order all loops over degrees are unrolled and these numbers become operands of instructions;
//! nothing is loaded. The kernels of any order read the same numbers from a buffer ([`CONSTANTS`], converted).

use crate::device::Array;
use expansions::numerics::coaxial::{far_factor, shift_factor};
use expansions::numerics::differentiation;
use expansions::numerics::normalization::{
    Norms, degree_factors, polynomial_factor, sectoral_factor,
};
use expansions::numerics::parity;
use expansions::numerics::roots::sqrt;
use expansions::numerics::rotation::{
    First, Step, coupling2, norm, quarter_turn_about_z, real_entry,
};

/// Largest order of an expansion.
pub const MAX_ORDER: usize = 16;

/// Degrees that the harmonics' tables have: M2P's gradient reaches one beyond the expansion.
const ROWS: usize = MAX_ORDER + 1;
const SQUARE: usize = ROWS * ROWS;
const CUBE: usize = MAX_ORDER * MAX_ORDER * MAX_ORDER;

const NORM: usize = 0;
const POLYNOMIAL: usize = NORM + SQUARE;
const SECTORAL: usize = POLYNOMIAL + SQUARE;
const DEGREE: usize = SECTORAL + ROWS;
const DERIVATIVE: usize = DEGREE + 2 * SQUARE;
const QUARTER_TURN: usize = DERIVATIVE + 3 * SQUARE;
const FAR: usize = QUARTER_TURN + turn_start(MAX_ORDER);
const SHIFT: usize = FAR + CUBE;
const LENGTH: usize = SHIFT + CUBE;

/// Place of the [norm](Norms) of R_n^m.
#[inline(always)]
pub(crate) const fn norm_at(n: usize, m: usize) -> usize {
    NORM + n * ROWS + m
}

/// Place of the [`polynomial_factor`] of n and m.
#[inline(always)]
pub(crate) const fn polynomial_at(n: usize, m: usize) -> usize {
    POLYNOMIAL + n * ROWS + m
}

/// Place of the [`sectoral_factor`] of m.
#[inline(always)]
pub(crate) const fn sectoral_at(m: usize) -> usize {
    SECTORAL + m
}

/// Place of the [`degree_factors`] of z R_{n−1}^m (`part` 0) and r² R_{n−2}^m (1) in R_n^m, m < n.
#[inline(always)]
pub(crate) const fn degree_at(part: usize, n: usize, m: usize) -> usize {
    DEGREE + part * SQUARE + n * ROWS + m
}

/// Place of the [factors](differentiation::factors) of R_{n−1}^{m−1} (`part` 0), R_{n−1}^m (1) and R_{n−1}^{m+1} (2) in the
/// derivatives of R_n^m.
#[inline(always)]
pub(crate) const fn derivative_at(part: usize, n: usize, m: usize) -> usize {
    DERIVATIVE + part * SQUARE + n * ROWS + m
}

/// Place of the factor of R_n^k(y) in R_n^m(Qy), `to` = n + m and `from` = n + k, Q = a quarter turn that takes the
/// y axis to the z axis about the x axis.
#[inline(always)]
pub(crate) const fn quarter_turn_at(n: usize, to: usize, from: usize) -> usize {
    QUARTER_TURN + turn_start(n) + to * (2 * n + 1) + from
}

/// Place of M2L's factor of M_n^m in L_j^m over a distance of 1 along z.
#[inline(always)]
pub(crate) const fn far_at(m: usize, j: usize, n: usize) -> usize {
    FAR + (m * MAX_ORDER + j) * MAX_ORDER + n
}

/// Place of the [`shift_factor`] between degrees k ≤ i.
#[inline(always)]
pub(crate) const fn shift_at(m: usize, i: usize, k: usize) -> usize {
    SHIFT + (m * MAX_ORDER + i) * MAX_ORDER + k
}

/// Table of all constants. Zero where a formula has no factor.
pub(crate) static CONSTANTS: Array<f64, LENGTH> = Array::of(constants());

/// Σ (2k + 1)² over the degrees k below n.
const fn turn_start(n: usize) -> usize {
    (4 * n * n * n - n) / 3
}

const fn constants() -> [f64; LENGTH] {
    let mut out = [0.0; LENGTH];
    harmonics(&mut out);
    translations(&mut out);
    quarter_turns(&mut out);
    out
}

const fn harmonics(out: &mut [f64; LENGTH]) {
    let mut sectoral = Norms::FIRST;
    let mut m = 0;
    while m < ROWS {
        out[sectoral_at(m)] = sectoral_factor(m);
        let mut norm = sectoral;
        let mut n = m;
        while n < ROWS {
            out[norm_at(n, m)] = norm.value();
            norm = norm.next_degree();
            out[polynomial_at(n, m)] = polynomial_factor(n, m);
            if m < n {
                let [of_z, of_r2] = degree_factors(n, m);
                out[degree_at(0, n, m)] = of_z;
                out[degree_at(1, n, m)] = of_r2;
            }
            let [lower, middle, upper] = differentiation::factors(n, m);
            out[derivative_at(0, n, m)] = lower;
            out[derivative_at(1, n, m)] = middle;
            out[derivative_at(2, n, m)] = upper;
            n += 1;
        }
        sectoral = sectoral.next_m();
        m += 1;
    }
}

const fn translations(out: &mut [f64; LENGTH]) {
    let mut m = 0;
    while m < MAX_ORDER {
        let mut j = m;
        while j < MAX_ORDER {
            let mut n = m;
            while n < MAX_ORDER {
                out[far_at(m, j, n)] = parity(m) * far_factor(m, j, n);
                if n <= j {
                    out[shift_at(m, j, n)] = shift_factor(m, j, n);
                }
                n += 1;
            }
            j += 1;
        }
        m += 1;
    }
}

/// Q = A⁻¹ P A with A the rotation about z that takes the y axis to the x axis, and P that about y which takes the
/// x axis to the z axis.
const fn quarter_turns(out: &mut [f64; LENGTH]) {
    let d = wigner();
    let mut n = 0;
    while n < MAX_ORDER {
        let mut to = 0;
        while to < 2 * n + 1 {
            let (a, sign_a) = turned(to as isize - n as isize);
            let mut from = 0;
            while from < 2 * n + 1 {
                let (b, sign_b) = turned(from as isize - n as isize);
                if (a < 0) == (b < 0) {
                    let (m, k) = (a.unsigned_abs(), b.unsigned_abs());
                    let both = [d[n][m][MAX_ORDER + k], d[n][m][MAX_ORDER - k]];
                    let value = sign_a * sign_b * real_entry(a < 0, m, k, both);
                    out[quarter_turn_at(n, to, from)] = snapped(value);
                }
                from += 1;
            }
            to += 1;
        }
        n += 1;
    }
}

/// The function that A makes of the one of azimuthal index m, and its sign there.
const fn turned(m: isize) -> (isize, f64) {
    let (function, _) = quarter_turn_about_z(m);
    let (_, sign) = quarter_turn_about_z(function);
    (function, sign)
}

/// 0 and ±1 without their rounding errors, so that no instruction multiplies by them.
const fn snapped(x: f64) -> f64 {
    let small = 1e-13;
    if x.abs() < small {
        0.0
    } else if (x - 1.0).abs() < small {
        1.0
    } else if (x + 1.0).abs() < small {
        -1.0
    } else {
        x
    }
}

/// Wigner's d^n_{m k}(π/2) at [n][m][16 + k], m ≥ 0.
const fn wigner() -> [[[f64; 2 * MAX_ORDER]; MAX_ORDER]; MAX_ORDER] {
    let mut d = [[[0.0; 2 * MAX_ORDER]; MAX_ORDER]; MAX_ORDER];
    let mut m = 0;
    while m < MAX_ORDER {
        let mut column = 1;
        while column < 2 * MAX_ORDER {
            let (m1, m2) = (m as i64, column as i64 - MAX_ORDER as i64);
            let first = First::of(m1, m2);
            // cos and sin of π/4 have the same powers: 2^-l.
            let sign = first.sign * parity(first.sines);
            let scale = 1.0 / (1u64 << first.degree) as f64;
            let mut value = sign * norm(first.degree, first.order) * scale;
            let (mut n, mut below) = (first.degree, 0.0);
            let mut root = sqrt(coupling2(n as i64, m1, m2));
            while n < MAX_ORDER {
                d[n][m][column] = value;
                let next_root = sqrt(coupling2(n as i64 + 1, m1, m2));
                let step = Step::new(n as i64, m1, m2, [root, next_root]);
                (below, value) = (value, step.apply(0.0, value, below));
                (n, root) = (n + 1, next_root);
            }
            column += 1;
        }
        m += 1;
    }
    d
}

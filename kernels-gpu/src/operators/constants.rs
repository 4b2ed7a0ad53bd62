//! The numbers that recurrences, rotations and translations multiply by, for every order, made at compile time.
//!
//! In kernels of a fixed order all loops over degrees are unrolled and these numbers become operands of instructions;
//! nothing is loaded. The kernels of any order read the same numbers from a buffer ([`CONSTANTS`], converted).

use crate::device::Array;
use core::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Largest number of degrees of an expansion.
pub const MAX_ORDER: usize = 16;

/// Degrees, and orders m, that the harmonics' tables have: M2P's gradient reaches one beyond the expansion.
const ROWS: usize = MAX_ORDER + 1;
const SQUARE: usize = ROWS * ROWS;
const CUBE: usize = MAX_ORDER * MAX_ORDER * MAX_ORDER;

const SECTORAL: usize = 0;
const CLIMB: usize = SECTORAL + ROWS;
const DOWN: usize = CLIMB + 2 * SQUARE;
const UP: usize = DOWN + 3 * SQUARE;
const QUARTER_TURN: usize = UP + 3 * SQUARE;
const AXIAL: usize = QUARTER_TURN + turn_start(MAX_ORDER);
const BINOMIAL: usize = AXIAL + CUBE;
const LENGTH: usize = BINOMIAL + CUBE;

/// Place of the factor of R_{m−1}^{m−1} in R_m^m.
#[inline(always)]
pub(super) const fn sectoral(m: usize) -> usize {
    SECTORAL + m
}

/// Place of the factors of z R_{n−1}^m (`part` 0) and r² R_{n−2}^m (1) in R_n^m, m < n.
#[inline(always)]
pub(super) const fn climb(part: usize, n: usize, m: usize) -> usize {
    CLIMB + part * SQUARE + n * ROWS + m
}

/// Place of what differentiation brings to R_n^m: towards m of the degree below (`part` 0), m + 1 (1) and m − 1 (2).
#[inline(always)]
pub(super) const fn down(part: usize, n: usize, m: usize) -> usize {
    DOWN + part * SQUARE + n * ROWS + m
}

/// The same for I_n^m and the degree above.
#[inline(always)]
pub(super) const fn up(part: usize, n: usize, m: usize) -> usize {
    UP + part * SQUARE + n * ROWS + m
}

/// Place of the factor of R_n^k(y) in R_n^m(Qy), `to` = n + m and `from` = n + k, Q = a quarter turn that takes the
/// y axis to the z axis about the x axis.
#[inline(always)]
pub(super) const fn quarter_turn(n: usize, to: usize, from: usize) -> usize {
    QUARTER_TURN + turn_start(n) + to * (2 * n + 1) + from
}

/// Place of M2L's factor of M_n^m in L_j^m over a distance of 1 along z.
#[inline(always)]
pub(super) const fn axial(m: usize, j: usize, n: usize) -> usize {
    AXIAL + (m * MAX_ORDER + j) * MAX_ORDER + n
}

/// Place of √(C(i+m, k+m) C(i−m, k−m)), k ≤ i.
#[inline(always)]
pub(super) const fn binomial(m: usize, i: usize, k: usize) -> usize {
    BINOMIAL + (m * MAX_ORDER + i) * MAX_ORDER + k
}

/// All of them. Zero where a formula has no factor.
pub(super) static CONSTANTS: Array<f64, LENGTH> = Array::of(constants());

/// Σ (2k + 1)² over the degrees k below n.
const fn turn_start(n: usize) -> usize {
    (4 * n * n * n - n) / 3
}

/// Newton's iteration; within a unit in the last place.
const fn sqrt(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut root = f64::from_bits((x.to_bits() >> 1) + (1023 << 51));
    let mut step = 0;
    while step < 5 {
        root = 0.5 * (root + x / root);
        step += 1;
    }
    root
}

const fn root(product: usize) -> f64 {
    sqrt(product as f64)
}

/// 0! … 32!
const FACTORIALS: [f64; 2 * MAX_ORDER + 1] = {
    let mut factorials = [1.0; 2 * MAX_ORDER + 1];
    let mut n = 1;
    while n < factorials.len() {
        factorials[n] = factorials[n - 1] * n as f64;
        n += 1;
    }
    factorials
};

const fn constants() -> [f64; LENGTH] {
    let mut out = [0.0; LENGTH];
    out = harmonics(out);
    out = translations(out);
    quarter_turns(out)
}

/// `docs/theory/formulas.md`, section 2.
const fn harmonics(mut out: [f64; LENGTH]) -> [f64; LENGTH] {
    let mut n = 0;
    while n < ROWS {
        out[sectoral(n)] = if n < 2 { 1.0 } else { sqrt((2 * n - 1) as f64 / (2 * n) as f64) };
        let mut m = 0;
        while m <= n {
            if m < n {
                let scale = 1.0 / root(n * n - m * m);
                out[climb(0, n, m)] = (2 * n - 1) as f64 * scale;
                out[climb(1, n, m)] = root((n - 1) * (n - 1) - m * m) * scale;
                out[down(0, n, m)] = root(n * n - m * m);
                let u = root((n - m) * (n - m - 1));
                out[down(1, n, m)] = if m == 0 { FRAC_1_SQRT_2 * u } else { 0.5 * u };
            }
            let to_zero = if m == 1 { SQRT_2 } else { 1.0 };
            if m > 0 {
                out[down(2, n, m)] = 0.5 * to_zero * root((n + m) * (n + m - 1));
                out[up(2, n, m)] = 0.5 * to_zero * root((n - m + 1) * (n - m + 2));
            }
            out[up(0, n, m)] = -root((n + 1) * (n + 1) - m * m);
            let u = root((n + m + 1) * (n + m + 2));
            out[up(1, n, m)] = if m == 0 { FRAC_1_SQRT_2 * u } else { 0.5 * u };
            m += 1;
        }
        n += 1;
    }
    out
}

/// `docs/theory/formulas.md`, section 5, along z.
const fn translations(mut out: [f64; LENGTH]) -> [f64; LENGTH] {
    let mut roots = FACTORIALS;
    let mut n = 0;
    while n < roots.len() {
        roots[n] = sqrt(roots[n]);
        n += 1;
    }
    let mut m = 0;
    while m < MAX_ORDER {
        let mut j = m;
        while j < MAX_ORDER {
            let mut n = m;
            while n < MAX_ORDER {
                let of_n = roots[n - m] * roots[n + m];
                let of_j = roots[j - m] * roots[j + m];
                let sign = if (j + m).is_multiple_of(2) { 1.0 } else { -1.0 };
                out[axial(m, j, n)] = sign * FACTORIALS[n + j] / (of_n * of_j);
                if n == j {
                    out[binomial(m, j, n)] = 1.0;
                } else if n < j {
                    out[binomial(m, j, n)] = of_j / of_n / FACTORIALS[j - n];
                }
                n += 1;
            }
            j += 1;
        }
        m += 1;
    }
    out
}

/// Q = A⁻¹ P A with A the rotation about z that takes the y axis to the x axis, and P that about y which takes the
/// x axis to the z axis.
const fn quarter_turns(mut out: [f64; LENGTH]) -> [f64; LENGTH] {
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
                    let alternating = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
                    let (same, opposite) = (d[n][m][MAX_ORDER + k], d[n][m][MAX_ORDER - k]);
                    let value = if a < 0 {
                        same - alternating * opposite
                    } else if m == 0 && k == 0 {
                        same
                    } else if m == 0 || k == 0 {
                        SQRT_2 * same
                    } else {
                        same + alternating * opposite
                    };
                    out[quarter_turn(n, to, from)] = snapped(sign_a * sign_b * value);
                }
                from += 1;
            }
            to += 1;
        }
        n += 1;
    }
    out
}

/// Where A takes the function of order m, and with which sign.
const fn turned(m: isize) -> (isize, f64) {
    let k = m.unsigned_abs();
    let sign = if (k / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    if k.is_multiple_of(2) { (m, sign) } else { (-m, if m > 0 { -sign } else { sign }) }
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

/// Wigner's d^n_{m k}(π/2) at [n][m][16 + k], m ≥ 0, by the recurrence in n.
const fn wigner() -> [[[f64; 2 * MAX_ORDER]; MAX_ORDER]; MAX_ORDER] {
    let mut d = [[[0.0; 2 * MAX_ORDER]; MAX_ORDER]; MAX_ORDER];
    let mut m = 0;
    while m < MAX_ORDER {
        let mut column = 1;
        while column < 2 * MAX_ORDER {
            let k = column.abs_diff(MAX_ORDER);
            let product = m as f64 * (column as f64 - MAX_ORDER as f64);
            let start = if m > k { m } else { k };
            let (mut below, mut value) = (0.0, seed(m, column));
            let mut n = start;
            while n < MAX_ORDER {
                d[n][m][column] = value;
                let next = if n == 0 {
                    0.0
                } else {
                    let back = root((n * n - m * m) * (n * n - k * k)) * (n + 1) as f64;
                    let ahead = root(((n + 1) * (n + 1) - m * m) * ((n + 1) * (n + 1) - k * k));
                    (-((2 * n + 1) as f64) * product * value - back * below) / (n as f64 * ahead)
                };
                below = value;
                value = next;
                n += 1;
            }
            column += 1;
        }
        m += 1;
    }
    d
}

/// d^l_{m k}(π/2) for l = max(m, |k|): ± √C(2l, l + the smaller) 2^-l.
const fn seed(m: usize, column: usize) -> f64 {
    let k = column as isize - MAX_ORDER as isize;
    let size = k.unsigned_abs();
    let (l, other) = if m >= size { (m as isize, k) } else { (size as isize, m as isize) };
    let mut value = sqrt(FACTORIALS[2 * l as usize]);
    value /= sqrt(FACTORIALS[(l + other) as usize]) * sqrt(FACTORIALS[(l - other) as usize]);
    let mut half = 0;
    while half < l {
        value *= 0.5;
        half += 1;
    }
    // (−sin)^(l − k) for m = l; the transpose and the reversal of both orders bring (−1)^(m − k).
    let odd = if m >= size {
        l - k
    } else if k > 0 {
        0
    } else {
        l + m as isize
    };
    if odd.rem_euclid(2) == 0 { value } else { -value }
}

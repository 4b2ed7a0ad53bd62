//! Wigner's functions d^n_{m'm}(β), and the real matrices of rotations made of them.
//!
//! The functions come by the three-term recurrence in n from n = l = max(m', |m|). They are Jacobi polynomials in cos β,
//! so the recurrence is stable in the direction of rising n.

use core::f64::consts::SQRT_2;

use super::parity;
use super::roots::sqrt;

/// √((2l)! / ((l+m)! (l−m)!)) for 0 ≤ m ≤ l.
pub const fn norm(l: usize, m: usize) -> f64 {
    let mut product = 1.0;
    let mut k = 1;
    while k <= l - m {
        product *= (l + m + k) as f64 / k as f64;
        k += 1;
    }
    sqrt(product)
}

/// The first function d^l_{m'm}, m' ≥ 0: `sign` · [`norm`]`(degree, order)` · cos(β/2)^`cosines` · (−sin(β/2))^`sines`.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// l = max(m', |m|)
    pub degree: usize,
    /// 1 or −1.
    pub sign: f64,
    /// The smaller of m' and |m|.
    pub order: usize,
    /// Power of cos(β/2).
    pub cosines: usize,
    /// Power of −sin(β/2).
    pub sines: usize,
}

impl First {
    /// For m' = `m1` ≥ 0 and m = `m2`. The symmetries reduce d^l_{m'm} to d^l_{l,k}, with a sign for an odd exchange of m'
    /// and m.
    pub const fn of(m1: i64, m2: i64) -> Self {
        let l = if m1 > m2.abs() { m1 } else { m2.abs() };
        let k = if m2.abs() <= m1 { m2 } else { m1 * m2.signum() };
        Self {
            degree: l as usize,
            sign: if m2 > m1 && (m2 - m1) % 2 != 0 { -1.0 } else { 1.0 },
            order: k.unsigned_abs() as usize,
            cosines: (l + k) as usize,
            sines: (l - k) as usize,
        }
    }
}

/// Square of the factor that couples degrees n and n − 1: (n² − m'²)(n² − m²).
pub const fn coupling2(n: i64, m1: i64, m2: i64) -> f64 {
    ((n * n - m1 * m1) * (n * n - m2 * m2)) as f64
}

/// The step of the recurrence from d^{n−1} and d^n to d^{n+1} = (a cos β + b) d^n − c d^{n−1}.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    a: f64,
    b: f64,
    c: f64,
}

impl Step {
    /// From degree n, with the square roots of [`coupling2`] of n and of n + 1.
    pub const fn new(n: i64, m1: i64, m2: i64, [root, next_root]: [f64; 2]) -> Self {
        if n == 0 {
            return Self { a: 1.0, b: 0.0, c: 0.0 };
        }
        let scale = 1.0 / (n as f64 * next_root);
        let (above, next) = ((2 * n + 1) as f64 * scale, (n + 1) as f64 * scale);
        Self { a: (n * (n + 1)) as f64 * above, b: -((m1 * m2) as f64) * above, c: next * root }
    }

    /// d^{n+1} from cos β, d^n and d^{n−1}.
    #[inline(always)]
    pub const fn apply(self, cosine: f64, value: f64, below: f64) -> f64 {
        (self.a * cosine + self.b) * value - self.c * below
    }
}

/// Factor of the cosine (or sine) function of m2 in the rotated cosine (or sine) function of m1, from d^n_{m1,m2} and
/// d^n_{m1,−m2}. Rotations about y do not mix cosines and sines.
pub const fn real_entry(sine: bool, m1: usize, m2: usize, [same, opposite]: [f64; 2]) -> f64 {
    if sine {
        same - parity(m2) * opposite
    } else if m1 == 0 && m2 == 0 {
        same
    } else if m1 == 0 || m2 == 0 {
        SQRT_2 * same
    } else {
        same + parity(m2) * opposite
    }
}

/// The function that equals the one of azimuthal index `m`, negative for sines, after the quarter turn about z that takes
/// the y axis to the x axis, and its sign.
pub const fn quarter_turn_about_z(m: isize) -> (isize, f64) {
    let k = m.unsigned_abs();
    let sign = parity(k / 2);
    if k.is_multiple_of(2) { (m, sign) } else { (-m, if m > 0 { sign } else { -sign }) }
}

//! Factors of translations along the z axis, which couple degrees of one m only.
//!
//! Powers of the distance, and the sign (−1)^m of all factors, are left to the caller.

use super::parity;
use super::roots::{FACTORIALS, ROOTS_OF_FACTORIALS};

/// Factor √(C(i+m, k+m) C(i−m, k−m)) between degrees k ≤ i in M2M, from k to i, and in L2L, from i to k.
pub const fn shift_factor(m: usize, i: usize, k: usize) -> f64 {
    let root = &ROOTS_OF_FACTORIALS;
    root[i + m] / root[k + m] * (root[i - m] / root[k - m]) / FACTORIALS[i - k]
}

/// Factor (−1)^j (n + j)! / √((n−m)! (n+m)! (j−m)! (j+m)!) of M_n^m in L_j^m in M2L.
pub const fn far_factor(m: usize, j: usize, n: usize) -> f64 {
    let root = &ROOTS_OF_FACTORIALS;
    let divisor = root[n - m] * root[n + m] * root[j - m] * root[j + m];
    parity(j) * (FACTORIALS[n + j] / divisor)
}

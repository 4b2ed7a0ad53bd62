//! Square roots and factorials that constants can be made of.

/// √x of a number that is normal, rounded correctly; 0 for x ≤ 0. Slow: by integers.
///
/// `f64::sqrt`, where it can be called, has the same bits.
pub const fn sqrt(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // x = mantissa 2^exponent with an even exponent.
    let bits = x.to_bits();
    let biased = (bits >> 52) as i32;
    let odd = (biased - 1075) & 1;
    let mantissa = (bits & ((1 << 52) - 1) | 1 << 52) << odd;
    let exponent = biased - 1075 - odd;
    // 54 bits, the last of which rounds: no root ends there.
    let root = ((mantissa as u128) << 54).isqrt() as u64;
    let half = exponent / 2 - 27 + 1;
    ((root + 1) >> 1) as f64 * f64::from_bits(((1023 + half) as u64) << 52)
}

/// √k
pub const fn root(k: usize) -> f64 {
    sqrt(k as f64)
}

/// Number of finite factorials: 0! … 170!
const FINITE: usize = 171;

/// n! for n ≤ 170, which is enough for orders up to 85.
pub static FACTORIALS: [f64; FINITE] = {
    let mut factorials = [1.0; FINITE];
    let mut n = 1;
    while n < FINITE {
        factorials[n] = factorials[n - 1] * n as f64;
        n += 1;
    }
    factorials
};

/// √n! for n ≤ 170.
pub static ROOTS_OF_FACTORIALS: [f64; FINITE] = {
    let mut roots = [1.0; FINITE];
    let mut n = 0;
    while n < FINITE {
        roots[n] = sqrt(FACTORIALS[n]);
        n += 1;
    }
    roots
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn roots_are_rounded_correctly(x in prop::num::f64::NORMAL) {
            prop_assert_eq!(sqrt(x.abs()).to_bits(), x.abs().sqrt().to_bits());
        }
    }

    #[test]
    fn roots_of_small_numbers_and_of_squares() {
        for k in 0..100_000 {
            assert_eq!(root(k).to_bits(), (k as f64).sqrt().to_bits());
        }
        assert_eq!(sqrt(f64::MIN_POSITIVE), f64::MIN_POSITIVE.sqrt());
        assert_eq!(sqrt(f64::MAX), f64::MAX.sqrt());
    }

    #[test]
    fn the_last_factorial_is_finite() {
        assert!(FACTORIALS[FINITE - 1].is_finite());
        assert!((FACTORIALS[FINITE - 1] * FINITE as f64).is_infinite());
    }
}

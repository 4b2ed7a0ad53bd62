//! Numbers that the tests' points and expansions are drawn from.

/// The bits of number `i`, reproducible: SplitMix64 (Steele, Lea and Flood, 2014).
pub(crate) fn random_bits(i: u64) -> u64 {
    let x = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Number `i` in [0, 1).
pub(crate) fn random(i: u64) -> f64 {
    (random_bits(i) >> 11) as f64 / (1u64 << 53) as f64
}

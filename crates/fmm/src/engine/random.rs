//! Pseudo-random bits of a counter, for picks that are the same for the same points.

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014).
pub(crate) fn random_bits(counter: u64) -> u64 {
    let x = counter.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

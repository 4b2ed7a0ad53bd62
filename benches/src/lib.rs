//! Workloads shared by the benches.

pub mod cpu;

/// `n` points uniform in the unit cube, the same for the same `seed` (SplitMix64).
pub fn uniform_cube(n: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| [next(), next(), next()]).collect()
}

//! Speeds of a density that is known but for its scale, and normal variates.

use chacha20::ChaCha8Rng;

use crate::initial_conditions::random::{in_unit_ball, unit};

/// A number x of [0, limit] of density ∝ `density`, which rises to one maximum and falls: by rejection below 1.02 times the
/// maximum that a ternary search finds.
pub(super) fn unimodal(random: &mut ChaCha8Rng, limit: f64, density: impl Fn(f64) -> f64) -> f64 {
    /// The width of the search falls to (2/3)²⁴, so that the maximum is known to 1e-8.
    const STEPS: usize = 24;
    let (mut low, mut high) = (0.0, limit);
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if density(low + third) < density(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    let bound = 1.02 * density(0.5 * (low + high));
    loop {
        let x = limit * unit(random);
        if bound * unit(random) <= density(x) {
            return x;
        }
    }
}

/// Two independent normal variates of variance 1, by G. Marsaglia's polar method.
fn normal_pair(random: &mut ChaCha8Rng) -> [f64; 2] {
    loop {
        let ([x, y], s) = in_unit_ball::<2>(random);
        if s > 0.0 {
            let factor = (-2.0 * libm::log(s) / s).sqrt();
            return [factor * x, factor * y];
        }
    }
}

/// Three independent normal variates of variance 1.
pub(super) fn normals(random: &mut ChaCha8Rng) -> [f64; 3] {
    let ([x, y], [z, _]) = (normal_pair(random), normal_pair(random));
    [x, y, z]
}

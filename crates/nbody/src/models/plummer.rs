//! Plummer's model with its isotropic velocities.

use super::{moving, radius};
use crate::initial_conditions::{self, random};
use crate::system::System;

/// Plummer's model of scale radius 1 and mass 1, in equilibrium: [`initial_conditions::plummer`] with velocities.
///
/// The speed is a share x of the escape speed, √2 (1 + r²)^(−1/4), of density ∝ x² (1 − x²)^(7/2), drawn by rejection as
/// S. J. Aarseth, M. Hénon and R. Wielen do (Astron. Astrophys. 37, 183, 1974, appendix). The energies of the whole model
/// are T = 3π/64 and U = −3π/32; that of points beyond r = 38.7, which are not drawn, is 0.1 % of it.
pub fn plummer(n: usize, seed: u64) -> System {
    moving(initial_conditions::plummer(n, seed), seed, |random, _, at| {
        let escape = (2.0 / (1.0 + radius(at).powi(2)).sqrt()).sqrt();
        random::scaled(random::direction(random), share(random) * escape)
    })
}

/// Share of the escape speed.
fn share(random: &mut chacha20::ChaCha8Rng) -> f64 {
    /// The density is 0.0923 at most.
    const BOUND: f64 = 0.1;
    loop {
        let (x, y) = (random::unit(random), BOUND * random::unit(random));
        let rest = 1.0 - x * x;
        if y < x * x * rest * rest * rest * rest.sqrt() {
            return x;
        }
    }
}

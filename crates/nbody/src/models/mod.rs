//! Models with velocities, in units with G = 1: equilibria, collapses, a collision.
//!
//! | function | model | velocities |
//! |---|---|---|
//! | [`cold_cube`] | uniform unit cube | none |
//! | [`uniform_sphere`] | uniform unit ball | uniform in a ball, for a virial ratio |
//! | [`plummer`] | Plummer's model | its distribution function |
//! | [`hernquist`] | Hernquist's model | its distribution function |
//! | [`king`] | King's models | their distribution function |
//! | [`disk_galaxy`] | bulge, disk and halo | moments of Jeans' equations |
//! | [`galaxy_collision`] | two disk galaxies on a parabola | the same |
//!
//! Positions of [`cold_cube`], [`uniform_sphere`], [`plummer`] and [`disk_galaxy`] are those of
//! [`initial_conditions`](crate::initial_conditions) for the same seed; velocities come from another stream of random
//! numbers. The mean velocity is 0 but for rounding.
//!
//! A seed names the same model on every platform. Beside operations that IEEE 754 rounds exactly, [`hernquist`], [`king`],
//! [`disk_galaxy`] and [`galaxy_collision`] use functions of the package `libm`, which consist of such operations: another
//! version of `libm` may change their last bits.

mod collision;
mod galaxy;
mod hernquist;
mod king;
mod plummer;
mod speeds;
mod spheres;

pub use collision::galaxy_collision;
pub use galaxy::disk_galaxy;
pub use hernquist::{HERNQUIST_EDGE, hernquist};
pub use king::{KING_DEPTHS, KingError, king};
pub use plummer::plummer;
pub use spheres::{cold_cube, uniform_sphere};

use chacha20::ChaCha8Rng;
use chacha20::rand_core::SeedableRng;

use crate::initial_conditions::Cloud;
use crate::system::{System, shift};

/// The cloud with a velocity for each point, drawn from the second stream of the seed, less their mean.
fn moving(
    cloud: Cloud,
    seed: u64,
    mut velocity: impl FnMut(&mut ChaCha8Rng, usize, [f64; 3]) -> [f64; 3],
) -> System {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(1);
    let Cloud { positions, masses } = cloud;
    let each = positions.iter().enumerate();
    let mut velocities: Vec<_> = each.map(|(i, &at)| velocity(&mut random, i, at)).collect();
    shift(&mut velocities, &masses, masses.iter().sum());
    System { positions, velocities, masses }
}

/// Distance from the origin.
fn radius(at: [f64; 3]) -> f64 {
    at.iter().map(|x| x * x).sum::<f64>().sqrt()
}

//! Uniform models: a cube without motion, a ball of any temperature.

use super::moving;
use crate::initial_conditions::{self, random};
use crate::system::System;

/// The uniform unit cube without motion, of mass 1: it collapses within about 1.
pub fn cold_cube(n: usize, seed: u64) -> System {
    System::at_rest(initial_conditions::uniform_cube(n, seed))
}

/// The uniform unit ball of mass 1 with velocities uniform in a ball: `virial_ratio` is 2T/|U|.
///
/// The potential energy is U = −3/5, and velocities uniform in a ball of radius V have T = 3V²/10, so that V² is the
/// virial ratio. 0 is the cold collapse of the papers, which ends at the time π/√8 = 1.11; 1 is virial, but no
/// equilibrium. A negative ratio counts as 0.
pub fn uniform_sphere(n: usize, seed: u64, virial_ratio: f64) -> System {
    let largest = virial_ratio.max(0.0).sqrt();
    moving(initial_conditions::uniform_sphere(n, seed), seed, |random, _, _| {
        random::scaled(random::in_unit_ball(random).0, largest)
    })
}

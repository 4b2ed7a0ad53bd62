//! Kicks, drifts, and the leapfrog that consists of them.

use super::Force;
use crate::System;

/// One step of kick, drift and kick. `accelerations` are those of the positions, before and after.
pub(super) fn step<F: Force>(
    system: &mut System,
    force: &mut F,
    accelerations: &mut Vec<[f64; 3]>,
    step: f64,
) -> Result<(), F::Error> {
    kick(system, accelerations, 0.5 * step);
    drift(system, step);
    force.accelerations(&system.positions, accelerations)?;
    kick(system, accelerations, 0.5 * step);
    Ok(())
}

/// Velocities by accelerations.
pub(super) fn kick(system: &mut System, accelerations: &[[f64; 3]], time: f64) {
    add(&mut system.velocities, accelerations, time);
}

/// Positions by velocities.
pub(super) fn drift(system: &mut System, time: f64) {
    add(&mut system.positions, &system.velocities, time);
}

/// Adds rates by a time.
fn add(vectors: &mut [[f64; 3]], rates: &[[f64; 3]], time: f64) {
    for (value, rate) in vectors.as_flattened_mut().iter_mut().zip(rates.as_flattened()) {
        *value += time * rate;
    }
}

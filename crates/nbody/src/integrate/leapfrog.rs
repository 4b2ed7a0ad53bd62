//! The leapfrog.

use super::Motion;

/// One step of kick, drift and kick. Accelerations are those of the positions, before and after.
pub(super) fn step<M: Motion>(motion: &mut M, step: f64) -> Result<(), M::Error> {
    motion.kick_drift(0.5 * step, step)?;
    motion.accelerate()?;
    motion.kick(0.5 * step)
}

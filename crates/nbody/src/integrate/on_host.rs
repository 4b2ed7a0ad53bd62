//! Kicks and drifts of a system in the memory of the host.

use super::{Force, Motion};
use crate::System;

/// Motion of a system in the memory of the host.
pub(super) struct OnHost<'a, F> {
    pub(super) system: &'a mut System,
    pub(super) force: &'a mut F,
    /// Accelerations of the positions.
    pub(super) accelerations: &'a mut Vec<[f64; 3]>,
}

impl<F: Force> Motion for OnHost<'_, F> {
    type Error = F::Error;

    fn count(&self) -> usize {
        self.system.len()
    }

    fn kick(&mut self, time: f64) -> Result<(), F::Error> {
        kick(self.system, self.accelerations, time);
        Ok(())
    }

    fn drift(&mut self, time: f64) -> Result<(), F::Error> {
        drift(self.system, time);
        Ok(())
    }

    fn accelerate(&mut self) -> Result<(), F::Error> {
        self.force.accelerations(&self.system.positions, self.accelerations)
    }

    fn largest_acceleration(&mut self) -> Result<f64, F::Error> {
        let squared = |a: &[f64; 3]| a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        Ok(self.accelerations.iter().map(squared).fold(0.0, f64::max).sqrt())
    }
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

//! Mover of the particles from output to output: the cores, or a GPU in whose memory they stay.

use fmm::Fmm;
use formats::Snapshot;
use nbody::{Diagnostics, Stepper, System};

use super::arguments::Integrator;
use super::settings::Settings;
use crate::command::error::Error;
use farfield::{DeviceScalar, DeviceState, DeviceSystem, Gravity};

/// Integrator with the particles' gravity.
pub(super) struct Mover<T> {
    stepper: Stepper,
    particles: Particles<T>,
}

/// Particles, by the memory in which they move.
enum Particles<T> {
    /// The system in the memory of the host, under this gravity.
    Host(Box<Gravity<T>>),
    /// A copy of the system in the memory of a GPU.
    Device(DeviceSystem),
}

impl<T: DeviceScalar> Mover<T> {
    /// A mover of a system. Block steps take particles one by one, for which the system is on the host.
    pub(super) fn new(settings: &Settings, fmm: Fmm, system: &System) -> Result<Self, Error> {
        let fmm = fmm.softening(settings.softening);
        let gravity = Gravity::<T>::new(fmm, &system.masses).constant(settings.gravity);
        let stays = settings.device.is_gpu() && settings.integrator != Integrator::Block;
        let particles = match stays {
            true => Particles::Device(gravity.on_device(settings.device, system)?),
            false => Particles::Host(Box::new(gravity)),
        };
        Ok(Self { stepper: Stepper::new(settings.scheme(), settings.step)?, particles })
    }

    /// Sums of the state, with its accelerations and potentials evaluated.
    pub(super) fn diagnostics(&mut self, system: &System) -> Result<Diagnostics, Error> {
        match &mut self.particles {
            Particles::Host(gravity) => {
                let potentials = self.stepper.start(system, gravity.as_mut())?;
                Ok(Diagnostics::new(system, potentials))
            }
            Particles::Device(particles) => Ok(particles.start()?),
        }
    }

    /// Advances by a duration; returns the number of steps. Particles in the memory of a GPU stay there, others are in
    /// `system`.
    pub(super) fn advance(
        &mut self,
        system: &mut System,
        duration: f64,
        after_step: impl FnMut(f64),
    ) -> Result<u64, Error> {
        let done = match &mut self.particles {
            Particles::Host(gravity) => {
                self.stepper.advance(system, gravity.as_mut(), duration, after_step)?
            }
            Particles::Device(particles) => {
                self.stepper.advance_motion(particles, duration, after_step)?
            }
        };
        Ok(done.steps)
    }

    /// Copies positions and velocities to `state`, or gives a copy of them in the memory of a GPU.
    pub(super) fn copy(
        &self,
        system: &System,
        state: &mut Snapshot,
    ) -> Result<Option<DeviceState>, Error> {
        match &self.particles {
            Particles::Host(_) => {
                state.positions.clone_from(&system.positions);
                state.velocities.clone_from(&system.velocities);
                Ok(None)
            }
            Particles::Device(particles) => Ok(Some(particles.state()?)),
        }
    }

    /// Largest estimated error over the tolerance.
    pub(super) fn excess(&self) -> Option<f64> {
        match &self.particles {
            Particles::Host(gravity) => gravity.excess(),
            Particles::Device(particles) => particles.excess(),
        }
    }
}

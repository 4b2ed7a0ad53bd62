//! Systems in the memory of a GPU: a whole step stays there.
//!
//! | file | what |
//! |---|---|
//! | `on_machine.rs` | particles and their gravity on a machine |

#[cfg(feature = "gpu")]
mod on_machine;

use std::fmt;

use fmm::{Device, Error, Report, Scalar};
use nbody::{Diagnostics, Motion, StepError, System};

use crate::pull::Pull;

/// Particles in the memory of a GPU, which move there under their gravity: a [`Motion`] for
/// [`nbody::Stepper::advance_motion`].
///
/// Positions and velocities are of f64 and never leave the device between outputs, nor do accelerations: kicks, drifts, the
/// tree of each step, its sums and their check run there, and the host sees bounds, numbers of boxes and the receivers of
/// the check. The method and the size of leaves are chosen at [`Self::start`], from the positions there; the tolerance of
/// the request is checked and kept at every step. So what follows a start depends on the state at it alone.
///
/// In f32 a step's sums are of positions rounded to some 10⁻⁷ of the system's size, and what that costs is checked at each
/// start: [`Self::excess`] tells where close pairs need f64.
///
/// Made by [`Gravity::on_device`](crate::Gravity::on_device). Block steps are for systems on the host.
///
/// ```no_run
/// use farfield::nbody::{Scheme, Stepper, models};
/// use farfield::{Device, DeviceError, Fmm, Gravity};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut galaxy = models::disk_galaxy(1_000_000, 1);
/// let gravity = Gravity::<f32>::new(Fmm::new().tolerance(1e-3).softening(0.02), &galaxy.masses);
/// let mut particles = gravity.on_device(Device::Cuda(0), &galaxy)?;
/// let stepper = Stepper::new(Scheme::Leapfrog, 0.05)?;
/// let before = particles.start()?;
/// stepper.advance_motion(&mut particles, 5.0, |_| ())?;
/// let after = particles.start()?;
/// assert!((after.energy() / before.energy() - 1.0).abs() < 1e-3);
/// particles.download(&mut galaxy)?;
/// # Ok(())
/// # }
/// ```
pub struct DeviceSystem {
    particles: Box<dyn Particles>,
}

/// Positions and velocities of a [`DeviceSystem`] at one moment: a copy in the memory of its device, 48 bytes a particle.
///
/// A copy of this kind takes no more than a step's kick. Another thread brings it to the host while the system moves on:
///
/// ```no_run
/// # use farfield::{DeviceSystem, Error};
/// # fn outputs(particles: &mut DeviceSystem) -> Result<(), Error> {
/// let state = particles.state()?;
/// let bring = move || {
///     let (mut positions, mut velocities) = (Vec::new(), Vec::new());
///     state.download(&mut positions, &mut velocities).map(|()| (positions, velocities))
/// };
/// let under_way = std::thread::spawn(bring);
/// // Steps of the particles.
/// # let _ = under_way;
/// # Ok(())
/// # }
/// ```
pub struct DeviceState {
    moment: Box<dyn Moment>,
}

/// State on a machine of some type.
trait Moment: Send {
    fn download(
        &self,
        positions: &mut Vec<[f64; 3]>,
        velocities: &mut Vec<[f64; 3]>,
    ) -> Result<(), Error>;
}

impl DeviceState {
    /// Copies positions and velocities to the host, one of each for every particle.
    ///
    /// # Errors
    ///
    /// `Error::Device`: a failure of the device.
    pub fn download(
        &self,
        positions: &mut Vec<[f64; 3]>,
        velocities: &mut Vec<[f64; 3]>,
    ) -> Result<(), Error> {
        self.moment.download(positions, velocities)
    }
}

impl fmt::Debug for DeviceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceState").finish_non_exhaustive()
    }
}

/// Failure of a step on a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// A sum, or the device.
    #[error(transparent)]
    Sum(#[from] Error),
    /// Steps that particles on a device do not take.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A device in whose memory no system moves.
    #[error(
        "a system moves on a GPU, and the device is {device}; make Gravity the force of a Stepper, or choose cuda"
    )]
    NoGpu {
        /// The device asked for.
        device: Device,
    },
}

/// Particles on a machine of some type, in sums of some float type.
trait Particles: Motion<Error = DeviceError> + Send {
    fn start(&mut self) -> Result<Diagnostics, Error>;
    fn download(&self, system: &mut System) -> Result<(), Error>;
    fn state(&self) -> Result<DeviceState, Error>;
    fn excess(&self) -> Option<f64>;
    fn report(&self) -> Option<&Report>;
}

impl DeviceSystem {
    /// Evaluates the accelerations of the positions as they are, and what the system conserves. Choices for the steps that
    /// follow are made anew.
    ///
    /// # Errors
    ///
    /// Errors of [`fmm::Fmm::plan`] and [`fmm::Plan::evaluate`].
    pub fn start(&mut self) -> Result<Diagnostics, Error> {
        self.particles.start()
    }

    /// Copies positions and velocities to `system`, which keeps its masses.
    ///
    /// # Errors
    ///
    /// `Error::Device`: a failure of the device.
    pub fn download(&self, system: &mut System) -> Result<(), Error> {
        self.particles.download(system)
    }

    /// Copies positions and velocities within the memory of the device. Nothing waits.
    ///
    /// # Errors
    ///
    /// `Error::Device`: a failure of the device, or too little memory there.
    pub fn state(&self) -> Result<DeviceState, Error> {
        self.particles.state()
    }

    /// Largest estimated error over the tolerance, of all evaluations; `None` where the tolerance was always reached.
    pub fn excess(&self) -> Option<f64> {
        self.particles.excess()
    }

    /// Report of the last evaluation.
    pub fn report(&self) -> Option<&Report> {
        self.particles.report()
    }
}

impl Motion for DeviceSystem {
    type Error = DeviceError;

    fn count(&self) -> usize {
        self.particles.count()
    }

    fn kick(&mut self, time: f64) -> Result<(), DeviceError> {
        self.particles.kick(time)
    }

    fn drift(&mut self, time: f64) -> Result<(), DeviceError> {
        self.particles.drift(time)
    }

    fn kick_drift(&mut self, kick: f64, drift: f64) -> Result<(), DeviceError> {
        self.particles.kick_drift(kick, drift)
    }

    fn accelerate(&mut self) -> Result<(), DeviceError> {
        self.particles.accelerate()
    }

    fn largest_acceleration(&mut self) -> Result<f64, DeviceError> {
        self.particles.largest_acceleration()
    }
}

impl fmt::Debug for DeviceSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSystem").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Float types in which a device sums: `f32` and `f64`.
pub trait DeviceScalar: Scalar {
    /// Loads a system into the memory of a device.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
    fn system_on(device: Device, pull: Pull, system: &System) -> Result<DeviceSystem, DeviceError>;
}

macro_rules! device_scalar {
    ($($t:ident),*) => {$(
        impl DeviceScalar for $t {
            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn system_on(
                device: Device,
                pull: Pull,
                system: &System,
            ) -> Result<DeviceSystem, DeviceError> {
                #[cfg(not(feature = "gpu"))]
                let _ = (pull, system);
                match device {
                    #[cfg(feature = "cuda")]
                    Device::Cuda(index) => {
                        let machine = fmm::device::Cuda::new(index).map_err(Error::from)?;
                        Ok(on_machine::load::<_, Self>(machine, pull, system)?)
                    }
                    #[cfg(feature = "emulator")]
                    Device::Emulated => {
                        Ok(on_machine::load::<_, Self>(fmm::device::Emulator, pull, system)?)
                    }
                    device if device.is_gpu() => Err(Error::DeviceNotBuilt { device }.into()),
                    device => Err(DeviceError::NoGpu { device }),
                }
            }
        }
    )*};
}

device_scalar!(f32, f64);

//! The particles that integrators move, in whatever memory they are.

/// Particles with positions, velocities and accelerations, which are moved all at once: what
/// [`Stepper::advance_motion`](super::Stepper::advance_motion) needs of them.
///
/// [`Stepper::advance`](super::Stepper::advance) moves a [`System`](crate::System) under a [`Force`](super::Force). Particles in other memory, such as
/// that of a GPU, implement this trait.
pub trait Motion {
    /// Failure of a computation.
    type Error;

    /// Number of particles.
    fn count(&self) -> usize;

    /// Adds the accelerations times a time to the velocities.
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn kick(&mut self, time: f64) -> Result<(), Self::Error>;

    /// Adds the velocities times a time to the positions.
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn drift(&mut self, time: f64) -> Result<(), Self::Error>;

    /// A kick, and a drift after it: one pass over the particles where the memory makes that faster.
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn kick_drift(&mut self, kick: f64, drift: f64) -> Result<(), Self::Error> {
        self.kick(kick)?;
        self.drift(drift)
    }

    /// Evaluates the accelerations of the positions.
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn accelerate(&mut self) -> Result<(), Self::Error>;

    /// The largest magnitude of an acceleration.
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn largest_acceleration(&mut self) -> Result<f64, Self::Error>;
}

//! The force that integrators need.

/// Accelerations of particles by each other, whatever computes them.
///
/// Positions are all sources, in the order of the system; outputs are resized. An implementation keeps masses, constants
/// and memory to itself. The order of the calls is free: each has all positions.
pub trait Force {
    /// Failure of a computation.
    type Error;

    /// Accelerations of all particles: shape (n, 3).
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn accelerations(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Self::Error>;

    /// Accelerations of the particles of some indices, in their order, by all particles: shape (active, 3).
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn active_accelerations(
        &mut self,
        positions: &[[f64; 3]],
        active: &[usize],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Self::Error>;

    /// Accelerations of all particles and their potentials, which are negative where forces attract: shapes (n, 3), (n).
    ///
    /// # Errors
    ///
    /// The implementation's.
    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), Self::Error>;
}

//! Particles in motion, and what is wrong with some.

use crate::initial_conditions::Cloud;

/// Particles with positions, velocities and masses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Positions, one `[x, y, z]` a particle: shape (n, 3).
    pub positions: Vec<[f64; 3]>,
    /// Velocities in the order of `positions`: shape (n, 3).
    pub velocities: Vec<[f64; 3]>,
    /// Masses in the order of `positions`: shape (n).
    pub masses: Vec<f64>,
}

/// Fault of particles. The message ends with the cure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// Arrays differ in length.
    #[error("{what} has {found} rows for {expected} positions; give one a particle")]
    Rows {
        /// The array.
        what: &'static str,
        /// Rows of the array.
        found: usize,
        /// Number of positions.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("the {what} of particle {index} is {value}; give a finite number")]
    NotFinite {
        /// The quantity.
        what: &'static str,
        /// The particle, counted from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A mass is negative.
    #[error("the mass of particle {index} is {value}; masses are 0 or more")]
    NegativeMass {
        /// The particle, counted from 0.
        index: usize,
        /// The mass.
        value: f64,
    },
    /// No particle has mass.
    #[error("there is no mass; give a particle a mass above 0")]
    NoMass,
}

impl System {
    /// The cloud without motion.
    pub fn at_rest(cloud: Cloud) -> Self {
        let Cloud { positions, masses } = cloud;
        Self { velocities: vec![[0.0; 3]; positions.len()], positions, masses }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no particle.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Checks what simulations rely on. Cost: one pass.
    ///
    /// # Errors
    ///
    /// [`SystemError`]: arrays of different lengths, numbers that are not finite, negative masses, no mass at all.
    pub fn check(&self) -> Result<(), SystemError> {
        let expected = self.len();
        for (what, found) in [("velocities", self.velocities.len()), ("masses", self.masses.len())]
        {
            if found != expected {
                return Err(SystemError::Rows { what, found, expected });
            }
        }
        finite("position", self.positions.as_flattened(), 3)?;
        finite("velocity", self.velocities.as_flattened(), 3)?;
        finite("mass", &self.masses, 1)?;
        if let Some(index) = self.masses.iter().position(|&mass| mass < 0.0) {
            return Err(SystemError::NegativeMass { index, value: self.masses[index] });
        }
        match self.masses.iter().any(|&mass| mass > 0.0) {
            true => Ok(()),
            false => Err(SystemError::NoMass),
        }
    }

    /// Moves the centre of mass to the origin, at rest. Particles without mass stay as they are.
    pub fn recentre(&mut self) {
        let mass: f64 = self.masses.iter().sum();
        if mass > 0.0 {
            shift(&mut self.positions, &self.masses, mass);
            shift(&mut self.velocities, &self.masses, mass);
        }
    }
}

/// Subtracts the mean, weighted by mass.
pub(crate) fn shift(vectors: &mut [[f64; 3]], masses: &[f64], mass: f64) {
    let mut mean = [0.0; 3];
    for (vector, weight) in vectors.iter().zip(masses) {
        (0..3).for_each(|axis| mean[axis] += weight / mass * vector[axis]);
    }
    for vector in vectors {
        (0..3).for_each(|axis| vector[axis] -= mean[axis]);
    }
}

/// Refuses the first number that is not finite, of rows of `width` numbers.
fn finite(what: &'static str, values: &[f64], width: usize) -> Result<(), SystemError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(SystemError::NotFinite { what, index: at / width, value: values[at] }),
        None => Ok(()),
    }
}

//! Particles in motion, and what is wrong with some.

use std::fmt;

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

/// Quantities of a particle, each an array of a [`System`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// A row of [`System::positions`].
    Position,
    /// A row of [`System::velocities`].
    Velocity,
    /// An element of [`System::masses`].
    Mass,
}

impl Quantity {
    /// The name of many.
    fn plural(self) -> &'static str {
        match self {
            Self::Position => "positions",
            Self::Velocity => "velocities",
            Self::Mass => "masses",
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Mass => "mass",
        })
    }
}

/// Fault of particles. The message ends with the cure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// Arrays differ in length.
    #[error("{found} {} for {expected} positions; give one a particle", .quantity.plural())]
    Rows {
        /// The array.
        quantity: Quantity,
        /// Rows of the array.
        found: usize,
        /// Number of positions.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("the {quantity} of particle {index} is {value}; give a finite number")]
    NotFinite {
        /// The array.
        quantity: Quantity,
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

    /// Kinetic energy Σ m v²/2.
    pub fn kinetic_energy(&self) -> f64 {
        let places = self.velocities.iter().zip(&self.masses);
        places.fold(0.0, |sum, (v, mass)| {
            sum + 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        })
    }

    /// Checks what simulations rely on. Cost: one pass.
    ///
    /// # Errors
    ///
    /// [`SystemError`]: arrays of different lengths, numbers that are not finite, negative masses, no mass at all.
    pub fn check(&self) -> Result<(), SystemError> {
        let expected = self.len();
        let lengths =
            [(Quantity::Velocity, self.velocities.len()), (Quantity::Mass, self.masses.len())];
        for (quantity, found) in lengths {
            if found != expected {
                return Err(SystemError::Rows { quantity, found, expected });
            }
        }
        finite(Quantity::Position, self.positions.as_flattened(), 3)?;
        finite(Quantity::Velocity, self.velocities.as_flattened(), 3)?;
        finite(Quantity::Mass, &self.masses, 1)?;
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
fn finite(quantity: Quantity, values: &[f64], width: usize) -> Result<(), SystemError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(SystemError::NotFinite { quantity, index: at / width, value: values[at] }),
        None => Ok(()),
    }
}

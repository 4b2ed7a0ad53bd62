//! Conserved quantities of a system.

use crate::System;

/// Energies, momentum and angular momentum of a system, in units of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Diagnostics {
    /// Kinetic energy T = Σ m v²/2.
    pub kinetic: f64,
    /// Potential energy U = Σ m φ/2, negative for gravity.
    pub potential: f64,
    /// Momentum Σ m v.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin, Σ m x × v.
    pub angular_momentum: [f64; 3],
}

impl Diagnostics {
    /// Sums over all particles; `potentials` are those of [`Stepper::start`](crate::Stepper::start), one a particle.
    pub fn new(system: &System, potentials: &[f64]) -> Self {
        let mut sums = Self { kinetic: system.kinetic_energy(), ..Self::default() };
        let places = system.positions.iter().zip(&system.velocities);
        for ((&x, &v), (&mass, &phi)) in places.zip(system.masses.iter().zip(potentials)) {
            sums.potential += 0.5 * mass * phi;
            for axis in 0..3 {
                let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
                sums.momentum[axis] += mass * v[axis];
                sums.angular_momentum[axis] += mass * (x[next] * v[last] - x[last] * v[next]);
            }
        }
        sums
    }

    /// Energy T + U.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// Virial ratio 2T/|U|: 1 in equilibrium.
    pub fn virial_ratio(&self) -> f64 {
        2.0 * self.kinetic / self.potential.abs()
    }
}

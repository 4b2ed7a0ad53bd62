//! Gravity by the direct sum, for small systems and tests.

use std::convert::Infallible;

use crate::integrate::Force;

/// Gravity of all pairs, in f64: O(n²) a call, on one thread. Larger systems take `farfield::Gravity`.
#[derive(Clone, Debug)]
pub struct DirectSum {
    masses: Vec<f64>,
    gravity: f64,
    softening: f64,
}

impl DirectSum {
    /// Gravity of particles with these masses, with G = 1 and without softening.
    pub fn new(masses: &[f64]) -> Self {
        Self { masses: masses.to_vec(), gravity: 1.0, softening: 0.0 }
    }

    /// The constant G.
    #[must_use]
    pub fn gravity(self, gravity: f64) -> Self {
        Self { gravity, ..self }
    }

    /// The Plummer softening ε, in the unit of the positions: 1/√(r² + ε²) for 1/r.
    #[must_use]
    pub fn softening(self, softening: f64) -> Self {
        Self { softening, ..self }
    }

    /// Acceleration and potential at a place, without sources that coincide with it.
    fn at(&self, place: [f64; 3], positions: &[[f64; 3]]) -> ([f64; 3], f64) {
        let (mut acceleration, mut potential) = ([0.0; 3], 0.0);
        for (position, mass) in positions.iter().zip(&self.masses) {
            let d = [0, 1, 2].map(|axis| position[axis] - place[axis]);
            let r2: f64 = d.iter().map(|x| x * x).sum();
            if r2 > 0.0 {
                let inverse = 1.0 / (r2 + self.softening * self.softening).sqrt();
                let weight = self.gravity * mass * inverse;
                potential -= weight;
                let weight = weight * inverse * inverse;
                (0..3).for_each(|axis| acceleration[axis] += weight * d[axis]);
            }
        }
        (acceleration, potential)
    }
}

impl Force for DirectSum {
    type Error = Infallible;

    fn accelerations(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        accelerations.clear();
        accelerations.extend(positions.iter().map(|&place| self.at(place, positions).0));
        Ok(())
    }

    fn active_accelerations(
        &mut self,
        positions: &[[f64; 3]],
        active: &[usize],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        accelerations.clear();
        accelerations.extend(active.iter().map(|&i| self.at(positions[i], positions).0));
        Ok(())
    }

    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), Infallible> {
        let fields = positions.iter().map(|&place| self.at(place, positions));
        (*accelerations, *potentials) = fields.unzip();
        Ok(())
    }
}

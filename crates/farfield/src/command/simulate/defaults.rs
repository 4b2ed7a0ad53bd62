//! Softening and step for a system, where none are given.

use nbody::System;

/// Share of the mass in which the dynamical time is taken.
const INNER: f64 = 0.1;
/// Steps in a dynamical time.
const STEPS: f64 = 32.0;

/// Softening: the radius of half the mass over the cube root of the number of particles, about the distance of neighbours
/// there. For a Plummer model of 10⁵ particles 0.03, where E. Athanassoula and others (Mon. Not. R. Astron. Soc. 314, 475,
/// 2000) find the least error of the force at 0.05.
pub(super) fn softening(system: &System) -> f64 {
    radius_of(system, 0.5) / (system.len() as f64).cbrt()
}

/// Step: a part of the dynamical time √(r³/GM) in the radius of the innermost mass, or of the softening where that is
/// larger. `None` where all mass is in one place.
pub(super) fn step(system: &System, gravity: f64, softening: f64) -> Option<f64> {
    let radius = radius_of(system, INNER).max(softening);
    let mass: f64 = INNER * system.masses.iter().sum::<f64>();
    let time = (radius.powi(3) / (gravity * mass)).sqrt();
    (time > 0.0 && time.is_finite()).then_some(time / STEPS)
}

/// Radius about the centre of mass of the sphere that holds a share of the mass.
fn radius_of(system: &System, share: f64) -> f64 {
    let mass: f64 = system.masses.iter().sum();
    let mut centre = [0.0; 3];
    for (position, weight) in system.positions.iter().zip(&system.masses) {
        (0..3).for_each(|axis| centre[axis] += weight / mass * position[axis]);
    }
    let distance = |position: &[f64; 3]| {
        (0..3).map(|axis| (position[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt()
    };
    let each = system.positions.iter().zip(&system.masses);
    let mut rows: Vec<(f64, f64)> = each.map(|(x, &m)| (distance(x), m)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut within = 0.0;
    for (radius, weight) in &rows {
        within += weight;
        if within >= share * mass {
            return *radius;
        }
    }
    rows.last().map_or(0.0, |row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nbody::models::plummer;

    #[test]
    fn defaults_of_a_plummer_model() {
        let system = plummer(20_000, 1);
        // Half the mass is within 1.305, a tenth within 0.524.
        assert!((radius_of(&system, 0.5) / 1.305 - 1.0).abs() < 0.03);
        assert!((softening(&system) / (1.305 / 20_000f64.cbrt()) - 1.0).abs() < 0.03);
        let expected = (0.524f64.powi(3) / 0.1).sqrt() / 32.0;
        let found = step(&system, 1.0, 0.01).unwrap();
        assert!((found / expected - 1.0).abs() < 0.05, "{found}");
        assert!((step(&system, 4.0, 0.01).unwrap() / found - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_single_particle_has_no_step_of_its_own() {
        let system = System {
            positions: vec![[1.0, 2.0, 3.0]],
            velocities: vec![[0.0; 3]],
            masses: vec![2.0],
        };
        assert_eq!((softening(&system), step(&system, 1.0, 0.0)), (0.0, None));
    }
}

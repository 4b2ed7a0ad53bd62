//! Softening, step and integrator for a system, where none are given: from the distances of neighbours and the motion.

use nbody::System;

/// Particles whose neighbours are looked at, evenly over the system.
const PICKS: usize = 256;
/// Neighbours that make a density.
const NEIGHBOURS: usize = 32;
/// Softening over the distance of neighbours. Larger ones slow the sums down, because far pairs are not softened and boxes
/// have to be so large that this does not matter ([`Fmm::softening`](fmm::Fmm::softening)).
const SOFTENING: f64 = 0.05;
/// Softening of small systems, which cost little and whose encounters are violent, over the distance of neighbours.
const LARGEST_SOFTENING: f64 = 0.5;
/// Number of particles from which on the softening is the smallest share; its square falls as the number rises.
const MANY: f64 = 1e5;
/// Steps in a dynamical time.
const STEPS: f64 = 128.0;
/// Kinetic over potential energy below which a system collapses: half the virial ratio 2K/|W| below which collapses are violent
/// (Aarseth, Lin & Papaloizou 1988 have 0.1 of it).
const COLD: f64 = 0.05;
/// Potential energy of a uniform ball over that of its mass at the root mean square radius: (3/5)^(3/2).
const OF_BALL: f64 = 0.465;

/// Softening and step of a system, and whether it collapses.
pub(super) struct Defaults {
    pub(super) softening: f64,
    /// `None` where no two particles are apart or nothing pulls.
    pub(super) step: Option<f64>,
    /// Whether the system is so cold that it collapses. Its centre then has dynamical times far below that of now.
    pub(super) collapses: bool,
}

impl Defaults {
    /// In a density ρ that a tenth of the particles exceed, the softening is a share of the distance of neighbours, and the
    /// step the dynamical time 1/√(Gρ) over [`STEPS`]. Some tens of particles are not softened, because their orbits are meant.
    /// Costs the distances of some hundred particles from all.
    pub(super) fn new(system: &System, gravity: f64) -> Self {
        let n = system.len();
        let neighbours = NEIGHBOURS.min(n.saturating_sub(1));
        if neighbours == 0 {
            return Self { softening: 0.0, step: None, collapses: false };
        }
        let picks = PICKS.min(n);
        let reach = |i: usize| distance_of(neighbours, system, i * n / picks);
        let mut reaches: Vec<f64> = parallel::map(picks, reach);
        reaches.sort_by(f64::total_cmp);
        let reach = reaches[reaches.len() / 10];
        let spacing = reach / (neighbours as f64).cbrt();
        let share = (SOFTENING * (MANY / n as f64).sqrt()).clamp(SOFTENING, LARGEST_SOFTENING);
        let mass = system.masses.iter().sum::<f64>() / n as f64;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * reach.powi(3);
        let time = (volume / (gravity * mass * neighbours as f64)).sqrt();
        Self {
            softening: if n > NEIGHBOURS { share * spacing } else { 0.0 },
            step: (time > 0.0 && time.is_finite()).then_some(time / STEPS),
            collapses: n > NEIGHBOURS
                && system.kinetic_energy() < COLD * potential(system, gravity),
        }
    }
}

/// Magnitude of the potential energy of a ball with the mass and the root mean square radius of the system.
fn potential(system: &System, gravity: f64) -> f64 {
    let n = system.len() as f64;
    let axis = |of: usize| system.positions.iter().map(move |at| at[of]);
    let square = |of: usize| {
        let middle = axis(of).sum::<f64>() / n;
        axis(of).map(|x| (x - middle).powi(2)).sum::<f64>() / n
    };
    let (mass, radius) =
        (system.masses.iter().sum::<f64>(), (square(0) + square(1) + square(2)).sqrt());
    OF_BALL * gravity * mass * mass / radius
}

/// Distance of a particle from its neighbour of some number.
fn distance_of(neighbour: usize, system: &System, pick: usize) -> f64 {
    let [px, py, pz] = system.positions[pick];
    // Squares of the smallest distances so far, ascending; the particle itself comes first.
    let mut nearest = [f64::INFINITY; NEIGHBOURS + 1];
    let nearest = &mut nearest[..=neighbour];
    for [x, y, z] in &system.positions {
        let square = (x - px).powi(2) + (y - py).powi(2) + (z - pz).powi(2);
        if square < nearest[neighbour] {
            let rank = nearest.partition_point(|other| *other <= square);
            nearest[rank..].rotate_right(1);
            nearest[rank] = square;
        }
    }
    nearest[neighbour].sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nbody::models::{cold_cube, galaxy_collision, plummer};

    #[test]
    fn defaults_of_a_cube() {
        // Density 1: the sphere of 32 neighbours has the volume 32/n.
        let n = 20_000;
        let Defaults { softening, step, .. } = Defaults::new(&cold_cube(n, 1), 4.0);
        let reach = (32.0 / n as f64 * 3.0 / (4.0 * std::f64::consts::PI)).cbrt();
        // The densest tenth is denser by chance.
        let ratio = softening / (0.05 * 5f64.sqrt() * reach / 32f64.cbrt());
        assert!(ratio < 1.0 && ratio > 0.8, "{ratio}");
        let step = step.unwrap();
        assert!(step < 0.5 / 128.0 && step > 0.6 * 0.5 / 128.0, "{step}");
    }

    #[test]
    fn a_distance_between_two_systems_changes_nothing() {
        let mut pair = galaxy_collision(4000, 1);
        let near = Defaults::new(&pair, 1.0);
        pair.positions[2000..].iter_mut().for_each(|x| x[1] += 1e3);
        let far = Defaults::new(&pair, 1.0);
        assert!((near.softening / far.softening - 1.0).abs() < 0.1);
        assert!((near.step.unwrap() / far.step.unwrap() - 1.0).abs() < 0.1);
    }

    #[test]
    fn systems_at_rest_collapse_and_clusters_do_not() {
        let collapses = |system: &System| Defaults::new(system, 1.0).collapses;
        assert!(collapses(&cold_cube(1000, 1)));
        let mut cluster = plummer(1000, 3);
        assert!(!collapses(&cluster) && !collapses(&galaxy_collision(4000, 1)));
        cluster.velocities.iter_mut().for_each(|v| *v = v.map(|v| 0.1 * v));
        assert!(collapses(&cluster));
        assert!(!collapses(&plummer(NEIGHBOURS, 3)));
    }

    #[test]
    fn few_particles_are_not_softened() {
        for n in [1, 2, 32] {
            let Defaults { softening, step, .. } = Defaults::new(&plummer(n, 3), 1.0);
            assert_eq!((softening, step.is_some()), (0.0, n > 1));
        }
    }
}

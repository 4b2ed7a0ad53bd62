//! Block steps: the leapfrog where all steps are equal, savings where they differ.

use crate::orbits::{diagnostics, orbit};
use nbody::{DirectSum, Force, Scheme, Stepper, Steps, System, models};
use std::convert::Infallible;

/// The direct sum, which counts the particles of each call.
struct Counted {
    force: DirectSum,
    calls: Vec<usize>,
}

impl Force for Counted {
    type Error = Infallible;

    fn accelerations(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        self.calls.push(positions.len());
        self.force.accelerations(positions, accelerations)
    }

    fn active_accelerations(
        &mut self,
        positions: &[[f64; 3]],
        active: &[usize],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        self.calls.push(active.len());
        self.force.active_accelerations(positions, active, accelerations)
    }

    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), Infallible> {
        self.force.potentials(positions, accelerations, potentials)
    }
}

fn run(system: &mut System, scheme: Scheme, step: f64, duration: f64) -> (Steps, Vec<usize>) {
    let mut force = Counted { force: DirectSum::new(&system.masses), calls: Vec::new() };
    let mut stepper = Stepper::new(scheme, step).unwrap();
    let Ok(done) = stepper.advance(system, &mut force, duration, |_| ());
    (done, force.calls)
}

#[test]
fn equal_steps_are_the_leapfrog() {
    let (mut block, mut leapfrog) = (models::plummer(100, 3), models::plummer(100, 3));
    // So large an accuracy that no step is halved.
    let scheme = Scheme::Block { accuracy: 1e6, length: 1.0 };
    run(&mut block, scheme, 0.01, 0.2);
    run(&mut leapfrog, Scheme::Leapfrog, 0.01, 0.2);
    for (found, expected) in block.positions.iter().zip(&leapfrog.positions) {
        for axis in 0..3 {
            // The kicks of neighbouring steps are added one by one, here as there.
            assert!((found[axis] - expected[axis]).abs() < 1e-13, "{found:?} {expected:?}");
        }
    }
}

/// A binary, and two bodies so far from it that they need no short steps.
fn binary_and_others() -> System {
    let mut system = orbit(0.0);
    for (x, v) in [([1e3, 0.0, 0.0], 0.03), ([-1e3, 0.0, 0.0], -0.03)] {
        system.positions.push(x);
        system.velocities.push([0.0, v, 0.0]);
        system.masses.push(1e-6);
    }
    system
}

#[test]
fn only_active_particles_are_evaluated() {
    let mut system = binary_and_others();
    let before = diagnostics(&system);
    let scheme = Scheme::Block { accuracy: 0.02, length: 1.0 };
    let (done, calls) = run(&mut system, scheme, 4.0, 100.0);
    assert_eq!(done.steps, 25);
    assert_eq!(done.accelerations, calls.iter().sum::<usize>() as u64);
    // The binary alone between the ends of the longest steps, where all four are active.
    assert_eq!(calls.iter().filter(|&&n| n == 4).count(), 25);
    assert!(calls.iter().all(|&n| n <= 2 || n == 4) && calls.len() > 25 * 100, "{}", calls.len());
    let after = diagnostics(&system);
    assert!((after.energy() / before.energy() - 1.0).abs() < 1e-4, "{}", after.energy());
}

/// Particles change their levels on an eccentric orbit, and the error falls with the square of the accuracy.
#[test]
fn errors_follow_the_accuracy() {
    let errors = [0.04, 0.02, 0.01].map(|accuracy| {
        let mut system = orbit(0.6);
        let before = diagnostics(&system).energy();
        let scheme = Scheme::Block { accuracy, length: 1.0 };
        let (_, calls) = run(&mut system, scheme, 0.5, 3.0);
        assert!(calls.contains(&2), "{calls:?}");
        (diagnostics(&system).energy() / before - 1.0).abs()
    });
    assert!(errors[0] < 1e-2, "{errors:?}");
    assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn a_cluster_keeps_its_energy_by_fewer_forces() {
    let start = models::hernquist(300, 11);
    let energy = |system: &System, force: &mut DirectSum| {
        let (mut pulls, mut potentials) = (Vec::new(), Vec::new());
        let Ok(()) = force.potentials(&system.positions, &mut pulls, &mut potentials);
        nbody::Diagnostics::new(system, &potentials).energy()
    };
    let mut force = DirectSum::new(&start.masses).softening(0.1);
    let before = energy(&start, &mut force);
    let mut system = start.clone();
    let scheme = Scheme::Block { accuracy: 0.1, length: 0.1 };
    let mut stepper = Stepper::new(scheme, 1.0).unwrap();
    let Ok(done) = stepper.advance(&mut system, &mut force, 4.0, |_| ());
    let error = (energy(&system, &mut force) / before - 1.0).abs();
    assert!(error < 1e-3, "{error}");
    // The shortest step that was needed, for all particles, would have taken more.
    let mut system = start;
    let scheme = Scheme::Adaptive { accuracy: 0.1, length: 0.1 };
    let mut stepper = Stepper::new(scheme, 1.0).unwrap();
    let Ok(all) = stepper.advance(&mut system, &mut force, 4.0, |_| ());
    assert!(done.accelerations < all.accelerations * 2 / 3, "{done:?} {all:?}");
}

//! Block steps: the leapfrog where all steps are equal, savings where they differ.

use super::orbits::{diagnostics, orbit};
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

/// The pull of a core of density 1 on particles that do not pull each other.
struct Core;

impl Force for Core {
    type Error = Infallible;

    fn accelerations(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        *accelerations = positions.iter().map(|x| x.map(|c| -c)).collect();
        Ok(())
    }

    fn active_accelerations(
        &mut self,
        positions: &[[f64; 3]],
        active: &[usize],
        accelerations: &mut Vec<[f64; 3]>,
    ) -> Result<(), Infallible> {
        *accelerations = active.iter().map(|&i| positions[i].map(|c| -c)).collect();
        Ok(())
    }

    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), Infallible> {
        *potentials =
            positions.iter().map(|x| 0.5 * x.iter().map(|c| c * c).sum::<f64>()).collect();
        self.accelerations(positions, accelerations)
    }
}

/// Particles that swing through the middle of a core, where nothing pulls them.
fn swinging() -> System {
    System {
        positions: (1..=40).map(|i| [f64::from(i) / 40.0, 0.0, 0.0]).collect(),
        velocities: vec![[0.0, 0.01, 0.0]; 40],
        masses: vec![1.0; 40],
    }
}

#[test]
fn steps_stay_short_where_accelerations_vanish() {
    let mut system = swinging();
    let energies = |system: &System| -> Vec<f64> {
        let square = |x: &[f64; 3]| x.iter().map(|c| c * c).sum::<f64>();
        let pairs = system.positions.iter().zip(&system.velocities);
        pairs.map(|(x, v)| 0.5 * (square(x) + square(v))).collect()
    };
    let before = energies(&system);
    let scheme = Scheme::Block { accuracy: 0.2, length: 0.05 };
    let mut stepper = Stepper::new(scheme, 2.0).unwrap();
    let Ok(_) = stepper.advance(&mut system, &mut Core, 60.0, |_| ());
    let pairs = energies(&system).into_iter().zip(before);
    let worst = pairs.map(|(after, before)| (after / before - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst < 0.02, "{worst}");
}

/// A run that starts anew from a state goes on with the same bits as the one that came there.
#[test]
fn steps_after_a_start_depend_on_the_system_alone() {
    let scheme = Scheme::Block { accuracy: 0.2, length: 0.05 };
    let mut system = swinging();
    let mut stepper = Stepper::new(scheme, 2.0).unwrap();
    let Ok(_) = stepper.advance(&mut system, &mut Core, 6.0, |_| ());
    let mut resumed = system.clone();
    let Ok(_) = stepper.start(&system, &mut Core).map(drop);
    let Ok(_) = stepper.advance(&mut system, &mut Core, 6.0, |_| ());
    let Ok(_) = Stepper::new(scheme, 2.0).unwrap().advance(&mut resumed, &mut Core, 6.0, |_| ());
    assert_eq!(system, resumed);
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

//! Two bodies: order of convergence, reversibility, conservation.

use nbody::{Diagnostics, DirectSum, Force, MOST_LEVELS, Scheme, StepError, Stepper, System};
use std::f64::consts::PI;

/// Two bodies of masses 3/4 and 1/4 and semi-major axis 1, at their largest separation: the period is 2π.
pub(crate) fn orbit(eccentricity: f64) -> System {
    let separation = 1.0 + eccentricity;
    let speed = ((1.0 - eccentricity) / separation).sqrt();
    System {
        positions: vec![[-0.25 * separation, 0.0, 0.0], [0.75 * separation, 0.0, 0.0]],
        velocities: vec![[0.0, -0.25 * speed, 0.0], [0.0, 0.75 * speed, 0.0]],
        masses: vec![0.75, 0.25],
    }
}

fn advance(system: &mut System, scheme: Scheme, step: f64, duration: f64) -> u64 {
    let mut force = DirectSum::new(&system.masses);
    let Ok(done) =
        Stepper::new(scheme, step).unwrap().advance(system, &mut force, duration, |_| ());
    done.steps
}

pub(crate) fn diagnostics(system: &System) -> Diagnostics {
    let (mut accelerations, mut potentials) = (Vec::new(), Vec::new());
    let mut force = DirectSum::new(&system.masses);
    let Ok(()) = force.potentials(&system.positions, &mut accelerations, &mut potentials);
    Diagnostics::new(system, &potentials)
}

/// Distance of the first body from where it was, after a period.
fn closure(scheme: Scheme, eccentricity: f64, steps: f64) -> f64 {
    let mut system = orbit(eccentricity);
    let start = system.positions[0];
    advance(&mut system, scheme, 2.0 * PI / steps, 2.0 * PI);
    (0..3).map(|axis| (system.positions[0][axis] - start[axis]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn schemes_converge_at_their_order() {
    for (scheme, order, eccentricity) in [
        (Scheme::Leapfrog, 2.0, 0.0),
        (Scheme::Leapfrog, 2.0, 0.5),
        (Scheme::FourthOrder, 4.0, 0.0),
        (Scheme::FourthOrder, 4.0, 0.5),
    ] {
        let errors = [400.0, 800.0, 1600.0].map(|steps| closure(scheme, eccentricity, steps));
        for pair in errors.windows(2) {
            let found = (pair[0] / pair[1]).log2();
            assert!((found - order).abs() < 0.1, "{scheme:?}, e = {eccentricity}: order {found}");
        }
    }
}

/// The scheme of Forest and Ruth, at the same number of forces, has five times the error and more.
#[test]
fn the_fourth_order_scheme_is_better_than_the_first_of_its_kind() {
    let theta = 1.0 / (2.0 - 2f64.cbrt());
    let mut system = orbit(0.5);
    let start = system.positions[0];
    let mut force = DirectSum::new(&system.masses);
    let mut pulls = Vec::new();
    let steps = 800;
    let step = 2.0 * PI / f64::from(steps);
    let shift = |values: &mut Vec<[f64; 3]>, rates: &[[f64; 3]], time: f64| {
        for (value, rate) in values.iter_mut().zip(rates) {
            (0..3).for_each(|axis| value[axis] += time * rate[axis]);
        }
    };
    for _ in 0..steps {
        let half = 0.5 * (1.0 - theta);
        for (drift, kick) in [(0.5 * theta, theta), (half, 1.0 - 2.0 * theta), (half, theta)] {
            shift(&mut system.positions, &system.velocities, drift * step);
            let Ok(()) = force.accelerations(&system.positions, &mut pulls);
            shift(&mut system.velocities, &pulls, kick * step);
        }
        shift(&mut system.positions, &system.velocities, 0.5 * theta * step);
    }
    let old: f64 = (0..3).map(|axis| (system.positions[0][axis] - start[axis]).powi(2)).sum();
    // Four forces a step instead of three.
    let new = closure(Scheme::FourthOrder, 0.5, 600.0);
    assert!(old.sqrt() > 5.0 * new, "{} and {new}", old.sqrt());
}

#[test]
fn energy_does_not_drift_in_a_hundred_orbits() {
    for (scheme, limit) in [(Scheme::Leapfrog, 2e-3), (Scheme::FourthOrder, 3e-6)] {
        let mut system = orbit(0.5);
        let before = diagnostics(&system);
        let mut force = DirectSum::new(&system.masses);
        let mut stepper = Stepper::new(scheme, 2.0 * PI / 200.0).unwrap();
        for _ in 0..100 {
            let Ok(_) = stepper.advance(&mut system, &mut force, 2.0 * PI, |_| ());
            let after = diagnostics(&system);
            assert!((after.energy() / before.energy() - 1.0).abs() < limit, "{}", after.energy());
            let [_, _, spin] = after.angular_momentum;
            // Kicks are central and drifts straight: rounding alone is left.
            assert!((spin / before.angular_momentum[2] - 1.0).abs() < 1e-12, "{spin}");
            assert!(after.momentum.iter().all(|p| p.abs() < 1e-13), "{:?}", after.momentum);
        }
    }
}

#[test]
fn equal_steps_return() {
    for scheme in [Scheme::Leapfrog, Scheme::FourthOrder] {
        let mut system = orbit(0.7);
        let start = system.clone();
        advance(&mut system, scheme, 0.01, 20.0);
        assert_ne!(system, start);
        system.velocities.iter_mut().flatten().for_each(|v| *v = -*v);
        advance(&mut system, scheme, 0.01, 20.0);
        for (found, expected) in system.positions.iter().zip(&start.positions) {
            for axis in 0..3 {
                assert!((found[axis] - expected[axis]).abs() < 1e-10, "{scheme:?}: {found:?}");
            }
        }
    }
}

/// Advances by negative durations, for all schemes, take the steps of the way there.
#[test]
fn time_goes_back() {
    let (accuracy, length) = (0.01, 1.0);
    for (scheme, tolerance) in [
        (Scheme::Leapfrog, 1e-10),
        (Scheme::FourthOrder, 1e-10),
        (Scheme::Adaptive { accuracy, length }, 2e-3),
        (Scheme::Block { accuracy, length }, 2e-3),
    ] {
        let mut system = orbit(0.3);
        let start = system.clone();
        let there = advance(&mut system, scheme, 0.01, 3.0);
        assert_ne!(system, start);
        let back = advance(&mut system, scheme, 0.01, -3.0);
        assert!(back.abs_diff(there) <= there / 50, "{scheme:?}: {there} there, {back} back");
        for (found, expected) in system.positions.iter().zip(&start.positions) {
            for axis in 0..3 {
                assert!((found[axis] - expected[axis]).abs() < tolerance, "{scheme:?}: {found:?}");
            }
        }
        for duration in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let before = system.clone();
            assert_eq!(advance(&mut system, scheme, 0.01, duration), 0);
            assert_eq!(system, before);
        }
    }
}

/// An orbit of eccentricity 0.95: the same number of forces, far smaller an error.
#[test]
fn adaptive_steps_help_where_speeds_differ() {
    let adaptive = Scheme::Adaptive { accuracy: 0.01, length: 1.0 };
    let errors = |scheme, step| {
        let mut system = orbit(0.95);
        let before = diagnostics(&system).energy();
        // To the closest approach and a little further.
        let steps = advance(&mut system, scheme, step, 1.2 * PI);
        (steps, (diagnostics(&system).energy() / before - 1.0).abs())
    };
    let (steps, error) = errors(adaptive, 0.1);
    let (_, equal) = errors(Scheme::Leapfrog, 1.2 * PI / steps as f64);
    assert!(steps < 2000 && error < 0.1 * equal, "{steps} steps: {error} and {equal}");
}

#[test]
fn advances_end_in_time() {
    for scheme in [Scheme::Leapfrog, Scheme::Adaptive { accuracy: 0.1, length: 0.3 }] {
        let mut system = orbit(0.2);
        let mut force = DirectSum::new(&system.masses);
        let mut times = Vec::new();
        let mut stepper = Stepper::new(scheme, 0.03).unwrap();
        let Ok(done) = stepper.advance(&mut system, &mut force, 1.0, |time: f64| times.push(time));
        assert_eq!((done.steps, done.accelerations), (times.len() as u64, 2 * done.steps));
        assert!(done.steps >= 34 && times.is_sorted());
        assert!((times[times.len() - 1] - 1.0).abs() < 1e-14, "{times:?}");
    }
}

/// Two points that nearly meet, and an accuracy that no step has: steps end at the longest halved so many times.
#[test]
fn adaptive_steps_have_a_shortest_one() {
    let duration = 1000.0 / f64::from(1_u32 << MOST_LEVELS);
    let near = System {
        positions: vec![[0.0; 3], [1e-140, 0.0, 0.0]],
        velocities: vec![[0.0; 3]; 2],
        masses: vec![1e-280; 2],
    };
    for (mut system, accuracy) in [(orbit(0.2), 1e-300), (near, 1e-3)] {
        let steps =
            advance(&mut system, Scheme::Adaptive { accuracy, length: 1e-9 }, 1.0, duration);
        assert!((1..=1000).contains(&steps), "{steps}");
    }
}

#[test]
fn steps_are_positive() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for (scheme, step) in [
            (Scheme::Leapfrog, value),
            (Scheme::Adaptive { accuracy: value, length: 1.0 }, 1.0),
            (Scheme::Block { accuracy: 1.0, length: value }, 1.0),
        ] {
            let error = Stepper::new(scheme, step).unwrap_err();
            assert!(matches!(error, StepError::NotPositive { .. }), "{error}");
            assert!(error.to_string().ends_with("give a positive number"));
        }
    }
}

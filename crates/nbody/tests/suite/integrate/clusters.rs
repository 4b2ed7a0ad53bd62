//! A small cluster: conservation, scaling with G, and saved states.

use nbody::{Diagnostics, DirectSum, Force, Scheme, Stepper, System, models};
use proptest::prelude::*;

const SCHEMES: [Scheme; 4] = [
    Scheme::Leapfrog,
    Scheme::Adaptive { accuracy: 0.1, length: 0.1 },
    Scheme::Block { accuracy: 0.1, length: 0.1 },
    Scheme::FourthOrder,
];

fn energy(system: &System, stepper: &mut Stepper, force: &mut DirectSum) -> Diagnostics {
    let Ok(potentials) = stepper.start(system, force);
    Diagnostics::new(system, potentials)
}

#[test]
fn schemes_conserve_what_they_should() {
    for scheme in SCHEMES {
        let mut system = models::plummer(200, 4);
        let mut force = DirectSum::new(&system.masses).softening(0.1);
        let mut stepper = Stepper::new(scheme, 0.05).unwrap();
        let before = energy(&system, &mut stepper, &mut force);
        let Ok(_) = stepper.advance(&mut system, &mut force, 2.0, |_| ());
        let after = energy(&system, &mut stepper, &mut force);
        assert!((after.energy() / before.energy() - 1.0).abs() < 2e-3, "{scheme:?}: {after:?}");
        let is_symmetric = !matches!(scheme, Scheme::Block { .. });
        for axis in 0..3 {
            // Pairs pull each other at the same time; with block steps, nearly so.
            let limit = if is_symmetric { 1e-14 } else { 1e-3 };
            assert!((after.momentum[axis]).abs() < limit, "{scheme:?}: {after:?}");
            let change = after.angular_momentum[axis] - before.angular_momentum[axis];
            assert!(change.abs() < limit, "{scheme:?}: {change}");
        }
    }
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    for scheme in SCHEMES {
        let run = |saved: bool| {
            let mut system = models::plummer(60, 5);
            let mut force = DirectSum::new(&system.masses).softening(0.1);
            let mut stepper = Stepper::new(scheme, 0.05).unwrap();
            for _ in 0..4 {
                if saved {
                    stepper = Stepper::new(scheme, 0.05).unwrap();
                }
                let Ok(_) = stepper.start(&system, &mut force);
                let Ok(_) = stepper.advance(&mut system, &mut force, 0.3, |_| ());
            }
            system
        };
        assert_eq!(run(true), run(false), "{scheme:?}");
    }
}

/// A force that needs room for its results before it takes memory of its own.
struct Roomy;

impl Force for Roomy {
    type Error = ();

    fn accelerations(&mut self, _: &[[f64; 3]], _: &mut Vec<[f64; 3]>) -> Result<(), ()> {
        Err(())
    }

    fn active_accelerations(
        &mut self,
        _: &[[f64; 3]],
        _: &[usize],
        _: &mut Vec<[f64; 3]>,
    ) -> Result<(), ()> {
        Err(())
    }

    fn potentials(
        &mut self,
        positions: &[[f64; 3]],
        accelerations: &mut Vec<[f64; 3]>,
        potentials: &mut Vec<f64>,
    ) -> Result<(), ()> {
        let room = accelerations.capacity().min(potentials.capacity());
        if room < positions.len() { Err(()) } else { Ok(()) }
    }
}

#[test]
fn a_force_finds_room_for_its_results() {
    let mut stepper = Stepper::new(Scheme::Leapfrog, 0.05).unwrap();
    for n in [60, 200] {
        assert!(stepper.start(&models::plummer(n, 5), &mut Roomy).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Gravity of another constant is another unit of time.
    #[test]
    fn gravity_is_a_unit_of_time(seed in 0..1000u64, log in -4..5i32, scheme in 0..2usize) {
        let scheme = [Scheme::Leapfrog, Scheme::FourthOrder][scheme];
        // Powers of 4 have exact roots, so that bits agree.
        let unit = 2f64.powi(log);
        let mut slow = models::plummer(12, seed);
        let mut fast = slow.clone();
        fast.velocities.iter_mut().flatten().for_each(|v| *v *= unit);
        let mut force = DirectSum::new(&slow.masses).softening(0.25);
        let mut stepper = Stepper::new(scheme, 0.125).unwrap();
        let Ok(_) = stepper.advance(&mut slow, &mut force, 1.0, |_| ());
        let mut force = DirectSum::new(&fast.masses).softening(0.25).gravity(unit * unit);
        let mut stepper = Stepper::new(scheme, 0.125 / unit).unwrap();
        let Ok(_) = stepper.advance(&mut fast, &mut force, 1.0 / unit, |_| ());
        prop_assert_eq!(&slow.positions, &fast.positions);
    }
}

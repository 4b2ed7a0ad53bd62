//! `Gravity`, the force of simulations: against the direct sum, in any units, and over ten dynamical times.

use farfield::nbody::initial_conditions::GalaxyComponents;
use farfield::nbody::{Diagnostics, DirectSum, Force, Scheme, Stepper, System, models};
use farfield::{Error, Fmm, Gravity, Method};

/// Accelerations and potentials of all particles.
fn field<F: Force>(force: &mut F, system: &System) -> (Vec<[f64; 3]>, Vec<f64>)
where
    F::Error: std::fmt::Debug,
{
    let (mut accelerations, mut potentials) = (Vec::new(), Vec::new());
    force.potentials(&system.positions, &mut accelerations, &mut potentials).unwrap();
    (accelerations, potentials)
}

/// Relative L2 difference.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let squared = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let errors = squared(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (errors / squared(&mut expected.iter().copied())).sqrt()
}

fn request(tolerance: f64) -> Fmm {
    Fmm::new().method(Method::Fmm).tolerance(tolerance)
}

#[test]
fn accelerations_are_those_of_the_direct_sum_in_any_units() {
    let tolerance = 1e-4;
    // Units of length, mass and G: none; those of galaxies in SI; tiny ones. f32 ends at 1e38.
    for (length, mass, constant) in [(1.0, 1.0, 1.0), (1e20, 1e41, 6.674e-11), (1e-30, 1e-50, 3.0)]
    {
        let mut system = models::plummer(3000, 2);
        // Far from the origin, where f32 alone would lose the positions.
        let shift = |x: &mut f64| *x = length * (*x + 1e4);
        system.positions.iter_mut().flatten().for_each(shift);
        system.masses.iter_mut().for_each(|m| *m *= mass);
        let softening = 0.01 * length;
        let mut direct = DirectSum::new(&system.masses).gravity(constant).softening(softening);
        let (expected, depths) = field(&mut direct, &system);
        let request = request(tolerance).softening(softening);
        let mut gravity = Gravity::<f32>::new(request, &system.masses).constant(constant);
        let (found, potentials) = field(&mut gravity, &system);
        assert!(difference(found.as_flattened(), expected.as_flattened()) < tolerance);
        assert!(difference(&potentials, &depths) < tolerance);
        assert_eq!(gravity.excess(), None);

        let mut alone = Vec::new();
        gravity.accelerations(&system.positions, &mut alone).unwrap();
        assert!(difference(alone.as_flattened(), expected.as_flattened()) < tolerance);
        for every in [1, 2, 7, 1000] {
            let active: Vec<usize> = (0..3000).rev().step_by(every).collect();
            let mut some = Vec::new();
            gravity.active_accelerations(&system.positions, &active, &mut some).unwrap();
            let wanted: Vec<_> = active.iter().map(|&i| expected[i]).collect();
            assert!(difference(some.as_flattened(), wanted.as_flattened()) < 2.0 * tolerance);
        }
    }
}

/// A cluster with twenty close binaries, of which a particle has escaped so far.
pub(super) fn binaries_and_escaper(escaper: f64) -> System {
    let System { mut positions, .. } = models::plummer(600, 5);
    let beside: Vec<[f64; 3]> =
        positions[..20].iter().map(|[x, y, z]| [x + 1e-3, *y, z - 5e-4]).collect();
    positions.extend(beside);
    positions.push([escaper, escaper / 3.0, 0.0]);
    let n = positions.len();
    System { positions, velocities: vec![[0.0; 3]; n], masses: vec![1.0 / n as f64; n] }
}

/// A particle has escaped so far that f32 does not tell the two of a binary apart.
#[test]
fn close_pairs_keep_the_tolerance_whatever_the_size_of_the_system() {
    for escaper in [100.0, 1e4] {
        let system = binaries_and_escaper(escaper);
        let (expected, depths) = field(&mut DirectSum::new(&system.masses), &system);
        let check = |found: Vec<[f64; 3]>, potentials: Vec<f64>, tolerance: f64| {
            let error = difference(found.as_flattened(), expected.as_flattened());
            assert!(error < tolerance, "{escaper} at {tolerance}: {error:e}");
            assert!(difference(&potentials, &depths) < tolerance);
        };
        let mut single = Gravity::<f32>::new(request(1e-3), &system.masses);
        // Twice: for the first plan, and for one whose points moved.
        for _ in 0..2 {
            let (found, potentials) = field(&mut single, &system);
            check(found, potentials, 1e-3);
        }
        let (found, potentials) =
            field(&mut Gravity::<f64>::new(request(1e-12), &system.masses), &system);
        check(found, potentials, 1e-12);
    }
}

#[test]
fn particles_without_company_or_mass_have_no_acceleration() {
    for masses in [vec![2.0], vec![0.0; 3]] {
        let n = masses.len();
        let positions = (0..n).map(|i| [i as f64, 0.0, 0.0]).collect();
        let system = System { positions, velocities: vec![[0.0; 3]; n], masses };
        let mut gravity = Gravity::<f64>::new(Fmm::new(), &system.masses);
        assert_eq!(field(&mut gravity, &system), (vec![[0.0; 3]; n], vec![0.0; n]));
    }
}

/// Ten dynamical times √(r³/GM) of the half-mass radius, 2.1 each.
#[test]
fn a_plummer_model_keeps_its_energy_for_ten_dynamical_times() {
    let mut cluster = models::plummer(2000, 8);
    let mut gravity = Gravity::<f32>::new(request(1e-5).softening(0.05), &cluster.masses);
    let mut stepper = Stepper::new(Scheme::Leapfrog, 0.03).unwrap();
    let before = Diagnostics::new(&cluster, stepper.start(&cluster, &mut gravity).unwrap());
    let mut worst: f64 = 0.0;
    for _ in 0..10 {
        stepper.advance(&mut cluster, &mut gravity, 2.1, |_| ()).unwrap();
        let after = Diagnostics::new(&cluster, stepper.start(&cluster, &mut gravity).unwrap());
        worst = worst.max((after.energy() / before.energy() - 1.0).abs());
        assert!((after.virial_ratio() - 1.0).abs() < 0.1, "{after:?}");
        let drift = after.momentum.iter().fold(0.0, |largest: f64, p| largest.max(p.abs()));
        assert!(drift < 1e-4, "{after:?}");
    }
    assert!(worst < 1e-3, "energy changed by {worst}");
    assert_eq!(gravity.excess(), None);
}

/// Half-mass radius of the disk about the middle of the bulge, and mean rotation at distances of 2 to 3.
fn shape(galaxy: &System) -> (f64, f64) {
    let GalaxyComponents { bulge, disk, .. } = GalaxyComponents::of(galaxy.len());
    let middle = |axis: usize| {
        let mut values: Vec<f64> =
            galaxy.positions[bulge.clone()].iter().map(|x| x[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (x, y) = (middle(0), middle(1));
    let (mut distances, mut rotations) = (Vec::new(), Vec::new());
    for i in disk {
        let (dx, dy) = (galaxy.positions[i][0] - x, galaxy.positions[i][1] - y);
        let distance = dx.hypot(dy);
        distances.push(distance);
        if (2.0..3.0).contains(&distance) {
            let [vx, vy, _] = galaxy.velocities[i];
            rotations.push((dx * vy - dy * vx) / distance);
        }
    }
    distances.sort_by(f64::total_cmp);
    let mean = rotations.iter().sum::<f64>() / rotations.len() as f64;
    (distances[distances.len() / 2], mean)
}

/// A turn at the distance 2.43 takes 41. The run of ten turns that the documentation of the model reports is too long here.
#[test]
fn the_disk_of_a_galaxy_is_alive_after_a_turn() {
    let mut galaxy = models::disk_galaxy(6000, 3);
    let (radius, rotation) = shape(&galaxy);
    let mut gravity = Gravity::<f32>::new(request(1e-3).softening(0.1), &galaxy.masses);
    let mut stepper = Stepper::new(Scheme::Leapfrog, 0.25).unwrap();
    let before = Diagnostics::new(&galaxy, stepper.start(&galaxy, &mut gravity).unwrap());
    stepper.advance(&mut galaxy, &mut gravity, 41.0, |_| ()).unwrap();
    let after = Diagnostics::new(&galaxy, stepper.start(&galaxy, &mut gravity).unwrap());
    let (now, turning) = shape(&galaxy);
    assert!((now / radius - 1.0).abs() < 0.1, "half-mass radius {radius}, then {now}");
    assert!((turning / rotation - 1.0).abs() < 0.1, "rotation {rotation}, then {turning}");
    assert!((after.energy() / before.energy() - 1.0).abs() < 5e-3, "{before:?} {after:?}");
    let spins = [before, after].map(|sums| sums.angular_momentum[2]);
    assert!((spins[1] / spins[0] - 1.0).abs() < 0.01, "{spins:?}");
}

/// A constant that is no number, or makes accelerations that are none, is refused with the particle.
#[test]
fn constants_that_are_no_numbers_are_refused() {
    let system = binaries_and_escaper(10.0);
    for constant in [f64::NAN, f64::INFINITY, 1e308] {
        let mut gravity = Gravity::<f64>::new(request(1e-6), &system.masses).constant(constant);
        let (mut accelerations, mut potentials) = (Vec::new(), Vec::new());
        let refused = |error: Error| matches!(error, Error::ResultRange { exponent, .. } if exponent.is_nan());
        let error = gravity.accelerations(&system.positions, &mut accelerations).unwrap_err();
        assert!(refused(error), "{constant}");
        let both = gravity.potentials(&system.positions, &mut accelerations, &mut potentials);
        assert!(refused(both.unwrap_err()), "{constant}");
        match gravity.active_accelerations(&system.positions, &[7], &mut accelerations).unwrap_err()
        {
            Error::ResultRange { index, .. } => assert_eq!(index, 7),
            other => panic!("{other:?}"),
        }
    }
}

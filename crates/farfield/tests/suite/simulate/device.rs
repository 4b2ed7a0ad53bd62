//! Systems that stay on a device, on the emulator: against the same steps on the host, and through the command.

use super::gravity::binaries_and_escaper as binaries;
use super::runs::{results, snapshot, table};
use crate::common::Folder;
use farfield::nbody::{Diagnostics, DirectSum, Motion, Scheme, StepError, Stepper, System, models};
use farfield::{Device, DeviceError, DeviceScalar, DeviceSystem, Fmm, Gravity, Precision};

fn on_device<T: DeviceScalar>(system: &System, tolerance: f64, softening: f64) -> DeviceSystem {
    let request = Fmm::new().tolerance(tolerance).softening(softening);
    let gravity = Gravity::<T>::new(request, &system.masses).constant(2.0);
    gravity.on_device(Device::Emulated, system).unwrap()
}

/// Relative L2 difference of vectors.
fn difference(found: &[[f64; 3]], expected: &[[f64; 3]]) -> f64 {
    let squared = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let (found, expected) = (found.as_flattened(), expected.as_flattened());
    assert_eq!(found.len(), expected.len());
    let errors = squared(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    (errors / squared(&mut expected.iter().copied())).sqrt()
}

fn minus(a: &[[f64; 3]], b: &[[f64; 3]]) -> Vec<[f64; 3]> {
    a.iter().zip(b).map(|(a, b)| [0, 1, 2].map(|axis| a[axis] - b[axis])).collect()
}

/// Velocities change by sums of accelerations, whose relative errors are those of the tolerance. The force of the host is
/// the direct sum in f64.
#[test]
fn steps_are_those_of_the_host() {
    let tolerance = 1e-4;
    for (scheme, duration) in [
        (Scheme::Leapfrog, 0.08),
        (Scheme::Adaptive { accuracy: 0.3, length: 0.05 }, 0.05),
        (Scheme::FourthOrder, 0.02),
    ] {
        let mut system = models::plummer(2500, 5);
        // Far from the origin, where f32 alone would lose the positions.
        system.positions.iter_mut().flatten().for_each(|x| *x += 1e4);
        let begin = system.clone();
        let mut particles = on_device::<f32>(&system, tolerance, 0.05);
        let mut force = DirectSum::new(&system.masses).gravity(2.0).softening(0.05);
        let mut stepper = Stepper::new(scheme, 0.01).unwrap();
        let mut expected = system.clone();
        let potentials = stepper.start(&expected, &mut force).unwrap();
        let before = Diagnostics::new(&expected, potentials);
        let found = particles.start().unwrap();
        close(found, before, tolerance);
        let state = particles.state().unwrap();
        let mut times = Vec::new();
        let done = stepper.advance_motion(&mut particles, duration, |time| times.push(time));
        let done = done.unwrap();
        let wanted = stepper.advance(&mut expected, &mut force, duration, |_| ()).unwrap();
        // Adaptive steps follow accelerations, which differ by the tolerance.
        assert_eq!((done.steps, done.accelerations), (wanted.steps, wanted.accelerations));
        assert_eq!((times.len() as u64, times.last()), (done.steps, Some(&duration)));
        let bring = move || {
            let (mut positions, mut velocities) = (Vec::new(), Vec::new());
            state.download(&mut positions, &mut velocities).map(|()| (positions, velocities))
        };
        let (positions, velocities) = std::thread::spawn(bring).join().unwrap().unwrap();
        assert!(positions == begin.positions && velocities == begin.velocities);
        particles.download(&mut system).unwrap();
        let kicks = [&system, &expected].map(|state| minus(&state.velocities, &begin.velocities));
        let error = difference(&kicks[0], &kicks[1]);
        assert!(error < 2.0 * tolerance && error > 1e-9, "{scheme:?}: {error}");
        let error = difference(
            &minus(&system.positions, &begin.positions),
            &minus(&expected.positions, &begin.positions),
        );
        assert!(error < 2.0 * tolerance, "{scheme:?}: {error}");
        let potentials = stepper.start(&system, &mut force).unwrap();
        close(particles.start().unwrap(), Diagnostics::new(&system, potentials), tolerance);
        assert_eq!(particles.excess(), None);
        let report = particles.report().unwrap();
        assert_eq!((report.n_sources, report.precision), (2500, Precision::F32));
        assert!(report.estimated_error.unwrap() < tolerance);
    }
}

/// A particle has escaped so far that f32 hardly tells the two of a binary apart: its accelerations are wrong by 3.97e-2.
#[test]
fn rounding_that_misses_the_tolerance_is_told() {
    let excess = |mut particles: DeviceSystem| {
        particles.start().unwrap();
        particles.excess()
    };
    assert_eq!(excess(on_device::<f32>(&binaries(10.0), 1e-3, 0.0)), None);
    assert_eq!(excess(on_device::<f64>(&binaries(1e4), 1e-3, 0.0)), None);
    let found = excess(on_device::<f32>(&binaries(1e4), 1e-3, 0.0)).unwrap();
    assert!((30.0..50.0).contains(&found), "{found}");
}

/// Kinetic energy and momenta are sums of the same numbers in another order; potentials keep the tolerance.
fn close(found: Diagnostics, expected: Diagnostics, tolerance: f64) {
    assert!((found.kinetic / expected.kinetic - 1.0).abs() < 1e-12);
    assert!((found.potential / expected.potential - 1.0).abs() < tolerance);
    for axis in 0..3 {
        let error = found.momentum[axis] - expected.momentum[axis];
        assert!(error.abs() < 1e-12, "{found:?} {expected:?}");
        let error = found.angular_momentum[axis] - expected.angular_momentum[axis];
        // Positions of 10⁴ times speeds of 1, whose terms cancel.
        assert!(error.abs() < 1e-12 * 1e4, "{found:?} {expected:?}");
    }
}

/// A circular orbit of two equal bodies, at the distance 1, with G = 2 and masses of 1/4: the period is 2π.
fn pair() -> System {
    System {
        positions: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
        velocities: vec![[0.0, -0.5, 0.0], [0.0, 0.5, 0.0]],
        masses: vec![0.25; 2],
    }
}

#[test]
fn schemes_converge_at_their_order() {
    let period = 2.0 * std::f64::consts::PI;
    for (scheme, order, steps) in
        [(Scheme::Leapfrog, 2.0, [24.0, 48.0]), (Scheme::FourthOrder, 4.0, [10.0, 20.0])]
    {
        let errors = steps.map(|steps| {
            let mut system = pair();
            let mut particles = on_device::<f64>(&system, 1e-12, 0.0);
            let stepper = Stepper::new(scheme, period / steps).unwrap();
            stepper.advance_motion(&mut particles, period, |_| ()).unwrap();
            particles.download(&mut system).unwrap();
            difference(&system.positions, &pair().positions)
        });
        let found = (errors[0] / errors[1]).log2();
        assert!((found - order).abs() < 0.2, "{scheme:?}: order {found}, {errors:?}");
    }
}

#[test]
fn particles_without_company_or_mass_fly_on() {
    for masses in [vec![2.0], vec![0.0; 3], vec![]] {
        let n = masses.len();
        let positions: Vec<_> = (0..n).map(|i| [i as f64, 0.0, 0.0]).collect();
        let velocities = vec![[0.0, 0.25, 0.0]; n];
        let mut system = System { positions: positions.clone(), velocities, masses };
        let mut particles = on_device::<f64>(&system, 1e-6, 0.1);
        assert_eq!(particles.count(), n);
        let stepper = Stepper::new(Scheme::Leapfrog, 0.5).unwrap();
        stepper.advance_motion(&mut particles, 2.0, |_| ()).unwrap();
        particles.download(&mut system).unwrap();
        let moved: Vec<_> = positions.iter().map(|[x, _, _]| [*x, 0.5, 0.0]).collect();
        assert_eq!(system.positions, moved);
    }
}

#[test]
fn what_devices_do_not_do_is_refused() {
    let system = pair();
    let blocks = Scheme::Block { accuracy: 0.1, length: 0.1 };
    let mut particles = on_device::<f64>(&system, 1e-6, 0.0);
    let refused = Stepper::new(blocks, 0.1).unwrap().advance_motion(&mut particles, 1.0, |_| ());
    assert!(matches!(refused, Err(DeviceError::Step(StepError::Blocks))), "{refused:?}");
    let gravity = Gravity::<f64>::new(Fmm::new(), &system.masses);
    let refused = gravity.on_device(Device::Cpu, &system).unwrap_err();
    assert!(refused.to_string().contains("cpu"), "{refused}");
    let mut lost = system;
    lost.positions[1][2] = f64::NAN;
    let refused = on_device::<f64>(&lost, 1e-6, 0.0).start().unwrap_err();
    assert!(refused.to_string().contains('1') && refused.to_string().contains("NaN"), "{refused}");
}

#[test]
fn a_run_on_a_device_is_resumed_with_the_same_bits() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 500 --seed 4 -o a.npz");
    for (integrator, time, half) in
        [("leapfrog", 0.02, 0.01), ("adaptive", 0.02, 0.01), ("fourth-order", 0.01, 0.005)]
    {
        let simulate = format!(
            "simulate a.npz --integrator {integrator} --tolerance 1e-3 --method fmm --step 0.005 \
             --softening 0.02"
        );
        let on = |device: &str, rest: &str| {
            folder.succeed(&format!("{simulate} --device {device} {rest}"));
        };
        let [long, short, host] =
            ["long", "short", "host"].map(|run| format!("{integrator}-{run}"));
        on("emulated", &format!("--time {time} --outputs 2 --snapshots {long}"));
        on("emulated", &format!("--time {half} --outputs 1 --snapshots {short}"));
        on("emulated", &format!("--time {time} --resume --snapshots {short}"));
        let mut files = [&long, &short].map(|run| results(&folder, run));
        // The settings name the times asked for.
        files.iter_mut().for_each(|files| drop(files.remove("run.txt")));
        assert!(files[0] == files[1], "{integrator}");
        // The cores' run differs by the tolerance.
        on("cpu", &format!("--time {time} --outputs 2 --snapshots {host}"));
        let name = "snapshot-0002.npz";
        let [start, found, expected] = [
            format!("{host}/snapshot-0000.npz"),
            format!("{long}/{name}"),
            format!("{host}/{name}"),
        ]
        .map(|name| snapshot(&folder, &name));
        let kicks = [found, expected].map(|state| minus(&state.velocities, &start.velocities));
        let error = difference(&kicks[0], &kicks[1]);
        assert!(error < 4e-3 && error > 0.0, "{integrator}: {error}");
        let rows = [long, host].map(|run| table(&folder, &format!("{run}/diagnostics.csv")).1);
        for (found, expected) in rows[0].iter().zip(&rows[1]) {
            assert_eq!(found[..2], expected[..2]);
            assert!((found[4] / expected[4] - 1.0).abs() < 1e-3, "{found:?} {expected:?}");
        }
    }
}

/// Block steps take the system of the host, and sums of the device.
#[test]
fn block_steps_sum_on_the_device() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 300 --seed 4 -o a.npz");
    let told = folder.succeed(
        "simulate a.npz --integrator block --time 0.1 --outputs 1 --tolerance 1e-3 --method fmm \
         --device emulated",
    );
    assert!(told.contains("energy changed by"), "{told}");
}

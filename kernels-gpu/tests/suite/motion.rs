//! Kicks, drifts, points, bounds and reductions of particles, against the same on the host.

use kernels_gpu::device::{Plain, Real, Vec4};
use kernels_gpu::machine::{Buffer, Machine, MachineError};
use kernels_gpu::motion::Particles;

on_every_machine!(
    particles_move_as_on_the_host,
    sums_are_those_of_the_host,
    bounds_and_points,
    other_lengths_are_refused,
);

/// Positions, velocities, masses and a field of particles.
struct Host {
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    masses: Vec<f64>,
    field: Vec<[f64; 4]>,
}

impl Host {
    fn new(n: usize) -> Self {
        let numbers = |i: usize, steps: [f64; 3]| steps.map(|step| (step * i as f64).fract());
        let vectors = |steps| (0..n).map(|i| numbers(i, steps)).collect();
        Self {
            positions: vectors([0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9]),
            velocities: vectors([0.754_877_666_2, 0.569_840_290_9, 0.437_912_731_2]),
            masses: (0..n).map(|i| 0.5 + (i % 9) as f64).collect(),
            // Numbers that f32 holds, too.
            field: (0..n).map(|i| [0.25, -1.5, 3.0, -0.125].map(|c| c * (i % 13) as f64)).collect(),
        }
    }

    fn load<M: Machine + Clone>(&self, machine: &M) -> Particles<M> {
        let Self { positions, velocities, masses, .. } = self;
        Particles::new(machine.clone(), positions, velocities, masses).unwrap()
    }
}

fn vectors<T: Real>(field: &[[f64; 4]]) -> Vec<Vec4<T>> {
    field.iter().map(|value| Vec4(value.map(T::from_f64))).collect()
}

fn state<M: Machine>(particles: &Particles<M>) -> [Vec<[f64; 3]>; 2] {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    particles.download(&mut positions, &mut velocities).unwrap();
    [positions, velocities]
}

/// Moves of the host, in the same order of operations.
fn moves<M: Machine + Clone, T: Real>(machine: &M)
where
    Vec4<T>: Plain,
{
    let host = Host::new(1000);
    let field = machine.buffer_of(&vectors::<T>(&host.field)).unwrap();
    let add = |to: &mut [[f64; 3]], rates: &[[f64; 3]], time: f64| {
        for (to, rate) in to.iter_mut().zip(rates) {
            (0..3).for_each(|axis| to[axis] += time * rate[axis]);
        }
    };
    let accelerations: Vec<[f64; 3]> =
        host.field.iter().map(|[x, y, z, _]| [x, y, z].map(|g| 1.7 * g)).collect();
    let mut particles = host.load(machine);
    let (mut x, mut v) = (host.positions.clone(), host.velocities.clone());
    particles.kick(field.slice(), 1.7, 0.3).unwrap();
    add(&mut v, &accelerations, 0.3);
    assert_eq!(state(&particles), [x.clone(), v.clone()]);
    particles.drift(-0.7).unwrap();
    add(&mut x, &v, -0.7);
    assert_eq!(state(&particles), [x.clone(), v.clone()]);
    particles.kick_drift(field.slice(), 1.7, [0.2, 0.9]).unwrap();
    add(&mut v, &accelerations, 0.2);
    add(&mut x, &v, 0.9);
    assert_eq!(state(&particles), [x, v]);
}

fn particles_move_as_on_the_host<M: Machine + Clone>(machine: &M) {
    moves::<M, f32>(machine);
    moves::<M, f64>(machine);
}

fn sums_are_those_of_the_host<M: Machine + Clone>(machine: &M) {
    // More particles than the threads of a reduction, so that a thread has several.
    let host = Host::new(80_000);
    let field = machine.buffer_of(&vectors::<f32>(&host.field)).unwrap();
    let mut particles = host.load(machine);
    let found = particles.conserved(field.slice(), -2.0).unwrap();
    let (mut expected, mut scale) = ([0.0; 8], [0.0; 8]);
    for i in 0..host.masses.len() {
        let (m, [x, y, z], [u, v, w]) = (host.masses[i], host.positions[i], host.velocities[i]);
        let terms = [
            m * (u * u + v * v + w * w) / 2.0,
            -m * host.field[i][3],
            m * u,
            m * v,
            m * w,
            m * (y * w - z * v),
            m * (z * u - x * w),
            m * (x * v - y * u),
        ];
        for k in 0..8 {
            expected[k] += terms[k];
            scale[k] += terms[k].abs();
        }
    }
    for k in 0..8 {
        assert!((found[k] - expected[k]).abs() < 1e-13 * scale[k], "{found:?} {expected:?}");
    }
    // The same bits again.
    assert_eq!(particles.conserved(field.slice(), -2.0).unwrap(), found);
    let largest = particles.largest(field.slice(), 2.0).unwrap();
    let exact = 24.0 * (0.25f64 * 0.25 + 1.5 * 1.5 + 9.0).sqrt();
    assert!((largest / exact - 1.0).abs() < 1e-15, "{largest} {exact}");
}

fn bounds_and_points<M: Machine + Clone>(machine: &M) {
    let mut host = Host::new(5000);
    host.positions[4321] = [-7.0, 9.0, 0.5];
    host.positions[17] = [3.0, -2.0, 11.0];
    let mut particles = host.load(machine);
    let bounds = particles.bounds().unwrap().unwrap();
    let corner = |fold: fn(f64, f64) -> f64| {
        [0, 1, 2].map(|axis| host.positions.iter().map(|x| x[axis]).reduce(fold).unwrap())
    };
    assert_eq!((bounds.min, bounds.max), (corner(f64::min), corner(f64::max)));
    let mut points = machine.allocate::<Vec4<f32>>(5000).unwrap();
    particles.place([1.0, 2.0, 3.0], 4.0, points.slice_mut()).unwrap();
    for (Vec4([x, y, z, w]), at) in
        machine.items_of(&points).unwrap().into_iter().zip(&host.positions)
    {
        let expected = [0, 1, 2].map(|axis| ((at[axis] - (axis + 1) as f64) / 4.0) as f32);
        assert_eq!(([x, y, z], w), (expected, 0.0));
    }
    let mut points = machine.allocate::<Vec4<f64>>(5000).unwrap();
    particles.place([0.0; 3], 1.0, points.slice_mut()).unwrap();
    let charges = machine.buffer_of(&host.masses).unwrap();
    particles.put_charges(charges.slice(), points.slice_mut()).unwrap();
    let found = machine.items_of(&points).unwrap();
    let expected = host.positions.iter().zip(&host.masses).map(|([x, y, z], m)| [*x, *y, *z, *m]);
    assert!(found.into_iter().map(|Vec4(point)| point).eq(expected));
    (host.positions[99][1], host.positions[98][2]) = (f64::NAN, f64::INFINITY);
    let refused = host.load(machine).bounds().unwrap().unwrap_err();
    assert!(refused.to_string().contains("98"), "{refused}");
    let none = Host::new(0);
    let mut particles = none.load(machine);
    assert!(particles.bounds().unwrap().is_ok() && particles.is_empty());
    particles.drift(1.0).unwrap();
}

fn other_lengths_are_refused<M: Machine + Clone>(machine: &M) {
    let host = Host::new(100);
    let mut particles = host.load(machine);
    let refused = Err(MachineError::Length { found: 99, expected: 100 });
    let mut field = machine.buffer_of(&vectors::<f64>(&host.field[1..])).unwrap();
    let charges = machine.buffer_of(&host.masses).unwrap();
    assert_eq!(particles.kick(field.slice(), 1.0, 1.0), refused);
    assert_eq!(particles.kick_drift(field.slice(), 1.0, [1.0; 2]), refused);
    assert_eq!(particles.place([0.0; 3], 1.0, field.slice_mut()), refused);
    assert_eq!(particles.put_charges(charges.slice(), field.slice_mut()), refused);
    assert_eq!(particles.conserved(field.slice(), 1.0).map(drop), refused);
    assert_eq!(particles.largest(field.slice(), 1.0).map(drop), refused);
    let Host { positions, velocities, masses, .. } = &host;
    let particles = Particles::new(machine.clone(), positions, &velocities[1..], masses);
    assert_eq!(particles.map(drop), refused);
    let particles = Particles::new(machine.clone(), positions, velocities, &masses[1..]);
    assert_eq!(particles.map(drop), refused);
}

//! The disk galaxy against accelerations that are summed over its particles.

use super::shells::{assert_unit_means, diagnostics};
use nbody::initial_conditions::{self, GalaxyComponents};
use nbody::models::{disk_galaxy, galaxy_collision};
use nbody::{DirectSum, Force, System};

const N: usize = 60_000;

/// A particle of the disk: distance from the axis, velocities outwards, along the rotation and upwards.
fn cylindrical(system: &System, i: usize) -> (f64, [f64; 3]) {
    let ([x, y, _], v) = (system.positions[i], system.velocities[i]);
    let r = x.hypot(y);
    (r, [(v[0] * x + v[1] * y) / r, (v[1] * x - v[0] * y) / r, v[2]])
}

/// Mean and deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[test]
fn positions_are_those_of_the_cloud() {
    let (galaxy, cloud) = (disk_galaxy(300, 4), initial_conditions::disk_galaxy(300, 4));
    assert_eq!((galaxy.positions, galaxy.masses), (cloud.positions, cloud.masses));
}

#[test]
fn the_galaxy_is_virial() {
    let ratio = diagnostics(&disk_galaxy(6000, 3)).virial_ratio();
    assert!((ratio - 1.0).abs() < 5.0 / 6000f64.sqrt(), "{ratio}");
}

/// Rings of the disk keep Jeans' equation, (v_c² − ⟨v_φ²⟩)/σ_R² = κ²-independent 2R − 1 + … , with v_c² from pulls of all
/// particles, and Toomre's Q.
#[test]
fn the_disk_turns_as_its_gravity_asks() {
    let galaxy = disk_galaxy(N, 5);
    let disk = GalaxyComponents::of(N).disk;
    let mut force = DirectSum::new(&galaxy.masses);
    for (from, to) in [(0.9, 1.1), (1.9, 2.1), (2.33, 2.53), (3.3, 3.7)] {
        let ring: Vec<usize> =
            disk.clone().filter(|&i| (from..to).contains(&cylindrical(&galaxy, i).0)).collect();
        let each = |axis: usize| -> Vec<f64> {
            ring.iter().map(|&i| cylindrical(&galaxy, i).1[axis]).collect()
        };
        let ((outward, radial), (rotation, azimuthal)) = (moments(&each(0)), moments(&each(1)));
        let n = (ring.len() as f64).sqrt();
        assert!(outward.abs() < 5.0 * radial / n, "{from}: {outward}");

        // Pulls in the plane at 64 places of the ring, smoothed by the height of the disk.
        let r = 0.5 * (from + to);
        let mut places = galaxy.positions.clone();
        let count = 64;
        for (i, place) in places.iter_mut().take(count).enumerate() {
            let angle = std::f64::consts::TAU * i as f64 / count as f64;
            *place = [r * angle.cos(), r * angle.sin(), 0.0];
        }
        let active: Vec<usize> = (0..count).collect();
        let mut pulls = Vec::new();
        force = force.softening(0.05);
        let Ok(()) = force.active_accelerations(&places, &active, &mut pulls);
        let inward = |i: usize| -(pulls[i][0] * places[i][0] + pulls[i][1] * places[i][1]);
        let circular2 = (0..count).map(inward).sum::<f64>() / count as f64;

        // Jeans' equation: ⟨v_φ²⟩ = v_c² + σ_R² (1 − 2R), where density and σ_R² fall as e^(−R).
        let expected = circular2 + radial * radial * (1.0 - 2.0 * r);
        let found = rotation * rotation + azimuthal * azimuthal;
        assert!((found / expected - 1.0).abs() < 0.06, "ring at {r}: {found}, not {expected}");
    }
}

#[test]
fn toomre_keeps_the_disk_stable() {
    let galaxy = disk_galaxy(N, 6);
    let disk = GalaxyComponents::of(N).disk;
    let rows: Vec<_> = disk.clone().map(|i| cylindrical(&galaxy, i)).collect();
    let surface = |r: f64| {
        let mass = disk.len() as f64 / N as f64;
        mass * (-r).exp() / (std::f64::consts::TAU * (1.0 - 6.0 * (-5f64).exp()))
    };
    // κ from the mean rotation of rings on both sides: κ² = 2 v/R (dv/dR + v/R).
    let rotation = |r: f64| {
        let of_ring = |row: &&(f64, [f64; 3])| (row.0 - r).abs() < 0.2;
        moments(&rows.iter().filter(of_ring).map(|row| row.1[1]).collect::<Vec<_>>()).0
    };
    let (v, slope) = (rotation(2.43), (rotation(2.83) - rotation(2.03)) / 0.8);
    let kappa = (2.0 * v / 2.43 * (slope + v / 2.43)).sqrt();
    let ring: Vec<_> = rows.iter().filter(|row| (row.0 - 2.43).abs() < 0.2).collect();
    let radial = moments(&ring.iter().map(|row| row.1[0]).collect::<Vec<_>>()).1;
    let toomre = radial * kappa / (3.36 * surface(2.43));
    assert!((toomre - 1.5).abs() < 0.15, "{toomre}");

    // Vertical dispersions: the disk's own gravity makes at least π Σ h, here with the height 0.1.
    let own = |r: f64| std::f64::consts::PI * surface(r) * 0.1;
    let outer = rows.iter().filter(|row| row.0 > 2.0);
    let ratio: Vec<_> = outer.map(|row| (row.0, row.1[2].powi(2) / own(row.0))).collect();
    // Bulge and halo add a tenth to a half.
    let mean = ratio.iter().map(|(_, value)| value).sum::<f64>() / ratio.len() as f64;
    assert!(mean > 1.05 && mean < 1.6, "{mean}");
}

#[test]
fn galaxies_collide_on_a_parabola() {
    let n = 4001;
    let pair = galaxy_collision(n, 9);
    assert_eq!(pair.len(), n);
    let centre = |part: std::ops::Range<usize>, of: &[[f64; 3]]| {
        let count = part.len() as f64;
        [0, 1, 2].map(|axis| of[part.clone()].iter().map(|v| v[axis]).sum::<f64>() / count)
    };
    let halves = [0..n - n / 2, n - n / 2..n];
    let [x1, x2] = halves.clone().map(|half| centre(half, &pair.positions));
    let [v1, v2] = halves.map(|half| centre(half, &pair.velocities));
    let (dx, dv) = ([0, 1, 2].map(|i| x2[i] - x1[i]), [0, 1, 2].map(|i| v2[i] - v1[i]));
    let squared = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
    // Energy 0 of two points of mass 1, and their closest approach h²/2μ = 4.
    assert!((0.5 * squared(dv) - 2.0 / squared(dx).sqrt()).abs() < 1e-12);
    let momentum = dx[0] * dv[1] - dx[1] * dv[0];
    assert!((momentum * momentum / 4.0 - 4.0).abs() < 1e-10, "{momentum}");
    assert!((dx[0] - 30.0).abs() < 1e-12 && dv[0] < 0.0);
    let found = diagnostics(&pair);
    assert!(found.momentum.iter().all(|p| p.abs() < 1e-12), "{:?}", found.momentum);
    let masses: f64 = pair.masses.iter().sum();
    assert!((masses - 2.0).abs() < 1e-12);
    assert_unit_means("masses", pair.masses.iter().map(|m| (0.0, m * 2000.0)).collect(), 1, 1e-3);
}

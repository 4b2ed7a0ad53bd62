//! Two disk galaxies that meet.

use super::disk_galaxy;
use crate::system::System;

/// Separation of the centres at the beginning, in scale lengths of the disks.
const SEPARATION: f64 = 30.0;
/// Separation at the closest approach of two points on the same orbit.
const PERICENTRE: f64 = 4.0;
/// Cosine and sine of the angle between the second disk and the plane of the orbit: 60°.
const TILT: [f64; 2] = [0.5, 0.866_025_403_784_438_6];

/// Two of [`disk_galaxy`], each of mass 1, on a parabolic orbit. They fall together from a
/// separation of <!-- constant: nbody::collision::SEPARATION -->30 scale lengths of the disks. As points they would pass each other
/// at <!-- constant: nbody::collision::PERICENTRE -->4, after a time of about 50.
///
/// The first half of the particles, rounded up, is the first galaxy, whose disk lies in the plane of the orbit and turns
/// with it; the second disk is tilted by 60°. The centre of mass is the origin, at rest.
pub fn galaxy_collision(n: usize, seed: u64) -> System {
    let mut first = disk_galaxy(n - n / 2, seed);
    let mut second = disk_galaxy(n / 2, !seed);
    let [cosine, sine] = TILT;
    let tilted = |[x, y, z]: [f64; 3]| [x, cosine * y - sine * z, sine * y + cosine * z];
    second.positions.iter_mut().for_each(|p| *p = tilted(*p));
    second.velocities.iter_mut().for_each(|v| *v = tilted(*v));

    // The relative orbit has the mass 2, the energy 0 and the angular momentum √(2 · 2 · pericentre).
    let across = 2.0 * PERICENTRE.sqrt() / SEPARATION;
    let inwards = (4.0 / SEPARATION - across * across).sqrt();
    for (galaxy, side) in [(&mut first, -0.5), (&mut second, 0.5)] {
        galaxy.recentre();
        galaxy.positions.iter_mut().for_each(|p| p[0] += side * SEPARATION);
        for velocity in &mut galaxy.velocities {
            velocity[0] -= side * inwards;
            velocity[1] += side * across;
        }
    }
    first.positions.append(&mut second.positions);
    first.velocities.append(&mut second.velocities);
    first.masses.append(&mut second.masses);
    first
}

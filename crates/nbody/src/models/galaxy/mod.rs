//! Velocities that keep the disk galaxy alive: L. Hernquist's moments, Astrophys. J. Suppl. 86, 389, 1993.
//!
//! | file | what |
//! |---|---|
//! | `masses.rs` | enclosed masses and densities of the components |
//! | `spheroid.rs` | dispersions of bulge and halo by Jeans' equation |
//! | `disk.rs` | rotation, epicyclic dispersions and asymmetric drift of the disk |

mod disk;
mod masses;
mod spheroid;

use disk::Disk;
use spheroid::Spheroids;

use super::{moving, radius};
use crate::initial_conditions::{self, GalaxyComponents};
use crate::models::speeds::normals;
use crate::system::System;

/// The galaxy of [`initial_conditions::disk_galaxy`] with velocities, near equilibrium: the disk turns counter-clockwise
/// about z.
///
/// Bulge and halo have the isotropic dispersion of Jeans' equation in the spherical part of the potential, to which the
/// disk adds its monopole; no speed is above 0.95 of the escape speed. The disk turns in the potential of all components,
/// its own that of a thin exponential disk (K. C. Freeman, Astrophys. J. 160, 811, 1970). Its radial dispersion follows
/// σ_R² ∝ e^(−R), with Toomre's Q = 1.5 at R = 2.43, the Sun's place; the azimuthal one is that of epicycles, and the mean
/// rotation has the asymmetric drift (J. Binney and S. Tremaine, *Galactic Dynamics*, 2nd ed., equations 3.100 and 4.228);
/// the vertical one holds the height of 0.1 against the disk's own gravity and that of bulge and halo. A turn at R = 2.43
/// takes about 41.
///
/// Moments are no distribution function: within the first turn, the model settles by some percent. In a run of 20,000
/// particles over ten turns (softening 0.05, leapfrog steps of 0.15), the half-mass radius of the disk stayed within 4 %, its
/// rotation fell by 6 %, and encounters with as heavy particles of the halo made it three times as thick.
pub fn disk_galaxy(n: usize, seed: u64) -> System {
    let GalaxyComponents { bulge, disk, .. } = GalaxyComponents::of(n);
    let (spheroids, rotation) = (Spheroids::new(), Disk::new());
    moving(initial_conditions::disk_galaxy(n, seed), seed, |random, i, at| {
        if disk.contains(&i) {
            return rotation.velocity(normals(random), at);
        }
        let (dispersion, escape) = spheroids.speeds(radius(at), bulge.contains(&i));
        loop {
            let velocity = normals(random).map(|normal| dispersion * normal);
            if radius(velocity) < 0.95 * escape {
                return velocity;
            }
        }
    })
}

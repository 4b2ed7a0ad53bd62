//! A disk galaxy of bulge, disk and halo, drawn from closed forms of the Milky Way model MW-A.
//!
//! MW-A is the model of K. Kuijken and J. Dubinski, Mon. Not. R. Astron. Soc. 277, 1341, 1995,
//! which their program `GalactICS` makes: masses near 1 : 2 : 12, a disk, a bulge and a halo with the
//! scales and edges of [`disk_galaxy`].

use super::random::{direction, exponential, scaled, sech_squared, unit};
use super::{Cloud, cloud};
use chacha20::ChaCha8Rng;
use std::ops::Range;

/// Shares of the mass, of 15: bulge, disk and (the rest) halo.
pub(crate) const BULGE_SHARE: usize = 1;
pub(crate) const DISK_SHARE: usize = 2;
pub(crate) const ALL_SHARES: usize = 15;

/// Scale of the bulge: half of its mass lies within 0.25, as in MW-A.
pub(crate) const BULGE_SCALE: f64 = 0.168;
pub(crate) const BULGE_EDGE: f64 = 0.909;
pub(crate) const DISK_HEIGHT: f64 = 0.1;
pub(crate) const DISK_EDGE: f64 = 5.0;
pub(crate) const HALO_SCALE: f64 = 2.8;
pub(crate) const HALO_EDGE: f64 = 21.4;

/// Ranges of the components' points in [`disk_galaxy`]'s arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GalaxyComponents {
    /// The Hernquist bulge, 1/15 of the points.
    pub bulge: Range<usize>,
    /// The exponential disk, 2/15 of the points.
    pub disk: Range<usize>,
    /// The halo, all other points.
    pub halo: Range<usize>,
}

impl GalaxyComponents {
    /// The components of `disk_galaxy(n, seed)` for any seed; shares are rounded to whole points.
    pub fn of(n: usize) -> Self {
        let rounded = |share: usize| (share * n + ALL_SHARES / 2) / ALL_SHARES;
        let bulge = rounded(BULGE_SHARE);
        let disk = bulge + rounded(DISK_SHARE);
        Self { bulge: 0..bulge, disk: bulge..disk, halo: disk..n }
    }
}

/// A disk galaxy about the origin: bulge, disk and halo of masses 1 : 2 : 12, total mass 1.
///
/// Points come in this order ([`GalaxyComponents`]); lengths are in scale lengths of the disk, whose
/// axis is z. With r the distance from the centre and R that from the axis:
///
/// | component | density ∝ | ends at |
/// |---|---|---|
/// | bulge | 1/(r (r + 0.168)³) (L. Hernquist, Astrophys. J. 356, 359, 1990) | r = 0.909 |
/// | disk | e^(−R) sech²(z/0.1) | R = 5 |
/// | halo | e^(−r/2.8)/r | r = 21.4 |
///
/// The disk is that of MW-A with a sharp edge; the bulge has the half-mass radius and the edge of
/// MW-A's; the halo's enclosed mass is MW-A's (a lowered Evans model) within 2 % of its total.
/// Positions and masses only: [`models::disk_galaxy`](crate::models::disk_galaxy) adds velocities. The cloud is neither
/// recentred nor rescaled.
pub fn disk_galaxy(n: usize, seed: u64) -> Cloud {
    let components = GalaxyComponents::of(n);
    cloud(n, seed, |random, i| {
        if components.bulge.contains(&i) {
            bulge(random)
        } else if components.disk.contains(&i) {
            disk(random)
        } else {
            halo(random)
        }
    })
}

/// A point of the bulge, by inverting Hernquist's M(r) = (r/(r + a))².
fn bulge(random: &mut ChaCha8Rng) -> [f64; 3] {
    const S_EDGE: f64 = BULGE_EDGE / (BULGE_EDGE + BULGE_SCALE);
    let s = S_EDGE * unit(random).sqrt();
    scaled(direction(random), BULGE_SCALE * s / (1.0 - s))
}

/// A point of the disk. The density R e^(−R) is that of the sum of two exponential variates.
fn disk(random: &mut ChaCha8Rng) -> [f64; 3] {
    let radius = exponential_pair(random, DISK_EDGE);
    let [x, y] = scaled(direction(random), radius);
    [x, y, DISK_HEIGHT * sech_squared(random)]
}

/// A point of the halo. The mass per radius r² e^(−r/h)/r is again a sum of two exponential variates.
fn halo(random: &mut ChaCha8Rng) -> [f64; 3] {
    let radius = HALO_SCALE * exponential_pair(random, HALO_EDGE / HALO_SCALE);
    scaled(direction(random), radius)
}

/// A number x of [0, edge) of density ∝ x e^(−x).
fn exponential_pair(random: &mut ChaCha8Rng, edge: f64) -> f64 {
    loop {
        let sum = exponential(random) + exponential(random);
        if sum < edge {
            return sum;
        }
    }
}

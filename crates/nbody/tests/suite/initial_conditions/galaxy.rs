//! The disk galaxy: shares, profiles, thickness and centre of its components.

use crate::statistics::{assert_isotropic, assert_uniform, azimuth, radius};
use nbody::initial_conditions::{GalaxyComponents, disk_galaxy};

const N: usize = 60_000;

/// Share of the bulge's mass within r: a Hernquist sphere that ends at 0.909.
pub(crate) fn bulge_within(r: f64) -> f64 {
    let enclosed = |r: f64| (r / (r + 0.168)).powi(2);
    enclosed(r.min(0.909)) / enclosed(0.909)
}

/// Share of the disk's mass within the cylinder of radius R.
pub(crate) fn disk_within(r: f64) -> f64 {
    gamma_2(r.min(5.0)) / gamma_2(5.0)
}

/// Share of the halo's mass within r.
pub(crate) fn halo_within(r: f64) -> f64 {
    gamma_2(r.min(21.4) / 2.8) / gamma_2(21.4 / 2.8)
}

/// ∫₀ˣ t e^(−t) dt.
fn gamma_2(x: f64) -> f64 {
    1.0 - (1.0 + x) * (-x).exp()
}

fn cylindrical(p: &[f64; 3]) -> f64 {
    p[0].hypot(p[1])
}

#[test]
fn masses_are_one_two_twelve() {
    let components = GalaxyComponents::of(15_000);
    assert_eq!(components.bulge, 0..1_000);
    assert_eq!(components.disk, 1_000..3_000);
    assert_eq!(components.halo, 3_000..15_000);
    assert_eq!(disk_galaxy(15, 1).masses, [1.0 / 15.0; 15]);
}

#[test]
fn components_cover_every_count() {
    for n in 0..100 {
        let components = GalaxyComponents::of(n);
        assert_eq!((components.bulge.start, components.halo.end), (0, n));
        assert_eq!(components.bulge.end, components.disk.start);
        assert_eq!(components.disk.end, components.halo.start);
        for (range, share) in [(components.bulge, 1), (components.disk, 2), (components.halo, 12)] {
            let error = (15 * range.len()).abs_diff(share * n);
            assert!(error <= 15, "{share}/15 of {n}: {} points", range.len());
        }
        assert_eq!(disk_galaxy(n, 1).positions.len(), n);
    }
}

#[test]
fn bulge_and_halo_follow_their_mass_profiles() {
    let galaxy = disk_galaxy(N, 3);
    let GalaxyComponents { bulge, halo, .. } = GalaxyComponents::of(N);
    let (bulge, halo) = (&galaxy.positions[bulge], &galaxy.positions[halo]);
    assert!(bulge.iter().all(|p| radius(p) < 0.909 * (1.0 + 4.0 * f64::EPSILON)));
    assert!(halo.iter().all(|p| radius(p) < 21.4 * (1.0 + 4.0 * f64::EPSILON)));
    assert_uniform("bulge", bulge.iter().map(|p| bulge_within(radius(p))));
    assert_uniform("halo", halo.iter().map(|p| halo_within(radius(p))));
    assert_isotropic("bulge", bulge);
    assert_isotropic("halo", halo);
}

#[test]
fn the_disk_is_exponential_and_thin_everywhere() {
    let galaxy = disk_galaxy(N, 3);
    let disk = &galaxy.positions[GalaxyComponents::of(N).disk];
    assert!(disk.iter().all(|p| cylindrical(p) < 5.0 * (1.0 + 4.0 * f64::EPSILON)));
    assert_uniform("radius", disk.iter().map(|p| disk_within(cylindrical(p))));
    assert_uniform("azimuth", disk.iter().map(azimuth));
    for inner in [true, false] {
        let part = disk.iter().filter(|&p| (disk_within(cylindrical(p)) < 0.5) == inner);
        assert_uniform("height", part.map(|p| 0.5 * (1.0 + (p[2] / 0.1).tanh())));
    }
}

#[test]
fn every_component_is_centred() {
    let galaxy = disk_galaxy(N, 3);
    let GalaxyComponents { bulge, disk, halo } = GalaxyComponents::of(N);
    for range in [bulge, disk, halo] {
        let points = &galaxy.positions[range];
        let n = points.len() as f64;
        for axis in 0..3 {
            let mean = points.iter().map(|p| p[axis]).sum::<f64>() / n;
            let variance = points.iter().map(|p| (p[axis] - mean).powi(2)).sum::<f64>() / n;
            assert!(mean.abs() < 5.0 * (variance / n).sqrt(), "axis {axis}: {mean}");
        }
    }
}

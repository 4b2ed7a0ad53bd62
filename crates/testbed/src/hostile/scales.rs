//! Offsets, units and sizes many powers of ten apart.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Parts, Row, SEED, Size, equal, mixed, placed};
use crate::{charges, clouds};

pub(super) const ROWS: &[Row] = &[
    ("cusp-equal", |size| equal(radial(size.of(100_000, 600), 1e-6, 1.0))),
    ("cusp-mixed", |size| mixed(radial(size.of(100_000, 600), 1e-6, 1.0))),
    ("sky-masses", |size| masses(radial(size.of(30_000, 600), 1e-3, 1e3))),
    ("sky-mixed", |size| mixed(radial(size.of(30_000, 600), 1e-3, 1e3))),
    ("clusters-scales-1e9", |size| equal(two_clusters(size, 1e-9, 0.0))),
    ("clusters-scales-1e9-mixed", |size| mixed(two_clusters(size, 1e-9, 0.0))),
    ("clusters-apart-1e9", |size| equal(two_clusters(size, 1.0, 1e9))),
    ("clusters-apart-1e9-mixed", |size| mixed(two_clusters(size, 1.0, 1e9))),
    ("clusters-apart-1e12", |size| equal(two_clusters(size, 1.0, 1e12))),
    ("offset-1e6-masses", |size| masses(offset(size))),
    ("offset-1e6-mixed", |size| mixed(offset(size))),
    ("map-metres-masses", |size| masses(map(size))),
    ("map-metres-mixed", |size| mixed(map(size))),
    ("tiny-1e-25-masses", |size| masses(scaled_cube(size, 1e-25))),
    ("tiny-1e-50-masses", |size| masses(scaled_cube(size, 1e-50))),
    ("tiny-1e-50-mixed", |size| mixed(scaled_cube(size, 1e-50))),
    ("tiny-1e-200-masses", |size| masses(scaled_cube(size, 1e-200))),
    ("huge-1e30-mixed", |size| mixed(scaled_cube(size, 1e30))),
    ("huge-1e150-masses", |size| masses(scaled_cube(size, 1e150))),
    ("coincident-pairs", |size| {
        let cube = clouds::uniform_cube(size.of(10_000, 300), SEED + 60).positions;
        mixed([cube.clone(), cube].concat())
    }),
];

/// Masses uniform in [0, 1).
fn masses(sources: Vec<[f64; 3]>) -> Parts {
    let masses = charges::masses(sources.len(), SEED + 40);
    Parts::new(sources, masses)
}

/// Points in random directions, their distances uniform in the logarithm.
fn radial(n: usize, least: f64, largest: f64) -> Vec<[f64; 3]> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 41);
    let directions = clouds::sphere_surface(n, SEED + 42).positions;
    let radius = |_| least * (largest / least).powf(random.random::<f64>());
    let radii: Vec<f64> = (0..n).map(radius).collect();
    directions.iter().zip(radii).map(|(x, radius)| x.map(|x| radius * x)).collect()
}

/// A ball of radius 1, and one of radius `second` that lies `apart` from it.
fn two_clusters(size: Size, second: f64, apart: f64) -> Vec<[f64; 3]> {
    let n = size.of(10_000, 300);
    let mut points = clouds::uniform_sphere(n, SEED + 43).positions;
    let other = clouds::uniform_sphere(n, SEED + 44).positions;
    let place = [0.31 + 0.48 * apart, 0.17 - 0.6 * apart, -0.23 + 0.64 * apart];
    points.extend(placed(&other, second, place));
    points
}

/// The unit cube at 1e6 along every axis.
fn offset(size: Size) -> Vec<[f64; 3]> {
    placed(&clouds::uniform_cube(size.of(20_000, 600), SEED + 45).positions, 1.0, [1e6; 3])
}

/// Places of a valley of 2 km in metres of a map's grid: easting, northing, height.
fn map(size: Size) -> Vec<[f64; 3]> {
    let cube = clouds::uniform_cube(size.of(20_000, 600), SEED + 46).positions;
    let height = |x: f64, y: f64| 410.0 + 60.0 * (5.0 * x).sin() * (4.0 * y).cos();
    let place = |[x, y, z]: [f64; 3]| {
        [691_000.0 + 2000.0 * x, 5_334_000.0 + 2000.0 * y, height(x, y) + 20.0 * z]
    };
    cube.into_iter().map(place).collect()
}

fn scaled_cube(size: Size, side: f64) -> Vec<[f64; 3]> {
    placed(&clouds::uniform_cube(size.of(10_000, 600), SEED + 47).positions, side, [0.0; 3])
}

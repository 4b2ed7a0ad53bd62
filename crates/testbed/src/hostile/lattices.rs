//! Points on corners, edges and faces of boxes: lattices, planes and lines, and smooth curves and surfaces beside them.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Row, SEED, Size, equal, mixed};

pub(super) const ROWS: &[Row] = &[
    ("grid-33-equal", |size| equal(grid([size.of(33, 9); 3]))),
    ("grid-33-mixed", |size| mixed(grid([size.of(33, 9); 3]))),
    ("grid-27-equal", |size| equal(grid([size.of(27, 8); 3]))),
    ("grid-27-mixed", |size| mixed(grid([size.of(27, 8); 3]))),
    ("grid-32-equal", |size| equal(grid([size.of(32, 8); 3]))),
    ("grid-32-mixed", |size| mixed(grid([size.of(32, 8); 3]))),
    ("grid-40-equal", |size| equal(grid([size.of(40, 10); 3]))),
    ("grid-40-mixed", |size| mixed(grid([size.of(40, 10); 3]))),
    ("slab-65-equal", |size| equal(slab(size))),
    ("slab-65-mixed", |size| mixed(slab(size))),
    ("plane-257-equal", |size| equal(grid([size.of(257, 33), size.of(257, 33), 1]))),
    ("plane-257-mixed", |size| mixed(grid([size.of(257, 33), size.of(257, 33), 1]))),
    ("line-axis-equal", |size| equal(grid([size.of(20_000, 600), 1, 1]))),
    ("line-axis-mixed", |size| mixed(grid([size.of(20_000, 600), 1, 1]))),
    ("line-random-equal", |size| equal(random_line(size))),
    ("line-random-mixed", |size| mixed(random_line(size))),
    ("line-oblique-equal", |size| equal(oblique_line(size))),
    ("line-oblique-mixed", |size| mixed(oblique_line(size))),
    ("square-random-equal", |size| equal(random_square(size))),
    ("square-random-mixed", |size| mixed(random_square(size))),
    ("helix-equal", |size| equal(helix(size.of(20_000, 600)))),
    ("helix-mixed", |size| mixed(helix(size.of(20_000, 600)))),
    ("lattice-2655-equal", |size| equal(grid([size.of(59, 30), size.of(9, 5), 5]))),
    ("lattice-2655-mixed", |size| mixed(grid([size.of(59, 30), size.of(9, 5), 5]))),
    ("fibonacci-equal", |size| equal(fibonacci(size.of(20_000, 600)))),
    ("fibonacci-mixed", |size| mixed(fibonacci(size.of(20_000, 600)))),
];

/// The lattice of integers with these numbers of points along the axes, row by row.
pub(super) fn grid([nx, ny, nz]: [usize; 3]) -> Vec<[f64; 3]> {
    let point = |i: usize| [i / (ny * nz), i / nz % ny, i % nz].map(|x| x as f64);
    (0..nx * ny * nz).map(point).collect()
}

/// Three boxes' corners across and many along: 65 × 65 × 9.
fn slab(size: Size) -> Vec<[f64; 3]> {
    grid([size.of(65, 17), size.of(65, 17), size.of(9, 3)])
}

fn random_line(size: Size) -> Vec<[f64; 3]> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 2);
    (0..size.of(20_000, 600)).map(|_| [0.0, random.random::<f64>(), 0.0]).collect()
}

fn oblique_line(size: Size) -> Vec<[f64; 3]> {
    let n = size.of(20_000, 600);
    (0..n).map(|i| [0.31, 0.72, -1.13].map(|x| x * i as f64 / n as f64)).collect()
}

/// A unit square in the plane z = 0.
fn random_square(size: Size) -> Vec<[f64; 3]> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 3);
    (0..size.of(20_000, 600)).map(|_| [random.random(), random.random(), 0.0]).collect()
}

/// Ten turns of radius 1 and height 2 about the z axis.
fn helix(n: usize) -> Vec<[f64; 3]> {
    let point = |i: usize| {
        let t = i as f64 / n as f64;
        let (sin, cos) = (20.0 * std::f64::consts::PI * t).sin_cos();
        [cos, sin, 2.0 * t]
    };
    (0..n).map(point).collect()
}

/// Points spread evenly over the unit sphere, along a spiral with the golden angle.
pub(super) fn fibonacci(n: usize) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let point = |i: usize| {
        let z = 1.0 - (2 * i + 1) as f64 / n as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        [radius * cos, radius * sin, z]
    };
    (0..n).map(point).collect()
}

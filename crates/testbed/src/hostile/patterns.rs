//! Patterns with a mean of their own: sites at other fractions of boxes, alternating blocks, rings, spirals, molecules, and
//! charges of which most are tiny.

use std::f64::consts::PI;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::lattices::{fibonacci, grid};
use super::{Parts, Row, SEED, equal, mixed, placed};
use crate::{charges, clouds};

pub(super) const ROWS: &[Row] = &[
    ("grid-17-mixed", |size| mixed(grid([size.of(17, 5); 3]))),
    ("grid-24-equal", |size| equal(grid([size.of(24, 6); 3]))),
    ("grid-25-mixed", |size| mixed(grid([size.of(25, 7); 3]))),
    ("grid-34-jittered-mixed", |size| mixed(jittered(size.of(34, 9)))),
    ("plane-97-equal", |size| equal(grid([size.of(97, 25), size.of(97, 25), 1]))),
    ("plane-129-mixed", |size| mixed(grid([size.of(129, 17), size.of(129, 17), 1]))),
    ("salt-plane-96", |size| parity(grid([size.of(96, 24), size.of(96, 24), 1]), 1.0)),
    ("salt-plane-129", |size| parity(grid([size.of(129, 33), size.of(129, 33), 1]), 1.0)),
    ("salt-plane-190", |size| parity(grid([size.of(190, 30), size.of(190, 30), 1]), 1.0)),
    ("salt-slab-49", |size| parity(grid([size.of(49, 13), size.of(49, 13), size.of(9, 5)]), 1.0)),
    ("salt-25", |size| parity(grid([size.of(25, 9); 3]), 1.0)),
    ("salt-24-in-blocks", |size| parity(grid([size.of(24, 9); 3]), 3.0)),
    ("salt-27-many-vacancies", |size| vacancies(size.of(27, 9))),
    ("salt-26-noisy", |size| noisy_salt(size.of(26, 9))),
    ("salt-24-softened", |size| Parts { softening: 1.0, ..parity(grid([size.of(24, 8); 3]), 1.0) }),
    ("grid-27-softened", |size| Parts { softening: 0.5, ..mixed(grid([size.of(27, 8); 3])) }),
    ("face-centred-layers", |size| face_centred_layers(size.of(17, 6))),
    ("three-axes-mixed", |size| mixed(three_axes(size.of(6667, 200)))),
    ("diagonal-ions", |size| diagonal_ions(size.of(20_000, 600))),
    ("ring-equal", |size| equal(ring(size.of(20_000, 600), 0.0))),
    ("rings-opposite", |size| opposite(ring(size.of(10_000, 300), 0.0), [0.0, 0.0, 0.02])),
    ("spheres-opposite", |size| spheres(size.of(10_000, 300))),
    ("spiral-mixed", |size| mixed(spiral(size.of(20_000, 600), |t| t))),
    ("spiral-steep-equal", |size| {
        equal(spiral(size.of(20_000, 600), |t| (14.0 * (t - 1.0)).exp()))
    }),
    ("molecules", |size| molecules(size.of(6000, 200))),
    ("molecules-from-outside", |size| {
        let outside = placed(&cube(size.of(2000, 300), 5), 3.0, [8.0, -2.0, 1.0]);
        molecules(size.of(6000, 200)).at(outside)
    }),
    ("few-large-among-tiny", |size| few_large(size.of(20_000, 600), 1e-7)),
    ("tracers-nine-of-ten", |size| few_large(size.of(20_000, 600), 0.0)),
    ("scales-nested", |size| mixed(nested(size.of(20_000, 600)))),
    ("receivers-in-faces", |size| {
        let count = size.of(16, 7);
        let sites =
            placed(&grid([count + 1; 3]), 1.0 / count as f64, [0.0, 0.0, 0.5 / count as f64]);
        mixed(cube(size.of(20_000, 600), 6)).at(sites)
    }),
    ("offset-1e4-plane-ions", |size| {
        let plane = parity(grid([size.of(141, 24), size.of(141, 24), 1]), 1.0);
        Parts { sources: placed(&plane.sources, 1.0, [1e4, -3e4, 7e3]), ..plane }
    }),
    ("offset-1e5-close-pairs", |size| {
        let pairs = close_pairs(size.of(10_000, 300), 1e-4);
        Parts { sources: placed(&pairs.sources, 1.0, [1e5; 3]), ..pairs }
    }),
];

/// The first seeds of this file.
const PATTERNS: u64 = SEED + 200;

fn cube(n: usize, seed: u64) -> Vec<[f64; 3]> {
    clouds::uniform_cube(n, PATTERNS + seed).positions
}

/// Sites of a grid, each moved by up to half its distance from the next: no two points are close.
fn jittered(side: usize) -> Vec<[f64; 3]> {
    let by = cube(side.pow(3), 8);
    let moved = |(site, by): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|k| site[k] + 0.5 * by[k]);
    grid([side; 3]).iter().zip(&by).map(moved).collect()
}

/// Charges ±1 by the parity of the blocks of a side that sites lie in.
fn parity(sites: Vec<[f64; 3]>, side: f64) -> Parts {
    let block = |x: &[f64; 3]| x.iter().map(|x| (x / side).floor()).sum::<f64>();
    let charge = |x: &[f64; 3]| if block(x) % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let charges = sites.iter().map(charge).collect();
    Parts::new(sites, charges)
}

/// The sites, and the same moved with opposite charges.
fn opposite(sites: Vec<[f64; 3]>, by: [f64; 3]) -> Parts {
    let charges = [vec![1.0; sites.len()], vec![-1.0; sites.len()]].concat();
    Parts::new([placed(&sites, 1.0, by), sites].concat(), charges)
}

/// Salt of which one ion in twenty is missing.
fn vacancies(side: usize) -> Parts {
    let mut random = ChaCha8Rng::seed_from_u64(PATTERNS);
    let sites = grid([side; 3]).into_iter().filter(|_| random.random::<f64>() > 0.05).collect();
    parity(sites, 1.0)
}

/// Salt whose charges differ by a millionth.
fn noisy_salt(side: usize) -> Parts {
    let mut parts = parity(grid([side; 3]), 1.0);
    let noise = charges::mixed(parts.charges.len(), PATTERNS + 1);
    parts.charges.iter_mut().zip(noise).for_each(|(charge, by)| *charge += 1e-6 * by);
    parts
}

/// A face-centred lattice whose layers have one sign each, in turn.
fn face_centred_layers(cells: usize) -> Parts {
    let places = [[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
    let corners = grid([cells; 3]);
    let sites: Vec<[f64; 3]> = places.iter().flat_map(|to| placed(&corners, 1.0, *to)).collect();
    let charges = sites.iter().map(|x| if x[2].fract() == 0.0 { 1.0 } else { -1.0 }).collect();
    Parts::new(sites, charges)
}

/// Points on three lines that meet in the middle of the cube.
fn three_axes(n: usize) -> Vec<[f64; 3]> {
    let place = |axis: usize, i: usize| {
        let mut point = [0.0; 3];
        point[axis] = i as f64 - 0.5 * n as f64 + 0.25;
        point
    };
    (0..3).flat_map(|axis| (0..n).map(move |i| place(axis, i))).collect()
}

/// Alternating charges on the diagonal of a cube.
fn diagonal_ions(n: usize) -> Parts {
    let sites = (0..n).map(|i| [i as f64; 3]).collect();
    Parts::new(sites, (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect())
}

/// A unit circle in a plane z.
fn ring(n: usize, z: f64) -> Vec<[f64; 3]> {
    let point = |i: usize| {
        let (sin, cos) = (2.0 * PI * i as f64 / n as f64).sin_cos();
        [cos, sin, z]
    };
    (0..n).map(point).collect()
}

/// Two spheres of opposite charges about one centre.
fn spheres(n: usize) -> Parts {
    let sphere = fibonacci(n);
    let charges = [vec![1.0; n], vec![-1.0; n]].concat();
    Parts::new([sphere.clone(), placed(&sphere, 0.9, [0.0; 3])].concat(), charges)
}

/// Twelve turns in a plane, with a radius by the share of the way.
fn spiral(n: usize, radius: fn(f64) -> f64) -> Vec<[f64; 3]> {
    let point = |i: usize| {
        let t = (i as f64 + 0.5) / n as f64;
        let (sin, cos) = (24.0 * PI * t).sin_cos();
        [cos, sin, 0.0].map(|x| radius(t) * x)
    };
    (0..n).map(point).collect()
}

/// Neutral molecules of three charges, as wide as a thousandth of the cube.
fn molecules(n: usize) -> Parts {
    let mut random = ChaCha8Rng::seed_from_u64(PATTERNS + 2);
    let mut arm = || [(); 3].map(|()| 1e-3 * (random.random::<f64>() - 0.5));
    let mut sites = Vec::new();
    for center in cube(n, 3) {
        let (a, b) = (arm(), arm());
        sites.extend([center, add(center, a), add(center, b)]);
    }
    let charges = [-0.75, 0.375, 0.375].into_iter().cycle().take(sites.len()).collect();
    Parts::new(sites, charges)
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] + b[axis])
}

/// Charges of both signs of which nine of ten are smaller by a factor.
fn few_large(n: usize, factor: f64) -> Parts {
    let mut parts = mixed(cube(n, 4));
    let small = |(i, charge): (usize, &mut f64)| *charge *= if i % 10 == 3 { 1.0 } else { factor };
    parts.charges.iter_mut().enumerate().for_each(small);
    parts
}

/// Cubes in corners of cubes, each a tenth as wide, with as many points each.
fn nested(n: usize) -> Vec<[f64; 3]> {
    let levels = 10;
    let one = |level: usize| {
        let points = cube(n / levels, 10 + level as u64);
        placed(&points, 0.1_f64.powi(level as i32), [0.0; 3])
    };
    (0..levels).flat_map(one).collect()
}

/// Masses in pairs that are near each other.
fn close_pairs(n: usize, apart: f64) -> Parts {
    let first = cube(n, 7);
    equal([placed(&first, 1.0, [apart, 0.0, 0.0]), first].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_both_signs_are_neutral() {
        let neutral = [
            parity(grid([6; 3]), 1.0),
            parity(grid([6; 3]), 3.0),
            face_centred_layers(4),
            diagonal_ions(8),
            opposite(ring(9, 0.0), [0.0, 0.0, 0.1]),
            spheres(50),
            molecules(7),
        ];
        for parts in neutral {
            assert_eq!(parts.charges.iter().sum::<f64>(), 0.0);
            assert_eq!(parts.charges.len(), parts.sources.len());
        }
    }

    #[test]
    fn blocks_have_one_sign() {
        let parts = parity(grid([6; 3]), 3.0);
        let charge =
            |x: [f64; 3]| parts.charges[parts.sources.iter().position(|site| *site == x).unwrap()];
        assert_eq!(
            [[0.0; 3], [2.0; 3], [3.0, 2.0, 0.0], [3.0, 3.0, 0.0]].map(charge),
            [1.0, 1.0, -1.0, 1.0]
        );
    }
}

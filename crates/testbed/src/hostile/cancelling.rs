//! Sums far below their terms: alternating ions, neutral clouds from afar, and receivers among tracers without charge.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::lattices::grid;
use super::{Parts, Row, SEED, Size, placed};
use crate::{charges, clouds};

pub(super) const ROWS: &[Row] = &[
    ("ions-outside", |size| ions(size, 10.0)),
    ("ions-far-outside", |size| ions(size, 300.0)),
    ("dipoles-afar", dipoles_afar),
    ("neutral-cube-afar", neutral_cube_afar),
    ("nacl-27", |size| salt(size.of(27, 9))),
    ("nacl-28", |size| salt(size.of(28, 10))),
    ("masses-afar-tracers", masses_afar),
    ("masses-afar-tracers-apart", |size| {
        let tracers = clouds::uniform_cube(size.of(5000, 400), SEED + 20).positions;
        masses_afar(size).at(tracers)
    }),
    ("molecule-tracers", molecule),
    ("molecule-tracers-apart", |size| {
        let tracers = clouds::uniform_cube(size.of(5000, 400), SEED + 21).positions;
        molecule(size).at(tracers)
    }),
    ("weak-near-strong-neutral-afar", weak_and_strong),
    ("weak-near-strong-neutral-afar-apart", |size| {
        let near = clouds::uniform_cube(size.of(5000, 400), SEED + 22).positions;
        weak_and_strong(size).at(near)
    }),
    ("mean-removed-cube", |size| {
        let cube = clouds::uniform_cube(size.of(20_000, 600), SEED + 23).positions;
        let charges = neutral(cube.len(), SEED + 24);
        Parts::new(cube, charges)
    }),
];

/// Ions of charge ±1 on a lattice, alternating along each axis.
fn salt(side: usize) -> Parts {
    let sites = grid([side; 3]);
    let charge = |x: &[f64; 3]| if (x[0] + x[1] + x[2]) % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let charges = sites.iter().map(charge).collect();
    Parts::new(sites, charges)
}

/// 216 ions about the origin, seen from a sphere of `radius` around them.
fn ions(size: Size, radius: f64) -> Parts {
    let sphere = clouds::sphere_surface(size.of(3000, 300), SEED + 10).positions;
    let salt = salt(6);
    let sources = placed(&salt.sources, 1.0, [-2.5; 3]);
    Parts::new(sources, salt.charges).at(placed(&sphere, radius, [0.0; 3]))
}

/// Charges of both signs whose sum is zero: consecutive ones are opposite, and exact in f32.
fn neutral(n: usize, seed: u64) -> Vec<f64> {
    let halves = charges::mixed(n / 2, seed);
    halves.into_iter().flat_map(|q| [q, -q]).collect()
}

/// Pairs of opposite charges in a ball, seen from a sphere a hundred radii away.
fn dipoles_afar(size: Size) -> Parts {
    let n = size.of(2000, 200);
    let ball = clouds::uniform_sphere(n, SEED + 11).positions;
    let sphere = clouds::sphere_surface(size.of(3000, 300), SEED + 12).positions;
    Parts::new(ball, neutral(n, SEED + 13)).at(placed(&sphere, 100.0, [0.0; 3]))
}

/// A neutral cube of many charges and a cube of receivers ten sides away.
fn neutral_cube_afar(size: Size) -> Parts {
    let n = size.of(20_000, 600);
    let cube = clouds::uniform_cube(n, SEED + 14).positions;
    let receivers = clouds::uniform_cube(size.of(10_000, 400), SEED + 15).positions;
    Parts::new(cube, neutral(n, SEED + 16)).at(placed(&receivers, 1.0, [10.0, 3.0, -2.0]))
}

/// Masses in a cube far away, and sources of zero mass in the unit cube.
fn masses_afar(size: Size) -> Parts {
    let (n, tracers) = (size.of(3000, 300), size.of(10_000, 500));
    let mut sources = placed(&clouds::uniform_cube(n, SEED + 17).positions, 1.0, [30.0, 5.0, 2.0]);
    sources.extend(clouds::uniform_cube(tracers, SEED + 18).positions);
    let masses = charges::masses(n, SEED + 19).into_iter();
    Parts::new(sources, masses.chain(std::iter::repeat_n(0.0, tracers)).collect())
}

/// A neutral molecule of 60 atoms and size 1e-2 in the middle of a unit cube of tracers without charge.
fn molecule(size: Size) -> Parts {
    let tracers = size.of(10_000, 500);
    let atoms = clouds::uniform_sphere(60, SEED + 30).positions;
    let mut sources = placed(&atoms, 5e-3, [0.5; 3]);
    sources.extend(clouds::uniform_cube(tracers, SEED + 31).positions);
    let charges = neutral(60, SEED + 32).into_iter();
    Parts::new(sources, charges.chain(std::iter::repeat_n(0.0, tracers)).collect())
}

/// Charges of 1e-9 in the unit cube and neutral ones of order 1 in a ball far away.
fn weak_and_strong(size: Size) -> Parts {
    let (weak, strong) = (size.of(5000, 400), size.of(3000, 300));
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 33);
    let mut sources = clouds::uniform_cube(weak, SEED + 34).positions;
    let ball = clouds::uniform_sphere(strong, SEED + 35).positions;
    sources.extend(placed(&ball, 1.0, [50.0, -20.0, 10.0]));
    let mut charges: Vec<f64> = (0..weak).map(|_| 1e-9 * random.random::<f64>()).collect();
    charges.extend(neutral(strong, SEED + 36));
    Parts::new(sources, charges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_clouds_have_no_charge() {
        for parts in [ions(Size::Small, 10.0), dipoles_afar(Size::Small), salt(8)] {
            assert_eq!(parts.charges.iter().sum::<f64>(), 0.0);
        }
        assert_eq!(ions(Size::Full, 10.0).sources.len(), 216);
    }
}

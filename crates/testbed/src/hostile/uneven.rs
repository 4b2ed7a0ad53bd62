//! Uneven problems: charges of which few count, pairs nearer than digits go, and receivers where trees do not look.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::lattices::grid;
use super::{Parts, Row, SEED, Size, equal, mixed, placed};
use crate::{charges, clouds};

pub(super) const ROWS: &[Row] = &[
    ("one-charge-of-all", one_charge),
    ("no-charge-at-all", |size| Parts {
        charges: vec![0.0; cube(size).len()],
        ..equal(cube(size))
    }),
    ("charges-12-decades", |size| decades(size, false)),
    ("charges-12-decades-mixed", |size| decades(size, true)),
    ("pairs-1e-12-opposite", |size| pairs(size, 1e-12, -1.0)),
    ("pairs-1e-12-alike", |size| pairs(size, 1e-12, 1.0)),
    ("pairs-1e-12-opposite-apart", |size| pairs(size, 1e-12, -1.0).at(others(size))),
    ("pairs-1e-5-opposite-apart", |size| pairs(size, 1e-5, -1.0).at(others(size))),
    ("coincident-opposite-apart", |size| coincident_opposite(size).at(others(size))),
    ("coincident-at-one-place", |size| mixed(vec![[0.3, -1.7, 11.0]; size.of(20_000, 600)])),
    ("coincident-at-100-places", |size| {
        let places = clouds::uniform_cube(100, SEED + 100).positions;
        mixed(places.iter().copied().cycle().take(size.of(20_000, 600)).collect())
    }),
    ("receivers-on-corners", |size| mixed(cube(size)).at(corners(size, 1.0))),
    ("receivers-on-corners-outside", |size| equal(cube(size)).at(corners(size, 4.0))),
    ("receivers-at-1e6", |size| mixed(cube(size)).at(placed(&others(size), 1e6, [1e6; 3]))),
    ("receivers-at-1e9", |size| equal(cube(size)).at(placed(&others(size), 1.0, [1e9; 3]))),
    ("receivers-in-and-afar", |size| {
        let mut receivers = others(size);
        receivers.extend(placed(&others(size), 3.0, [1e4, -2e3, 7e3]));
        mixed(cube(size)).at(receivers)
    }),
    ("receivers-in-a-speck", |size| mixed(cube(size)).at(placed(&others(size), 1e-9, [0.5; 3]))),
    ("sources-in-a-speck", |size| mixed(placed(&cube(size), 1e-9, [0.5; 3])).at(others(size))),
    ("four-sources", |size| mixed(clouds::uniform_cube(4, SEED + 101).positions).at(others(size))),
    ("scales-1e-4-and-1e4", two_scales),
    ("needle", |size| mixed(stretched(size, [1.0, 1e-3, 1e-6]))),
    ("sheet", |size| equal(stretched(size, [1.0, 1.0, 1e-5]))),
    ("cantor-dust", |size| equal(dust(size.of(20_000, 600)))),
    ("offset-1e12-mixed", |size| mixed(placed(&cube(size), 1.0, [1e12, -3e11, 5e9]))),
    ("softened-1e-300", |size| Parts { softening: 1e-300, ..mixed(cube(size)) }),
    ("softened-1e-7", |size| Parts { softening: 1e-7, ..mixed(cube(size)) }),
    ("softened-1", |size| Parts { softening: 1.0, ..mixed(cube(size)) }),
    ("softened-1e6", |size| Parts { softening: 1e6, ..mixed(cube(size)) }),
    ("softened-as-boxes", |size| Parts { softening: 0.03, ..mixed(cube(size)) }),
];

fn cube(size: Size) -> Vec<[f64; 3]> {
    clouds::uniform_cube(size.of(20_000, 600), SEED + 102).positions
}

fn others(size: Size) -> Vec<[f64; 3]> {
    clouds::uniform_cube(size.of(5000, 400), SEED + 103).positions
}

fn one_charge(size: Size) -> Parts {
    let mut parts = equal(cube(size));
    parts.charges.fill(0.0);
    parts.charges[77] = -3.0;
    parts
}

/// Charges uniform in the logarithm over twelve powers of ten, of one sign or of both.
fn decades(size: Size, both: bool) -> Parts {
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 104);
    let mut charge = || {
        let sign = if both && random.random::<bool>() { -1.0 } else { 1.0 };
        sign * 10.0_f64.powf(12.0 * random.random::<f64>() - 6.0)
    };
    let sources = cube(size);
    let charges = sources.iter().map(|_| charge()).collect();
    Parts::new(sources, charges)
}

/// Points of which every second is `apart` from the one before and has its charge times `factor`.
fn pairs(size: Size, apart: f64, factor: f64) -> Parts {
    let n = size.of(10_000, 300);
    let first = clouds::uniform_cube(n, SEED + 105).positions;
    let second = placed(&first, 1.0, [apart, 0.0, 0.0]);
    let charges = charges::mixed(n, SEED + 106);
    let other = charges.iter().map(|q| q * factor).collect();
    Parts::new([first, second].concat(), [charges, other].concat())
}

/// Opposite charges of order 10⁶ at the same places among others of order 1.
fn coincident_opposite(size: Size) -> Parts {
    let n = size.of(5000, 200);
    let places = clouds::uniform_cube(n, SEED + 107).positions;
    let strong: Vec<f64> = charges::masses(n, SEED + 108).iter().map(|m| 1e6 * m).collect();
    let opposite = strong.iter().map(|q| -q).collect();
    let weak = charges::mixed(n, SEED + 109);
    let rest = clouds::uniform_cube(n, SEED + 110).positions;
    Parts::new([places.clone(), places, rest].concat(), [strong, opposite, weak].concat())
}

/// A lattice of receivers about the middle of the unit cube, as wide as `side`: on corners of boxes.
fn corners(size: Size, side: f64) -> Vec<[f64; 3]> {
    let count = size.of(17, 8);
    let low = 0.5 - 0.5 * side;
    placed(&grid([count + 1; 3]), side / count as f64, [low; 3])
}

/// Clusters of side 1e-4 in a cube of side 1e4.
fn two_scales(size: Size) -> Parts {
    let centres = clouds::uniform_cube(size.of(200, 10), SEED + 111).positions;
    let cluster = clouds::uniform_cube(size.of(100, 60), SEED + 112).positions;
    let place = |centre: &[f64; 3]| placed(&cluster, 1e-4, centre.map(|x| 1e4 * x));
    mixed(centres.iter().flat_map(place).collect())
}

fn stretched(size: Size, sides: [f64; 3]) -> Vec<[f64; 3]> {
    cube(size).iter().map(|x| [0, 1, 2].map(|axis| x[axis] * sides[axis])).collect()
}

/// Points whose digits in base 3 are 0 and 2.
fn dust(n: usize) -> Vec<[f64; 3]> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED + 113);
    let mut digits = || {
        let digit = |x: f64, _| (x + if random.random::<bool>() { 2.0 } else { 0.0 }) / 3.0;
        (0..30).fold(0.0, digit)
    };
    (0..n).map(|_| [digits(), digits(), digits()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_opposite_charges_are_neutral_and_near() {
        let parts = pairs(Size::Small, 1e-12, -1.0);
        let n = parts.sources.len() / 2;
        assert!((0..n).all(|i| parts.charges[i] + parts.charges[n + i] == 0.0));
        let distance = parts.sources[n][0] - parts.sources[0][0];
        assert!((0.5e-12..2e-12).contains(&distance), "{distance}");
    }

    #[test]
    fn dust_has_no_point_in_the_middle_third() {
        assert!(dust(500).iter().flatten().all(|x| !(0.334..0.666).contains(x)));
    }
}

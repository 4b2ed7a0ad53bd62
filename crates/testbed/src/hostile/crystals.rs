//! Crystals of ions and other even sets of charges, whose sums cancel in ways that a cubic lattice of salt does not.

use super::lattices::grid;
use super::{Parts, Row, SEED, Size, placed};
use crate::clouds;

pub(super) const ROWS: &[Row] = &[
    ("cscl-21", |size| caesium(size.of(21, 8), 0.0)),
    ("cscl-24-shaken", |size| caesium(size.of(24, 8), 1e-6)),
    ("zinc-blende-13", |size| zinc_blende(size.of(13, 4))),
    ("fluorite-11", |size| fluorite(size.of(11, 4))),
    ("hexagonal-plane-ions", |size| boron_nitride(size.of(90, 14))),
    ("salt-plane-141", |size| alternating(grid([size.of(141, 24), size.of(141, 24), 1]))),
    ("salt-line", |size| alternating(grid([size.of(20_000, 600), 1, 1]))),
    ("salt-rod", |size| alternating(grid([size.of(2500, 64), 3, 3]))),
    ("salt-26-vacancy", |size| vacancy(size.of(26, 9))),
    ("salt-27-apart", salt_apart),
    ("capacitor", |size| capacitor(size.of(101, 17))),
    ("layers-of-one-sign", |size| layers(size.of(27, 9))),
    ("shell-from-inside", shell_from_inside),
];

/// Points of two kinds with charges that cancel as a whole.
fn kinds(positive: Vec<[f64; 3]>, negative: Vec<[f64; 3]>, charges: [f64; 2]) -> Parts {
    let mut values = vec![charges[0]; positive.len()];
    values.extend(vec![charges[1]; negative.len()]);
    Parts::new([positive, negative].concat(), values)
}

/// Charges ±1 by the parity of the coordinates' sum.
fn alternating(sites: Vec<[f64; 3]>) -> Parts {
    let charge = |x: &[f64; 3]| if (x[0] + x[1] + x[2]) % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let charges = sites.iter().map(charge).collect();
    Parts::new(sites, charges)
}

/// Two simple cubic lattices, one in the middles of the other's cells, each site moved by up to `shake`.
fn caesium(side: usize, shake: f64) -> Parts {
    let sites = grid([side; 3]);
    let mut parts = kinds(sites.clone(), placed(&sites, 1.0, [0.5; 3]), [1.0, -1.0]);
    let moves = clouds::uniform_cube(parts.sources.len(), SEED + 90).positions;
    for (x, by) in parts.sources.iter_mut().zip(moves) {
        *x = [0, 1, 2].map(|axis| x[axis] + shake * (by[axis] - 0.5));
    }
    parts
}

/// Corners and middles of faces of cubic cells.
fn face_centred(cells: usize) -> Vec<[f64; 3]> {
    let corners = grid([cells; 3]);
    let places = [[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
    places.iter().flat_map(|to| placed(&corners, 1.0, *to)).collect()
}

/// Two face-centred lattices, a quarter of the diagonal apart.
fn zinc_blende(cells: usize) -> Parts {
    let sites = face_centred(cells);
    kinds(sites.clone(), placed(&sites, 1.0, [0.25; 3]), [2.0, -2.0])
}

/// A face-centred lattice of charge 2 and one of −1 in the middles of its eighths.
fn fluorite(cells: usize) -> Parts {
    let sites = face_centred(cells);
    let eighths = grid([2 * cells; 3]);
    kinds(sites, placed(&eighths, 0.5, [0.25; 3]), [2.0, -1.0])
}

/// A plane of hexagons with alternating charges, whose coordinates are no ratios of each other.
fn boron_nitride(side: usize) -> Parts {
    let height = 3.0_f64.sqrt();
    let site = |[i, j, _]: [f64; 3]| [height * (i + 0.5 * j), 1.5 * j, 0.0];
    let boron: Vec<[f64; 3]> = grid([side, side, 1]).into_iter().map(site).collect();
    let nitrogen = placed(&boron, 1.0, [0.0, 1.0, 0.0]);
    kinds(boron, nitrogen, [1.0, -1.0])
}

/// Salt of an even side with one ion missing, so that a single charge is seen from afar.
fn vacancy(side: usize) -> Parts {
    let mut sites = grid([side; 3]);
    sites.remove(sites.len() / 2 + side / 3);
    alternating(sites)
}

/// Salt, and receivers in the middles of its cells, where no near pair outweighs the others.
fn salt_apart(size: Size) -> Parts {
    let side = size.of(27, 9);
    let receivers = placed(&grid([side - 1; 3]), 1.0, [0.5, 0.5, 0.25]);
    alternating(grid([side; 3])).at(receivers)
}

/// Two plates of opposite charge, a thousandth of their side apart.
fn capacitor(side: usize) -> Parts {
    let plate = placed(&grid([side, side, 1]), 1.0 / side as f64, [0.0; 3]);
    let other = placed(&plate, 1.0, [0.0, 0.0, 1e-3]);
    kinds(plate, other, [1.0, -1.0])
}

/// Planes of a lattice with charges of one sign each, in turn.
fn layers(side: usize) -> Parts {
    let sites = grid([side; 3]);
    let charge = |x: &[f64; 3]| if x[2] % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let charges = sites.iter().map(charge).collect();
    Parts::new(sites, charges)
}

/// Equal masses on a sphere and receivers inside, where the gradient cancels.
fn shell_from_inside(size: Size) -> Parts {
    let n = size.of(20_000, 600);
    let inside = clouds::uniform_sphere(size.of(5000, 400), SEED + 91).positions;
    super::equal(super::lattices::fibonacci(n)).at(placed(&inside, 0.8, [0.0; 3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crystals_have_no_charge() {
        let crystals =
            [caesium(5, 1e-6), zinc_blende(3), fluorite(3), boron_nitride(6), capacitor(9)];
        for parts in crystals {
            assert_eq!(parts.charges.iter().sum::<f64>(), 0.0);
        }
        assert_eq!(vacancy(8).charges.iter().sum::<f64>().abs(), 1.0);
    }
}

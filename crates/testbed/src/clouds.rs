//! Named point sets, on which the conformance suite runs.
//!
//! [`distributions`] are the sets a tolerance is promised on, [`real`] published data and
//! [`degenerate`] the shapes that break trees.

use std::path::Path;

use chacha20::ChaCha8Rng;
use formats::{Charges, Selection, read_points};
use nbody::initial_conditions;
use rand::{RngExt, SeedableRng};

/// A point set with its name.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// Name in messages and tables.
    pub name: &'static str,
    /// Positions, in the unit that the constructor states.
    pub positions: Vec<[f64; 3]>,
    /// Masses or partial charges of the set itself, in the order of `positions`.
    pub charges: Vec<f64>,
}

/// Distributions of four kinds: uniform cube (even), sphere surface (hollow), Plummer (concentrated), two clusters.
pub fn distributions(n: usize, seed: u64) -> Vec<Cloud> {
    vec![uniform_cube(n, seed), sphere_surface(n, seed), plummer(n, seed), two_clusters(n, seed)]
}

/// Sets of lower dimension or with points on faces of boxes: line, plane, lattice, coincident.
pub fn degenerate(n: usize, seed: u64) -> Vec<Cloud> {
    vec![line(n, seed), plane(n, seed), lattice(n), coincident(n)]
}

/// The data sets of `data/`: a fifth of Palomar 5 and the acetylcholine binding protein.
pub fn real() -> Result<Vec<Cloud>, formats::Error> {
    Ok(vec![pal5()?, achbp()?])
}

/// `n` points uniform in the unit cube, masses 1/n.
pub fn uniform_cube(n: usize, seed: u64) -> Cloud {
    named("uniform cube", initial_conditions::uniform_cube(n, seed))
}

/// `n` points uniform on the unit sphere, masses 1/n.
pub fn sphere_surface(n: usize, seed: u64) -> Cloud {
    named("sphere surface", initial_conditions::sphere_surface(n, seed))
}

/// `n` points on a torus of radii 1 and 0.4, evenly in both angles: a surface whose points are denser at the inside.
pub fn torus(n: usize, seed: u64) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut point = || {
        let [around, across] = [(); 2].map(|()| std::f64::consts::TAU * random.random::<f64>());
        let from_axis = 1.0 + 0.4 * across.cos();
        [from_axis * around.cos(), from_axis * around.sin(), 0.4 * across.sin()]
    };
    equal_masses("torus", (0..n).map(|_| point()).collect())
}

/// `n` points of a Plummer model of scale radius 1, masses 1/n.
pub fn plummer(n: usize, seed: u64) -> Cloud {
    named("plummer", initial_conditions::plummer(n, seed))
}

/// `n` points uniform in the unit ball, masses 1/n.
pub fn uniform_sphere(n: usize, seed: u64) -> Cloud {
    named("uniform sphere", initial_conditions::uniform_sphere(n, seed))
}

/// `n` points of a disk galaxy: bulge, disk and halo of masses 1 : 2 : 12, masses 1/n.
pub fn galaxy(n: usize, seed: u64) -> Cloud {
    named("disk galaxy", initial_conditions::disk_galaxy(n, seed))
}

/// Two Plummer models of scale radius 1, their centres 1000 apart along a skew direction.
pub fn two_clusters(n: usize, seed: u64) -> Cloud {
    const CENTRE: [f64; 3] = [600.0, -640.0, 480.0];
    let mut positions = initial_conditions::plummer(n - n / 2, seed).positions;
    let second = initial_conditions::plummer(n / 2, seed.wrapping_add(1)).positions;
    positions.extend(second.iter().map(|p| std::array::from_fn(|axis| p[axis] + CENTRE[axis])));
    equal_masses("two clusters", positions)
}

/// `n` points uniform on a unit piece of the x axis.
pub fn line(n: usize, seed: u64) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    equal_masses("line", (0..n).map(|_| [random.random(), 0.0, 0.0]).collect())
}

/// `n` points uniform on a unit square at z = 0.25.
pub fn plane(n: usize, seed: u64) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    equal_masses("plane", (0..n).map(|_| [random.random(), random.random(), 0.25]).collect())
}

/// The first `n` points, row by row, of the smallest cubic lattice of integers that holds `n`.
pub fn lattice(n: usize) -> Cloud {
    let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
    let point = |i: usize| [i / (side * side), i / side % side, i % side].map(|x| x as f64);
    equal_masses("lattice", (0..n).map(point).collect())
}

/// `n` times the same point.
pub fn coincident(n: usize) -> Cloud {
    equal_masses("coincident", vec![[0.3, 0.7, -1.1]; n])
}

/// 20 000 stars of the cluster Palomar 5 and its tidal tails; kpc and solar masses.
pub fn pal5() -> Result<Cloud, formats::Error> {
    read("pal5", "pal5-sample.csv.gz", Charges::Named)
}

/// The 16 090 atoms of the acetylcholine binding protein; ångström and elementary charges.
pub fn achbp() -> Result<Cloud, formats::Error> {
    read("achbp", "achbp.pqr.gz", Charges::Named)
}

/// The 20 558 points of a laser scan of trees, roofs and ground; feet, unit charges.
pub fn autzen() -> Result<Cloud, formats::Error> {
    read("autzen", "autzen-sample.csv.gz", Charges::Unit)
}

/// The 7 201 vertices of the molecular surface of lysozyme; ångström, unit charges.
pub fn lysozyme() -> Result<Cloud, formats::Error> {
    read("lysozyme", "lysozyme-vertices.dat.gz", Charges::Unit)
}

fn read(name: &'static str, file: &str, charges: Charges) -> Result<Cloud, formats::Error> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data")).join(file);
    let table = read_points(path, &Selection { charges, ..Selection::default() })?;
    Ok(Cloud { name, positions: table.positions, charges: table.charges })
}

fn named(name: &'static str, cloud: nbody::initial_conditions::Cloud) -> Cloud {
    Cloud { name, positions: cloud.positions, charges: cloud.masses }
}

fn equal_masses(name: &'static str, positions: Vec<[f64; 3]>) -> Cloud {
    let charges = vec![1.0 / positions.len() as f64; positions.len()];
    Cloud { name, positions, charges }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_the_size_asked_for() {
        for n in [0, 1, 2, 9, 100] {
            for cloud in distributions(n, 4).into_iter().chain(degenerate(n, 4)) {
                assert_eq!(cloud.positions.len(), n, "{}", cloud.name);
                assert_eq!(cloud.charges.len(), n, "{}", cloud.name);
                assert!(cloud.positions.as_flattened().iter().all(|x| x.is_finite()));
            }
        }
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<_> =
            distributions(1, 0).iter().chain(&degenerate(1, 0)).map(|cloud| cloud.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 8);
    }

    /// A Plummer model cut at 0.999 of its mass ends at radius 38.7.
    #[test]
    fn the_two_clusters_are_far_apart() {
        let positions = two_clusters(400, 6).positions;
        let radius_from = |centre: [f64; 3], p: &[f64; 3]| {
            (0..3).map(|axis| (p[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt()
        };
        assert!(positions[..200].iter().all(|p| radius_from([0.0; 3], p) < 39.0));
        assert!(positions[200..].iter().all(|p| radius_from([600.0, -640.0, 480.0], p) < 39.0));
    }

    #[test]
    fn the_lattice_fills_a_cube() {
        let positions = lattice(27).positions;
        assert_eq!(positions[0], [0.0; 3]);
        assert_eq!(positions[5], [0.0, 1.0, 2.0]);
        assert_eq!(positions[26], [2.0; 3]);
    }

    #[test]
    fn the_real_sets_are_the_published_ones() {
        let pal5 = pal5().unwrap();
        assert_eq!((pal5.positions.len(), pal5.charges.len()), (20_000, 20_000));
        assert_eq!(pal5.positions[0], [-2.01562213, -7.40317904, 8.812905]);
        assert_eq!(pal5.charges[0], 24.4675951);
        let achbp = achbp().unwrap();
        assert_eq!((achbp.positions.len(), achbp.charges.len()), (16_090, 16_090));
        // Charges in the file have three decimals.
        assert!((achbp.charges.iter().sum::<f64>() + 49.67).abs() < 16_090.0 * f64::EPSILON * 50.0);
    }
}

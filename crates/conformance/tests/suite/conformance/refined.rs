//! Cells that are refined around a few places, each with its volume as charge and a sign: a heavy charge is beside light ones,
//! and few receivers have most of the error, those next to it in a corner of an ancestor's box. The oracle sees all receivers.

use fmm::{Depth, Method};
use testbed::clouds;
use testbed::conformance::{Bed, Oracle, Problem};

/// Places around which cells are refined.
const PLACES: usize = 3;

/// The coarsest and the finest cells of such a grid, by level.
const LEVELS: [u32; 2] = [2, 7];

/// Small leaves, so that expansions act between so few points.
const SHAPE: Depth = Depth::Adaptive { leaf_capacity: 20 };

/// Adds the cells of a cube of this corner and level, which is cut into eight while it is coarse, or nearer to a place than 3/2 of
/// its side.
fn add_cells(corner: [f64; 3], level: u32, places: &[[f64; 3]], cells: &mut Vec<([f64; 3], f64)>) {
    let side = f64::exp2(-f64::from(level));
    let centre = corner.map(|c| c + 0.5 * side);
    let square = |place: &[f64; 3]| (0..3).map(|k| (place[k] - centre[k]).powi(2)).sum::<f64>();
    let is_near = places.iter().any(|place| square(place) < 2.25 * side * side);
    if level < LEVELS[0] || level < LEVELS[1] && is_near {
        for octant in 0..8 {
            let shift = [0, 1, 2].map(|k| 0.5 * side * f64::from(octant >> k & 1));
            let corner = [0, 1, 2].map(|k| corner[k] + shift[k]);
            add_cells(corner, level + 1, places, cells);
        }
    } else {
        cells.push((centre, side.powi(3)));
    }
}

fn refined_cells_keep_the_tolerance(bed: Bed) {
    let engine = bed.engines().find(|engine| engine.method == Method::Fmm).unwrap();
    let (seeds, tolerances) = match bed.is_slow() {
        true => (0..1, &[1e-9][..]),
        false => (0..6, &[1e-6, 1e-9, 1e-12][..]),
    };
    for seed in seeds {
        let mut cells = Vec::new();
        let places = clouds::uniform_cube(PLACES, 300 + seed).positions;
        add_cells([0.0; 3], 0, &places, &mut cells);
        let (positions, volumes): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        let signs = clouds::uniform_cube(positions.len(), 400 + seed).positions;
        let signed = volumes.iter().zip(&signs);
        let charges: Vec<f64> =
            signed.map(|(volume, [x, ..])| if *x < 0.5 { -volume } else { *volume }).collect();
        let problem = Problem::<f64>::new("refined cells", &positions, &charges);
        let oracle = Oracle::new(&problem, usize::MAX);
        for tolerance in tolerances {
            let fmm = engine.fmm().tolerance(*tolerance).depth(SHAPE);
            let field = engine.field(&problem, fmm).unwrap();
            let error = oracle.errors(&field).worse();
            assert!(error <= *tolerance, "{seed} at {tolerance:e}: {error:e}");
            assert!(field.report.m2l_pairs > 0, "{seed} at {tolerance:e}");
        }
    }
}

on_devices! {
    refined_cells_keep_the_tolerance: cpu emulated cuda ranks;
}

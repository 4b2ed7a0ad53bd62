//! Close points of f32: pairs nearer than 10⁻¹² of the extent, which sums in f32 leave out as coincident, are in the field.

use fmm::{Fmm, Method};
use testbed::conformance::{Bed, Oracle, Problem};
use testbed::{charges, clouds};

const TOLERANCE: f64 = 1e-4;

/// A cluster beside zero and a point so far away that f32 leaves many of its pairs out.
fn clusters_beside_a_far_point_are_right(bed: Bed) {
    let n = bed.points(2000);
    for distance in [1e10, 3e13] {
        let mut positions = clouds::uniform_cube(n, 51).positions;
        positions.push([distance, 0.0, 0.0]);
        for charges in [charges::masses(n + 1, 52), charges::mixed(n + 1, 53)] {
            is_right(bed, &Problem::new(format!("far {distance:e}"), &positions, &charges));
        }
    }
}

/// Pairs across zero in a cloud, whose two fields are as large as that of all others; receivers of their own.
fn pairs_beside_zero_are_right(bed: Bed) {
    let n = bed.points(2000);
    let cloud = clouds::uniform_cube(n, 54).positions;
    let mut positions: Vec<_> = cloud.iter().map(|p| p.map(|x| x - 0.5)).collect();
    positions.extend([[0.0, 0.25, 0.125], [3e-13, 0.25, 0.125]]);
    let mut charges = charges::masses(n + 2, 55);
    charges[n..].fill(1e-9);
    is_right(bed, &Problem::new("pair", &positions, &charges));
    let receivers = [[-2e-13, 0.25, 0.125], [0.1, 0.2, 0.3]];
    is_right(bed, &Problem::new("receiver", &positions, &charges).at(&receivers));
}

fn is_right(bed: Bed, problem: &Problem<f32>) {
    let oracle = Oracle::new(problem, 1000);
    for engine in bed.engines() {
        let field = engine.field(problem, engine.fmm().tolerance(TOLERANCE)).unwrap();
        let error = oracle.errors(&field).worse();
        assert!(error <= TOLERANCE, "{}, {}: {error:e}", problem.name, engine.method);
    }
}

/// A plan goes from points apart to close ones and back.
#[test]
fn moved_points_come_close() {
    let n = 2000;
    let apart = clouds::uniform_cube(n, 56).positions;
    let mut close = apart.clone();
    close[7] = [1e10, 0.0, 0.0];
    let charges = charges::mixed(n, 57);
    let [apart, close] = [apart, close].map(|at| Problem::<f32>::new("moved", &at, &charges));
    let mut plan = apart.plan(Fmm::new().method(Method::Fmm).tolerance(TOLERANCE)).unwrap();
    for problem in [&close, &apart, &close] {
        plan.update_positions(&problem.sources).unwrap();
        let field = plan.evaluate(&problem.charges).unwrap();
        assert!(Oracle::new(problem, 1000).errors(&field).worse() <= TOLERANCE);
        // Boxes of positions in f64 are in a unit of their own.
        assert_eq!(plan.octree().is_some(), problem.sources == apart.sources);
    }
}

on_devices_and_ranks! {
    clusters_beside_a_far_point_are_right,
    pairs_beside_zero_are_right,
}

//! The treecode beyond the tolerances that its walks reach: orders of walks end at 5 on a GPU.

use fmm::{Depth, Error, Opening, Treecode};
use testbed::conformance::{Bed, Oracle, Problem};
use testbed::{charges, clouds};

/// The treecode goes on lists where no criterion is asked for.
fn lists_take_the_place_of_walks_that_reach_no_tolerance(bed: Bed) {
    let engine = bed.engine(Treecode::new().into());
    let cloud = clouds::uniform_cube(bed.points(5000), 13);
    let mixed = charges::mixed(cloud.positions.len(), 14);
    let problem = Problem::<f64>::new("cube", &cloud.positions, &mixed);
    let oracle = Oracle::new(&problem, 1000);
    for tolerance in [1e-8, 1e-11] {
        let fmm = engine.fmm().tolerance(tolerance).depth(Depth::Adaptive { leaf_capacity: 20 });
        let field = engine.field(&problem, fmm).unwrap();
        assert_eq!(field.report.opening, Some(Opening::Neighbours));
        assert!(field.report.m2p_pairs > 0);
        let error = oracle.errors(&field).worse();
        assert!(error <= tolerance, "{error:e}");
    }
}

/// A plan that walks for masses refuses charges of both signs where its walks reach the tolerance for masses alone.
fn walks_that_reach_no_tolerance_for_charges_are_refused(bed: Bed) {
    let cloud = clouds::uniform_cube(bed.points(2000), 13);
    let mixed = charges::mixed(cloud.positions.len(), 14);
    let mut refused = 0;
    for tolerance in (0..20).map(|k| 1e-6 * 0.8_f64.powi(k)) {
        let plan =
            bed.engine(Treecode::new().into()).fmm().tolerance(tolerance).plan(&cloud.positions);
        let plan = plan.unwrap();
        let walks = plan.report().opening != Some(Opening::Neighbours);
        if let Err(error) = plan.evaluate(&mixed) {
            assert!(walks && error == Error::WalksOutOfReach { tolerance }, "{error}");
            refused += 1;
        }
    }
    assert!(refused > 0);
}

on_devices! {
    lists_take_the_place_of_walks_that_reach_no_tolerance: emulated cuda;
    walks_that_reach_no_tolerance_for_charges_are_refused: emulated cuda;
}

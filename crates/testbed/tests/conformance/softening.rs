//! Plummer softening: the softened sum, within the tolerance, at any softening length.

use fmm::{Depth, Method};
use testbed::conformance::{ENGINES, Oracle, Precision, Problem};
use testbed::{charges, clouds};

const POINTS: usize = 4000;

fn softened_sums_are_right<T: Precision>(tolerances: &[f64]) {
    for (cloud, extent) in
        [(clouds::uniform_cube(POINTS, 1), 1.0), (clouds::plummer(POINTS, 1), 40.0)]
    {
        for (kind, charges) in
            [("masses", charges::masses(POINTS, 2)), ("mixed", charges::mixed(POINTS, 3))]
        {
            let problem = Problem::<T>::new(cloud.name, &cloud.positions, &charges);
            for fraction in [1e-12, 1e-4, 1e-3, 1e-2, 0.1, 0.3, 3.0] {
                let softening = fraction * extent;
                let oracle = Oracle::softened(&problem, 1000, softening);
                for (engine, tolerance) in ENGINES
                    .into_iter()
                    .flat_map(|engine| tolerances.iter().map(move |t| (engine, t)))
                {
                    let fmm = engine.fmm().tolerance(*tolerance).softening(softening);
                    let error = oracle.errors(&problem.field(fmm).unwrap()).worse();
                    assert!(
                        error <= *tolerance,
                        "{}, {kind}, {} by {} at {tolerance:e}, softened by {softening:e}: {error:e}",
                        cloud.name,
                        T::NAME,
                        engine.method
                    );
                }
            }
        }
    }
}

#[test]
fn softened_sums_are_right_in_f64() {
    softened_sums_are_right::<f64>(&[1e-3, 1e-6, 1e-9]);
}

#[test]
fn softened_sums_are_right_in_f32() {
    softened_sums_are_right::<f32>(&[1e-3, 1e-5]);
}

/// Too little softening to matter leaves the expansions in use.
#[test]
fn a_little_softening_costs_little() {
    let cloud = clouds::uniform_cube(POINTS, 4);
    let fmm = fmm::Fmm::new().method(Method::Fmm).tolerance(1e-3);
    let hard = fmm.plan(&cloud.positions).unwrap();
    let soft = fmm.softening(1e-4).plan(&cloud.positions).unwrap();
    assert!(hard.report().m2l_pairs > 0);
    assert_eq!(soft.report().m2l_pairs, hard.report().m2l_pairs);
}

/// Moved points keep softening and tolerance, though the side of the domain changes.
#[test]
fn softening_stays_when_points_move() {
    let (n, softening, tolerance) = (POINTS, 0.01, 1e-4);
    let small =
        Problem::<f64>::new("cube", &clouds::uniform_cube(n, 5).positions, &charges::mixed(n, 6));
    let spread: Vec<[f64; 3]> = small.sources.iter().map(|p| p.map(|x| 30.0 * x)).collect();
    let large = Problem::<f64>::new("spread", &spread, &small.charges.clone());
    let fmm = fmm::Fmm::new().method(Method::Fmm).tolerance(tolerance).softening(softening);
    let mut plan = large.plan(fmm).unwrap();
    plan.update_positions(&small.sources).unwrap();
    let field = plan.evaluate(&small.charges).unwrap();
    let error = Oracle::softened(&small, 1000, softening).errors(&field).worse();
    assert!(error <= tolerance, "{error:e}");
}

/// A point feels no softened self, at any depth.
#[test]
fn the_self_term_is_dropped() {
    let points = vec![[0.25, 0.5, 0.75]; 3];
    for engine in ENGINES {
        let fmm = engine.fmm().softening(0.1).depth(Depth::Uniform(2));
        let field = fmm.plan(&points).unwrap().evaluate(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(field.potential, [0.0; 3]);
        assert_eq!(field.gradient, [[0.0; 3]; 3]);
    }
}

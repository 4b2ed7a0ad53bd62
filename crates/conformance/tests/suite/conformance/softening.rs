//! Plummer softening: the softened sum, within the tolerance, at any softening length.

use fmm::{Depth, Fmm, Method};
use testbed::conformance::{Bed, Oracle, Precision, Problem};
use testbed::{charges, clouds};

const POINTS: usize = 4000;

fn softened_sums_are_right<T: Precision>(bed: Bed, tolerances: &[f64]) {
    let n = bed.points(POINTS);
    let sets = [(clouds::uniform_cube(n, 1), 1.0), (clouds::plummer(n, 1), 40.0)];
    for (cloud, extent) in &sets {
        for charges in [charges::masses(n, 2), charges::mixed(n, 3)] {
            let problem = Problem::<T>::new(cloud.name, &cloud.positions, &charges);
            let fractions = [1e-3, 0.1, 1e-12, 1e-4, 1e-2, 0.3, 3.0];
            for fraction in fractions.into_iter().take(if bed.is_brief() { 2 } else { 7 }) {
                is_right(bed, &problem, fraction * extent, tolerances);
            }
        }
    }
}

fn is_right<T: Precision>(bed: Bed, problem: &Problem<T>, softening: f64, tolerances: &[f64]) {
    let oracle = Oracle::softened(problem, 1000, softening);
    // Where softening leaves no near terms, mixed charges cancel. The rounding errors of the terms
    // do not: they add up like a random walk.
    let magnitudes = Oracle::of_magnitudes(problem, 1000, softening);
    let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let condition = (square(&magnitudes.potential) / square(&oracle.potential)).sqrt();
    let rounding = 8.0 * T::EPSILON * condition / (problem.sources.len() as f64).sqrt();
    for engine in bed.engines() {
        for tolerance in tolerances.iter().filter(|t| **t >= engine.smallest::<T>()) {
            let fmm = engine.fmm().tolerance(*tolerance).softening(softening);
            let errors = oracle.errors(&engine.field(problem, fmm).unwrap());
            let (potential, gradient) = (errors.potential.l2, errors.gradient.l2);
            assert!(
                potential <= tolerance + rounding && gradient <= *tolerance,
                "{}, {} by {} at {tolerance:e}, softened by {softening:e}: {potential:e} {gradient:e}",
                problem.name,
                T::NAME,
                engine.method
            );
        }
    }
}

fn softened_sums_are_right_in_f64(bed: Bed) {
    softened_sums_are_right::<f64>(bed, &[1e-3, 1e-6, 1e-9]);
}

fn softened_sums_are_right_in_f32(bed: Bed) {
    softened_sums_are_right::<f32>(bed, &[1e-3, 1e-5]);
}

/// Lengths of which the third power over that of the extent is beyond f32.
fn lengths_beyond_f32_are_right(bed: Bed) {
    let n = bed.points(POINTS);
    let positions = clouds::uniform_cube(n, 12).positions;
    let positions: Vec<_> = positions.iter().map(|p| p.map(|x| 1e-10 * x)).collect();
    for charges in [charges::masses(n, 13), charges::mixed(n, 14)] {
        let problem = Problem::<f32>::new("small", &positions, &charges);
        for softening in [1e2, 1e3, 1e4] {
            is_right(bed, &problem, softening, &[1e-5]);
        }
    }
}

/// Too little softening to matter leaves the expansions in use.
fn a_little_softening_costs_little(bed: Bed) {
    let cloud = clouds::uniform_cube(POINTS, 4);
    let fmm = bed.fmm().tolerance(1e-3);
    let hard = fmm.plan(&cloud.positions).unwrap();
    let soft = fmm.softening(1e-4).plan(&cloud.positions).unwrap();
    assert!(hard.report().m2l_pairs > 0);
    assert_eq!(soft.report().m2l_pairs, hard.report().m2l_pairs);
}

/// Masses that are softened by the distance of neighbours are summed by walks of monopoles, which are softened, too.
fn monopoles_serve_a_large_softening(_: Bed) {
    let (n, tolerance) = (30_000, 1e-3);
    // Every method, as the library chooses.
    let fmm = Fmm::new().tolerance(tolerance);
    for (cloud, softening) in [(clouds::uniform_cube(n, 7), 0.03), (clouds::plummer(n, 8), 0.1)] {
        let masses = charges::masses(n, 9);
        let problem = Problem::<f64>::new(cloud.name, &cloud.positions, &masses);
        let oracle = Oracle::softened(&problem, 1000, softening);
        let field = problem.field(fmm.softening(softening)).unwrap();
        let walks = matches!(field.report.method, Method::Treecode(_)) && field.report.order == 1;
        assert!(walks, "{} by {} of order {}", cloud.name, field.report.method, field.report.order);
        let error = oracle.errors(&field).worse();
        assert!(error <= tolerance, "{}: {error:e}", cloud.name);
        // The same plan serves charges of both signs.
        let mixed = Problem::<f64>::new(cloud.name, &cloud.positions, &charges::mixed(n, 10));
        let plan = mixed.plan(fmm.softening(softening)).unwrap();
        let error = Oracle::softened(&mixed, 1000, softening)
            .errors(&plan.evaluate(&mixed.charges).unwrap())
            .worse();
        assert!(error <= tolerance, "{}, mixed: {error:e}", cloud.name);
    }
}

/// Moved points keep softening and tolerance, though the side of the domain changes.
fn softening_stays_when_points_move(bed: Bed) {
    let (n, softening, tolerance) = (bed.points(POINTS), 0.01, 1e-4);
    let small =
        Problem::<f64>::new("cube", &clouds::uniform_cube(n, 5).positions, &charges::mixed(n, 6));
    let spread: Vec<[f64; 3]> = small.sources.iter().map(|p| p.map(|x| 30.0 * x)).collect();
    let large = Problem::<f64>::new("spread", &spread, &small.charges.clone());
    let fmm = bed.fmm().tolerance(tolerance).softening(softening);
    let mut plan = large.plan(fmm).unwrap();
    plan.update_positions(&small.sources).unwrap();
    let field = plan.evaluate(&small.charges).unwrap();
    let error = Oracle::softened(&small, 1000, softening).errors(&field).worse();
    assert!(error <= tolerance, "{error:e}");
}

/// A point feels no softened self, at any depth.
fn the_self_term_is_dropped(bed: Bed) {
    let points = vec![[0.25, 0.5, 0.75]; 3];
    for engine in bed.engines() {
        let fmm = engine.fmm().softening(0.1).depth(Depth::Uniform(2));
        let field = fmm.plan(&points).unwrap().evaluate(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(field.potential, [0.0; 3]);
        assert_eq!(field.gradient, [[0.0; 3]; 3]);
    }
}

on_devices_and_ranks! {
    softened_sums_are_right_in_f64,
}

on_every_device! {
    softening_stays_when_points_move,
    the_self_term_is_dropped,
}

on_devices! {
    softened_sums_are_right_in_f32: cpu emulated_hybrid cuda hybrid;
    a_little_softening_costs_little: cpu cuda;
    monopoles_serve_a_large_softening: cpu;
    lengths_beyond_f32_are_right: cpu emulated cuda hybrid ranks;
}

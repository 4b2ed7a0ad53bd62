//! Inputs that break trees: no points, one, many at one place, lower dimensions, far away.

use fmm::{Depth, Fmm, Method};
use testbed::conformance::{Bed, Oracle, Precision, Problem, separated_sets};
use testbed::{charges, clouds};

/// A tolerance that either precision reaches with a digit to spare.
const TOLERANCE: f64 = 1e-4;

fn is_right<T: Precision>(bed: Bed, problem: &Problem<T>) {
    let oracle = Oracle::new(problem, 1000);
    for engine in bed.engines() {
        let field = engine.field(problem, engine.fmm().tolerance(TOLERANCE)).unwrap();
        assert_eq!(field.potential.len(), problem.receivers().len());
        assert_eq!(field.gradient.len(), problem.receivers().len());
        let error = oracle.errors(&field).worse();
        let name = &problem.name;
        assert!(error <= TOLERANCE, "{name}, {}, {}: {error:e}", T::NAME, engine.method);
    }
}

/// Runs a check in both precisions.
fn are_right(
    bed: Bed,
    name: &str,
    sources: &[[f64; 3]],
    charges: &[f64],
    receivers: Option<&[[f64; 3]]>,
) {
    fn problem<T: Precision>(
        name: &str,
        sources: &[[f64; 3]],
        charges: &[f64],
        receivers: Option<&[[f64; 3]]>,
    ) -> Problem<T> {
        let problem = Problem::new(name, sources, charges);
        match receivers {
            None => problem,
            Some(receivers) => problem.at(receivers),
        }
    }
    is_right::<f64>(bed, &problem(name, sources, charges, receivers));
    is_right::<f32>(bed, &problem(name, sources, charges, receivers));
}

fn hardly_any_points(bed: Bed) {
    let points = [[0.25, -3.0, 7.0], [1.0, -3.5, 7.0], [0.25, -3.0, 7.0]];
    for n in 0..=3 {
        are_right(bed, "a few", &points[..n], &[2.0, -1.0, 5.0][..n], None);
        for m in 0..=3 {
            are_right(bed, "a few apart", &points[..n], &[2.0, -1.0, 5.0][..n], Some(&points[..m]));
        }
    }
}

fn one_empty_set_among_many_points(bed: Bed) {
    let cloud = clouds::uniform_cube(bed.points(3000), 1);
    are_right(bed, "no sources", &[], &[], Some(&cloud.positions));
    are_right(bed, "no receivers", &cloud.positions, &cloud.charges, Some(&[]));
    are_right(bed, "one source", &[[0.3, 0.3, 0.3]], &[-2.0], Some(&cloud.positions));
    are_right(bed, "one receiver", &cloud.positions, &cloud.charges, Some(&[[0.3, 0.3, 0.3]]));
}

fn shapes_of_lower_dimension(bed: Bed) {
    let n = bed.points(4000);
    for cloud in clouds::degenerate(n, 2) {
        for charges in [charges::masses(n, 3), charges::mixed(n, 4)] {
            are_right(bed, cloud.name, &cloud.positions, &charges, None);
        }
    }
}

/// No splitting separates them: they are merged, and all pairs are dropped.
fn many_points_at_one_place(bed: Bed) {
    // So many that none counts as heavy.
    let n = if bed.is_slow() { 1100 } else { 10_000 };
    let cloud = clouds::coincident(n);
    let problem = Problem::<f64>::new(cloud.name, &cloud.positions, &cloud.charges);
    for engine in bed.engines() {
        let field = engine.field(&problem, engine.fmm()).unwrap();
        assert!(field.potential.iter().all(|potential| *potential == 0.0));
        assert!(field.gradient.as_flattened().iter().all(|component| *component == 0.0));
        // A walk takes the only charge as heavy besides.
        assert_eq!(field.report.places, Some([1, 1]));
        assert!(field.report.p2p_pairs <= 2, "{}", field.report.p2p_pairs);
        assert_eq!((field.report.n_sources, field.report.n_receivers), (n, n));
        assert!(field.report.boxes <= field.report.levels, "{}", field.report.boxes);
    }
}

fn a_place_with_many_points_among_others(bed: Bed) {
    let n = bed.points(4000);
    let mut cloud = clouds::uniform_cube(n, 5);
    cloud.positions[n / 4..n / 2].fill([0.75, 0.5, 0.5]);
    cloud.positions[n / 2..n / 2 + 100].fill([0.3, 0.2, 0.1]);
    are_right(bed, "two crowded places", &cloud.positions, &charges::mixed(n, 6), None);
    cloud.positions[0] = [1e6, 1e6, 1e6];
    are_right(bed, "and one far away", &cloud.positions, &charges::masses(n, 6), None);
}

/// No near terms outweigh the errors of the expansions.
fn receivers_away_from_the_sources(bed: Bed) {
    let n = bed.points(3000);
    for (cloud, receivers) in separated_sets(n, 7) {
        for charges in [charges::masses(n, 9), charges::mixed(n, 10)] {
            are_right(bed, cloud.name, &cloud.positions, &charges, Some(&receivers));
        }
    }
}

/// A distance at which both sets are points at corners of their boxes.
const AT_CORNERS: [f64; 3] = [1000.0, -0.5, 0.0];

/// Sources in a unit cube, and as many receivers in a ball of diameter 1 moved away from it.
fn cube_and_ball(n: usize, by: [f64; 3]) -> Problem<f64> {
    let cube = clouds::uniform_cube(n, 7);
    let ball = clouds::uniform_sphere(n, 9).positions;
    let receivers: Vec<[f64; 3]> =
        ball.iter().map(|p| std::array::from_fn(|axis| 0.5 * p[axis] + 0.5 + by[axis])).collect();
    let name = format!("ball at {by:?}");
    Problem::new(name, &cube.positions, &charges::masses(n, 21)).at(&receivers)
}

/// The error of an order depends on where boxes cut the sets.
fn tolerances_are_kept_away_from_the_sources(bed: Bed) {
    for by in [[1.0; 3], [3.0; 3], AT_CORNERS] {
        let problem = cube_and_ball(bed.points(4000), by);
        let oracle = Oracle::new(&problem, 1000);
        for engine in bed.engines() {
            for tolerance in engine.tolerances::<f64>() {
                let field = engine.field(&problem, engine.fmm().tolerance(tolerance)).unwrap();
                let error = oracle.errors(&field).worse();
                let what = format!("{} by {}: {error:e}", problem.name, engine.method);
                assert!(error <= tolerance, "{what}");
                // What was measured of it is in the report.
                assert!(field.report.estimated_error.unwrap() <= tolerance, "{what}");
            }
        }
    }
}

/// No order reaches what every pair does, and the report tells.
#[test]
fn pairs_are_the_last_resort() {
    // No order softens far pairs, which a depth by hand makes too near.
    let cube = clouds::uniform_cube(2000, 7);
    let problem = Problem::<f64>::new(cube.name, &cube.positions, &charges::masses(2000, 21));
    let fmm = Fmm::new().method(Method::Fmm).tolerance(1e-6).softening(0.2);
    let field = problem.field(fmm.depth(Depth::Adaptive { leaf_capacity: 30 })).unwrap();
    let report = &field.report;
    assert_eq!((report.method, report.order, report.m2l_pairs), (Method::Direct, 0, 0));
    assert_eq!(report.p2p_pairs, 2000 * 2000);
    assert!(Oracle::softened(&problem, 1000, 0.2).errors(&field).worse() <= 1e-6);
}

fn far_from_the_origin(bed: Bed) {
    let n = bed.points(3000);
    for cloud in clouds::distributions(n, 11) {
        let moved = |offset: f64| -> Vec<[f64; 3]> {
            let by = [offset, -0.7 * offset, 0.3 * offset];
            let point = |p: &[f64; 3]| std::array::from_fn(|axis| p[axis] + by[axis]);
            cloud.positions.iter().map(point).collect()
        };
        let charges = charges::mixed(n, 12);
        is_right::<f64>(bed, &Problem::new(cloud.name, &moved(1e9), &charges));
        is_right::<f32>(bed, &Problem::new(cloud.name, &moved(1e3), &charges));
    }
}

/// Rounding makes many points of f32 coincide here; what is left has to be right all the same.
fn so_far_from_the_origin_that_points_coincide(bed: Bed) {
    // So many that none counts as heavy.
    let n = if bed.is_slow() { 1500 } else { 3000 };
    let positions: Vec<[f64; 3]> =
        clouds::uniform_cube(n, 13).positions.iter().map(|p| p.map(|x| x + 5e5)).collect();
    let masses = charges::masses(positions.len(), 14);
    is_right::<f32>(bed, &Problem::new("f32 at 5e5", &positions, &masses));
    let positions: Vec<[f64; 3]> = positions.iter().map(|p| p.map(|x| x + 3e13)).collect();
    is_right::<f64>(bed, &Problem::new("f64 at 3e13", &positions, &masses));
}

fn charges_of_zero_and_tiny_ones(bed: Bed) {
    let n = bed.points(4000);
    let cloud = clouds::uniform_cube(n, 15);
    let zeros = Problem::<f64>::new("zeros", &cloud.positions, &vec![0.0; n]);
    for engine in bed.engines() {
        let field = zeros.field(engine.fmm()).unwrap();
        assert!(field.potential.iter().chain(field.gradient.as_flattened()).all(|x| *x == 0.0));
    }
    let mut charges = charges::masses(n, 16);
    charges[..n / 2].fill(0.0);
    are_right(bed, "half of them zero", &cloud.positions, &charges, None);
    charges.iter_mut().for_each(|charge| *charge *= 1e-12);
    are_right(bed, "tiny", &cloud.positions, &charges, None);
}

/// The errors of the expansions of a few charges do not average out.
fn few_huge_charges(bed: Bed) {
    let n = bed.points(4000);
    let cloud = clouds::uniform_cube(n, 15);
    let counts = [1, 200, 30, 65].into_iter().take(if bed.is_slow() { 2 } else { 4 });
    for count in counts {
        for sign in [1.0, -1.0] {
            let mut charges = charges::masses(n, 16);
            for i in 0..count {
                charges[(17 + 7 * i) % n] = if i % 2 == 0 { 1e9 } else { sign * 1e9 };
            }
            are_right(bed, &format!("{count} huge"), &cloud.positions, &charges, None);
        }
    }
}

/// Charges from very large to very small with no gap between.
fn charges_of_all_sizes(bed: Bed) {
    let n = bed.points(4000);
    for cloud in clouds::distributions(n, 22) {
        for power in [-1, -3] {
            let charge = |i: usize| ((1 + i * 1999 % n) as f64).powi(power);
            let charges: Vec<f64> = (0..n).map(charge).collect();
            are_right(bed, cloud.name, &cloud.positions, &charges, None);
        }
    }
}

/// Each vector has heavy charges of its own, or none.
fn a_huge_charge_in_one_of_two_vectors(bed: Bed) {
    let n = bed.points(4000);
    let cloud = clouds::uniform_cube(n, 23);
    let even = charges::masses(n, 24);
    let mut uneven = even.clone();
    uneven[5] = -1e9;
    let fmm = bed.fmm().tolerance(TOLERANCE);
    let fields = fmm.plan(&cloud.positions).unwrap().evaluate_many(&[&even, &uneven]).unwrap();
    for (charges, field) in [even, uneven].iter().zip(&fields) {
        let problem = Problem::<f64>::new("one of two", &cloud.positions, charges);
        let error = Oracle::new(&problem, 1000).errors(field).worse();
        assert!(error <= TOLERANCE, "{error:e}");
    }
}

/// A tree set by hand may be far too deep.
fn a_leaf_for_every_point(bed: Bed) {
    let n = bed.points(1000);
    let cloud = clouds::plummer(n, 17);
    let problem = Problem::<f64>::new("plummer", &cloud.positions, &charges::mixed(n, 18));
    let oracle = Oracle::new(&problem, 1000);
    for depth in [fmm::Depth::Adaptive { leaf_capacity: 1 }, fmm::Depth::Uniform(5)] {
        let fmm = bed.fmm().tolerance(TOLERANCE).depth(depth);
        let error = oracle.errors(&problem.field(fmm).unwrap()).worse();
        assert!(error <= TOLERANCE, "{depth:?}: {error:e}");
    }
}

on_devices_and_ranks! {
    hardly_any_points,
    one_empty_set_among_many_points,
    shapes_of_lower_dimension,
    a_place_with_many_points_among_others,
    receivers_away_from_the_sources,
    tolerances_are_kept_away_from_the_sources,
}

on_every_device! {
    far_from_the_origin,
    so_far_from_the_origin_that_points_coincide,
    charges_of_zero_and_tiny_ones,
    few_huge_charges,
    charges_of_all_sizes,
    a_huge_charge_in_one_of_two_vectors,
    a_leaf_for_every_point,
}

on_devices! {
    many_points_at_one_place: cpu emulated emulated_hybrid cuda hybrid ranks cuda_ranks emulated_ranks;
}

//! Inputs that break trees: no points, one, many at one place, lower dimensions, far away.

use fmm::{Fmm, Method};
use testbed::conformance::{ENGINES, Oracle, Precision, Problem, separated_sets};
use testbed::{charges, clouds};

/// A tolerance that either precision reaches with a digit to spare.
const TOLERANCE: f64 = 1e-4;

fn is_right<T: Precision>(problem: &Problem<T>) {
    let oracle = Oracle::new(problem, 1000);
    for engine in ENGINES {
        let field = problem.field(engine.fmm().tolerance(TOLERANCE)).unwrap();
        assert_eq!(field.potential.len(), problem.receivers().len());
        assert_eq!(field.gradient.len(), problem.receivers().len());
        let error = oracle.errors(&field).worse();
        let name = &problem.name;
        assert!(error <= TOLERANCE, "{name}, {}, {}: {error:e}", T::NAME, engine.method);
    }
}

/// For both precisions.
fn are_right(name: &str, sources: &[[f64; 3]], charges: &[f64], receivers: Option<&[[f64; 3]]>) {
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
    is_right::<f64>(&problem(name, sources, charges, receivers));
    is_right::<f32>(&problem(name, sources, charges, receivers));
}

#[test]
fn hardly_any_points() {
    let points = [[0.25, -3.0, 7.0], [1.0, -3.5, 7.0], [0.25, -3.0, 7.0]];
    for n in 0..=3 {
        are_right("a few", &points[..n], &[2.0, -1.0, 5.0][..n], None);
        for m in 0..=3 {
            are_right("a few apart", &points[..n], &[2.0, -1.0, 5.0][..n], Some(&points[..m]));
        }
    }
}

#[test]
fn one_empty_set_among_many_points() {
    let cloud = clouds::uniform_cube(3000, 1);
    are_right("no sources", &[], &[], Some(&cloud.positions));
    are_right("no receivers", &cloud.positions, &cloud.charges, Some(&[]));
    are_right("one source", &[[0.3, 0.3, 0.3]], &[-2.0], Some(&cloud.positions));
    are_right("one receiver", &cloud.positions, &cloud.charges, Some(&[[0.3, 0.3, 0.3]]));
}

#[test]
fn shapes_of_lower_dimension() {
    let n = 4000;
    for cloud in clouds::degenerate(n, 2) {
        for charges in [charges::masses(n, 3), charges::mixed(n, 4)] {
            are_right(cloud.name, &cloud.positions, &charges, None);
        }
    }
}

/// No splitting separates them: the depth has to end, and all pairs are dropped.
#[test]
fn many_points_at_one_place() {
    let n = 10_000;
    let cloud = clouds::coincident(n);
    for engine in ENGINES {
        let field = engine.fmm().plan(&cloud.positions).unwrap().evaluate(&cloud.charges).unwrap();
        assert!(field.potential.iter().all(|potential| *potential == 0.0));
        assert!(field.gradient.as_flattened().iter().all(|component| *component == 0.0));
        assert_eq!(field.report.p2p_pairs, (n * n) as u64);
        assert!(field.report.boxes <= field.report.levels, "{}", field.report.boxes);
    }
}

#[test]
fn a_place_with_many_points_among_others() {
    let n = 4000;
    let mut cloud = clouds::uniform_cube(n, 5);
    cloud.positions[n / 4..n / 2].fill([0.75, 0.5, 0.5]);
    cloud.positions[n / 2..n / 2 + 100].fill([0.3, 0.2, 0.1]);
    are_right("two crowded places", &cloud.positions, &charges::mixed(n, 6), None);
    cloud.positions[0] = [1e6, 1e6, 1e6];
    are_right("and one far away", &cloud.positions, &charges::masses(n, 6), None);
}

/// No near terms outweigh the errors of the expansions.
#[test]
fn receivers_away_from_the_sources() {
    for (cloud, receivers) in separated_sets(3000, 7) {
        for charges in [charges::masses(3000, 9), charges::mixed(3000, 10)] {
            are_right(cloud.name, &cloud.positions, &charges, Some(&receivers));
        }
    }
}

/// Where that far, both sets are points at corners of their boxes.
const AT_CORNERS: [f64; 3] = [1000.0, -0.5, 0.0];

/// 4000 sources in a unit cube, and as many receivers in a ball of diameter 1 moved away from it.
fn cube_and_ball(by: [f64; 3]) -> Problem<f64> {
    let cube = clouds::uniform_cube(4000, 7);
    let ball = clouds::uniform_sphere(4000, 9).positions;
    let receivers: Vec<[f64; 3]> =
        ball.iter().map(|p| std::array::from_fn(|axis| 0.5 * p[axis] + 0.5 + by[axis])).collect();
    let name = format!("ball at {by:?}");
    Problem::new(name, &cube.positions, &charges::masses(4000, 21)).at(&receivers)
}

/// How closely an order comes depends on where boxes cut the sets.
#[test]
fn tolerances_are_kept_away_from_the_sources() {
    for by in [[1.0; 3], [3.0; 3], AT_CORNERS] {
        let problem = cube_and_ball(by);
        let oracle = Oracle::new(&problem, 1000);
        for engine in ENGINES {
            for tolerance in engine.tolerances::<f64>() {
                let field = problem.field(engine.fmm().tolerance(tolerance)).unwrap();
                let error = oracle.errors(&field).worse();
                let what = format!("{} by {}: {error:e}", problem.name, engine.method);
                assert!(error <= tolerance, "{what}");
                // What was measured of it is in the report.
                let predicted = field.report.predicted_error;
                assert!(engine.method == Method::Direct || predicted <= tolerance, "{what}");
            }
        }
    }
}

/// No order reaches what every pair does, and the report tells.
#[test]
fn pairs_are_the_last_resort() {
    let problem = cube_and_ball(AT_CORNERS);
    let fmm = Fmm::new().method(Method::Fmm).tolerance(1e-12);
    let report = problem.field(fmm).unwrap().report;
    assert_eq!((report.method, report.order, report.m2l_pairs), (Method::Direct, 0, 0));
    assert_eq!(report.p2p_pairs, 4000 * 4000);
}

#[test]
fn far_from_the_origin() {
    for cloud in clouds::distributions(3000, 11) {
        let moved = |offset: f64| -> Vec<[f64; 3]> {
            let by = [offset, -0.7 * offset, 0.3 * offset];
            let point = |p: &[f64; 3]| std::array::from_fn(|axis| p[axis] + by[axis]);
            cloud.positions.iter().map(point).collect()
        };
        let charges = charges::mixed(3000, 12);
        is_right::<f64>(&Problem::new(cloud.name, &moved(1e9), &charges));
        is_right::<f32>(&Problem::new(cloud.name, &moved(1e3), &charges));
    }
}

/// Rounding makes many points of f32 coincide here; what is left has to be right all the same.
#[test]
fn so_far_from_the_origin_that_points_coincide() {
    let positions: Vec<[f64; 3]> =
        clouds::uniform_cube(3000, 13).positions.iter().map(|p| p.map(|x| x + 5e5)).collect();
    is_right::<f32>(&Problem::new("f32 at 5e5", &positions, &charges::masses(3000, 14)));
    let positions: Vec<[f64; 3]> = positions.iter().map(|p| p.map(|x| x + 3e13)).collect();
    is_right::<f64>(&Problem::new("f64 at 3e13", &positions, &charges::masses(3000, 14)));
}

#[test]
fn charges_of_zero_and_tiny_ones() {
    let n = 4000;
    let cloud = clouds::uniform_cube(n, 15);
    let zeros = Problem::<f64>::new("zeros", &cloud.positions, &vec![0.0; n]);
    for engine in ENGINES {
        let field = zeros.field(engine.fmm()).unwrap();
        assert!(field.potential.iter().chain(field.gradient.as_flattened()).all(|x| *x == 0.0));
    }
    let mut charges = charges::masses(n, 16);
    charges[..n / 2].fill(0.0);
    are_right("half of them zero", &cloud.positions, &charges, None);
    charges.iter_mut().for_each(|charge| *charge *= 1e-12);
    are_right("tiny", &cloud.positions, &charges, None);
}

/// The errors of the expansions of a few charges do not average out.
#[test]
fn few_huge_charges() {
    let cloud = clouds::uniform_cube(4000, 15);
    for count in [1, 30, 65, 200] {
        for sign in [1.0, -1.0] {
            let mut charges = charges::masses(4000, 16);
            for i in 0..count {
                charges[17 + 7 * i] = if i % 2 == 0 { 1e9 } else { sign * 1e9 };
            }
            are_right(&format!("{count} huge"), &cloud.positions, &charges, None);
        }
    }
}

/// From very large to very small with no gap between.
#[test]
fn charges_of_all_sizes() {
    let n = 4000;
    for cloud in clouds::distributions(n, 22) {
        for power in [-1, -3] {
            let charge = |i: usize| ((1 + i * 1999 % n) as f64).powi(power);
            let charges: Vec<f64> = (0..n).map(charge).collect();
            are_right(cloud.name, &cloud.positions, &charges, None);
        }
    }
}

/// Each vector has heavy charges of its own, or none.
#[test]
fn a_huge_charge_in_one_of_two_vectors() {
    let cloud = clouds::uniform_cube(4000, 23);
    let even = charges::masses(4000, 24);
    let mut uneven = even.clone();
    uneven[5] = -1e9;
    let fmm = Fmm::new().method(Method::Fmm).tolerance(TOLERANCE);
    let fields = fmm.plan(&cloud.positions).unwrap().evaluate_many(&[&even, &uneven]).unwrap();
    for (charges, field) in [even, uneven].iter().zip(&fields) {
        let problem = Problem::<f64>::new("one of two", &cloud.positions, charges);
        let error = Oracle::new(&problem, 1000).errors(field).worse();
        assert!(error <= TOLERANCE, "{error:e}");
    }
}

/// A tree set by hand may be far too deep.
#[test]
fn a_leaf_for_every_point() {
    let cloud = clouds::plummer(1000, 17);
    let problem = Problem::<f64>::new("plummer", &cloud.positions, &charges::mixed(1000, 18));
    let oracle = Oracle::new(&problem, 1000);
    for depth in [fmm::Depth::Adaptive { leaf_capacity: 1 }, fmm::Depth::Uniform(5)] {
        let fmm = Fmm::new().method(Method::Fmm).tolerance(TOLERANCE).depth(depth);
        let error = oracle.errors(&problem.field(fmm).unwrap()).worse();
        assert!(error <= TOLERANCE, "{depth:?}: {error:e}");
    }
}

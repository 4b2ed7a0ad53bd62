//! What can be chosen: automatic method, outputs, order, guaranteed bounds, and the check that a
//! plan runs on itself.

use fmm::{Depth, Fmm, Method, Outputs, Tolerance};
use testbed::charges;
use testbed::clouds;
use testbed::conformance::{ENGINES, Oracle, Precision, Problem, bits};

const POINTS: usize = 5000;

fn problem<T: Precision>() -> Problem<T> {
    let cloud = clouds::plummer(POINTS, 1);
    Problem::new("plummer", &cloud.positions, &charges::mixed(POINTS, 2))
}

#[test]
fn the_automatic_method_is_one_of_the_others() {
    let mut chosen = Vec::new();
    for n in [0, 10, 1000, 20_000] {
        let cloud = clouds::uniform_cube(n, 3);
        let problem = Problem::<f64>::new("cube", &cloud.positions, &charges::masses(n, 4));
        let auto = problem.field(Fmm::new().tolerance(1e-3)).unwrap();
        let method = auto.report.method;
        let same = problem.field(Fmm::new().tolerance(1e-3).method(method)).unwrap();
        assert!(bits(&auto) == bits(&same), "{method} for {n} points");
        chosen.push(method);
    }
    assert_eq!(chosen.first(), Some(&Method::Direct));
    assert_eq!(chosen.last(), Some(&Method::Fmm));
}

fn the_potential_alone<T: Precision>() {
    let problem = problem::<T>();
    let oracle = Oracle::new(&problem, 1000);
    for engine in ENGINES {
        for tolerance in T::TOLERANCES {
            let fmm = engine.fmm().tolerance(*tolerance).outputs(Outputs::Potential);
            let field = problem.field(fmm).unwrap();
            assert!(field.gradient.is_empty());
            let error = oracle.potential_errors(&field).l2;
            assert!(error <= *tolerance, "{} at {tolerance:e}: {error:e}", engine.method);
        }
    }
}

#[test]
fn the_potential_alone_in_f64() {
    the_potential_alone::<f64>();
}

#[test]
fn the_potential_alone_in_f32() {
    the_potential_alone::<f32>();
}

/// At a given order the potential does not depend on whether the gradient is wanted.
#[test]
fn the_gradient_does_not_disturb_the_potential() {
    let problem = problem::<f64>();
    for engine in ENGINES {
        let fmm = engine.fmm().tolerance(Tolerance::Order(8));
        let both = problem.field(fmm).unwrap();
        let alone = problem.field(fmm.outputs(Outputs::Potential)).unwrap();
        assert_eq!(both.potential, alone.potential, "{}", engine.method);
    }
}

/// The error falls with the order, and is about what the report expects.
#[test]
fn the_order_decides_the_error() {
    let problem = problem::<f64>();
    let oracle = Oracle::new(&problem, 1000);
    let mut last = f64::INFINITY;
    for order in [1, 2, 4, 8, 12, 16, 24, 32, 40] {
        let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(order));
        let field = problem.field(fmm.depth(Depth::Adaptive { leaf_capacity: 50 })).unwrap();
        assert_eq!(field.report.order, order);
        let error = oracle.errors(&field).worse();
        assert!(error < last, "order {order}: {error:e}");
        // Within the factor of safety that tolerances are given.
        assert!(error <= 2.0 * field.report.predicted_error, "order {order}: {error:e}");
        last = error;
    }
}

/// |ΔΦ| ≤ ε Σ |q|/r at every receiver that is looked at, also where charges are as bad as can be:
/// those of each small box of one sign, in a checkerboard.
fn guaranteed_bounds_hold<T: Precision>(tolerances: &[f64]) {
    let board = |p: &[f64; 3]| {
        let fields: i64 = p.iter().map(|x| (8.0 * x).floor() as i64).sum();
        if fields % 2 == 0 { 1.0 } else { -1.0 }
    };
    let cube = clouds::uniform_cube(POINTS, 5);
    let checkerboard: Vec<f64> = cube.positions.iter().map(board).collect();
    let problems = [Problem::<T>::new("checkerboard", &cube.positions, &checkerboard), problem()];
    for problem in problems {
        let (exact, magnitudes) =
            (Oracle::new(&problem, 1000), Oracle::of_magnitudes(&problem, 1000));
        for tolerance in tolerances {
            let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Guaranteed(*tolerance));
            let fmm = fmm.depth(Depth::Adaptive { leaf_capacity: 30 });
            let field = problem.field(fmm).unwrap();
            assert!(field.report.m2l_pairs > 0);
            for (k, receiver) in exact.receivers.iter().enumerate() {
                let error = (field.potential[*receiver].widen() - exact.potential[k]).abs();
                let bound = tolerance * magnitudes.potential[k];
                assert!(error <= bound, "{} at {tolerance:e}: {error:e} {bound:e}", problem.name);
            }
        }
    }
}

#[test]
fn guaranteed_bounds_hold_in_f64() {
    guaranteed_bounds_hold::<f64>(&[0.1, 1e-2, 1e-4, 1e-5]);
}

#[test]
fn guaranteed_bounds_hold_in_f32() {
    guaranteed_bounds_hold::<f32>(&[0.5, 0.1]);
}

/// The plan's own check agrees with the oracle at all receivers, and roughly at some.
#[test]
fn a_plan_checks_itself() {
    for softening in [0.0, 0.05] {
        let problem = problem::<f64>();
        let oracle = Oracle::softened(&problem, POINTS, softening);
        for engine in ENGINES {
            let fmm = engine.fmm().tolerance(1e-5).softening(softening);
            let plan = problem.plan(fmm).unwrap();
            let field = plan.evaluate(&problem.charges).unwrap();
            let expected = oracle.errors(&field);
            let sampled = plan.sample_error(&problem.charges, &field, POINTS).unwrap();
            assert_eq!(sampled.receivers, POINTS);
            let pairs = [
                (sampled.potential.l2, expected.potential.l2),
                (sampled.potential.rms, expected.potential.rms),
                (sampled.potential.max, expected.potential.max),
                (sampled.potential.mean_relative, expected.potential.mean_relative),
                (sampled.gradient.l2, expected.gradient.l2),
                (sampled.gradient.rms, expected.gradient.rms),
                (sampled.gradient.max, expected.gradient.max),
                (sampled.gradient.mean_relative, expected.gradient.mean_relative),
            ];
            // The two references differ by rounding, which the smallest potentials make the most of.
            let rounding = POINTS as f64 * f64::EPSILON;
            for (sampled, expected) in pairs {
                let slack = 1e-3 * expected + rounding;
                assert!((sampled - expected).abs() <= slack, "{sampled:e} {expected:e}");
            }
            let some = plan.sample_error(&problem.charges, &field, 1000).unwrap();
            assert_eq!(some.receivers, 1000);
            assert!(some.potential.max <= sampled.potential.max);
            assert!(some.gradient.max <= sampled.gradient.max);
        }
    }
}

#[test]
fn a_plan_checks_itself_at_few_receivers() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0]];
    for engine in ENGINES {
        let plan = engine.fmm().outputs(Outputs::Potential).plan(&points).unwrap();
        let field = plan.evaluate(&[1.0, 2.0]).unwrap();
        for (count, checked) in [(0, 0), (1, 1), (1000, 2)] {
            let errors = plan.sample_error(&[1.0, 2.0], &field, count).unwrap();
            assert_eq!(errors.receivers, checked);
            assert!(errors.potential.max <= f64::EPSILON);
            assert_eq!(errors.gradient, fmm::Errors::default());
        }
    }
}

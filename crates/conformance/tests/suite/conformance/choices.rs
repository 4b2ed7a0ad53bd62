//! Choices of the caller: automatic method, outputs, order, guaranteed bounds, and the check that a
//! plan runs on itself.

use fmm::{Depth, Error, Fmm, Method, Opening, Outputs, Tolerance, Treecode};
use testbed::conformance::{Bed, Engine, Oracle, Precision, Problem, bits, separated_sets, widen};
use testbed::{charges, clouds, norms, reference};

const POINTS: usize = 5000;

fn problem<T: Precision>(bed: Bed) -> Problem<T> {
    let n = bed.points(POINTS);
    let cloud = clouds::plummer(n, 1);
    Problem::new("plummer", &cloud.positions, &charges::mixed(n, 2))
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

/// Automatic method beyond the orders of a device: another method takes over.
fn the_automatic_method_never_fails(bed: Bed) {
    let tolerance = 3e-7;
    for n in [400, bed.points(20_000)] {
        let cloud = clouds::uniform_cube(n, 7);
        let problem = Problem::<f64>::new("cube", &cloud.positions, &charges::mixed(n, 8));
        let auto = bed.engine(Method::Auto);
        let field = auto.field(&problem, auto.fmm().tolerance(tolerance)).unwrap();
        let error = Oracle::new(&problem, 500).errors(&field).worse();
        assert!(error <= tolerance, "{n} points by {}: {error:e}", field.report.method);
    }
}

/// The more vectors, the larger the leaves; any number may be evaluated.
#[test]
fn plans_for_several_vectors_keep_the_tolerance() {
    let (n, tolerance) = (6000, 1e-4);
    let cloud = clouds::uniform_cube(n, 5);
    let problem = Problem::<f64>::new("cube", &cloud.positions, &charges::mixed(n, 6));
    let oracle = Oracle::new(&problem, 500);
    let fmm = Fmm::new().method(Method::Fmm).tolerance(tolerance);
    let mut capacity = 0;
    for count in [1, 4, 16] {
        let plan = fmm.vectors(count).plan(&problem.sources).unwrap();
        for charges in [vec![&problem.charges[..]; 3], vec![&problem.charges[..]]] {
            for field in plan.evaluate_many(&charges).unwrap() {
                let error = oracle.errors(&field).worse();
                assert!(error <= tolerance, "{} of {count} vectors: {error:e}", charges.len());
            }
        }
        let larger = plan.report().leaf_capacity.unwrap();
        assert!(larger > capacity);
        capacity = larger;
    }
    let none = fmm.vectors(0).plan(&problem.sources).unwrap();
    assert_eq!(none.report().leaf_capacity, problem.plan(fmm).unwrap().report().leaf_capacity);
}

/// The treecode on the FMM's lists needs no local expansions.
fn neighbour_lists_serve_the_treecode(bed: Bed) {
    let problem = problem::<f32>(bed);
    let oracle = Oracle::new(&problem, 1000);
    let lists = Treecode::new().opening(Opening::Neighbours);
    let fmm = Fmm::new().method(lists).device(bed.device);
    for tolerance in [1e-2, 1e-3] {
        let plan = fmm.tolerance(tolerance).plan(&problem.sources).unwrap();
        let field = plan.evaluate(&problem.charges).unwrap();
        let error = oracle.errors(&field).worse();
        assert!(error <= tolerance, "{tolerance:e}: {error:e}");
        let report = &field.report;
        assert_eq!(report.opening, Some(Opening::Neighbours));
        assert!(report.m2l_pairs == 0 && report.m2p_pairs > 0);
    }
}

on_devices! {
    the_automatic_method_never_fails: cpu emulated emulated_hybrid cuda hybrid ranks cuda_ranks emulated_ranks;
    neighbour_lists_serve_the_treecode: emulated cuda;
}

fn the_potential_alone<T: Precision>(bed: Bed) {
    let problem = problem::<T>(bed);
    let oracle = Oracle::new(&problem, 1000);
    for engine in bed.engines() {
        for tolerance in engine.tolerances::<T>() {
            let fmm = engine.fmm().tolerance(tolerance).outputs(Outputs::Potential);
            let field = engine.field(&problem, fmm).unwrap();
            assert!(field.gradient.is_empty());
            let error = oracle.potential_errors(&field).l2;
            assert!(error <= tolerance, "{} at {tolerance:e}: {error:e}", engine.method);
        }
    }
}

fn the_potential_alone_in_f64(bed: Bed) {
    the_potential_alone::<f64>(bed);
}

fn the_potential_alone_in_f32(bed: Bed) {
    the_potential_alone::<f32>(bed);
}

/// The gradient alone has the bits that it has beside the potential.
fn the_gradient_alone<T: Precision>(bed: Bed) {
    let problem = problem::<T>(bed);
    for engine in bed.engines() {
        for tolerance in engine.tolerances::<T>() {
            let fmm = engine.fmm().tolerance(tolerance);
            let (plan, charges) = (problem.plan(fmm).unwrap(), &problem.charges);
            let both = plan.evaluate(charges).unwrap();
            let errors_of_both = plan.sample_error(charges, &both, 100).unwrap();
            let plan = problem.plan(fmm.outputs(Outputs::Gradient)).unwrap();
            let alone = plan.evaluate(charges).unwrap();
            let what = format!("{} at {tolerance:e}", engine.method);
            assert!(alone.potential.is_empty(), "{what}");
            assert!(bits(&alone) == bits(&both)[both.potential.len()..], "{what}");
            assert_eq!(alone.report.net_force, both.report.net_force, "{what}");
            let errors = plan.sample_error(charges, &alone, 100).unwrap();
            assert_eq!(errors.potential, None, "{what}");
            assert_eq!(errors.gradient, errors_of_both.gradient, "{what}");
        }
    }
}

fn the_gradient_alone_in_f64(bed: Bed) {
    the_gradient_alone::<f64>(bed);
}

fn the_gradient_alone_in_f32(bed: Bed) {
    the_gradient_alone::<f32>(bed);
}

/// At a given order the potential does not depend on whether the gradient is wanted.
fn the_gradient_does_not_disturb_the_potential(bed: Bed) {
    let problem = problem::<f64>(bed);
    for engine in bed.engines() {
        let fmm = engine.fmm().tolerance(Tolerance::Order(engine.largest_order().min(8)));
        let both = problem.field(fmm).unwrap();
        let alone = problem.field(fmm.outputs(Outputs::Potential)).unwrap();
        assert_eq!(both.potential, alone.potential, "{}", engine.method);
    }
}

/// The error falls with the order, and is about what the report expects.
fn the_order_decides_the_error(bed: Bed) {
    let problem = problem::<f64>(bed);
    let oracle = Oracle::new(&problem, 1000);
    let mut last = f64::INFINITY;
    let engine = bed.engine(Method::Fmm);
    let largest = engine.largest_order();
    for order in [1, 2, 4, 8, 12, 16, 24, 32, 40].into_iter().filter(|order| *order <= largest) {
        let fmm = engine.fmm().tolerance(Tolerance::Order(order));
        let field = problem.field(fmm.depth(Depth::Adaptive { leaf_capacity: 50 })).unwrap();
        assert_eq!(field.report.order, order);
        let error = oracle.errors(&field).worse();
        assert!(error < last, "order {order}: {error:e}");
        // Within the factor of safety that tolerances are given.
        assert!(error <= 2.0 * field.report.predicted_error, "order {order}: {error:e}");
        last = error;
    }
}

/// |ΔΦ| ≤ ε Σ |q|/r and |Δ∇Φ| ≤ ε Σ |q|/r² at every receiver that is looked at, also for bad charges, of one sign in
/// each field of a checkerboard, and for bad sets, where receivers and sources keep away from each other.
fn guaranteed_bounds_hold<T: Precision>(bed: Bed, outputs: Outputs, tolerances: &[f64]) {
    let n = bed.points(POINTS / 2);
    let board = |p: &[f64; 3]| {
        let fields: i64 = p.iter().map(|x| (8.0 * x).floor() as i64).sum();
        if fields % 2 == 0 { 1.0 } else { -1.0 }
    };
    let cube = clouds::uniform_cube(n, 5);
    let checkerboard: Vec<f64> = cube.positions.iter().map(board).collect();
    let mut problems =
        vec![Problem::<T>::new("checkerboard", &cube.positions, &checkerboard), problem(bed)];
    for (cloud, receivers) in separated_sets(n, 5) {
        let problem = Problem::new(cloud.name, &cloud.positions, &charges::mixed(n, 6));
        problems.push(problem.at(&receivers));
    }
    // An emulator takes every second problem.
    for (k, problem) in problems.into_iter().enumerate().step_by(1 + usize::from(bed.is_slow())) {
        // Receivers away from the sources, which come last, take one tolerance each, as all do on an emulator.
        let tolerances = match k >= 2 || bed.is_slow() {
            true => &tolerances[k / 2 % tolerances.len()..][..1],
            false => tolerances,
        };
        let exact = Oracle::new(&problem, 1000);
        let magnitudes = Oracle::of_magnitudes(&problem, 1000, 0.0);
        let pulls = magnitudes_of_gradients(&problem, &exact.receivers);
        for (engine, tolerance) in every(bed, tolerances) {
            let fmm = engine.fmm().tolerance(Tolerance::Guaranteed(tolerance)).outputs(outputs);
            let fmm = fmm.depth(Depth::Adaptive { leaf_capacity: 30 });
            let field = problem.field(fmm).unwrap();
            let far = field.report.m2l_pairs + field.report.m2p_pairs;
            assert!(far > 0 || engine.method == Method::Direct);
            for (k, receiver) in exact.receivers.iter().enumerate() {
                let holds = |error: f64, magnitude: f64| {
                    let (name, method, bound) =
                        (&problem.name, engine.method, tolerance * magnitude);
                    assert!(
                        error <= bound,
                        "{name} by {method} at {tolerance:e}: {error:e} {bound:e}"
                    );
                };
                let error = (field.potential[*receiver].widen() - exact.potential[k]).abs();
                holds(error, magnitudes.potential[k]);
                if outputs.has_gradient() {
                    let found = field.gradient[*receiver].map(T::widen);
                    let error = [0, 1, 2].map(|axis| found[axis] - exact.gradient[k][axis]);
                    holds(error.iter().map(|e| e * e).sum::<f64>().sqrt(), pulls[k]);
                }
            }
        }
    }
}

fn every(bed: Bed, tolerances: &[f64]) -> impl Iterator<Item = (Engine, f64)> {
    bed.engines().flat_map(|engine| tolerances.iter().map(move |t| (engine, *t)))
}

/// Σ |q|/r² at some receivers.
fn magnitudes_of_gradients<T: Precision>(problem: &Problem<T>, receivers: &[usize]) -> Vec<f64> {
    let charges: Vec<f64> = problem.charges.iter().map(|q| q.widen()).collect();
    let at: Vec<[T; 3]> = receivers.iter().map(|i| problem.receivers()[*i]).collect();
    reference::pulls(&widen(&problem.sources), &charges, &widen(&at), 0.0)
}

fn guaranteed_bounds_hold_in_f64(bed: Bed) {
    guaranteed_bounds_hold::<f64>(bed, Outputs::Potential, &[0.1, 1e-2, 1e-3, 2e-5]);
    guaranteed_bounds_hold::<f64>(bed, Outputs::PotentialAndGradient, &[0.5, 5e-3]);
}

fn guaranteed_bounds_hold_in_f32(bed: Bed) {
    guaranteed_bounds_hold::<f32>(bed, Outputs::Potential, &[0.5, 0.12]);
}

/// Kernels of GPUs end at a small order, which guarantees little.
fn guaranteed_potentials_hold_on_gpus(bed: Bed) {
    guaranteed_bounds_hold::<f64>(bed, Outputs::Potential, &[0.5, 0.35]);
    let fmm = bed.fmm().tolerance(Tolerance::Guaranteed(0.1));
    let error = fmm.plan(&[[0.0; 3]]).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::ToleranceOutOfReach { smallest, .. } if smallest > 0.1));
}

/// The plan's own check agrees with the oracle at all receivers, and roughly at some.
fn a_plan_checks_itself(bed: Bed) {
    for softening in [0.0, 0.05] {
        let problem = problem::<f64>(bed);
        let n = problem.sources.len();
        let oracle = Oracle::softened(&problem, n, softening);
        for engine in bed.engines() {
            let fmm = engine.fmm().tolerance(1e-5).softening(softening);
            let plan = problem.plan(fmm).unwrap();
            let field = plan.evaluate(&problem.charges).unwrap();
            let expected = oracle.errors(&field);
            let sampled = plan.sample_error(&problem.charges, &field, n).unwrap();
            assert_eq!(sampled.receivers, n);
            // The two references differ by rounding, of which single receivers, where the terms
            // cancel, have more than the norm.
            let rounding = n as f64 * f64::EPSILON;
            let agree = |sampled: Option<fmm::Errors>, expected: norms::Errors| {
                let sampled = sampled.unwrap();
                let close = |sampled: f64, expected: f64, slack: f64| {
                    let slack = slack * rounding + 1e-3 * expected;
                    assert!((sampled - expected).abs() <= slack, "{sampled:e} {expected:e}");
                };
                close(sampled.l2, expected.l2, 1.0);
                close(sampled.rms, expected.rms, 1e3);
                close(sampled.max, expected.max, 1e3);
                close(sampled.mean_relative, expected.mean_relative, 1e3);
            };
            agree(sampled.potential, expected.potential);
            agree(sampled.gradient, expected.gradient);
            let some = plan.sample_error(&problem.charges, &field, n / 5).unwrap();
            assert_eq!(some.receivers, n / 5);
            // A GPU adds up the references of fewer receivers in another order.
            let slack = 1e3 * rounding;
            let [some, all] =
                [some, sampled].map(|e| [e.potential, e.gradient].map(|e| e.unwrap().max));
            assert!(some[0] <= all[0] + slack && some[1] <= all[1] + slack);
        }
    }
}

fn a_plan_checks_itself_at_few_receivers(bed: Bed) {
    let points = [[0.0; 3], [1.0, 0.0, 0.0]];
    for engine in bed.engines() {
        // With an order instead of a tolerance, pairs have all digits.
        let fmm = engine.fmm().outputs(Outputs::Potential).tolerance(Tolerance::Order(4));
        let plan = fmm.plan(&points).unwrap();
        let field = plan.evaluate(&[1.0, 2.0]).unwrap();
        for (count, checked) in [(0, 0), (1, 1), (1000, 2)] {
            let errors = plan.sample_error(&[1.0, 2.0], &field, count).unwrap();
            assert_eq!(errors.receivers, checked);
            assert!(errors.potential.unwrap().max <= f64::EPSILON);
            assert_eq!(errors.gradient, None);
        }
    }
}

on_devices_and_ranks! {
    the_potential_alone_in_f64,
    the_potential_alone_in_f32,
}

on_every_device! {
    the_gradient_alone_in_f64,
    the_gradient_alone_in_f32,
    the_gradient_does_not_disturb_the_potential,
    the_order_decides_the_error,
    a_plan_checks_itself,
    a_plan_checks_itself_at_few_receivers,
}

on_devices! {
    guaranteed_bounds_hold_in_f64: cpu hybrid;
    guaranteed_bounds_hold_in_f32: cpu hybrid;
    guaranteed_potentials_hold_on_gpus: emulated cuda;
}

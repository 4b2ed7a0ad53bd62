//! The treecode under every opening criterion: the tolerance, the bits, the momentum, the errors.

use fmm::{Depth, Error, Field, Fmm, Method, Opening, Outputs, Plan, Tolerance, Workspace};
use testbed::conformance::{Oracle, Precision, Problem, bits, promised_charges};
use testbed::{charges, clouds};

const OPENINGS: [Opening; 4] = [
    Opening::Neighbours,
    Opening::BarnesHut { theta: 0.5 },
    Opening::Nakasato { theta: 0.6 },
    Opening::Relative { alpha: 1e-3 },
];

const POINTS: usize = 3000;

fn treecode(opening: Opening) -> Fmm {
    Fmm::new().method(Method::Treecode).opening(opening)
}

fn plummer<T: Precision>(n: usize) -> Problem<T> {
    Problem::new("plummer", &clouds::plummer(n, 1).positions, &charges::mixed(n, 2))
}

/// Whatever the criterion, the order makes up for it.
fn tolerances_are_kept<T: Precision>(tolerances: &[f64]) {
    let more = [clouds::uniform_sphere(POINTS, 3), clouds::galaxy(POINTS, 3)];
    for cloud in clouds::distributions(POINTS, 3).into_iter().chain(more) {
        for (kind, charges) in promised_charges(&cloud, 4) {
            let problem = Problem::<T>::new(cloud.name, &cloud.positions, &charges);
            let oracle = Oracle::new(&problem, 1000);
            for opening in OPENINGS {
                for tolerance in tolerances {
                    let field = problem.field(treecode(opening).tolerance(*tolerance)).unwrap();
                    let error = oracle.errors(&field).worse();
                    let what = format!("{}, {kind}, {opening} at {tolerance:e}", cloud.name);
                    assert!(error <= *tolerance, "{what}: {error:e}");
                    assert!(field.report.m2p_pairs > 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn tolerances_are_kept_in_f64() {
    tolerances_are_kept::<f64>(&[1e-2, 1e-3, 1e-8]);
}

#[test]
fn tolerances_are_kept_in_f32() {
    tolerances_are_kept::<f32>(&[1e-4]);
}

/// Groups share what the neediest of them takes.
#[test]
fn groups_of_any_size_keep_the_tolerance() {
    let problem = plummer::<f64>(POINTS);
    let oracle = Oracle::new(&problem, 1000);
    for opening in OPENINGS {
        for (receivers, leaf_capacity) in [(0, 1), (1, 30), (10, 3), (1000, 3), (POINTS, 100)] {
            let fmm = treecode(opening).tolerance(1e-4).group_capacity(receivers);
            let field = problem.field(fmm.depth(Depth::Adaptive { leaf_capacity })).unwrap();
            let error = oracle.errors(&field).worse();
            assert!(error <= 1e-4, "{opening}, {receivers}, {leaf_capacity}: {error:e}");
        }
    }
}

fn in_pool<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap().install(work)
}

fn same_bits<T: Precision>() {
    let (problem, other) = (plummer::<T>(POINTS), charges::masses(POINTS, 9));
    let other: Vec<T> = other.into_iter().map(T::narrow).collect();
    let moved: Vec<[T; 3]> = problem.sources.iter().map(|p| [p[1], p[2], p[0]]).collect();
    for opening in OPENINGS {
        for order in [1, 4] {
            let fmm = treecode(opening).tolerance(Tolerance::Order(order));
            let field = |threads| in_pool(threads, || bits(&problem.field(fmm).unwrap()));
            let one = field(1);
            assert!(one == field(2) && one == field(3), "{opening}");

            let mut plan = problem.plan(fmm).unwrap();
            let many = plan.evaluate_many(&[&problem.charges, &other, &problem.charges]).unwrap();
            assert!(bits(&many[0]) == one && bits(&many[2]) == one, "{opening}");
            assert!(bits(&many[1]) == bits(&plan.evaluate(&other).unwrap()), "{opening}");

            plan.update_positions(&moved).unwrap();
            let fresh = fmm.plan(&moved).unwrap().evaluate(&other).unwrap();
            assert!(bits(&plan.evaluate(&other).unwrap()) == bits(&fresh), "{opening}");
        }
    }
}

#[test]
fn same_bits_in_f64() {
    same_bits::<f64>();
}

#[test]
fn same_bits_in_f32() {
    same_bits::<f32>();
}

/// The relative criterion takes the gradient that the field holds; a coarse one stands in for it.
#[test]
fn the_field_of_the_evaluation_before_saves_the_coarse_one() {
    let problem = plummer::<f64>(POINTS);
    let fmm = treecode(Opening::Relative { alpha: 1e-4 }).tolerance(Tolerance::Order(3));
    let plan = problem.plan(fmm).unwrap();
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    plan.evaluate_into(&problem.charges, &mut field, &mut workspace).unwrap();
    let first = field.clone();
    plan.evaluate_into(&problem.charges, &mut field, &mut workspace).unwrap();
    // Better gradients change few decisions.
    let (a, b) = (field.report.m2p_pairs as f64, first.report.m2p_pairs as f64);
    assert!(a != b && (a / b - 1.0).abs() < 0.05, "{a} {b}");
    // The field alone counts, not what the workspace was used for.
    let mut fresh = Field::default();
    plan.evaluate_into(&problem.charges, &mut fresh, &mut workspace).unwrap();
    assert!(bits(&fresh) == bits(&first));
    // Gradients ten thousand times as large let nearer cells act.
    let mut steep = first.clone();
    steep.gradient.iter_mut().flatten().for_each(|part| *part *= 1e4);
    plan.evaluate_into(&problem.charges, &mut steep, &mut workspace).unwrap();
    let n_pairs = |field: &Field<f64>| field.report.m2p_pairs + field.report.p2p_pairs;
    assert!(n_pairs(&steep) < n_pairs(&first) / 10 * 9);
    // A field of other receivers, or without a gradient, is no guide.
    for kept in [0, POINTS - 1] {
        let mut other = first.clone();
        other.gradient.truncate(kept);
        plan.evaluate_into(&problem.charges, &mut other, &mut workspace).unwrap();
        assert!(bits(&other) == bits(&first));
    }
    // Without a gradient of its own, the potential takes the coarse one's.
    let alone = problem.field(fmm.outputs(Outputs::Potential)).unwrap();
    assert_eq!(alone.potential, first.potential);
}

/// Cells that act in f32 keep what is promised of f64, wherever the points are.
#[test]
fn short_cells_keep_the_tolerance_of_crowded_and_shifted_points() {
    let cloud = clouds::plummer(POINTS, 14);
    // Every third point has a neighbour that f32 would take for itself, and all are far from the origin.
    let mut positions: Vec<[f64; 3]> = cloud.positions.iter().map(|p| p.map(|x| x + 1e6)).collect();
    for i in (0..POINTS - 1).step_by(3) {
        positions[i + 1] = positions[i].map(|x| x + 1e-5 * (1.0 + (i % 7) as f64));
    }
    for (kind, charges) in promised_charges(&cloud, 15) {
        let problem = Problem::<f64>::new("crowded", &positions, &charges);
        let oracle = Oracle::new(&problem, 1000);
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5] {
            for opening in &OPENINGS[1..] {
                let field = problem.field(treecode(*opening).tolerance(tolerance)).unwrap();
                let error = oracle.errors(&field).worse();
                assert!(error <= tolerance, "{kind}, {opening} at {tolerance:e}: {error:e}");
            }
        }
    }
}

/// An isolated system accelerates itself by no more than what was asked for.
#[test]
fn net_force_is_bounded() {
    for cloud in clouds::distributions(POINTS, 5) {
        for (kind, charges) in promised_charges(&cloud, 6) {
            let problem = Problem::<f64>::new(cloud.name, &cloud.positions, &charges);
            for tolerance in [1e-3, 1e-6] {
                for opening in OPENINGS {
                    let field = problem.field(treecode(opening).tolerance(tolerance)).unwrap();
                    let net = field.report.net_force.unwrap();
                    assert!(net > 0.0 && net <= tolerance, "{}, {kind}: {net:e}", cloud.name);
                }
            }
            let direct = problem.field(Fmm::new().method(Method::Direct)).unwrap();
            assert!(direct.report.net_force.unwrap() <= 1e-13);
        }
    }
}

/// It is that of the field, and only there where it means something.
#[test]
fn net_force_is_that_of_the_field() {
    let problem = plummer::<f64>(500);
    let fmm = treecode(Opening::Nakasato { theta: 1.0 }).tolerance(Tolerance::Order(1));
    let field = problem.field(fmm).unwrap();
    let (mut sum, mut magnitudes) = ([0.0; 3], 0.0);
    for (q, gradient) in problem.charges.iter().zip(&field.gradient) {
        (0..3).for_each(|axis| sum[axis] += q * gradient[axis]);
        magnitudes += (q * gradient[0]).hypot(q * gradient[1]).hypot(q * gradient[2]);
    }
    let expected = sum[0].hypot(sum[1]).hypot(sum[2]) / magnitudes;
    let found = field.report.net_force.unwrap();
    assert!((found - expected).abs() <= 500.0 * f64::EPSILON, "{found} {expected}");
    assert!(problem.field(fmm.outputs(Outputs::Potential)).unwrap().report.net_force.is_none());
    let apart = problem.clone().at(&clouds::plummer(500, 7).positions);
    assert!(apart.field(fmm).unwrap().report.net_force.is_none());
}

#[test]
fn softening_is_exact_in_monopoles_and_within_the_tolerance_above() {
    let problem = plummer::<f64>(POINTS);
    for softening in [1e-3, 0.1, 10.0] {
        let oracle = Oracle::softened(&problem, 1000, softening);
        for opening in OPENINGS.into_iter().filter(|opening| *opening != Opening::Neighbours) {
            for order in [1, 2, 3, 6] {
                let fmm = treecode(opening).tolerance(Tolerance::Order(order));
                let field = problem.field(fmm.softening(softening)).unwrap();
                let error = oracle.errors(&field).worse();
                let bound = 2.0 * field.report.predicted_error;
                assert!(error <= bound, "{opening}, {order}, {softening}: {error:e} {bound:e}");
            }
        }
    }
}

/// Receivers so far away that the root acts as a whole.
#[test]
fn far_receivers_meet_one_cell() {
    let sources = clouds::plummer(2000, 8);
    let receivers: Vec<[f64; 3]> =
        clouds::uniform_cube(100, 9).positions.iter().map(|p| p.map(|x| 1e4 + x)).collect();
    let problem = Problem::<f64>::new("far", &sources.positions, &charges::masses(2000, 10));
    let problem = problem.at(&receivers);
    let oracle = Oracle::new(&problem, 100);
    for opening in OPENINGS.into_iter().filter(|opening| *opening != Opening::Neighbours) {
        let field = problem.field(treecode(opening).tolerance(Tolerance::Order(4))).unwrap();
        assert_eq!((field.report.m2p_pairs, field.report.p2p_pairs), (100, 0), "{opening}");
        assert!(oracle.errors(&field).worse() < 1e-9, "{opening}");
    }
}

#[test]
fn charges_that_have_no_centre() {
    let cloud = clouds::uniform_cube(POINTS, 11);
    let coincident: Vec<[f64; 3]> = (0..POINTS).map(|i| cloud.positions[i / 40]).collect();
    let mut cancelling = vec![1.0; POINTS];
    cancelling.iter_mut().step_by(2).for_each(|charge| *charge = -1.0);
    let mut half = charges::mixed(POINTS, 12);
    half[..POINTS / 2].fill(0.0);
    for opening in OPENINGS {
        for positions in [&cloud.positions, &coincident] {
            let zeros = Problem::<f64>::new("zeros", positions, &vec![0.0; POINTS]);
            let field = zeros.field(treecode(opening)).unwrap();
            assert!(field.potential.iter().chain(field.gradient.as_flattened()).all(|x| *x == 0.0));
            let fmm = treecode(opening).tolerance(1e-5);
            let half = Problem::<f64>::new("half", positions, &half);
            let error = Oracle::new(&half, 1000).errors(&half.field(fmm).unwrap()).worse();
            assert!(error <= 1e-5, "{opening}: {error:e}");
        }
        // Every place holds as much of either sign: nothing is left but rounding.
        let neutral = Problem::<f64>::new("neutral", &coincident, &cancelling);
        let field = neutral.field(treecode(opening)).unwrap();
        assert!(field.potential.iter().all(|x| x.abs() < 1e-9), "{opening}");
    }
}

#[test]
fn parameters_that_make_no_sense() {
    let points = clouds::uniform_cube(10, 13).positions;
    let refused = |opening| match treecode(opening).plan(&points) {
        Err(error @ Error::Opening { .. }) => assert!(error.to_string().contains("0.6")),
        other => panic!("{opening:?}: {:?}", other.err()),
    };
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Opening::BarnesHut { theta: bad });
        refused(Opening::Nakasato { theta: bad });
        refused(Opening::Relative { alpha: bad });
    }
    // Orders end earlier in f32.
    let fmm = treecode(Opening::Nakasato { theta: 1.0 }).tolerance(1e-5);
    let error = fmm.plan(&[[0.0_f32; 3]]).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::OpeningTooWide { tolerance: 1e-5, parameter: 1.0 });
    let guaranteed = |opening| -> Result<Plan<f64>, Error> {
        treecode(opening).tolerance(Tolerance::Guaranteed(1e-2)).plan(&points)
    };
    assert!(guaranteed(Opening::Neighbours).is_ok());
    for opening in &OPENINGS[1..] {
        assert_eq!(guaranteed(*opening).err(), Some(Error::NoGuarantee));
    }
}

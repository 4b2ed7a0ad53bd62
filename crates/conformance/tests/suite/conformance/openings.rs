//! The treecode under every opening criterion: the tolerance, the bits, the momentum, the errors.

use fmm::{
    Depth, Error, Field, Fmm, Method, Opening, Outputs, Plan, Tolerance, Treecode, Workspace,
};
use testbed::conformance::{Bed, Engine, Oracle, Precision, Problem, bits, promised_charges};
use testbed::{charges, clouds};

const OPENINGS: [Opening; 4] = [
    Opening::Neighbours,
    Opening::BarnesHut { theta: 0.5 },
    Opening::Nakasato { theta: 0.6 },
    Opening::Relative { alpha: 1e-3 },
];

const POINTS: usize = 3000;

fn engine(bed: Bed, options: Treecode) -> Engine {
    bed.engine(options.into())
}

fn treecode(bed: Bed, opening: Opening) -> Fmm {
    engine(bed, Treecode::new().opening(opening)).fmm().tolerance(reached(bed, 1e-6))
}

/// The field of a problem on the bed, which may be ranks.
fn field_of<T: Precision>(bed: Bed, problem: &Problem<T>, fmm: Fmm) -> Field<T> {
    engine(bed, Treecode::new()).field(problem, fmm).unwrap()
}

/// A tolerance that [`OPENINGS`] reach for charges of both signs; orders end at 5 on a GPU.
fn reached(bed: Bed, tolerance: f64) -> f64 {
    if engine(bed, Treecode::new()).largest_order() == 5 { tolerance.max(1e-3) } else { tolerance }
}

/// The items, or the first `few` on an emulator.
fn some<I: IntoIterator>(bed: Bed, all: I, few: usize) -> impl Iterator<Item = I::Item> {
    all.into_iter().take(if bed.is_slow() { few } else { usize::MAX })
}

fn plummer<T: Precision>(n: usize) -> Problem<T> {
    Problem::new("plummer", &clouds::plummer(n, 1).positions, &charges::mixed(n, 2))
}

/// The order makes up for any criterion. An emulator takes charges of one sign for one set, of both for another; ranks take every
/// other set.
fn tolerances_are_kept<T: Precision>(bed: Bed, tolerances: &[f64]) {
    let n = bed.points(POINTS);
    let more = [clouds::uniform_sphere(n, 3), clouds::galaxy(n, 3)];
    let tolerances: Vec<f64> =
        tolerances.iter().copied().filter(|t| reached(bed, *t) == *t).collect();
    let sets = some(bed, clouds::distributions(n, 3).into_iter().chain(more), 2);
    let step = if bed.is_brief() && !bed.is_slow() { 2 } else { 1 };
    for (set, cloud) in sets.enumerate().step_by(step) {
        let all = if bed.is_slow() { set..set + 1 } else { 0..3 };
        for (kind, charges) in &promised_charges(&cloud, 4)[all] {
            let problem = Problem::<T>::new(cloud.name, &cloud.positions, charges);
            let oracle = Oracle::new(&problem, 1000);
            for opening in OPENINGS {
                for tolerance in &tolerances {
                    let mut fmm = treecode(bed, opening).tolerance(*tolerance);
                    if opening == Opening::Neighbours {
                        // Leaves that suit lists are so large that so few points have no far boxes.
                        fmm = fmm.depth(Depth::Adaptive { leaf_capacity: 40 });
                    }
                    let field = field_of(bed, &problem, fmm);
                    let error = oracle.errors(&field).worse();
                    let what = format!("{}, {kind}, {opening} at {tolerance:e}", cloud.name);
                    assert!(error <= *tolerance, "{what}: {error:e}");
                    // In a cloud of few points, α = 1e-3 opens all cells.
                    assert!(bed.is_slow() || field.report.m2p_pairs > 0, "{what}");
                }
            }
        }
    }
}

fn tolerances_are_kept_in_f64(bed: Bed) {
    tolerances_are_kept::<f64>(bed, &[1e-2, 1e-3, 1e-8]);
}

fn tolerances_are_kept_in_f32(bed: Bed) {
    tolerances_are_kept::<f32>(bed, &[1e-3, 1e-4]);
}

/// With a wide angle one receiver of thousands may have most of the error, that for which one cell is just far enough: picks that
/// know nothing of the cells miss it in these cubes. The oracle sees all receivers.
fn wide_angles_keep_the_tolerance(bed: Bed) {
    for seed in [2, 13, 21, 50] {
        let positions = clouds::uniform_cube(3000, 100 + seed).positions;
        let q = charges::mixed(positions.len(), 200 + seed);
        let problem = Problem::<f64>::new("cube", &positions, &q);
        let oracle = Oracle::new(&problem, positions.len());
        for opening in [Opening::BarnesHut { theta: 0.7 }, Opening::Nakasato { theta: 0.8 }] {
            for tolerance in [1e-9, 1e-11] {
                let field = field_of(bed, &problem, treecode(bed, opening).tolerance(tolerance));
                let error = oracle.errors(&field).worse();
                assert!(error <= tolerance, "{seed}, {opening} at {tolerance:e}: {error:e}");
            }
        }
    }
}

/// Cells of a crystal have no last degrees at order 6: the degrees before tell the errors, which a cloud of weak charges hides from
/// picks among all receivers alike.
fn crystals_keep_the_tolerance_of_wide_angles(bed: Bed) {
    let ions = (0..4096).map(|i| [i >> 8, i >> 4 & 15, i & 15]);
    let weak = clouds::uniform_cube(1475, 77).positions;
    let apart = weak.iter().map(|[x, y, z]| [24.0 + 16.0 * x, 16.0 * y, 16.0 * z]);
    let positions: Vec<[f64; 3]> =
        ions.clone().map(|ion| ion.map(f64::from)).chain(apart).collect();
    let signs = ions.map(|ion| if ion.iter().sum::<i32>() % 2 == 0 { 1.0 } else { -1.0 });
    let weak = charges::mixed(weak.len(), 78).into_iter().map(|q| 1e-6 * q);
    let q: Vec<f64> = signs.chain(weak).collect();
    let problem = Problem::<f64>::new("crystal", &positions, &q);
    let oracle = Oracle::new(&problem, positions.len());
    for theta in [0.7, 0.74, 0.76, 0.8] {
        for tolerance in [1e-2, 0.02, 0.0218, 0.03] {
            let fmm = treecode(bed, Opening::BarnesHut { theta }).tolerance(tolerance);
            let error = oracle.errors(&field_of(bed, &problem, fmm)).worse();
            assert!(error <= tolerance, "θ = {theta} at {tolerance:e}: {error:e}");
        }
    }
}

/// Groups share what the neediest of them takes.
fn groups_of_any_size_keep_the_tolerance(bed: Bed) {
    let problem = plummer::<f64>(bed.points(POINTS));
    let oracle = Oracle::new(&problem, 1000);
    // Small groups open less.
    let tolerance = if reached(bed, 1e-4) == 1e-4 { 1e-4 } else { 1e-2 };
    for opening in OPENINGS {
        for (receivers, leaf_capacity) in [(1, 1), (1, 30), (10, 3), (1000, 3), (POINTS, 100)] {
            let groups = Treecode::new().opening(opening).group_capacity(receivers);
            let fmm = engine(bed, groups).fmm().tolerance(tolerance);
            let field = field_of(bed, &problem, fmm.depth(Depth::Adaptive { leaf_capacity }));
            let error = oracle.errors(&field).worse();
            assert!(error <= tolerance, "{opening}, {receivers}, {leaf_capacity}: {error:e}");
        }
    }
}

fn in_pool<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap().install(work)
}

fn same_bits<T: Precision>(bed: Bed) {
    let n = bed.points(POINTS);
    let (problem, other) = (plummer::<T>(n), charges::masses(n, 9));
    let other: Vec<T> = other.into_iter().map(T::narrow).collect();
    let moved: Vec<[T; 3]> = problem.sources.iter().map(|p| [p[1], p[2], p[0]]).collect();
    for opening in OPENINGS {
        for order in some(bed, [4, 1], 1) {
            let fmm = treecode(bed, opening).tolerance(Tolerance::Order(order));
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

fn same_bits_in_f64(bed: Bed) {
    same_bits::<f64>(bed);
}

fn same_bits_in_f32(bed: Bed) {
    same_bits::<f32>(bed);
}

/// The relative criterion takes the gradient of the argument; that of a coarse walk where there is none.
fn an_earlier_gradient_saves_the_coarse_walk(bed: Bed) {
    // Fewer points make cells of larger shares of the whole.
    let (n, alpha) = if bed.is_slow() { (1000, 1e-2) } else { (POINTS, 1e-3) };
    let problem = plummer::<f64>(n);
    let fmm = treecode(bed, Opening::Relative { alpha }).tolerance(Tolerance::Order(3));
    let plan = problem.plan(fmm).unwrap();
    let workspace = &mut Workspace::new();
    let mut after = |gradient: &[[f64; 3]], mut field: Field<f64>| {
        plan.evaluate_after_into(&problem.charges, gradient, &mut field, workspace).unwrap();
        field
    };
    let first = plan.evaluate(&problem.charges).unwrap();
    let next = after(&first.gradient, Field::default());
    // Better gradients change few decisions.
    let (a, b) = (next.report.m2p_pairs as f64, first.report.m2p_pairs as f64);
    assert!((bed.is_slow() || a != b) && (a / b - 1.0).abs() < 0.05, "{a} {b}");
    // Gradients ten thousand times as large let nearer cells act.
    let steep: Vec<[f64; 3]> = first.gradient.iter().map(|g| g.map(|x| 1e4 * x)).collect();
    let coarse = after(&steep, next.clone());
    let n_pairs = |field: &Field<f64>| field.report.m2p_pairs + field.report.p2p_pairs;
    assert!(n_pairs(&coarse) < n_pairs(&first) / 10 * 9);
    // The argument alone counts, not what field and workspace were used for.
    assert!(bits(&after(&first.gradient, coarse.clone())) == bits(&next));
    let mut used = coarse;
    plan.evaluate_into(&problem.charges, &mut used, workspace).unwrap();
    assert!(bits(&used) == bits(&first));
    // Plans for one output walk as plans for both.
    for outputs in [Outputs::Potential, Outputs::Gradient] {
        let plan = problem.plan(fmm.outputs(outputs)).unwrap();
        let alone = plan.evaluate(&problem.charges).unwrap();
        let mut field = Field::default();
        plan.evaluate_after_into(&problem.charges, &first.gradient, &mut field, workspace).unwrap();
        for (alone, both) in [(&alone, &first), (&field, &next)] {
            assert_eq!(alone.potential.is_empty(), !outputs.has_potential());
            assert_eq!(alone.gradient.is_empty(), !outputs.has_gradient());
            assert!(alone.potential.is_empty() || alone.potential == both.potential);
            assert!(alone.gradient.is_empty() || alone.gradient == both.gradient);
        }
    }
}

/// Cells that act in f32 keep what is promised of f64, wherever the points are.
fn f32_cells_keep_the_tolerance_of_crowded_and_shifted_points(bed: Bed) {
    let n = bed.points(POINTS);
    let cloud = clouds::plummer(n, 14);
    // Every third point has a neighbour that f32 would take for itself, and all are far from the origin.
    let mut positions: Vec<[f64; 3]> = cloud.positions.iter().map(|p| p.map(|x| x + 1e6)).collect();
    for i in (0..n - 1).step_by(3) {
        positions[i + 1] = positions[i].map(|x| x + 1e-5 * (1.0 + (i % 7) as f64));
    }
    for (kind, charges) in promised_charges(&cloud, 15) {
        let problem = Problem::<f64>::new("crowded", &positions, &charges);
        let oracle = Oracle::new(&problem, 1000);
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-5].into_iter().filter(|t| reached(bed, *t) == *t) {
            for opening in &OPENINGS[1..] {
                let fmm = treecode(bed, *opening).tolerance(tolerance);
                let field = field_of(bed, &problem, fmm);
                let error = oracle.errors(&field).worse();
                assert!(error <= tolerance, "{kind}, {opening} at {tolerance:e}: {error:e}");
            }
        }
    }
}

/// An isolated system accelerates itself by no more than what was asked for.
fn net_force_is_bounded(bed: Bed) {
    for cloud in some(bed, clouds::distributions(bed.points(POINTS), 5), 1) {
        for (kind, charges) in some(bed, promised_charges(&cloud, 6), 2) {
            let problem = Problem::<f64>::new(cloud.name, &cloud.positions, &charges);
            for tolerance in [1e-3, 1e-6].into_iter().filter(|t| reached(bed, *t) == *t) {
                for opening in OPENINGS {
                    let fmm = treecode(bed, opening).tolerance(tolerance);
                    let field = field_of(bed, &problem, fmm);
                    let net = field.report.net_force.unwrap();
                    assert!(net > 0.0 && net <= tolerance, "{}, {kind}: {net:e}", cloud.name);
                }
            }
            let direct = field_of(bed, &problem, bed.fmm().method(Method::Direct));
            assert!(direct.report.net_force.unwrap() <= 1e-13);
        }
    }
}

/// The net force is that of the field. Without gradient, or with receivers of their own, none is reported.
fn net_force_is_that_of_the_field(bed: Bed) {
    let problem = plummer::<f64>(500);
    let fmm = treecode(bed, Opening::Nakasato { theta: 1.0 }).tolerance(Tolerance::Order(1));
    let field = field_of(bed, &problem, fmm);
    let (mut sum, mut magnitudes) = ([0.0; 3], 0.0);
    for (q, gradient) in problem.charges.iter().zip(&field.gradient) {
        (0..3).for_each(|axis| sum[axis] += q * gradient[axis]);
        magnitudes += (q * gradient[0]).hypot(q * gradient[1]).hypot(q * gradient[2]);
    }
    let expected = sum[0].hypot(sum[1]).hypot(sum[2]) / magnitudes;
    let found = field.report.net_force.unwrap();
    assert!((found - expected).abs() <= 500.0 * f64::EPSILON, "{found} {expected}");
    assert!(field_of(bed, &problem, fmm.outputs(Outputs::Potential)).report.net_force.is_none());
    let apart = problem.clone().at(&clouds::plummer(500, 7).positions);
    assert!(field_of(bed, &apart, fmm).report.net_force.is_none());
}

fn softening_is_exact_in_monopoles_and_within_the_tolerance_above(bed: Bed) {
    let problem = plummer::<f64>(bed.points(POINTS));
    let orders =
        if engine(bed, Treecode::new()).largest_order() == 5 { [1, 3, 4, 5] } else { [1, 2, 3, 6] };
    for softening in [1e-3, 0.1, 10.0] {
        let oracle = Oracle::softened(&problem, 1000, softening);
        for opening in OPENINGS.into_iter().filter(|opening| *opening != Opening::Neighbours) {
            for order in some(bed, orders, 2) {
                let fmm = treecode(bed, opening).tolerance(Tolerance::Order(order));
                let field = field_of(bed, &problem, fmm.softening(softening));
                let error = oracle.errors(&field).worse();
                let bound = 2.0 * field.report.predicted_error;
                assert!(error <= bound, "{opening}, {order}, {softening}: {error:e} {bound:e}");
            }
        }
    }
}

/// Receivers so far away that the root acts as a whole.
fn far_receivers_meet_one_cell(bed: Bed) {
    let n = bed.points(2000);
    let sources = clouds::plummer(n, 8);
    let receivers: Vec<[f64; 3]> =
        clouds::uniform_cube(100, 9).positions.iter().map(|p| p.map(|x| 1e4 + x)).collect();
    let problem = Problem::<f64>::new("far", &sources.positions, &charges::masses(n, 10));
    let problem = problem.at(&receivers);
    let oracle = Oracle::new(&problem, 100);
    for opening in OPENINGS.into_iter().filter(|opening| *opening != Opening::Neighbours) {
        let fmm = treecode(bed, opening).tolerance(Tolerance::Order(4));
        let field = field_of(bed, &problem, fmm);
        assert_eq!((field.report.m2p_pairs, field.report.p2p_pairs), (100, 0), "{opening}");
        assert!(oracle.errors(&field).worse() < 1e-9, "{opening}");
    }
}

fn charges_that_have_no_centre(bed: Bed) {
    let n = bed.points(POINTS);
    let cloud = clouds::uniform_cube(n, 11);
    // As many points of either sign at each place.
    let crowd = 2 * (n / 150);
    let coincident: Vec<[f64; 3]> = (0..n).map(|i| cloud.positions[i / crowd]).collect();
    let mut cancelling = vec![1.0; n];
    cancelling.iter_mut().step_by(2).for_each(|charge| *charge = -1.0);
    let mut half = charges::mixed(n, 12);
    half[..n / 2].fill(0.0);
    for opening in OPENINGS {
        // Neighbour lists have all orders on a GPU, too.
        let lists = opening == Opening::Neighbours;
        let tolerance = if lists { 1e-5 } else { reached(bed, 1e-5) };
        for positions in [&cloud.positions, &coincident] {
            let zeros = Problem::<f64>::new("zeros", positions, &vec![0.0; n]);
            let field = field_of(bed, &zeros, treecode(bed, opening));
            assert!(field.potential.iter().chain(field.gradient.as_flattened()).all(|x| *x == 0.0));
            let fmm = treecode(bed, opening).tolerance(tolerance);
            let half = Problem::<f64>::new("half", positions, &half);
            let error = Oracle::new(&half, 1000).errors(&field_of(bed, &half, fmm)).worse();
            assert!(error <= tolerance, "{opening}: {error:e}");
        }
        // Every place holds as much of either sign: nothing is left but rounding.
        let neutral = Problem::<f64>::new("neutral", &coincident, &cancelling);
        let field = field_of(bed, &neutral, treecode(bed, opening));
        assert!(field.potential.iter().all(|x| x.abs() < 1e-9), "{opening}");
    }
}

fn parameters_that_make_no_sense(bed: Bed) {
    let points = clouds::uniform_cube(10, 13).positions;
    let refused = |opening| match treecode(bed, opening).plan(&points) {
        Err(error @ Error::Opening { .. }) => assert!(error.to_string().contains("0.6")),
        other => panic!("{opening:?}: {:?}", other.err()),
    };
    for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Opening::BarnesHut { theta: bad });
        refused(Opening::Nakasato { theta: bad });
        refused(Opening::Relative { alpha: bad });
    }
    // Orders end earlier in f32, for charges of both signs and for few charges.
    let fmm = treecode(bed, Opening::Nakasato { theta: 1.0 }).tolerance(6e-6);
    let error = fmm.plan(&[[0.0_f32; 3]]).and_then(|plan| plan.evaluate(&[1.0])).unwrap_err();
    assert_eq!(error, Error::OpeningTooWide { tolerance: 6e-6, parameter: 1.0 });
}

fn neighbour_lists_alone_have_a_guarantee(bed: Bed) {
    let points = clouds::uniform_cube(10, 13).positions;
    let guaranteed = |options| -> Result<Plan<f64>, Error> {
        let fmm = engine(bed, options).fmm().tolerance(Tolerance::Guaranteed(0.5));
        fmm.outputs(Outputs::Potential).plan(&points)
    };
    for options in [Treecode::new(), Treecode::new().opening(Opening::Neighbours)] {
        assert_eq!(guaranteed(options).unwrap().report().opening, Some(Opening::Neighbours));
    }
    for opening in &OPENINGS[1..] {
        let options = Treecode::new().opening(*opening);
        assert_eq!(guaranteed(options).err(), Some(Error::NoGuarantee));
    }
}

on_devices! {
    tolerances_are_kept_in_f64: cpu emulated cuda ranks;
    tolerances_are_kept_in_f32: cpu emulated cuda ranks;
    wide_angles_keep_the_tolerance: cpu ranks;
    crystals_keep_the_tolerance_of_wide_angles: cpu ranks;
    groups_of_any_size_keep_the_tolerance: cpu emulated cuda ranks;
    same_bits_in_f64: cpu cuda;
    same_bits_in_f32: cpu emulated cuda;
    an_earlier_gradient_saves_the_coarse_walk: cpu emulated cuda;
    f32_cells_keep_the_tolerance_of_crowded_and_shifted_points: cpu emulated cuda ranks;
    net_force_is_bounded: cpu emulated cuda ranks;
    net_force_is_that_of_the_field: cpu emulated cuda ranks;
    softening_is_exact_in_monopoles_and_within_the_tolerance_above: cpu emulated cuda ranks;
    far_receivers_meet_one_cell: cpu emulated cuda ranks;
    charges_that_have_no_centre: cpu emulated cuda ranks;
    parameters_that_make_no_sense: cpu emulated cuda;
    neighbour_lists_alone_have_a_guarantee: cpu emulated cuda;
}

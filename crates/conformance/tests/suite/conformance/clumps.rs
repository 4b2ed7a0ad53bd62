//! Clumps: clusters so small beside their distances that one tree cannot split them.

use fmm::{Depth, Device, Error, Field, Fmm, M2l, Method, Opening, Outputs, Treecode, Workspace};
use testbed::conformance::{Bed, Oracle, Precision, Problem, bits};
use testbed::{charges, clouds};

const TOLERANCE: f64 = 1e-4;

/// Points of a cluster: more than a leaf has before it is crowded.
const CLUSTER: usize = 3000;

fn moved(points: &[[f64; 3]], scale: f64, by: [f64; 3]) -> Vec<[f64; 3]> {
    points.iter().map(|p| std::array::from_fn(|axis| p[axis] * scale + by[axis])).collect()
}

/// Two clusters of unit size, this far apart, the points of both by turns.
fn two_clusters(n: usize, distance: f64) -> Vec<[f64; 3]> {
    let first = clouds::uniform_cube(n / 2, 51).positions;
    let second = clouds::uniform_sphere(n / 2, 52).positions;
    let second = moved(&second, 1.0, [0.6 * distance, -0.64 * distance, 0.48 * distance]);
    first.into_iter().zip(second).flat_map(|(a, b)| [a, b]).collect()
}

/// Sets with clumps by name.
fn clumped_sets() -> Vec<(String, Vec<[f64; 3]>)> {
    let cube = clouds::uniform_cube(CLUSTER, 53).positions;
    let centred = moved(&cube, 2.0, [-1.0; 3]);
    let apart = [1e8, 1e9, 1e12, 1e15]
        .map(|distance| (format!("{distance:e} apart"), two_clusters(2 * CLUSTER, distance)));
    // About the middle of the cube, so that eight boxes of every level have a part.
    let around = |corners: [f64; 2]| {
        [moved(&cube, 1.0, [corners[0]; 3]), moved(&cube, 1.0, [corners[1]; 3])].concat()
    };
    let straddling = [moved(&centred, 1.0, [0.0; 3]), around([-1e12, 1e12])].concat();
    // About one point, as far as f64 resolves.
    let scales = [1.0, 1e-8, 1e-16].map(|scale| moved(&centred, scale, [0.0; 3])).concat();
    let off = [1.0, 1e-8, 1e-14].map(|scale| moved(&centred, scale, [0.3, 0.7, -0.1])).concat();
    // Numbers are so coarse there that boxes of the first levels have no exact centres.
    let far = moved(&clouds::uniform_cube(2 * CLUSTER, 65).positions, 1.0, [3e13, -2e13, 3e13]);
    let others = [
        ("straddling", straddling),
        ("three scales", scales),
        ("off the origin", off),
        ("far from the origin", far),
    ];
    let others = others.into_iter().map(|(name, points)| (name.to_owned(), points));
    apart.into_iter().chain(others).collect()
}

fn is_right<T: Precision>(fmm: Fmm, problem: &Problem<T>, tolerance: f64, softening: f64) {
    let fmm = fmm.tolerance(tolerance).softening(softening);
    holds(&problem.field(fmm).unwrap(), problem, tolerance, softening);
}

/// Whether a field is right, and clumps were in use.
fn holds<T: Precision>(field: &Field<T>, problem: &Problem<T>, tolerance: f64, softening: f64) {
    let oracle = Oracle::softened(problem, 500, softening);
    let error = oracle.errors(field).worse();
    let report = &field.report;
    let what = format!("{}, {}, {}: {error:e}", problem.name, T::NAME, report.method);
    assert!(error <= tolerance, "{what}");
    // Leaves of the hybrid are larger, and a GPU leaves only the largest clumps to the cores.
    if report.method != Method::Direct && report.device == Device::Cpu {
        // Far from the origin, only cubes whose sides are no powers of two have inexact centres at the first levels.
        assert!(report.clumps > 0 || problem.name.starts_with("far"), "{what}");
        let pairs = (problem.sources.len() * problem.receivers().len()) as u64;
        assert!(report.p2p_pairs < pairs / 2, "{what}: {}", report.p2p_pairs);
    }
}

fn clumps_are_right(bed: Bed) {
    let sets = clumped_sets();
    for (name, positions) in
        sets.iter().take(if bed.is_hybrid() || bed.is_brief() { 3 } else { sets.len() })
    {
        for charges in [charges::masses(positions.len(), 54), charges::mixed(positions.len(), 55)] {
            let problem = Problem::<f64>::new(name, positions, &charges);
            for engine in bed.engines() {
                let fmm = match (bed.is_hybrid(), engine.method) {
                    // Leaves that suit a GPU are so large that none is crowded here.
                    (true, Method::Fmm) => {
                        engine.fmm().depth(Depth::Adaptive { leaf_capacity: 64 })
                    }
                    _ => engine.fmm(),
                };
                let field = engine.field(&problem, fmm.tolerance(TOLERANCE)).unwrap();
                holds(&field, &problem, TOLERANCE, 0.0);
            }
            if !bed.is_brief() {
                let engine = bed.engine(Method::Fmm);
                is_right(bed.fmm(), &problem, engine.smallest::<f64>().max(1e-7), 0.0);
            }
        }
    }
}

#[test]
fn clumps_in_f32() {
    let apart = two_clusters(2 * CLUSTER, 1e9);
    let centred = moved(&clouds::uniform_cube(CLUSTER, 53).positions, 2.0, [-1.0; 3]);
    let scales = [1.0, 1e-8, 1e-16].map(|scale| moved(&centred, scale, [0.0; 3])).concat();
    for (name, positions) in [("apart", apart), ("three scales", scales)] {
        let problem = Problem::<f32>::new(name, &positions, &charges::mixed(positions.len(), 56));
        for engine in Bed::CPU.engines().filter(|engine| engine.method != Method::Direct) {
            is_right(engine.fmm(), &problem, TOLERANCE, 0.0);
        }
    }
}

#[test]
fn clumps_with_receivers_of_their_own() {
    let sources = two_clusters(2 * CLUSTER, 1e12);
    let both = moved(&two_clusters(2 * CLUSTER, 1e12), 1.0, [0.25; 3]);
    let around = moved(&clouds::sphere_surface(CLUSTER, 57).positions, 1e12, [0.5; 3]);
    let one = [moved(&sources[..2], 1.0, [0.1; 3]), around.clone()].concat();
    let charges = charges::mixed(sources.len(), 58);
    for engine in Bed::CPU.engines() {
        let problem = Problem::<f64>::new("apart", &sources, &charges);
        is_right(engine.fmm(), &problem.clone().at(&both), TOLERANCE, 0.0);
        // Nothing is crowded with both sources and receivers: pairs are few.
        for receivers in [&one, &around] {
            let problem = problem.clone().at(receivers);
            let field = problem.field(engine.fmm().tolerance(TOLERANCE)).unwrap();
            assert!(Oracle::new(&problem, 500).errors(&field).worse() <= TOLERANCE);
        }
    }
}

#[test]
fn softened_clumps() {
    let positions = two_clusters(2 * CLUSTER, 1e12);
    let problem =
        Problem::<f64>::new("softened", &positions, &charges::masses(positions.len(), 59));
    for method in [Method::Fmm, Treecode::new().into()] {
        is_right(Fmm::new().method(method), &problem, 1e-3, 1e-3);
    }
}

#[test]
fn vectors_openings_and_outputs_of_clumps() {
    let positions = two_clusters(2 * CLUSTER, 1e12);
    let n = positions.len();
    let vectors = [charges::masses(n, 60), charges::mixed(n, 61), charges::masses(n, 62)];
    // Heavy charges in one vector: they act on all points directly.
    let mut heavy = vectors[1].clone();
    (heavy[7], heavy[8]) = (1e9, -1e9);
    let vectors: Vec<&[f64]> = vectors.iter().chain([&heavy]).map(Vec::as_slice).collect();
    let request = Fmm::new().method(Method::Fmm).tolerance(TOLERANCE).vectors(vectors.len());
    let fields = request.plan(&positions).unwrap().evaluate_many(&vectors).unwrap();
    for (charges, field) in vectors.iter().zip(&fields) {
        let problem = Problem::<f64>::new("vectors", &positions, charges);
        assert!(Oracle::new(&problem, 500).errors(field).worse() <= TOLERANCE);
        assert!(field.report.clumps > 0);
    }
    let problem = Problem::<f64>::new("openings", &positions, vectors[0]);
    let openings = [
        Opening::Neighbours,
        Opening::BarnesHut { theta: 0.9 },
        Opening::Nakasato { theta: 1.0 },
        Opening::Relative { alpha: 1e-3 },
    ];
    for opening in openings {
        let fmm = Fmm::new().method(Treecode::new().opening(opening));
        is_right(fmm, &problem, 1e-2, 0.0);
    }
    let potential = problem.field(request.outputs(Outputs::Potential)).unwrap();
    assert!(Oracle::new(&problem, 500).potential_errors(&potential).l2 <= TOLERANCE);
    let both = problem.field(request).unwrap();
    let gradient = problem.field(request.outputs(Outputs::Gradient)).unwrap();
    assert!(gradient.potential.is_empty() && both.gradient.len() == gradient.gradient.len());
}

#[test]
fn earlier_gradients_reach_clumps() {
    let positions = two_clusters(2 * CLUSTER, 1e12);
    let problem = Problem::<f64>::new("earlier", &positions, &charges::masses(positions.len(), 63));
    let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-3 });
    let plan = problem.plan(Fmm::new().method(relative).tolerance(1e-3)).unwrap();
    let (first, mut next) = (plan.evaluate(&problem.charges).unwrap(), Default::default());
    plan.evaluate_after_into(&problem.charges, &first.gradient, &mut next, &mut Workspace::new())
        .unwrap();
    assert!(next.report.clumps > 0);
    assert!(Oracle::new(&problem, 500).errors(&next).worse() <= 1e-3);
}

/// Same bits for any number of threads, and after other points in the same plan, field and workspace.
#[test]
fn bits_of_clumps() {
    let [clumped, apart] = [1e12, 10.0].map(|distance| two_clusters(2 * CLUSTER, distance));
    let charges = charges::mixed(clumped.len(), 64);
    for engine in Bed::CPU.engines().filter(|engine| engine.method != Method::Direct) {
        let request = engine.fmm().tolerance(TOLERANCE);
        let field = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| bits(&request.plan(&clumped).unwrap().evaluate(&charges).unwrap()))
        };
        let one = field(1);
        assert!([2, 3, 7].into_iter().all(|n_threads| field(n_threads) == one));
        let (mut field, mut workspace) = (Default::default(), Workspace::new());
        let mut plan = request.plan(&apart).unwrap();
        for positions in [&apart, &clumped, &apart, &clumped] {
            plan.update_positions(positions).unwrap();
            plan.evaluate_into(&charges, &mut field, &mut workspace).unwrap();
            assert_eq!(field.report.clumps > 0, positions == &clumped);
        }
        assert!(bits(&field) == one);
        assert!(plan.sample_error(&charges, &field, 300).unwrap().l2() <= TOLERANCE);
    }
}

/// Pairs grow with the points, and not with their square.
#[test]
fn work_on_clumps_is_not_quadratic() {
    for method in [Method::Fmm, Treecode::new().into()] {
        let pairs = |n: usize, distance: f64| {
            let positions = two_clusters(n, distance);
            let request = Fmm::new().method(method).tolerance(1e-3);
            let field = request.plan(&positions).unwrap().evaluate(&vec![1.0; n]).unwrap();
            (field.report.p2p_pairs + field.report.m2p_pairs) as f64
        };
        let one = pairs(100_000, 10.0);
        for distance in [1e5, 3e5, 1e6, 3e6, 1e7, 1e8, 1e9, 1e12, 1e15] {
            let clumped = pairs(100_000, distance);
            // All pairs of the clusters would be 30 times as many.
            assert!(clumped < 5.0 * one, "{method}, {distance:e}: {clumped:e}, {one:e}");
        }
    }
}

/// Leaves that are not crowded around one that is, scale after scale.
#[test]
fn a_cusp_is_right() {
    let n = 150_000;
    let directions = clouds::sphere_surface(n, 66).positions;
    let radius = |i: usize| 10f64.powf(-12.0 * i as f64 / n as f64);
    let positions: Vec<[f64; 3]> =
        directions.iter().enumerate().map(|(i, p)| p.map(|x| x * radius(i))).collect();
    let problem = Problem::<f64>::new("cusp", &positions, &charges::masses(n, 67));
    let oracle = Oracle::new(&problem, 300);
    for method in [Method::Fmm, Treecode::new().into()] {
        let field = problem.field(Fmm::new().method(method).tolerance(TOLERANCE)).unwrap();
        assert!(oracle.errors(&field).worse() <= TOLERANCE, "{method}");
        // All pairs of the half that no level separates would be 0.22 of all.
        let (clumps, pairs) = (field.report.clumps, field.report.p2p_pairs as f64);
        assert!(clumps > 0 && pairs < 0.06 * (n * n) as f64, "{method}: {clumps}, {pairs:e}");
    }
}

/// A GPU, whose trees end at the deepest level, leaves large clumps to the cores, and the report says so. Half of the points
/// are more than it takes in a box.
#[test]
fn cores_take_the_clumps_of_a_gpu() -> Result<(), Error> {
    let n = 120_000;
    let request = Fmm::new().method(Method::Fmm).tolerance(1e-3).device(Device::Emulated);
    let mut plan = request.plan(&two_clusters(n, 1e12))?;
    assert_eq!((plan.report().device, plan.report().clumps), (Device::Cpu, 2));
    let few = two_clusters(600, 1e12);
    assert_eq!(request.plan(&few)?.report().device, Device::Emulated);
    plan.update_positions(&two_clusters(n, 1e9))?;
    assert_eq!(plan.report().device, Device::Cpu);
    // What the GPU refuses is refused.
    let refused = request.m2l(M2l::Rotation).tolerance(1e-12).plan(&two_clusters(n, 1e12));
    assert!(matches!(refused, Err(Error::OrderOnDevice { .. })), "{refused:?}");
    Ok(())
}

on_devices! {
    clumps_are_right: cpu emulated_hybrid cuda hybrid ranks;
}

//! Tests of estimates: against what is allocated, and of plans in little memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernels_gpu::operators::OperatorSet;
use kernels_gpu::sort::MAX_KEYS;
use octree::Depth;

use super::demand::Before;
use super::keeping::Keeping;
use super::phases::FIXED;
use super::{Demand, demand_of, least, likely_scheme};
use crate::api::{DeviceMemory, Error, Field, Method, Request, Tolerance, Treecode};
use crate::choose::{Known, PointStatistics, Scheme};
use crate::engine::{ChargeKind, Charges, Engine, PointCounts, PointSets, TreeSize, Workspace};
use crate::gpu::engine::GpuEngine;
use crate::gpu::engine::fitting::engine;
use crate::gpu::limited_machine::LimitedMachine;
use crate::gpu::pipeline::form::{Expansions, Form};

fn methods() -> [Request; 3] {
    [Method::Direct, Method::Treecode(Treecode::new()), Method::Fmm].map(|method| Request {
        method,
        tolerance: Tolerance::L2(1e-3),
        ..Request::default()
    })
}

fn one_set<T>(points: &[[T; 3]]) -> PointSets<'_, T> {
    PointSets { sources: points, receivers: None }
}

/// Numbers in (0, 1) of the additive recurrence by powers of a plastic number.
fn numbers(i: usize) -> [f64; 3] {
    [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(|step| ((i + 1) as f64 * step).fract())
}

fn cube(n: usize) -> Vec<[f32; 3]> {
    (0..n).map(|i| numbers(i).map(|x| x as f32)).collect()
}

/// Plummer's model without the outermost hundredth of the mass.
fn plummer(n: usize) -> Vec<[f32; 3]> {
    let star = |i: usize| {
        let [mass, height, turn] = numbers(i);
        let radius = ((0.99 * mass).powf(-2.0 / 3.0) - 1.0).sqrt().recip();
        let z = 2.0 * height - 1.0;
        let (sine, cosine) = (std::f64::consts::TAU * turn).sin_cos();
        let across = (1.0 - z * z).sqrt();
        [across * cosine, across * sine, z].map(|part| (radius * part) as f32)
    };
    (0..n).map(star).collect()
}

/// Masses, or charges of both signs.
fn charges(n: usize, mixed: bool) -> Vec<f32> {
    let sign = |i: usize| if mixed && i % 2 == 1 { -1.0 } else { 1.0 };
    (0..n).map(|i| sign(i) * (1.0 + (i % 3) as f32)).collect()
}

fn evaluate(engine: &dyn Engine<f32>, charges: &[f32]) -> Field<f32> {
    let vectors = [charges];
    let charges = Charges::new(&vectors, charges.len(), None).unwrap();
    let mut fields = [Field::default()];
    engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
    let [field] = fields;
    field
}

/// Relative L2 difference of potentials and of gradients.
fn difference(a: &Field<f32>, b: &Field<f32>) -> f64 {
    let relative = |pairs: Vec<(f32, f32)>| {
        let square = |x: f64| x * x;
        let of = |(a, b): &(f32, f32)| [square(f64::from(a - b)), square(f64::from(*b))];
        let sums = pairs.iter().map(of).fold([0.0; 2], |s, t| [s[0] + t[0], s[1] + t[1]]);
        (sums[0] / sums[1]).sqrt()
    };
    let pairs = |a: &[f32], b: &[f32]| a.iter().copied().zip(b.iter().copied()).collect();
    let potential = relative(pairs(&a.potential, &b.potential));
    let gradients = pairs(a.gradient.as_flattened(), b.gradient.as_flattened());
    potential.max(relative(gradients))
}

/// Nothing has been copied when a plan is refused, and the estimate is enough.
#[test]
fn plans_that_do_not_fit_are_refused_beforehand() {
    let points = cube(500);
    for request in methods() {
        let machine = LimitedMachine::new(10_000);
        let engine = |machine| GpuEngine::<_, f32>::new(machine, request);
        let mut small = engine(machine.clone()).unwrap();
        let before = machine.uploads.load(Ordering::Relaxed);
        let refused = small.build(&one_set(&points)).unwrap_err();
        let Error::DeviceMemory { needed, free } = refused else { panic!("{refused}") };
        assert_eq!(machine.uploads.load(Ordering::Relaxed), before);

        // A tree of few points may be larger than one of evenly spread points.
        let room = 20_000 + 10_000 - free;
        let mut enough = engine(LimitedMachine::new(needed + room)).unwrap();
        enough.build(&one_set(&points)).unwrap();
        // The memory that a plan has is its own when points move.
        enough.build(&one_set(&points)).unwrap();
        assert_eq!(evaluate(&enough, &charges(500, false)).potential.len(), 500);
    }
}

/// A plan in a machine of so many bytes, what it keeps, and its field.
fn whole(
    request: Request,
    points: &PointSets<'_, f32>,
    charges: &[f32],
    bytes: usize,
) -> (GpuEngine<LimitedMachine, f32>, Keeping, Field<f32>) {
    let machine = LimitedMachine::new(bytes);
    let mut engine = GpuEngine::<_, f32>::new(machine.clone(), request).unwrap();
    engine.build(points).unwrap();
    let field = evaluate(&engine, charges);
    let keeping = engine.state().pipeline.keeping;
    (engine, keeping, field)
}

fn memory(field: &Field<f32>) -> DeviceMemory {
    field.report.device_memory.unwrap()
}

/// Bytes that are told when the tree stands are those that are taken, and estimates from the numbers of points are near.
/// Memory that the check does not need for so few receivers is left out.
#[test]
fn estimates_are_near_what_is_taken() {
    let [direct, treecode, fmm] = methods();
    for (request, points, slack) in [
        (fmm, cube(12_000), 0.1),
        (fmm, plummer(12_000), 0.25),
        (treecode, cube(4000), 0.25),
        (direct, cube(4000), 0.05),
    ] {
        let (points, charges) = (one_set(&points), charges(points.len(), false));
        let (mut bytes, mut unused) = (usize::MAX, None);
        for expected in [Keeping::All, Keeping::Phase, Keeping::Least] {
            // Of so few points, fixed parts are larger than what phases give back.
            if expected != Keeping::All && request.method != Method::Fmm {
                break;
            }
            let (engine, keeping, field) = whole(request, &points, &charges, bytes);
            assert_eq!(keeping, expected);
            // What the check allocated stays for the next evaluation.
            evaluate(&engine, &charges);
            let (told, peak) = (memory(&field), engine.machine.peak());
            let counts =
                PointCounts { n_sources: charges.len(), n_receivers: charges.len(), one_set: true };
            let even = PointStatistics::even(&counts);
            let chosen = engine.chooser.choose(Known::Points(&even), None).unwrap();
            let likely = likely_scheme(&engine.chooser, counts, (chosen, 3.0), None);
            let estimated = demand_of::<f32>(counts, &likely).memory(keeping);
            let unused = *unused.get_or_insert(told.peak.saturating_sub(peak));
            let ratio = |bytes: usize| (bytes - unused) as f64 / peak as f64;
            let case = format!(
                "{:?} {keeping:?}: {peak}, told {told}, estimated {estimated}",
                request.method
            );
            assert!(told.peak >= peak && unused < FIXED as usize, "{case}");
            // The upper bound of the check's memory weighs most there.
            let lower = if keeping == Keeping::Least { 0.15 } else { 0.0 };
            assert!((ratio(told.peak) - 1.0).abs() < 0.05 + lower, "{case}");
            assert!((ratio(estimated.peak) - 1.0).abs() < slack + lower, "{case}");
            bytes = peak - 1;
        }
    }
}

/// M2L of a tree of few boxes is by rotation at low orders, whose scratch memory is none, and the estimate knows that.
#[test]
fn estimates_in_f64_are_of_the_form_that_the_tree_takes() {
    let points: Vec<[f64; 3]> = (0..4000).map(numbers).collect();
    for tolerance in [1e-2, 1e-9] {
        let request = Request {
            method: Method::Fmm,
            tolerance: Tolerance::L2(tolerance),
            ..Request::default()
        };
        let machine = LimitedMachine::new(usize::MAX);
        let mut engine = GpuEngine::<_, f64>::new(machine, request).unwrap();
        engine.build(&one_set(&points)).unwrap();
        let counts = PointCounts { n_sources: 4000, n_receivers: 4000, one_set: true };
        let points = PointStatistics::even(&counts);
        let chosen = engine.chooser.choose(Known::Points(&points), None).unwrap();
        let likely = likely_scheme(&engine.chooser, counts, (chosen, 3.0), None);
        assert_eq!(likely.algorithm, engine.tree.scheme.algorithm);
        assert!(likely.algorithm != chosen.algorithm || tolerance < 1e-6, "{chosen:?}");
    }
}

/// Shallow leaves, so that few points have far boxes.
fn with_far(method: Method, depth: Depth) -> Request {
    let tolerance = Tolerance::L2(1e-3);
    Request { method, tolerance, depth: Some(depth), ..Request::default() }
}

/// Charges of which few outweigh all others.
fn heavy(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i % 200 == 7 { 1e5 } else { 1.0 }).collect()
}

/// Least bytes of a plan of all points, which refusals name: by the numbers of points, and by their tree.
fn needed(request: Request, points: &PointSets<'_, f32>) -> usize {
    let build = |bytes: usize| {
        let limited = Request { memory_limit: Some(bytes), ..request };
        let machine = LimitedMachine::new(usize::MAX);
        GpuEngine::<_, f32>::new(machine, limited).unwrap().build(points)
    };
    let mut bytes = 1;
    while let Err(Error::DeviceMemory { needed, .. }) = build(bytes) {
        bytes = needed;
    }
    bytes
}

#[test]
fn plans_that_keep_less_give_the_same() {
    let (sources, receivers) = (plummer(1200), cube(700));
    let sets = [
        (PointSets { sources: &sources, receivers: None }, charges(1200, true)),
        (PointSets { sources: &sources, receivers: Some(&receivers) }, heavy(1200)),
    ];
    for (points, charges) in sets {
        let request = with_far(Method::Fmm, Depth::Adaptive { leaf_capacity: 20 });
        let (reference, keeping, all) = whole(request, &points, &charges, usize::MAX);
        assert!(keeping == Keeping::All && all.report.m2l_pairs > 0);
        for (bytes, expected) in
            [(memory(&all).peak - 1, Keeping::Phase), (needed(request, &points), Keeping::Least)]
        {
            // Heavy charges take more, of few points.
            let room = 100_000 * usize::from(expected == Keeping::Least);
            let limited = Request { memory_limit: Some(bytes), ..request };
            let (_, keeping, less) = whole(limited, &points, &charges, bytes + room);
            assert_eq!(keeping, expected);
            assert!(difference(&less, &all) < 1e-6, "{expected:?}");
            assert_eq!(less.report.p2p_pairs, all.report.p2p_pairs);
            let error = reference.sample_error(&charges, &less, 50).unwrap();
            assert!(error.l2() < 1e-3, "{error:?}");
        }
    }
}

/// By the model of an evenly filled cube, which the counted peaks above bear out.
#[test]
fn billions_of_points_fit_a_card() {
    let of = |n_sources: usize, bytes: usize| {
        let counts = PointCounts { n_sources, n_receivers: n_sources, one_set: true };
        let [.., fmm] = methods();
        let request = Request { memory_limit: Some(bytes), ..fmm };
        crate::gpu::estimate::<f32>(&request, counts).unwrap().device.unwrap()
    };
    for (n, card) in [(1_000_000_000, 80_000_000_000), (2_000_000_000, 141_000_000_000)] {
        let whole = of(n, card);
        assert!(whole.taken_in == [1, 1] && whole.peak <= 65 * n, "{whole}");
    }
    let in_parts = of(1_000_000_000, 40_000_000_000);
    assert!(in_parts.peak <= 40_000_000_000 && in_parts.taken_in != [1, 1], "{in_parts}");
}

const NOTHING: Before = Before { held: 0, granted: 0, keeping: Keeping::All };

/// Before anything is allocated on either side, and without overflow.
#[test]
fn billions_of_points_are_refused() {
    for n_sources in [2_000_000_000, u32::MAX as usize] {
        let counts = PointCounts { n_sources, n_receivers: n_sources, one_set: true };
        for depth in [Depth::Adaptive { leaf_capacity: 64 }, Depth::Uniform(21)] {
            let form = |order| Expansions::OnLists(Form { order, set: OperatorSet::of(order) });
            let walk = Expansions::OfCells(5);
            let large = form(44);
            for form in [form(7), large, walk, form(0)] {
                let size = TreeSize::expected(depth, 1.0, n_sources);
                let demand = Demand::expected::<f32>(counts, form, size);
                for keeping in [Keeping::All, Keeping::Phase, Keeping::Least] {
                    let per_point = demand.memory(keeping).peak / n_sources;
                    // A point alone in 22 boxes, each with expansions and waves.
                    let most = if form == large { 4_000_000 } else { 1_000_000 };
                    assert!((36..most).contains(&per_point), "{per_point} {form:?} {keeping:?}");
                }
                let machine = LimitedMachine::new(60_000_000_000);
                let refused = demand.keeping(&machine, NOTHING, None, Keeping::Least);
                let too_many = matches!(refused, Err(Error::TooManyPoints { .. }));
                assert!(refused.is_err() && too_many == (n_sources > MAX_KEYS), "{demand:?}");
            }
        }
    }
}

/// A plan that is made anew asks the device for what it has not had, and for what it gave back.
#[test]
fn memory_that_was_found_before_is_not_looked_for_again() {
    let counts = PointCounts { n_sources: 10_000, n_receivers: 10_000, one_set: true };
    let size = TreeSize::expected(Depth::Adaptive { leaf_capacity: 64 }, 1.0, 10_000);
    let form = Expansions::OnLists(Form { order: 7, set: OperatorSet::Small });
    let demand = Demand::expected::<f32>(counts, form, size);
    let nothing_free = LimitedMachine::new(0);
    let asks =
        |before: Before| demand.keeping(&nothing_free, before, None, Keeping::Least).is_err();
    let granted = demand.memory(Keeping::All).peak;
    let before = Before { held: granted / 100 * 98, granted, keeping: Keeping::All };
    assert!(!asks(before));
    assert!(asks(Before { granted: granted - 1, held: 1, ..before }));
    let given_back = demand.memory(Keeping::Least).peak;
    assert!(asks(Before { held: 1, granted: given_back, keeping: Keeping::Least }));
}

/// A plan that is taken in parts because a machine has half of what it takes at least, or less.
fn in_parts(
    request: Request,
    points: &PointSets<'_, f32>,
    bytes: usize,
) -> (Arc<dyn Engine<f32>>, [usize; 2], LimitedMachine) {
    let machine = LimitedMachine::new(bytes);
    let engine = engine(machine.clone(), request, points).unwrap();
    let taken_in = engine.report().device_memory.unwrap().taken_in;
    (engine, taken_in, machine)
}

/// The scheme for unlike charges, for which parts have room.
fn unlike_scheme(engine: &GpuEngine<LimitedMachine, f32>, points: &PointSets<'_, f32>) -> Scheme {
    let statistics = PointStatistics::new(points);
    let scheme = engine.chooser.choose(Known::Points(&statistics), Some(ChargeKind::Unlike));
    scheme.unwrap_or(engine.tree.scheme)
}

/// In a uniform tree, pairs of boxes and of points are the same: only the order of sums differs.
#[test]
fn parts_sum_what_the_whole_sums() {
    let (sources, receivers) = (cube(1000), plummer(700));
    let one = PointSets { sources: &sources, receivers: None };
    let two = PointSets { sources: &sources, receivers: Some(&receivers) };
    // One set of points in two sets of parts takes more than the whole where all sources are in each.
    for (points, charges, [s, r]) in
        [(one, heavy(1000), [2, 2]), (two, charges(1000, true), [1, 2]), (two, heavy(1000), [2, 2])]
    {
        let request = with_far(Method::Fmm, Depth::Uniform(2));
        let (engine, _, expected) = whole(request, &points, &charges, usize::MAX);
        let scheme = unlike_scheme(&engine, &points);
        let n_sources = points.sources.len().div_ceil(s);
        let n_receivers = points.n_receivers().div_ceil(r);
        let part = PointCounts { n_sources, n_receivers, one_set: false };
        let bytes = demand_of::<f32>(part, &scheme).memory(Keeping::Least).peak + 1000;
        // Attempts of higher orders, which charges of both signs may take, need some more.
        let limited = Request { memory_limit: Some(bytes), ..request };
        let (parts, taken_in, machine) = in_parts(limited, &points, bytes + 300_000);
        assert_eq!(taken_in, [s, r]);
        let field = evaluate(&*parts, &charges);
        if field.report.order == engine.report.order {
            assert!(machine.peak() <= bytes);
        }
        if field.report.order == expected.report.order {
            let found = difference(&field, &expected);
            assert!(found < 1e-5, "{found}");
        }
        let error = engine.sample_error(&charges, &field, 50).unwrap();
        assert!(error.l2() < 1e-3, "{error:?}");
        assert_eq!(field.report.p2p_pairs, expected.report.p2p_pairs);
        assert!(field.report.m2l_pairs > 0 && expected.report.m2l_pairs > 0);
        assert!(field.report.estimated_error.unwrap() < 1e-3);
        assert_eq!(field.report.net_force.is_some(), points.receivers.is_none());
    }
}

/// An engine with all points, in a machine that has room for them.
fn built(request: Request, points: &PointSets<'_, f32>) -> GpuEngine<LimitedMachine, f32> {
    let machine = LimitedMachine::new(usize::MAX);
    let mut engine = GpuEngine::<_, f32>::new(machine, request).unwrap();
    engine.build(points).unwrap();
    engine
}

/// Every method keeps the tolerance in parts, as an engine that has all points measures it, and moves.
#[test]
fn parts_keep_the_tolerance() {
    let (points, receivers) = (plummer(400), cube(2000));
    let moved: Vec<[f32; 3]> = points.iter().map(|point| point.map(|x| 0.5 - x)).collect();
    let sets = |sources| PointSets { sources, receivers: Some(&receivers) };
    for request in methods() {
        let charges = charges(points.len(), false);
        let scheme = unlike_scheme(&built(request, &sets(&points)), &sets(&points));
        let part = PointCounts { n_sources: 400, n_receivers: 1000, one_set: false };
        // Trees of few points may be larger than those of evenly spread ones.
        let bytes = demand_of::<f32>(part, &scheme).memory(least(&scheme)).peak + 30_000;
        let limited = Request { memory_limit: Some(bytes), ..request };
        let (engine, taken_in, _) = in_parts(limited, &sets(&points), bytes + 300_000);
        assert_ne!(taken_in, [1, 1]);
        let field = evaluate(&*engine, &charges);
        let rebuilt = engine.rebuilt(&sets(&moved)).unwrap();
        let turned = evaluate(&*rebuilt, &charges);
        for (points, field) in [(&points, field), (&moved, turned)] {
            let error = built(request, &sets(points)).sample_error(&charges, &field, 50).unwrap();
            assert!(error.l2() < 1e-3, "{error:?}");
        }
    }
}

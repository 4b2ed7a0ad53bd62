//! Picks of a device beside those of the cores.

mod expected;

use kernels_gpu::memory::Grown;
use octree::Depth;

use super::*;
use crate::api::{Field, M2l, Method, Request, Seconds, Tolerance};
use crate::cpu::{Buffers, Geometry, Passes, Tables, weights};
use crate::engine::{Charges, Engine, Heavy, PointSets, Workspace};
use crate::gpu::engine::GpuEngine;
use crate::gpu::limited_machine::LimitedMachine;
use crate::verify::{squares, value_at};

/// Points between 0 and 1, which crowd towards 0 at powers above 1.
fn points(n: u32, power: i32) -> Vec<[f64; 3]> {
    let roots = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
    let point = |i: u32| roots.map(|root| (root * f64::from(i * i)).fract());
    (0..n).map(|i| point(i).map(|x| x.powi(power))).collect()
}

fn charge(source: usize) -> f64 {
    0.1 + (source % 7) as f64
}

/// The FMM in small leaves, so that expansions act between so few points.
fn request(tolerance: Tolerance) -> Request {
    let depth = Some(Depth::Adaptive { leaf_capacity: 20 });
    Request { method: Method::Fmm, tolerance, depth, ..Request::default() }
}

fn planned<T: Scalar + Number>(
    points: &PointSets<'_, T>,
    request: Request,
) -> Result<GpuEngine<LimitedMachine, T>, Error> {
    let machine = LimitedMachine::new(usize::MAX);
    let mut engine = GpuEngine::new(machine, request)?;
    engine.build(points)?;
    Ok(engine)
}

/// Limits of memory, with what is kept there: all, and the least.
fn limits(points: &PointSets<'_, f64>, request: Request) -> [(Option<usize>, Keeping); 2] {
    // Refusals name the least memory: by the numbers of points, and by their tree.
    let mut limit = 1;
    let within = |limit| Request { memory_limit: Some(limit), ..request };
    while let Err(Error::DeviceMemory { needed, .. }) = planned(points, within(limit)) {
        limit = needed;
    }
    [(None, Keeping::All), (Some(limit), Keeping::Least)]
}

fn evaluated<T: Scalar + Number>(
    points: &PointSets<'_, T>,
    engine: &GpuEngine<LimitedMachine, T>,
) -> Field<T> {
    let charges: Vec<T> = (0..points.sources.len()).map(charge).map(T::narrow).collect();
    let vectors = [&charges[..]];
    let charges = Charges::new(&vectors, charges.len(), None).unwrap();
    let mut fields = [Field::default()];
    engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
    std::mem::take(&mut fields[0])
}

/// Gradient and potential at a place, pair by pair.
fn sum_at(at: [f64; 3], sources: &[[f64; 3]]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (j, source) in sources.iter().enumerate() {
        let d = [0, 1, 2].map(|axis| source[axis] - at[axis]);
        let square: f64 = d.iter().map(|x| x * x).sum();
        if square > 0.0 {
            let potential = charge(j) / square.sqrt();
            let pull = d.map(|x| x * potential / square);
            sum = [sum[0] + pull[0], sum[1] + pull[1], sum[2] + pull[2], sum[3] + potential];
        }
    }
    sum
}

/// The picks of a device, whatever is kept there, beside those of the cores for the same field on their own tree.
#[test]
fn a_device_picks_the_receivers_that_the_cores_pick() {
    let (sources, others) = (points(1000, 2), points(700, 1));
    for receivers in [None, Some(&others[..])] {
        let points = PointSets { sources: &sources, receivers };
        let request = request(Tolerance::L2(1e-4));
        for (memory_limit, keeping) in limits(&points, request) {
            let engine = planned(&points, Request { memory_limit, ..request }).unwrap();
            assert_eq!(engine.state().pipeline.keeping, keeping);
            let field = evaluated(&points, &engine);
            assert_picks(&points, &engine, &field);
        }
    }
}

/// Squares of the errors to expect at each receiver in the tree's order, as the device tells them in the caller's.
fn expected_on_device<T: Number>(
    pipeline: &mut Pipeline<LimitedMachine, T>,
    in_order: &[u32],
) -> Vec<[f64; 2]> {
    let n = in_order.len();
    let mut errors = Grown::new();
    errors.reserve(&pipeline.machine, 2 * n).unwrap();
    pipeline.expected_errors(errors.view_mut(2 * n)).unwrap();
    let mut bits = vec![0; 2 * n];
    errors.download(&pipeline.machine, &mut bits).unwrap();
    let numbers: Vec<f64> = bits.into_iter().map(|x| f64::from(f32::from_bits(x))).collect();
    in_order.iter().map(|i| [0, 1].map(|of| numbers[2 * *i as usize + of])).collect()
}

/// Squares of the errors to expect by the expansions of the cores, in another unit.
fn expected_on_cores(geometry: &Geometry<f64>, order: usize, m2l: M2l) -> Vec<[f64; 2]> {
    let tables = Tables::new(order);
    let passes = Passes::of_test(geometry, &tables, 1);
    let mut buffers = Buffers::default();
    buffers.reserve_vectors(1);
    let mut charges: Vec<f64> = (0..geometry.sources().len()).map(charge).collect();
    let facts = Charges::check(&[&charges], charges.len()).unwrap()[0];
    if facts.have_heavy(&request(Tolerance::L2(1e-3)), geometry.has_expansions()) {
        // These are in no expansion.
        Heavy::take_from(&mut charges);
    }
    let in_order = geometry.tree.source_permutation().iter();
    buffers.charges[0].extend(in_order.map(|i| charges[*i as usize]));
    passes.run_fmm(m2l, &mut buffers, &mut Seconds::default()).unwrap();
    let weights = weights(&buffers.sums[0], passes.outputs);
    let of_receiver = |place: usize| {
        let [.., corner, face] = weights(place);
        [corner, face]
    };
    (0..geometry.receivers().len()).map(of_receiver).collect()
}

/// Whether numbers are alike but for a common factor, a relative difference, and those below the smallest of f32.
fn assert_alike(found: &[[f64; 2]], expected: &[[f64; 2]], difference: f64) {
    let sum = |errors: &[[f64; 2]]| errors.as_flattened().iter().sum::<f64>();
    let factor = sum(expected) / sum(found);
    let smallest = factor * f64::from(f32::MIN_POSITIVE);
    for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
        let found = factor * found;
        let allowed = difference * expected + smallest;
        assert!((found - expected).abs() <= allowed, "{found} {expected} {factor}");
    }
}

fn assert_picks(
    points: &PointSets<'_, f64>,
    engine: &GpuEngine<LimitedMachine, f64>,
    field: &Field<f64>,
) {
    let outputs = engine.request.outputs;
    let mut guard = engine.state();
    let order = guard.pipeline.local_order.unwrap();
    assert_eq!(order, field.report.order);

    let shape = engine.tree.scheme.shape;
    let geometry = Geometry::new(points, shape, &mut Seconds::default()).unwrap();
    let in_order = geometry.tree.receiver_permutation();
    let value = |place: usize| value_at(field, in_order[place] as usize);
    // Where the least is kept, results and sums have gone.
    let values: Vec<_> = (0..in_order.len()).map(|i| Vec4(value_at(field, i))).collect();
    let mut on_device = Grown::new();
    on_device.upload(&engine.machine, &values).unwrap();
    guard.pipeline.sums.reserve(&engine.machine, in_order.len()).unwrap();
    let expected = expected_on_device(&mut guard.pipeline, in_order);
    let on_cores = expected_on_cores(&geometry, order, field.report.m2l.unwrap());
    assert_alike(&expected, &on_cores, 1e-4);
    let picks = |count: usize, [in_corners, in_faces]: [f64; 2]| {
        Picks::new(in_order.len(), count, |place| {
            let [potential, gradient] = squares(value(place), outputs);
            let [corner, face] = expected[place];
            [potential, gradient, in_corners * corner, in_faces * face]
        })
    };
    for count in [32, 128] {
        let field = on_device.view(in_order.len());
        let pipeline = &mut guard.pipeline;
        let check = ToCheck { field, outputs, softening: 0.0, tolerance: 1e-4, participation: 1.0 };
        let picked = pipeline.pick(check, count, || Ok(())).unwrap();
        let mut places: Vec<usize> = picked.picks.iter().map(|pick| pick.place).collect();
        assert!(places.is_sorted());
        places.dedup();
        let expected = picks(count, [1.0; 2]);
        assert_eq!(places, expected.places);
        assert_ne!(places, picks(count, [0.0, 1.0]).places);
        assert_ne!(places, picks(count, [1.0, 0.0]).places);
        assert!(picked.picks.iter().all(|pick| pick.value == value(pick.place)));

        let at = points.receivers.unwrap_or(points.sources);
        let sum = |place: &usize| sum_at(at[in_order[*place] as usize], points.sources);
        let references: Vec<[f64; 4]> = places.iter().map(sum).collect();
        let values: Vec<[f64; 4]> = places.iter().map(|place| value(*place)).collect();
        let expected = expected.worse_error(&values, &references, outputs);
        let found = pipeline.estimate(check, count, || Ok(())).unwrap().estimate.error;
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }
}

/// Opposite charges so close that f32 leaves few digits of their sum: pairs on the device round alike in the sum and in
/// references of its own floats.
#[test]
fn sums_in_f32_that_cancel_are_told() {
    let places = |n: usize| -> Vec<[f32; 3]> {
        let root = |k: usize| [0.414, 0.732, 0.236].map(|r: f32| (r * k as f32).fract());
        (0..n).map(|k| root(k).map(|x| 2.0 + x)).collect()
    };
    // 2⁻⁹ apart, which f32 holds.
    let sources = [[0.5, 0.5, 0.5], [0.5 + 1.0 / 512.0, 0.5, 0.5]];
    let receivers = places(300);
    let points = PointSets { sources: &sources, receivers: Some(&receivers) };
    let request =
        Request { method: Method::Direct, tolerance: Tolerance::L2(1e-5), ..Request::default() };
    let engine = planned(&points, request).unwrap();
    let vectors = [&[1.0, -1.0][..]];
    let charges = Charges::new(&vectors, 2, None).unwrap();
    let mut fields = [Field::default()];
    engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
    let exact = |at: &[f32; 3]| {
        let inverse = |x: [f32; 3]| {
            let d = [0, 1, 2].map(|k| f64::from(x[k]) - f64::from(at[k]));
            d.iter().map(|d| d * d).sum::<f64>().sqrt().recip()
        };
        inverse(sources[0]) - inverse(sources[1])
    };
    let pairs = receivers.iter().zip(&fields[0].potential);
    let square: f64 = pairs.map(|(at, found)| (exact(at) - f64::from(*found)).powi(2)).sum();
    let norm: f64 = receivers.iter().map(|at| exact(at).powi(2)).sum();
    let (error, told) = ((square / norm).sqrt(), fields[0].report.estimated_error.unwrap());
    assert!(error > 1e-5, "{error:e}: the sum keeps its tolerance");
    assert!(told > 0.5 * error, "{told:e} of {error:e}");
}

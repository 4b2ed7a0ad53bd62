//! Fields from host slices: each result in its place, bytes that cross the bus, and refusals.

use std::sync::atomic::Ordering;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Emulator, STAGING_BYTES, Unchecked};
use kernels_gpu::memory::Grown;
use kernels_gpu::tree::{Sets, Tree};

use octree::Depth;

use super::{Arrivals, BUFFERS, bounds_of_sent, packed, send_points, unpack};
use crate::api::{Error, Field, Method, Opening, Outputs, Request, Tolerance, Treecode};
use crate::engine::{Charges, Engine, PointSets, Workspace};
use crate::gpu::engine::GpuEngine;
use crate::gpu::limited_machine::LimitedMachine;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::unchecked::emulator;

/// Points on a lattice in a scrambled order, whose coordinates have few digits: f32 holds them.
fn points(n: usize, first: usize) -> Vec<[f32; 3]> {
    let scrambled = |i: usize| (i * 7919 + 13) % (1 << 15);
    let at = |i: usize, shift: usize| ((i >> shift) & 31) as f32 / 32.0;
    (first..first + n).map(scrambled).map(|i| [at(i, 0), at(i, 5), at(i, 10)]).collect()
}

fn engine(request: Request) -> (LimitedMachine, GpuEngine<LimitedMachine, f32>) {
    let machine = LimitedMachine::new(usize::MAX);
    let engine = GpuEngine::new(machine.clone(), request).unwrap();
    (machine, engine)
}

fn request(method: Method, outputs: Outputs) -> Request {
    Request { method, outputs, tolerance: Tolerance::L2(1e-3), ..Request::default() }
}

fn evaluated(
    engine: &GpuEngine<LimitedMachine, f32>,
    vectors: &[&[f32]],
) -> Result<Vec<Field<f32>>, Error> {
    let mut fields = vec![Field::default(); vectors.len()];
    let charges = Charges::new(vectors, vectors[0].len(), None)?;
    engine.evaluate(&charges, &mut fields, &mut Workspace::new())?;
    Ok(fields)
}

/// Gradient and potential at a point, and the sums of the sizes of their terms.
fn sum(sources: &[[f32; 3]], charges: &[f32], at: [f32; 3]) -> ([f64; 4], [f64; 2]) {
    let (mut sums, mut sizes) = ([0.0; 4], [0.0; 2]);
    for (source, q) in sources.iter().zip(charges) {
        let d = [0, 1, 2].map(|axis| f64::from(source[axis]) - f64::from(at[axis]));
        let r = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        if r > 0.0 {
            (0..3).for_each(|axis| sums[axis] += f64::from(*q) * d[axis] / r.powi(3));
            sums[3] += f64::from(*q) / r;
            sizes[0] += f64::from(q.abs()) / (r * r);
            sizes[1] += f64::from(q.abs()) / r;
        }
    }
    (sums, sizes)
}

/// More items than all staging buffers hold at once, so that buffers are used again, and a last chunk that is not full.
#[test]
fn items_come_to_their_places_in_several_waves() {
    let n = BUFFERS * STAGING_BYTES / 12 + 40_000;
    let vector = |i: usize| [i as f32, -(i as f32), 0.5];
    let sources: Vec<[f32; 3]> = (0..n).map(vector).collect();
    let receivers = [[7.0f32, 8.0, 9.0]];
    let sets = PointSets { sources: &sources, receivers: Some(&receivers) };
    let (mut field, mut points) = (Grown::new(), Grown::new());
    let numbers = packed(&emulator(), &mut field, &sets).unwrap();
    let mut tree = tree();
    send_points(&emulator(), &sets, numbers).unwrap();
    tree.begin_packed_bounds(&emulator(), numbers.read_only()).unwrap();
    points.reserve(&emulator(), n + 1).unwrap();
    unpack(&emulator(), numbers.read_only(), points.view_mut(n + 1)).unwrap();
    let bounds = bounds_of_sent(&emulator(), &mut tree, &sets).unwrap();
    assert_eq!((bounds.min, bounds.max), ([0.0, 1.0 - n as f64, 0.5], [n as f64 - 1.0, 8.0, 9.0]));
    // The points come back as a field.
    for outputs in [Outputs::PotentialAndGradient, Outputs::Potential, Outputs::Gradient] {
        let mut back = Field { potential: vec![1.0; 3], ..Field::default() };
        let (arrivals, _) = Arrivals::begin(&emulator(), points.view(n + 1)).unwrap();
        arrivals.read(outputs, &mut back).unwrap();
        let potentials = if outputs.has_potential() { n + 1 } else { 0 };
        assert_eq!(back.potential, vec![0.0; potentials]);
        if outputs.has_gradient() {
            assert!(back.gradient == [sources.as_slice(), &receivers].concat());
        } else {
            assert!(back.gradient.is_empty());
        }
    }
    // A course that is stopped begins no further copies.
    let (arrivals, course) = Arrivals::begin(&emulator(), points.view(n + 1)).unwrap();
    course.stop(&emulator()).unwrap();
    let mut back = Field::<f32>::default();
    arrivals.read(Outputs::Gradient, &mut back).unwrap();
    assert!(back.gradient[..1000] == sources[..1000] && back.gradient[n] != receivers[0]);
}

/// A tree of no points.
fn tree() -> Tree<Unchecked<Emulator>> {
    let (no_points, depth) = (View::<Vec4<f32>>::EMPTY, Depth::Uniform(0));
    Tree::build(&emulator(), no_points, Sets::One, depth, 1.0).unwrap()
}

/// Fields of several vectors at receivers apart, against the direct sum of this file.
#[test]
fn fields_are_those_of_the_charges() {
    let (sources, receivers) = (points(40, 0), points(700, 40));
    let vectors = [0, 1].map(|k| (0..40).map(|i| (i % 7) as f32 - k as f32).collect::<Vec<_>>());
    let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    for outputs in [Outputs::PotentialAndGradient, Outputs::Potential, Outputs::Gradient] {
        let (_, mut engine) = engine(request(Method::Direct, outputs));
        engine.build(&PointSets { sources: &sources, receivers: Some(&receivers) }).unwrap();
        let fields = evaluated(&engine, &vectors).unwrap();
        for (field, charges) in fields.iter().zip(&vectors) {
            assert_eq!(field.potential.len(), if outputs.has_potential() { 700 } else { 0 });
            assert_eq!(field.gradient.len(), if outputs.has_gradient() { 700 } else { 0 });
            assert_eq!(field.report.net_force, None);
            for (i, at) in receivers.iter().enumerate() {
                let (exact, sizes) = sum(&sources, charges, *at);
                // Rounding of 40 terms of f32.
                let near = |found: f32, k: usize| {
                    (f64::from(found) - exact[k]).abs() < 3e-6 * sizes[k / 3]
                };
                assert!(field.potential.get(i).is_none_or(|found| near(*found, 3)));
                let gradient = field.gradient.get(i);
                assert!(gradient.is_none_or(|g| (0..3).all(|axis| near(g[axis], axis))));
            }
        }
    }
}

/// Twelve bytes a point and four a charge go in, sixteen a receiver come out; nothing else of the size of the points crosses
/// the bus.
#[test]
fn bytes_that_cross_the_bus() {
    let traffic = |n: usize| {
        let positions = points(n, 0);
        let charges: Vec<f32> = (0..n).map(|i| 1.0 + (i % 3) as f32).collect();
        let (machine, mut engine) = engine(request(Method::Fmm, Outputs::PotentialAndGradient));
        let sets = PointSets { sources: &positions, receivers: None };
        engine.build(&sets).unwrap();
        evaluated(&engine, &[&charges]).unwrap();
        let crossed = || machine.crossed.load(Ordering::Relaxed);
        let allocated = || machine.allocated.load(Ordering::Relaxed);
        let start = [crossed(), allocated()];
        engine.build(&sets).unwrap();
        let built = crossed();
        evaluated(&engine, &[&charges]).unwrap();
        assert_eq!(allocated(), start[1], "memory was allocated");
        [built - start[0], crossed() - built]
    };
    // Checks of both have as many picks.
    let [few, many] = [12_000, 19_000].map(traffic);
    let growth = |k: usize| many[k] - few[k];
    assert_eq!(growth(0), 12 * 7_000);
    assert!((20 * 7_000..20 * 7_000 + 4_000).contains(&growth(1)), "{few:?} {many:?}");
}

/// Positions that are refused leave the points before, and results that are refused leave the fields before.
#[test]
fn refusals_change_nothing() {
    let n = 400;
    let (positions, charges) = (points(n, 0), vec![1.0f32; n]);
    let (_, mut engine) = engine(request(Method::Fmm, Outputs::PotentialAndGradient));
    engine.build(&PointSets { sources: &positions, receivers: None }).unwrap();
    let before = evaluated(&engine, &[&charges]).unwrap();

    let mut receivers = points(n, n);
    receivers[300][1] = f32::INFINITY;
    receivers[301][0] = f32::NAN;
    let sets = PointSets { sources: &positions, receivers: Some(&receivers) };
    let error = engine.build(&sets).unwrap_err();
    let Error::Tree(octree::Error::NotFinite { set, index, .. }) = error else { panic!("{error}") };
    assert_eq!((set, index), (octree::PointSet::Receivers, 300));
    let mut fields = evaluated(&engine, &[&charges]).unwrap();
    assert_eq!(fields[0].potential, before[0].potential);
    assert_eq!(fields[0].gradient, before[0].gradient);
    assert!(fields[0].report.net_force.is_some_and(|force| force < 1e-3));

    let large = vec![f32::MAX; n];
    let vectors = [charges.as_slice(), &large];
    fields.push(fields[0].clone());
    let of_both = Charges::new(&vectors, n, None).unwrap();
    let error = engine.evaluate(&of_both, &mut fields, &mut Workspace::new()).unwrap_err();
    assert!(matches!(error, Error::ResultRange { vector: 1, index: 0, .. }), "{error}");
    assert_eq!(fields[1].potential, before[0].potential);
}

/// Refusals where memory is short, so that old points make room for new ones; and points that move.
#[test]
fn refusals_change_nothing_in_little_memory() {
    let n = 800;
    let (positions, charges) = (points(n, 0), vec![1.0f32; n]);
    let moved = points(n, n);
    let mut bad = moved.clone();
    bad[700][1] = f32::NAN;
    let depth = Some(Depth::Adaptive { leaf_capacity: 20 });
    let set = |sources| PointSets { sources, receivers: None };
    let (_, mut roomy) = engine(Request { depth, ..request(Method::Fmm, Outputs::default()) });
    let mut expected = Vec::new();
    for points in [&positions, &moved] {
        roomy.build(&set(points)).unwrap();
        expected.push(evaluated(&roomy, &[&charges]).unwrap().remove(0));
    }
    let mut limit = expected[0].report.device_memory.unwrap().peak - 1;
    for keeping in [Keeping::Phase, Keeping::Least] {
        let (_, mut little) = engine(Request { memory_limit: Some(limit), ..roomy.request });
        little.build(&set(&positions)).unwrap();
        assert_eq!(little.state().pipeline.keeping, keeping);
        let field = evaluated(&little, &[&charges]).unwrap().remove(0);
        assert!(near(&field, &expected[0]));
        let error = little.build(&set(&bad)).unwrap_err();
        let Error::Tree(octree::Error::NotFinite { index: 700, .. }) = error else {
            panic!("{error}")
        };
        assert!(near(&evaluated(&little, &[&charges]).unwrap()[0], &expected[0]));
        little.build(&set(&moved)).unwrap();
        assert!(near(&evaluated(&little, &[&charges]).unwrap()[0], &expected[1]));
        limit = field.report.device_memory.unwrap().peak - 1;
    }
}

/// Whether potentials differ by no more than the rounding of sums in another order.
fn near(a: &Field<f32>, b: &Field<f32>) -> bool {
    let pairs = a.potential.iter().zip(&b.potential);
    a.potential.len() == b.potential.len()
        && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5 * b)
}

/// Near pairs follow from the earlier gradient that the caller gives: where there was none, no cell is accepted.
#[test]
fn an_earlier_gradient_reaches_the_walks() {
    let n = 1_500;
    let (positions, charges) = (points(n, 0), vec![1.0f32; n]);
    let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-2 });
    let walk = request(Method::Treecode(relative), Outputs::PotentialAndGradient);
    let (_, mut engine) = engine(walk);
    engine.build(&PointSets { sources: &positions, receivers: None }).unwrap();
    let first = evaluated(&engine, &[&charges]).unwrap();
    let after = |earlier: &[[f32; 3]]| {
        let vectors = [charges.as_slice()];
        let charges = Charges::new(&vectors, n, Some(earlier)).unwrap();
        let mut fields = [Field::default()];
        engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
        fields[0].report.p2p_pairs
    };
    let pairs = after(&first[0].gradient);
    assert!(pairs < (n * n / 2) as u64, "{pairs}");
    assert_eq!(after(&vec![[0.0; 3]; n]), (n * n) as u64);
}

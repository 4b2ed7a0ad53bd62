//! Errors to expect on a device beside those on cores, at low and high orders, in f32 and f64, with lists W and X; and which plans
//! look for them.

use kernels_gpu::operators::NONE;
use kernels_gpu::operators::expected::WORST;

use super::*;

/// A plan whose errors to expect are compared.
#[derive(Clone, Copy, Debug)]
struct Case {
    tolerance: f64,
    m2l: M2l,
    leaf_capacity: usize,
    /// The order that it takes, or one more or less.
    order: usize,
    /// Whether lists W and X must have boxes.
    lists: [bool; 2],
}

/// The expansions with the largest errors in leaves that are compared.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Leaves with the local expansion of an ancestor.
    locals: usize,
    /// Leaves with the multipole of an ancestor's far box, and with that of a box of list W.
    far: usize,
    smaller: usize,
}

impl Worst {
    fn of<T: Number>(pipeline: &mut Pipeline<LimitedMachine, T>) -> Self {
        let n_boxes = pipeline.list_tree().n_boxes();
        let arrays = pipeline.expected.of_vector(0, n_boxes);
        let (machine, tree) = (&pipeline.machine, pipeline.list_tree());
        let [mut worst, mut levels] = [WORST, 1].map(|each| vec![0; each * n_boxes]);
        let mut leaves = vec![0; tree.n_leaves()];
        machine.read(arrays.read_only().worst, &mut worst).unwrap();
        machine.read(tree.level(), &mut levels).unwrap();
        machine.read(tree.leaves(), &mut leaves).unwrap();
        let mut found = Self::default();
        for leaf in leaves.into_iter().map(|leaf| leaf as usize) {
            let [local, multipole] = [worst[leaf], worst[n_boxes + leaf]];
            found.locals += usize::from(local != NONE);
            if multipole != NONE {
                // Far boxes of ancestors are larger than the leaf.
                let is_smaller = levels[multipole as usize] > levels[leaf];
                found.smaller += usize::from(is_smaller);
                found.far += usize::from(!is_smaller);
            }
        }
        found
    }
}

/// Points that crowd towards a corner, so that trees are deep there.
fn crowded<T: Scalar>(n: u32, power: i32) -> Vec<[T; 3]> {
    points(n, power).into_iter().map(|point| point.map(|x| T::narrow(x))).collect()
}

fn widened<T: Scalar>(points: &[[T; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|[x, y, z]| [x.widen(), y.widen(), z.widen()]).collect()
}

/// Cores compute in f64, whatever the device does.
fn assert_errors<T: Scalar + Number>(case: Case, difference: f64) {
    let depth = Some(Depth::Adaptive { leaf_capacity: case.leaf_capacity });
    let m2l = Some(case.m2l);
    let request = Request { depth, m2l, ..request(Tolerance::L2(case.tolerance)) };
    let (sources, others) = (crowded::<T>(3000, 6), crowded::<T>(1000, 4));
    let mut lists = [false; 2];
    for receivers in [None, Some(&others[..])] {
        let engine = planned(&PointSets { sources: &sources, receivers }, request).unwrap();
        let field = evaluated(&PointSets { sources: &sources, receivers }, &engine);
        let order = field.report.order;
        assert!(order.abs_diff(case.order) <= 1, "{case:?}: {order}");
        assert_eq!(field.report.m2l, m2l);

        let (sources, receivers) = (widened(&sources), receivers.map(widened));
        let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
        let shape = engine.tree.scheme.shape;
        let geometry = Geometry::new(&points, shape, &mut Seconds::default()).unwrap();
        let mut guard = engine.state();
        let in_order = geometry.tree.receiver_permutation();
        let on_device = expected_on_device(&mut guard.pipeline, in_order);
        let on_cores = expected_on_cores(&geometry, order, case.m2l);
        assert_alike(&on_device, &on_cores, difference);

        let of_cores = &geometry.lists;
        let [_, n_m2p, n_p2l] = guard.pipeline.lists.n_items();
        assert_eq!([n_m2p, n_p2l], [of_cores.m2p().n_items(), of_cores.p2l().n_items()]);
        let worst = Worst::of(&mut guard.pipeline);
        assert!(worst.locals > 100 && worst.far > 50, "{case:?}: {worst:?}");
        lists = [lists[0] || n_m2p > 0 && worst.smaller > 0, lists[1] || n_p2l > 0];
    }
    assert!((0..2).all(|list| lists[list] >= case.lists[list]), "{case:?}: {lists:?}");
}

#[test]
fn errors_to_expect_are_those_of_the_cores() {
    let case = |tolerance, m2l, leaf_capacity, order, lists| Case {
        tolerance,
        m2l,
        leaf_capacity,
        order,
        lists,
    };
    // Pairs in f64 are cheap on a device, so that lists W and X have few boxes there.
    for case in [
        case(1e-1, M2l::Rotation, 100, 3, [false; 2]),
        case(1e-2, M2l::Rotation, 60, 4, [false; 2]),
        case(1e-5, M2l::PlaneWaves, 60, 10, [false; 2]),
        case(1e-9, M2l::PlaneWaves, 60, 24, [false; 2]),
    ] {
        assert_errors::<f64>(case, 1e-4);
    }
    for case in [
        case(1e-2, M2l::Rotation, 100, 4, [true; 2]),
        case(1e-3, M2l::Rotation, 60, 6, [true; 2]),
        case(1e-5, M2l::Rotation, 100, 10, [true; 2]),
    ] {
        // Rounding in f32 of the last degrees, which are some thousandth of the first.
        assert_errors::<f32>(case, 1e-3);
    }
}

/// A check alone reads errors to expect, and plans by an order have none.
#[test]
fn plans_by_an_order_look_for_no_errors_to_expect() {
    let sources = points(1000, 2);
    let points = PointSets { sources: &sources, receivers: None };
    let of_names = ["EXPANSION_SIZES_F64", "WORST_FAR_F64", "WORST_IN_LEAVES_F64"];
    let charges: Vec<f64> = (0..1000).map(charge).collect();
    for (tolerance, is_checked) in [(Tolerance::Order(8), false), (Tolerance::L2(1e-3), true)] {
        for n_vectors in [1, 3] {
            let request = Request { vectors: n_vectors, ..request(tolerance) };
            for (memory_limit, keeping) in limits(&points, request) {
                let engine = planned(&points, Request { memory_limit, ..request }).unwrap();
                assert_eq!(engine.state().pipeline.keeping, keeping);
                let vectors = vec![&charges[..]; n_vectors];
                let charges = Charges::new(&vectors, 1000, None).unwrap();
                let mut fields = vec![Field::default(); n_vectors];
                engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
                let launched = engine.machine.launched.lock().unwrap();
                let has = |name: &str| launched.contains(name);
                assert!(
                    launched.iter().any(|kernel| kernel.starts_with("L2P_F64")),
                    "{launched:?}"
                );
                assert_eq!(of_names.map(has), [is_checked; 3], "{tolerance:?}, {keeping:?}");
            }
        }
    }
}

//! Ranks find what one process finds, to rounding.

use fmm::{Depth, Device, Field, Fmm, Method, Outputs, Report, Scalar, Tolerance};
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Oracle, Problem};

use super::sum::{Sum, difference, sums_of};

/// Sets of several shapes, with charges of one sign and of both.
fn sums(n: usize) -> Vec<Sum<f64>> {
    sums_of(
        &[clouds::uniform_cube, clouds::sphere_surface, clouds::plummer, clouds::two_clusters],
        n,
    )
}

/// The FMM, so that expansions are in use.
fn fmm(tolerance: f64) -> Fmm {
    Fmm::new().tolerance(tolerance).method(Method::Fmm)
}

fn check<T: Scalar>(sum: &Sum<T>, fmm: Fmm, sizes: &[usize], largest: f64) {
    let counts = |report: &Report| {
        let boxes = [report.levels, report.boxes, report.leaves, report.order];
        (boxes, report.m2l_pairs, report.p2p_pairs, report.n_sources, report.n_receivers)
    };
    sum.is_that_of_one(fmm, sizes, largest, counts);
}

#[test]
fn all_shapes_on_few_and_many_ranks() {
    for sum in sums(6000) {
        check(&sum, fmm(1e-5), &[1, 2, 3, 4, 7, 8, 64], 1e-12);
    }
}

/// More ranks than leaves. Messages, and with them the time, grow with the square of the ranks.
#[test]
fn hundreds_of_ranks() {
    let (sum, n_ranks) = (&sums(600)[2], 512);
    let fmm = fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 10 });
    let alone = sum.plan(fmm).evaluate(&sum.charges).unwrap().report;
    assert!(alone.m2l_pairs > 0 && alone.leaves < n_ranks, "{} leaves", alone.leaves);
    check(sum, fmm, &[n_ranks], 1e-12);
}

#[test]
fn few_points_and_one_place() {
    let charges = charges::mixed(300, 1);
    let mut sums = vec![Sum::<f64>::new(&clouds::coincident(300), &charges)];
    for n in [0, 1, 2, 5] {
        sums.push(Sum::new(&clouds::uniform_cube(n, 2), &charges[..n]));
    }
    for sum in &sums {
        for fmm in [Fmm::new(), fmm(1e-3), fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 1 })] {
            let alone = sum.plan(fmm).evaluate(&sum.charges).unwrap();
            for size in [1, 2, 5, 16] {
                let over = sum.over(fmm, size);
                assert!(difference(&over, &alone) <= 1e-12, "{} on {size}", sum.name);
            }
        }
    }
}

#[test]
fn settings_of_all_kinds() {
    let n = 4000;
    let plummer = clouds::plummer(n, 21);
    let sum = Sum::<f64>::new(&plummer, &charges::mixed(n, 22));
    let settings = [
        fmm(1e-4).outputs(Outputs::Potential),
        fmm(1e-4).outputs(Outputs::Gradient),
        fmm(1e-4).depth(Depth::Uniform(3)),
        fmm(1e-4).softening(0.01),
        fmm(1e-9),
        Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(7)),
        Fmm::new().method(Method::Fmm).tolerance(Tolerance::Guaranteed(0.1)),
    ];
    for fmm in settings {
        check(&sum, fmm, &[3], 1e-12);
    }
    check(&sum, Fmm::new().method(Method::Direct), &[1, 4], 1e-12);
    // A few charges that outweigh all others are summed directly, whichever ranks have them.
    let mut heavy = charges::mixed(n, 23);
    (0..40).for_each(|k| heavy[k * 97] *= 1e4);
    let sum = Sum::<f64>::new(&plummer, &heavy);
    let alone = sum.plan(fmm(1e-5)).evaluate(&sum.charges).unwrap();
    assert!(difference(&sum.over(fmm(1e-5), 5), &alone) < 1e-12);
}

#[test]
fn single_precision() {
    let n = 4000;
    let sum = Sum::<f32>::new(&clouds::uniform_cube(n, 31), &charges::mixed(n, 32));
    check(&sum, fmm(1e-4), &[2, 7], 1e-6);
}

#[test]
fn a_device_for_near_pairs_on_each_rank() {
    let n = 1200;
    let sum = Sum::<f64>::new(&clouds::uniform_cube(n, 41), &charges::mixed(n, 42));
    let fmm = fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 40 }).device(Device::EmulatedHybrid);
    check(&sum, fmm, &[1, 3], 1e-12);
}

/// The direct sum, of which each rank's device has all pairs of the rank's receivers: its bits in f32 are those of one device,
/// and not those of cores.
#[test]
fn a_device_for_all_pairs_on_each_rank() {
    let n = 300;
    let sum = Sum::<f32>::new(&clouds::uniform_cube(n, 43), &charges::mixed(n, 44));
    let direct = |device| fmm(1e-4).method(Method::Direct).device(device);
    let alone = |device| sum.plan(direct(device)).evaluate(&sum.charges).unwrap().gradient;
    let over = sum.over(direct(Device::EmulatedHybrid), 3).gradient;
    assert_eq!(over, alone(Device::EmulatedHybrid));
    assert_ne!(over, alone(Device::Cpu));
}

/// Ranks with a GPU each have the tree, the order and the sums of one GPU: few and more ranks in turn.
#[test]
fn a_gpu_on_each_rank() {
    let gpu = |fmm: Fmm| fmm.device(Device::Emulated);
    let shape = |fmm: Fmm| gpu(fmm.depth(Depth::Adaptive { leaf_capacity: 30 }));
    for (sum, size) in sums(1000).iter().zip([2, 5].into_iter().cycle()) {
        let alone = sum.plan(shape(fmm(1e-3))).evaluate(&sum.charges).unwrap();
        let over = sum.over(shape(fmm(1e-3)), size);
        let difference = difference(&over, &alone);
        let what = format!("{} on {size} ranks: {difference:e}", sum.name);
        assert!(difference <= 1e-12, "{what}");
        let counts = |field: &Field<f64>| {
            let report = &field.report;
            let boxes = [report.levels, report.boxes, report.leaves, report.order];
            (boxes, report.p2p_pairs, report.n_sources, report.n_receivers)
        };
        assert_eq!(counts(&over), counts(&alone), "{what}");
        // Pairs of shared boxes count on each rank.
        assert!(alone.report.m2l_pairs > 0 && over.report.m2l_pairs >= alone.report.m2l_pairs);
    }
}

/// Few points and one place, the direct sum, heavy charges, f32, moved points: on GPUs as on one.
#[test]
fn gpus_on_hard_sums() {
    let gpu = |fmm: Fmm| fmm.device(Device::Emulated);
    let n = 700;
    let mut heavy = charges::mixed(n, 23);
    (0..20).for_each(|k| heavy[k * 31] *= 1e4);
    let sets = [
        (Sum::<f64>::new(&clouds::uniform_cube(3, 2), &charges::mixed(3, 1)), fmm(1e-3)),
        (Sum::new(&clouds::coincident(90), &charges::mixed(90, 1)), fmm(1e-3)),
        (Sum::new(&clouds::plummer(n, 21), &heavy), fmm(1e-3)),
        (
            Sum::new(&clouds::plummer(n, 22), &charges::mixed(n, 2)),
            Fmm::new().method(Method::Direct),
        ),
    ];
    for (sum, fmm) in &sets {
        let fmm = gpu(fmm.depth(Depth::Adaptive { leaf_capacity: 20 }));
        let alone = sum.plan(fmm).evaluate(&sum.charges).unwrap();
        let difference = difference(&sum.over(fmm, 3), &alone);
        assert!(difference <= 1e-12, "{}: {difference:e}", sum.name);
    }
    let sum = Sum::<f32>::new(&clouds::uniform_cube(n, 31), &charges::mixed(n, 32));
    let single = gpu(fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 20 }));
    let alone = sum.plan(single).evaluate(&sum.charges).unwrap();
    let difference = difference(&sum.over(single, 2), &alone);
    assert!(difference <= 1e-5, "f32: {difference:e}");
}

#[test]
fn the_tolerance_is_kept_where_an_order_fails() {
    // A lattice of ions, whose sum cancels: the first attempt fails on one process and on ranks alike.
    let side = 16;
    let place = |i: usize| [i % side, i / side % side, i / side / side];
    let positions: Vec<[f64; 3]> = (0..side.pow(3)).map(|i| place(i).map(|c| c as f64)).collect();
    let ions: Vec<f64> = (0..side.pow(3))
        .map(|i| if place(i).iter().sum::<usize>() % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    let cloud = Cloud { name: "ions", positions, charges: ions };
    let sum = Sum::<f64>::new(&cloud, &cloud.charges);
    let problem = Problem::<f64>::new("ions", &cloud.positions, &cloud.charges);
    let oracle = Oracle::new(&problem, usize::MAX);
    for tolerance in [1e-3, 1e-6] {
        let over = sum.over(fmm(tolerance), 4);
        let error = oracle.errors(&over).worse();
        assert!(error <= tolerance, "{error:e} at {tolerance:e}");
        assert!(over.report.estimated_error.unwrap() <= tolerance);
    }
}

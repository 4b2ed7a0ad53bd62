//! Ranks find what one process finds, to rounding.

use fmm::{Depth, Device, Fmm, Method, Outputs, Tolerance};
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::{Oracle, Problem};

use super::comparison::{difference, is_that_of_one, sums_of};

/// Sets of several shapes, with charges of one sign and of both.
fn sums(n: usize) -> Vec<Problem<f64>> {
    sums_of(
        &[clouds::uniform_cube, clouds::sphere_surface, clouds::plummer, clouds::two_clusters],
        n,
    )
}

/// The FMM, so that expansions are in use.
fn fmm(tolerance: f64) -> Fmm {
    Fmm::new().tolerance(tolerance).method(Method::Fmm)
}

#[test]
fn all_shapes_on_few_and_many_ranks() {
    for sum in sums(6000) {
        is_that_of_one(&sum, fmm(1e-5), &[1, 2, 3, 4, 7, 8, 64]);
    }
}

/// More ranks than leaves. Messages, and with them the time, grow with the square of the ranks.
#[test]
fn hundreds_of_ranks() {
    let (sum, n_ranks) = (&sums(600)[2], 300);
    let fmm = fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 10 });
    let alone = sum.field(fmm).unwrap().report;
    assert!(alone.m2l_pairs > 0 && alone.leaves < n_ranks, "{} leaves", alone.leaves);
    is_that_of_one(sum, fmm, &[n_ranks]);
}

#[test]
fn few_points_and_one_place() {
    let charges = charges::mixed(300, 1);
    let mut sums = vec![Problem::<f64>::of(&clouds::coincident(300), &charges)];
    for n in [0, 1, 2, 5] {
        sums.push(Problem::of(&clouds::uniform_cube(n, 2), &charges[..n]));
    }
    for sum in &sums {
        for fmm in [Fmm::new(), fmm(1e-3), fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 1 })] {
            let alone = sum.field(fmm).unwrap();
            for size in [1, 2, 5, 16] {
                let over = sum.over(fmm, size).unwrap();
                assert!(difference(&over, &alone) <= 1e-12, "{} on {size}", sum.name);
            }
        }
    }
}

#[test]
fn settings_of_all_kinds() {
    let n = 4000;
    let plummer = clouds::plummer(n, 21);
    let sum = Problem::<f64>::of(&plummer, &charges::mixed(n, 22));
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
        is_that_of_one(&sum, fmm, &[3]);
    }
    is_that_of_one(&sum, Fmm::new().method(Method::Direct), &[1, 4]);
    // A few charges that outweigh all others are summed directly, whichever ranks have them.
    let mut heavy = charges::mixed(n, 23);
    (0..40).for_each(|k| heavy[k * 97] *= 1e4);
    let sum = Problem::<f64>::of(&plummer, &heavy);
    let alone = sum.field(fmm(1e-5)).unwrap();
    assert!(difference(&sum.over(fmm(1e-5), 5).unwrap(), &alone) < 1e-12);
}

#[test]
fn single_precision() {
    let n = 4000;
    let sum = Problem::<f32>::of(&clouds::uniform_cube(n, 31), &charges::mixed(n, 32));
    is_that_of_one(&sum, fmm(1e-4), &[2, 7]);
}

#[test]
fn a_device_for_near_pairs_on_each_rank() {
    let n = 1200;
    let sum = Problem::<f64>::of(&clouds::uniform_cube(n, 41), &charges::mixed(n, 42));
    let fmm = fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 40 }).device(Device::EmulatedHybrid);
    is_that_of_one(&sum, fmm, &[1, 3]);
}

/// The direct sum, of which each rank's device has all pairs of the rank's receivers: its bits in f32 are those of one device,
/// and not those of cores.
#[test]
fn a_device_for_all_pairs_on_each_rank() {
    let n = 300;
    let sum = Problem::<f32>::of(&clouds::uniform_cube(n, 43), &charges::mixed(n, 44));
    let direct = |device| fmm(1e-4).method(Method::Direct).device(device);
    let alone = |device| sum.field(direct(device)).unwrap().gradient;
    let over = sum.over(direct(Device::EmulatedHybrid), 3).unwrap().gradient;
    assert_eq!(over, alone(Device::EmulatedHybrid));
    assert_ne!(over, alone(Device::Cpu));
}

/// Ranks with a GPU each have the tree, the order and the sums of one GPU: few and more ranks in turn.
#[test]
fn a_gpu_on_each_rank() {
    let gpu = |fmm: Fmm| fmm.device(Device::Emulated);
    let shape = |fmm: Fmm| gpu(fmm.depth(Depth::Adaptive { leaf_capacity: 30 }));
    for (sum, size) in sums(1000).iter().zip([2, 5].into_iter().cycle()) {
        let alone = is_that_of_one(sum, shape(fmm(1e-3)), &[size]);
        assert!(alone.report.m2l_pairs > 0);
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
        (Problem::<f64>::of(&clouds::uniform_cube(3, 2), &charges::mixed(3, 1)), fmm(1e-3)),
        (Problem::of(&clouds::coincident(90), &charges::mixed(90, 1)), fmm(1e-3)),
        (Problem::of(&clouds::plummer(n, 21), &heavy), fmm(1e-3)),
        (
            Problem::of(&clouds::plummer(n, 22), &charges::mixed(n, 2)),
            Fmm::new().method(Method::Direct),
        ),
    ];
    for (sum, fmm) in &sets {
        let fmm = gpu(fmm.depth(Depth::Adaptive { leaf_capacity: 20 }));
        let alone = sum.field(fmm).unwrap();
        let difference = difference(&sum.over(fmm, 3).unwrap(), &alone);
        assert!(difference <= 1e-12, "{}: {difference:e}", sum.name);
    }
    let sum = Problem::<f32>::of(&clouds::uniform_cube(n, 31), &charges::mixed(n, 32));
    let single = gpu(fmm(1e-3).depth(Depth::Adaptive { leaf_capacity: 20 }));
    let alone = sum.field(single).unwrap();
    let difference = difference(&sum.over(single, 2).unwrap(), &alone);
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
    let sum = Problem::<f64>::of(&cloud, &cloud.charges);
    let oracle = Oracle::new(&sum, usize::MAX);
    for tolerance in [1e-3, 1e-6] {
        let over = sum.over(fmm(tolerance), 4).unwrap();
        let error = oracle.errors(&over).worse();
        assert!(error <= tolerance, "{error:e} at {tolerance:e}");
        assert!(over.report.estimated_error.unwrap() <= tolerance);
    }
}

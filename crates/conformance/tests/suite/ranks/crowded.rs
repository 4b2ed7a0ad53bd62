//! Places with many points, clusters far apart, and the treecode on lists: over ranks what they are in one process.

use distributed::threads;
use fmm::{Depth, Device, Error, Fmm, M2l, Method, Opening, Outputs, Treecode};
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::Problem;

use super::comparison::{difference, is_that_of_one, join, part};

const SIZES: [usize; 4] = [1, 2, 5, 8];

/// Clusters of half of the points each.
fn two_clusters(n: usize, distance: f64) -> Vec<[f64; 3]> {
    let place = |(i, [x, y, z]): (usize, [f64; 3])| [x + distance * (i % 2) as f64, y, z];
    clouds::uniform_cube(n, 3).positions.into_iter().enumerate().map(place).collect()
}

fn named(name: &'static str, positions: Vec<[f64; 3]>) -> Cloud {
    let charges = vec![1.0; positions.len()];
    Cloud { name, positions, charges }
}

/// A hundred thousand points at few places, with the automatic method.
#[test]
fn many_coincident_points() {
    let n = 100_000;
    let cloud = clouds::plummer(900, 31).positions;
    let at = |places: usize| (0..n).map(|i| cloud[(i * 7919 + i / 13) % places]).collect();
    for places in [1, 900] {
        let sum = Problem::<f64>::of(&named("places", at(places)), &charges::mixed(n, 2));
        let alone = is_that_of_one(&sum, Fmm::new(), &SIZES);
        assert_eq!(alone.report.places, Some([places; 2]));
    }
}

/// Places among points that are alone; receivers of their own; outputs, vectors and forces.
#[test]
fn places_among_others() {
    let (n, fmm) = (3000, Fmm::new().tolerance(1e-5).method(Method::Fmm));
    let mut positions = clouds::plummer(n, 32).positions;
    let crowded = [positions[7], positions[11], positions[7]];
    positions.extend((0..n).map(|i| crowded[i % 3]));
    let apart = clouds::uniform_cube(2000, 33).positions;
    let all = charges::mixed(2 * n, 34);
    let sum = || Problem::<f64>::of(&named("mixture", positions.clone()), &all);
    is_that_of_one(&sum(), fmm, &[3]);
    is_that_of_one(&sum(), fmm.outputs(Outputs::Potential), &[4]);
    is_that_of_one(&sum(), fmm.outputs(Outputs::Gradient), &[2]);
    is_that_of_one(&sum().at(&apart), fmm, &[3]);
    let receivers = Problem::<f64>::of(&named("apart", apart.clone()), &charges::mixed(2000, 35));
    is_that_of_one(&receivers.at(&positions), fmm, &[3]);

    let (sum, other) = (sum(), charges::masses(2 * n, 36));
    let alone = sum.plan(fmm).unwrap();
    let fields = alone.evaluate_many(&[&sum.charges, &other]).unwrap();
    let error = alone.sample_error(&sum.charges, &fields[0], 400).unwrap();
    let moved = clouds::plummer(2 * n, 37).positions;
    let over = threads::run(4, |ranks| {
        let (mut plan, own) = sum.plan_over(fmm, &ranks)?;
        let own_rows = part(ranks.rank(), 4, 2 * n);
        let fields = plan.evaluate_many(&[own, &other[own_rows.clone()]])?;
        let error = plan.sample_error(own, &fields[0], 400)?;
        plan.update_positions(&moved[own_rows])?;
        Ok((fields, error, plan.report().places, plan.evaluate(own)?))
    });
    let over: Vec<_> = over.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    for (k, alone) in fields.iter().enumerate() {
        let of_ranks: Vec<_> = over.iter().map(|rank| rank.0[k].clone()).collect();
        assert!(difference(&join(&of_ranks), alone) <= 1e-12);
        let [here, there] = [alone, &of_ranks[0]].map(|field| field.report.net_force.unwrap());
        assert!((here - there).abs() <= 1e-9);
    }
    let [here, there] = [over[0].1, error].map(|error| error.gradient.unwrap().l2);
    assert!((here / there - 1.0).abs() < 1e-3);
    assert_eq!(over[0].2, None);
    let after: Vec<_> = over.into_iter().map(|rank| rank.3).collect();
    let moved = Problem::<f64>::of(&named("moved", moved), &sum.charges);
    let alone = moved.field(fmm).unwrap();
    assert!(difference(&join(&after), &alone) <= 1e-12);
}

/// Two clusters so far apart that the outer tree does not split them, with the automatic method.
#[test]
fn two_clusters_far_apart() {
    let n = 16_000;
    for distance in [1e12, 1e7] {
        let sum = Problem::<f64>::of(
            &named("clusters", two_clusters(n, distance)),
            &charges::mixed(n, 41),
        );
        let alone = is_that_of_one(&sum, Fmm::new().tolerance(1e-5), &SIZES);
        assert!(alone.report.clumps > 0, "{distance:e}");
    }
    // Receivers apart, vectors with heavy charges, the tree of one cluster within the other's.
    let mut heavy = charges::mixed(n, 42);
    (heavy[7], heavy[8]) = (1e9, -1e9);
    let fmm = Fmm::new().tolerance(1e-4).method(Method::Fmm);
    let sum = Problem::<f64>::of(&named("heavy", two_clusters(n, 1e12)), &heavy);
    is_that_of_one(&sum, fmm, &[3]);
    let sum = Problem::<f64>::of(&named("apart", two_clusters(n, 1e12)), &charges::masses(n, 43));
    is_that_of_one(&sum.at(&two_clusters(n / 2, 1e12)), fmm, &[4]);
}

/// Leaves that are not crowded around one that is, scale after scale.
#[test]
fn a_cusp() {
    let n = 40_000;
    let directions = clouds::sphere_surface(n, 66).positions;
    let radius = |i: usize| 10f64.powf(-12.0 * i as f64 / n as f64);
    let positions = directions.iter().enumerate().map(|(i, p)| p.map(|x| x * radius(i))).collect();
    let sum = Problem::<f64>::of(&named("cusp", positions), &charges::masses(n, 67));
    let fmm = Fmm::new().tolerance(1e-4).method(Method::Fmm);
    let alone = is_that_of_one(&sum, fmm, &[3]);
    assert!(alone.report.clumps > 0);
}

/// The treecode on lists is that of one process.
#[test]
fn the_treecode_on_lists() {
    let n = 5000;
    let on_lists = Treecode::new().opening(Opening::Neighbours);
    let fmm = Fmm::new().tolerance(1e-4).method(on_lists);
    let sum = Problem::<f64>::of(&clouds::plummer(n, 51), &charges::mixed(n, 52));
    let alone = is_that_of_one(&sum, fmm, &SIZES);
    assert!(alone.report.m2p_pairs > 0);
    let apart = clouds::uniform_cube(n / 2, 53).positions;
    is_that_of_one(&sum.at(&apart), fmm, &[3]);
    let clusters =
        Problem::<f64>::of(&named("clusters", two_clusters(8000, 1e12)), &charges::mixed(8000, 54));
    assert!(is_that_of_one(&clusters, fmm, &[2]).report.clumps > 0);
}

/// The treecode on lists of GPUs is that of one GPU, of both sets and precisions, with vectors and moved points.
#[test]
fn the_treecode_on_gpus() {
    let n = 900;
    let on_lists = Treecode::new().opening(Opening::Neighbours);
    let shape = Depth::Adaptive { leaf_capacity: 20 };
    let fmm = Fmm::new().tolerance(1e-3).depth(shape).device(Device::Emulated);
    let sum = |k| Problem::<f64>::of(&clouds::plummer(n, k), &charges::mixed(n, k + 1));
    let alone = is_that_of_one(&sum(71), fmm.method(on_lists), &[1, 2, 5]);
    assert!(alone.report.m2p_pairs > 0 && alone.report.m2l_pairs == 0);
    // Without a criterion GPUs over ranks take lists too.
    let any = sum(71).over(fmm.method(Treecode::new()), 3).unwrap();
    assert_eq!(any.report.opening, Some(Opening::Neighbours));
    assert!(difference(&any, &alone) <= 1e-12);
    let apart = clouds::uniform_cube(n / 2, 73).positions;
    is_that_of_one(&sum(74).at(&apart), fmm.method(on_lists).outputs(Outputs::Potential), &[3]);
    is_that_of_one(&sum(75), fmm.method(on_lists).softening(0.05).tolerance(1e-2), &[2]);
    is_that_of_one(&sum(76), fmm.method(on_lists).tolerance(1e-6), &[2]);

    let single = Problem::<f32>::of(&clouds::uniform_cube(n, 77), &charges::masses(n, 78));
    let alone = single.field(fmm.method(on_lists)).unwrap();
    assert!(difference(&single.over(fmm.method(on_lists), 2).unwrap(), &alone) <= 1e-5);

    let (first, other, moved) = (sum(79), charges::masses(n, 80), clouds::plummer(n, 81));
    let over = threads::run(3, |ranks| {
        let (mut plan, own) = first.plan_over(fmm.method(on_lists), &ranks)?;
        let rows = part(ranks.rank(), 3, n);
        let fields = plan.evaluate_many(&[own, &other[rows.clone()]])?;
        let error = plan.sample_error(own, &fields[0], 200)?.l2();
        plan.update_positions(&moved.positions[rows])?;
        Ok((fields[1].clone(), error, plan.evaluate(own)?))
    });
    let over: Vec<_> = over.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    let alone = first.plan(fmm.method(on_lists)).unwrap().evaluate(&other).unwrap();
    let of_ranks: Vec<_> = over.iter().map(|rank| rank.0.clone()).collect();
    assert!(difference(&join(&of_ranks), &alone) <= 1e-12);
    assert!(over.iter().all(|rank| rank.1 <= 1e-3), "{}", over[0].1);
    let after: Vec<_> = over.into_iter().map(|rank| rank.2).collect();
    let moved = Problem::<f64>::of(&moved, &first.charges);
    let alone = moved.field(fmm.method(on_lists)).unwrap();
    assert!(difference(&join(&after), &alone) <= 1e-12);
}

/// Ranks with devices of their own: a GPU beside ranks without one sums the near pairs of its rank.
#[test]
fn devices_of_all_kinds() {
    let (gpu, hybrid, cores) = (Device::Emulated, Device::EmulatedHybrid, Device::Cpu);
    let n = 800;
    let mut crowded = clouds::plummer(n / 2, 91).positions;
    crowded.extend(vec![crowded[3]; n / 2]);
    let sums = [
        Problem::<f64>::of(&clouds::plummer(n, 92), &charges::mixed(n, 93)),
        Problem::of(&named("places", crowded), &charges::mixed(n, 94)),
    ];
    let shape = Depth::Adaptive { leaf_capacity: 30 };
    let on_lists = Method::from(Treecode::new().opening(Opening::Neighbours));
    let of_mixture = [(gpu, hybrid), (cores, cores), (hybrid, hybrid)];
    let methods = [Method::Fmm, Method::Direct, on_lists];
    for (sum, method) in sums.iter().flat_map(|sum| methods.iter().map(move |method| (sum, method)))
    {
        let fmm = Fmm::new().tolerance(1e-10).method(*method).depth(shape);
        let alone = sum.field(fmm).unwrap();
        let fields = threads::run(3, |ranks| {
            let device = of_mixture[ranks.rank()].0;
            let (plan, own) = sum.plan_over(fmm.device(device), &ranks)?;
            plan.evaluate(own)
        });
        let fields = fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
        for (field, (_, device)) in fields.iter().zip(of_mixture) {
            assert_eq!(field.report.device, device, "{method:?}");
        }
        let difference = difference(&join(&fields), &alone);
        assert!(difference <= 1e-12, "{} by {method:?}: {difference:e}", sum.name);
    }
}

/// Cores take what outgrows the GPUs of ranks, as they do for one GPU, if GPUs could have taken the request.
#[test]
fn places_and_clusters_of_gpus() {
    let gpu = Fmm::new().tolerance(1e-3).method(Method::Fmm).device(Device::Emulated);
    let mut positions = clouds::plummer(300, 61).positions;
    let crowded = positions[5];
    positions.extend([crowded; 700]);
    let sum = Problem::<f64>::of(&named("places", positions), &charges::mixed(1000, 62));
    let alone = sum.field(gpu).unwrap();
    let over = sum.over(gpu, 3).unwrap();
    assert!(difference(&over, &alone) <= 1e-12);
    assert_eq!((over.report.device, over.report.places), (Device::Emulated, alone.report.places));

    let clusters = two_clusters(140_000, 1e12);
    let device = |fmm: Fmm| {
        let devices = threads::run(2, |ranks| {
            let own = &clusters[part(ranks.rank(), 2, clusters.len())];
            Ok(fmm.plan_over(&ranks, own)?.report().device)
        });
        devices.unwrap().into_iter().collect::<Result<Vec<_>, Error>>()
    };
    assert_eq!(device(gpu).unwrap(), [Device::Cpu; 2]);
    assert!(device(gpu.m2l(M2l::Rotation).tolerance(1e-12)).is_err());
}

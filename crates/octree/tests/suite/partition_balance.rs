//! Cuts that balance: near the ideal places, never inside a leaf, the same for any distribution over processes.

use std::sync::{Barrier, Mutex};

use crate::common::{Shape, cloud, depths, shapes};
use octree::partition::{
    Balance, OneProcess, Partition, SortedPoints, Totals, Weights, global_bounds, point_bounds,
};
use octree::{Cube, Depth, Error, MAX_LEVEL, Octree, SplitRule};
use proptest::prelude::*;

/// Totals of processes that are threads.
struct Threads<'a> {
    process: usize,
    slots: &'a Mutex<Vec<Vec<u64>>>,
    barrier: &'a Barrier,
}

impl Threads<'_> {
    fn reduce(&mut self, values: &mut [u64], join: fn(u64, u64) -> u64) {
        self.slots.lock().unwrap()[self.process] = values.to_vec();
        self.barrier.wait();
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.slots.lock().unwrap().iter().map(|slot| slot[i]).reduce(join).unwrap();
        }
        self.barrier.wait();
    }
}

impl Totals for Threads<'_> {
    fn sum(&mut self, values: &mut [u64]) {
        self.reduce(values, |a, b| a + b);
    }

    fn max(&mut self, values: &mut [u64]) {
        self.reduce(values, u64::max);
    }
}

/// Weights of the ideal places of the cuts, and of the leaves that hold them: the least that any cut can be wrong by.
fn check(sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>, depth: Depth, balance: Balance<'_>) {
    let tree = match receivers {
        None => Octree::build(sources, depth).unwrap(),
        Some(receivers) => Octree::build_between(sources, receivers, depth).unwrap(),
    };
    let rule = SplitRule::new(*tree.cube(), depth).unwrap();
    let balanced = Partition::balanced(
        &rule,
        &SortedPoints::new(&rule, sources, receivers),
        balance,
        &mut OneProcess,
    )
    .unwrap();
    let partition = &balanced.partition;
    let n_ranks = balance.n_ranks;
    assert_eq!(partition.n_ranks(), n_ranks);
    assert!(partition.cuts().is_sorted());

    // An own sum: every point and weight by its code.
    let code = |point: &[f64; 3]| tree.cube().key(point).code();
    let weigh = |points: &[[f64; 3]], weights: Option<&[u32]>| -> Vec<(u64, u64)> {
        let weight = |i: usize| weights.map_or(1, |weights| u64::from(weights[i]));
        points.iter().enumerate().map(|(i, point)| (code(point), weight(i))).collect()
    };
    let mut points = weigh(sources, balance.weights.map(|weights| weights.sources));
    points
        .extend(weigh(receivers.unwrap_or(&[]), balance.weights.map(|weights| weights.receivers)));
    let weight_in = |start: u64, end: u64| -> u64 {
        let inside = points.iter().filter(|point| (start..end).contains(&point.0));
        inside.map(|point| point.1).sum()
    };
    let total = weight_in(0, u64::MAX);
    for rank in 0..n_ranks {
        let interval = partition.interval(rank);
        assert_eq!(balanced.weights[rank], weight_in(interval.start, interval.end));
    }

    // Leaves are never cut, and bound the error where they are heavier than the tolerance.
    let allowed = 0.5 * balance.tolerance * total as f64 / n_ranks as f64;
    let leaves: Vec<(u64, u64)> = tree
        .leaves()
        .iter()
        .map(|&leaf| {
            let key = tree.key(leaf as usize);
            let first = key.first_descendant(MAX_LEVEL).code();
            (first, first + (1 << (3 * (MAX_LEVEL - key.level()))))
        })
        .collect();
    let mut largest: f64 = 0.0;
    for &(start, end) in &leaves {
        largest = largest.max(weight_in(start, end) as f64);
    }
    for (r, &cut) in partition.cuts().iter().enumerate() {
        assert!(leaves.iter().all(|&(start, end)| cut <= start || end <= cut));
        let ideal = total as f64 * r as f64 / n_ranks as f64;
        let error = (weight_in(0, cut) as f64 - ideal).abs();
        assert!(error <= allowed.max(0.5 * largest) + 1e-9 * total as f64);
    }
    assert!(
        balanced.imbalance() <= balance.tolerance + 1e-9
            || largest * n_ranks as f64 > balance.tolerance * total as f64
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn cuts_are_near_their_places(
        set in (shapes(), 0usize..1500, any::<u64>()),
        receivers in prop::option::of((shapes(), 0usize..800)),
        depth in depths(),
        n_ranks in prop_oneof![1usize..9, Just(64), Just(512)],
        tolerance in prop_oneof![Just(0.0), 0.0..0.3f64],
        has_weights in any::<bool>(),
    ) {
        let (shape, n, seed) = set;
        let sources = cloud(shape, n, seed);
        let receivers = receivers.map(|(shape, n)| cloud(shape, n, seed ^ 7));
        let weight = |i: usize| (i * 7919 % 13) as u32;
        let weights: Vec<u32> = (0..n).map(weight).collect();
        let receiver_weights: Vec<u32> =
            (0..receivers.as_ref().map_or(0, Vec::len)).map(weight).collect();
        let weights = Weights { sources: &weights, receivers: &receiver_weights };
        let weights = has_weights.then_some(weights);
        check(&sources, receivers.as_deref(), depth, Balance { n_ranks, tolerance, weights });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Cuts of other points lie inside no leaf, stay where they can, and weigh what lies between them.
    #[test]
    fn kept_cuts_are_those_before_but_for_leaves(
        before in (shapes(), 0usize..800, any::<u64>()),
        after in (shapes(), 0usize..800, any::<u64>()),
        receivers in prop::option::of((shapes(), 0usize..400)),
        depth in depths(),
        n_ranks in 1usize..40,
    ) {
        let sources = cloud(after.0, after.1, after.2);
        let receivers = receivers.map(|(shape, n)| cloud(shape, n, after.2 ^ 5));
        let tree = match &receivers {
            None => Octree::build(&sources, depth).unwrap(),
            Some(receivers) => Octree::build_between(&sources, receivers, depth).unwrap(),
        };
        let rule = SplitRule::new(*tree.cube(), depth).unwrap();
        let others = cloud(before.0, before.1, before.2);
        let others_cube = Cube::around(point_bounds(&others, None).unwrap()).unwrap();
        let of_others = SplitRule::new(others_cube, Depth::Adaptive { leaf_capacity: 3 }).unwrap();
        let balance = Balance { tolerance: 0.0, ..Balance::new(n_ranks) };
        let earlier =
            Partition::balanced(&of_others, &SortedPoints::new(&of_others, &others, None), balance, &mut OneProcess).unwrap();
        let kept =
            earlier.partition.kept(&rule, &SortedPoints::new(&rule, &sources, receivers.as_deref()), &mut OneProcess);
        let cuts = kept.partition.cuts();
        prop_assert!(cuts.is_sorted() && cuts.len() == n_ranks + 1);
        let leaf_codes = |leaf: &u32| {
            let key = tree.key(*leaf as usize);
            let first = key.first_descendant(MAX_LEVEL).code();
            (first, first + (1 << (3 * (MAX_LEVEL - key.level()))))
        };
        let leaves: Vec<(u64, u64)> = tree.leaves().iter().map(leaf_codes).collect();
        let holder = |cut: u64| leaves.iter().find(|leaf| leaf.0 < cut && cut < leaf.1);
        for (old, new) in earlier.partition.cuts().iter().zip(cuts) {
            prop_assert!(holder(*new).is_none());
            match holder(*old) {
                Some((start, end)) => {
                    prop_assert!(new == start || new == end);
                    prop_assert!(old.abs_diff(*new) <= (end - start) / 2);
                }
                // An empty box is no leaf of the tree, but a cut inside may leave it.
                None => {
                    let between = old.min(new)..old.max(new);
                    prop_assert!(leaves.iter().all(|l| l.1 <= *between.start || *between.end <= l.0));
                }
            }
        }
        let all = sources.iter().chain(receivers.iter().flatten());
        let mut weights = vec![0; n_ranks];
        all.for_each(|x| weights[kept.partition.owner(tree.cube().key(x).code())] += 1);
        prop_assert_eq!(weights, kept.weights);
    }
}

#[test]
fn evenly_spread_points_balance_to_two_percent() {
    let points = cloud(Shape::Cube, 20_000, 11);
    let depth = Depth::Adaptive { leaf_capacity: 8 };
    let rule = SplitRule::new(Cube::bounding(points.iter().copied()).unwrap(), depth).unwrap();
    for n_ranks in [2, 3, 7, 8, 16] {
        let balance = Balance::new(n_ranks);
        let balanced = Partition::balanced(
            &rule,
            &SortedPoints::new(&rule, &points, None),
            balance,
            &mut OneProcess,
        )
        .unwrap();
        assert!(balanced.imbalance() <= 0.02, "{n_ranks}: {}", balanced.imbalance());
    }
}

#[test]
fn processes_find_the_cuts_of_one() {
    let depth = Depth::Adaptive { leaf_capacity: 10 };
    for (n_processes, n_ranks) in [(2, 2), (3, 7), (7, 7), (4, 64)] {
        let sources = cloud(Shape::Cluster, 3000, n_ranks as u64);
        let receivers = cloud(Shape::Pair, 40, 1);
        let dealt = |points: &[[f64; 3]], process: usize| -> Vec<[f64; 3]> {
            points.iter().skip(process).step_by(n_processes).copied().collect()
        };
        let barrier = Barrier::new(n_processes);
        let slots = Mutex::new(vec![Vec::new(); n_processes]);
        let run = |totals: &mut dyn Totals, sources: &[[f64; 3]], receivers: &[[f64; 3]]| {
            let bounds = point_bounds(sources, Some(receivers)).unwrap();
            let cube = Cube::around(global_bounds(bounds, totals)).unwrap();
            let rule = SplitRule::new(cube, depth).unwrap();
            let balance = Balance::new(n_ranks);
            let points = SortedPoints::new(&rule, sources, Some(receivers));
            Partition::balanced(&rule, &points, balance, totals).unwrap()
        };
        let alone = run(&mut OneProcess, &sources, &receivers);
        std::thread::scope(|scope| {
            let processes: Vec<_> = (0..n_processes)
                .map(|process| {
                    let (slots, barrier) = (&slots, &barrier);
                    let points = (dealt(&sources, process), dealt(&receivers, process));
                    scope.spawn(move || {
                        let totals = &mut Threads { process, slots, barrier };
                        run(totals, &points.0, &points.1)
                    })
                })
                .collect();
            for process in processes {
                assert_eq!(process.join().unwrap(), alone);
            }
        });
    }
}

#[test]
fn the_given_cube_is_that_of_the_whole_tree() {
    let points = cloud(Shape::Plane, 500, 5);
    let (some, others) = points.split_at(170);
    let bounds = point_bounds(some, None).unwrap().union(point_bounds(others, None).unwrap());
    let whole = Octree::build(&points, Depth::Uniform(2)).unwrap();
    assert_eq!(Cube::around(bounds).unwrap(), *whole.cube());
    let enlarged = Octree::build_enlarged(&points, None, Depth::Uniform(2), 1.3).unwrap();
    assert_eq!(Cube::around(bounds).unwrap().enlarged(1.3), *enlarged.cube());
}

#[test]
fn bad_input_is_named() {
    let points = cloud(Shape::Cube, 10, 5);
    let rule = SplitRule::new(
        Cube::around(point_bounds(&points, None).unwrap()).unwrap(),
        Depth::Uniform(1),
    );
    let rule = rule.unwrap();
    let sorted = SortedPoints::new(&rule, &points, None);
    let run = |balance| Partition::balanced(&rule, &sorted, balance, &mut OneProcess);
    assert_eq!(run(Balance::new(0)), Err(Error::NoRanks));
    let balance = Balance { tolerance: -1.0, ..Balance::new(2) };
    assert_eq!(run(balance), Err(Error::NotATolerance { tolerance: -1.0 }));
    let weights = Some(Weights { sources: &[1; 9], receivers: &[] });
    let balance = Balance { weights, ..Balance::new(2) };
    assert!(matches!(run(balance), Err(Error::WrongLength { expected: 10, found: 9, .. })));

    let partition = run(Balance::new(2)).unwrap().partition;
    let part = Octree::build_part(&rule, &partition, 0, &points, None);
    assert!(matches!(part, Err(Error::NotOwned { owner: 1, rank: 0, .. })));
    let inside = Partition::from_cuts(vec![0, 1 << 30, 1 << 63]).unwrap();
    let part = Octree::build_part(&rule, &inside, 0, &points[..0], None);
    assert!(matches!(part, Err(Error::NotACut { index: 1, .. })));
    assert!(matches!(point_bounds(&[[f64::NAN; 3]], None), Err(Error::NotFinite { .. })));
}

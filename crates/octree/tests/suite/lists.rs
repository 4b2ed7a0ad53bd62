//! The interaction lists against brute-force geometry, and with the unit kernel: no pair missing, none twice.

use crate::common::{Shape, cloud, trees};
use octree::{Depth, InteractionLists, Key, ListOptions, Octree};
use proptest::prelude::*;

const ALL: ListOptions = ListOptions { min_sources_for_m2p: 0, min_receivers_for_p2l: 0 };

fn options() -> impl Strategy<Value = ListOptions> {
    let limit = || prop_oneof![Just(0), 1usize..60, Just(usize::MAX)];
    (limit(), limit()).prop_map(|(min_sources_for_m2p, min_receivers_for_p2l)| ListOptions {
        min_sources_for_m2p,
        min_receivers_for_p2l,
    })
}

/// Sums 1 over all sources for every receiver, by the lists, in integers.
fn unit_kernel(tree: &Octree, lists: &InteractionLists) -> Vec<u64> {
    let sources =
        |boxes: &[u32]| boxes.iter().map(|&s| tree.sources(s as usize).len() as u64).sum::<u64>();
    let mut local = vec![0; tree.n_boxes()];
    let mut sums = vec![0; tree.n_receivers()];
    for b in 0..tree.n_boxes() {
        local[b] = tree.parent(b).map_or(0, |parent| local[parent])
            + sources(lists.far().row(b))
            + sources(lists.p2l().row(b));
        if tree.is_leaf(b) {
            let sum = local[b] + sources(lists.near().row(b)) + sources(lists.m2p().row(b));
            sums[tree.receivers(b)].fill(sum);
        }
    }
    sums
}

/// Closed boxes touch, by comparing their ends at the deepest level.
fn touch(a: Key, b: Key) -> bool {
    let ends = |key: Key, d: usize| {
        let low = i64::from(key.first_descendant(21).coordinates()[d]);
        (low, low + (1i64 << (21 - key.level())))
    };
    (0..3).all(|d| ends(a, d).0 <= ends(b, d).1 && ends(b, d).0 <= ends(a, d).1)
}

/// The source boxes with a given relation to `b`, by looking at every box of the tree, in Morton order.
fn brute_force(tree: &Octree, b: usize, is_listed: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut row: Vec<u32> = (0..tree.n_boxes())
        .filter(|&s| {
            !tree.receivers(b).is_empty() && !tree.sources(s).is_empty() && is_listed(b, s)
        })
        .map(|s| s as u32)
        .collect();
    row.sort_by_key(|&s| tree.sources(s as usize).start);
    row
}

fn check_geometry(tree: &Octree) {
    let lists = InteractionLists::build(tree, ALL);
    let key = |b: usize| tree.key(b);
    let level = |b: usize| tree.key(b).level();
    let parents = |b: usize, s: usize| tree.parent(b).zip(tree.parent(s));
    let near = |b, s| tree.is_leaf(b) && tree.is_leaf(s) && touch(key(b), key(s));
    let far = |b, s| {
        level(b) == level(s)
            && !touch(key(b), key(s))
            && parents(b, s).is_some_and(|(b, s)| touch(key(b), key(s)))
    };
    let smaller = |b, s| {
        tree.is_leaf(b)
            && level(s) > level(b)
            && !touch(key(b), key(s))
            && tree.parent(s).is_some_and(|parent| touch(key(b), key(parent)))
    };
    for b in 0..tree.n_boxes() {
        assert_eq!(lists.near().row(b), brute_force(tree, b, near), "near of {:?}", key(b));
        assert_eq!(lists.far().row(b), brute_force(tree, b, far), "far of {:?}", key(b));
        assert_eq!(lists.m2p().row(b), brute_force(tree, b, smaller), "m2p of {:?}", key(b));
        let bigger = brute_force(tree, b, |b, s| smaller(s, b));
        assert_eq!(lists.p2l().row(b), bigger, "p2l of {:?}", key(b));
        assert!(lists.far().row(b).len() <= 189);
    }
}

fn check_rows(tree: &Octree, lists: &InteractionLists) {
    for list in [lists.near(), lists.far(), lists.m2p(), lists.p2l()] {
        assert_eq!(list.n_rows(), tree.n_boxes());
        assert_eq!(list.offsets().last().copied(), Some(list.n_items()));
        for b in 0..list.n_rows() {
            let row = list.row(b);
            assert!(row.is_empty() || !tree.receivers(b).is_empty());
            assert!(row.iter().all(|&s| !tree.sources(s as usize).is_empty()));
            let ends = row.iter().map(|&s| tree.sources(s as usize));
            assert!(ends.clone().zip(ends.skip(1)).all(|(a, b)| a.end <= b.start), "Morton order");
        }
    }
    assert_eq!(lists.far_offsets().len(), lists.far().n_items());
    for b in 0..tree.n_boxes() {
        assert!(tree.is_leaf(b) || lists.near().row(b).is_empty() && lists.m2p().row(b).is_empty());
        assert!(
            lists.near().row(b).iter().chain(lists.p2l().row(b)).all(|&s| tree.is_leaf(s as usize))
        );
        let pairs: Vec<_> = lists.far_pairs(b).collect();
        assert!(pairs.iter().map(|(s, _)| *s as u32).eq(lists.far().row(b).iter().copied()));
        for (s, offset) in pairs {
            let [from, to] = [tree.key(b), tree.key(s)].map(Key::coordinates);
            let difference = [0, 1, 2].map(|d| (i64::from(to[d]) - i64::from(from[d])) as i8);
            assert_eq!(offset, difference);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn lists_are_the_geometric_ones(tree in trees(250)) {
        check_geometry(&tree);
    }

    #[test]
    fn unit_kernel_counts_every_source_once(tree in trees(2500), options in options()) {
        let lists = InteractionLists::build(&tree, options);
        check_rows(&tree, &lists);
        let n = tree.n_sources() as u64;
        prop_assert!(unit_kernel(&tree, &lists).iter().all(|&sum| sum == n));
    }

    #[test]
    fn limits_move_small_boxes_to_near(tree in trees(1500), options in options()) {
        let lists = InteractionLists::build(&tree, options);
        let all = InteractionLists::build(&tree, ALL);
        prop_assert_eq!(lists.far(), all.far());
        for b in 0..tree.n_boxes() {
            let kept: Vec<u32> = all.m2p().row(b).iter().copied()
                .filter(|&s| tree.sources(s as usize).len() >= options.min_sources_for_m2p)
                .collect();
            prop_assert_eq!(lists.m2p().row(b), kept);
            let enough = tree.receivers(b).len() >= options.min_receivers_for_p2l;
            prop_assert_eq!(lists.p2l().row(b), if enough { all.p2l().row(b) } else { &[] });
        }
    }
}

#[test]
fn interior_boxes_of_a_full_grid_have_27_near_and_189_far() {
    let points: Vec<[f64; 3]> = (0..4096)
        .map(|i| [i % 16, i / 16 % 16, i / 256].map(|c| f64::from(c) + 0.5))
        .chain([[0.0; 3], [16.0; 3]])
        .collect();
    let tree = Octree::build(&points, Depth::Uniform(4)).unwrap();
    let lists = InteractionLists::build(&tree, ALL);
    assert_eq!((tree.leaves().len(), lists.m2p().n_items(), lists.p2l().n_items()), (4096, 0, 0));
    for b in tree.level(4) {
        let inside = tree.key(b).coordinates().iter().all(|c| (2..14).contains(c));
        let sizes = (lists.near().row(b).len(), lists.far().row(b).len());
        assert!(!inside || sizes == (27, 189));
    }
    // Per axis: the ends have 2 near, the others 3; all 6 children of E2 but for the outermost boxes' 4.
    assert_eq!(lists.near().n_items(), 46 * 46 * 46);
    let last: usize = tree.level(4).map(|b| lists.far().row(b).len()).sum();
    assert_eq!(last, 88 * 88 * 88 - 46 * 46 * 46);
}

#[test]
fn same_lists_for_any_number_of_threads() {
    let build = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let points = cloud(Shape::Cluster, 30_000, 5);
            let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 20 }).unwrap();
            let options = ListOptions { min_sources_for_m2p: 8, min_receivers_for_p2l: 8 };
            (
                tree.source_permutation().to_vec(),
                tree.keys().to_vec(),
                InteractionLists::build(&tree, options),
            )
        })
    };
    let one = build(1);
    for threads in [2, 3, 7] {
        assert!(build(threads) == one);
    }
}

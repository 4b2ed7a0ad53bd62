//! The tree's invariants on random sets, and the sets that break trees.

use crate::common::{Shape, cloud, trees};
use octree::{Cube, Depth, Error, InteractionLists, Key, ListOptions, MAX_LEVEL, Octree, PointSet};
use proptest::prelude::*;

/// Boxes, ranges, links and leaves hold together.
fn check(tree: &Octree) {
    let n = tree.n_boxes();
    if n == 0 {
        assert_eq!((tree.n_levels(), tree.leaves().len()), (0, 0));
        return;
    }
    assert_eq!((tree.key(0), tree.parent(0)), (Key::root(), None));
    assert_eq!(tree.sources(0), 0..tree.n_sources());
    assert_eq!(tree.receivers(0), 0..tree.n_receivers());
    for level in 0..tree.n_levels() {
        let keys = &tree.keys()[tree.level(level)];
        assert!(keys.is_sorted_by(|a, b| a < b));
        assert!(keys.iter().all(|key| usize::from(key.level()) == level));
    }
    for b in 0..n {
        assert!(!tree.sources(b).is_empty() || !tree.receivers(b).is_empty());
        assert_eq!(tree.is_leaf(b), tree.children(b).is_empty());
        if tree.is_leaf(b) {
            assert_eq!(tree.leaves_below(b), [b as u32]);
            continue;
        }
        let (mut source, mut receiver) = (tree.sources(b).start, tree.receivers(b).start);
        let mut below = Vec::new();
        for child in tree.children(b) {
            assert_eq!(tree.parent(child), Some(b));
            assert_eq!(tree.key(child).parent(), Some(tree.key(b)));
            assert_eq!(tree.sources(child).start, source);
            assert_eq!(tree.receivers(child).start, receiver);
            (source, receiver) = (tree.sources(child).end, tree.receivers(child).end);
            below.extend_from_slice(tree.leaves_below(child));
        }
        assert_eq!((source, receiver), (tree.sources(b).end, tree.receivers(b).end));
        assert_eq!(tree.leaves_below(b), below);
    }
    assert_eq!(tree.leaves(), tree.leaves_below(0));
    assert!(
        tree.leaves().iter().map(|&b| tree.key(b as usize).first_descendant(MAX_LEVEL)).is_sorted()
    );
}

/// Every point is in one leaf, the one that its key names.
fn check_points(
    permutation: &[u32],
    points: &[[f64; 3]],
    tree: &Octree,
    range: impl Fn(usize) -> std::ops::Range<usize>,
) {
    let mut seen = permutation.to_vec();
    seen.sort_unstable();
    assert!(seen.iter().enumerate().all(|(i, &s)| i == s as usize), "a permutation");
    for &leaf in tree.leaves() {
        for &i in &permutation[range(leaf as usize)] {
            let key = tree.cube().key(&points[i as usize]);
            assert!(tree.key(leaf as usize).contains(key));
            let center = tree.cube().center(tree.key(leaf as usize));
            let half = 0.5 * tree.cube().side_at(tree.key(leaf as usize).level());
            let slack = 4.0
                * f64::EPSILON
                * (tree.cube().side() + center.iter().fold(0.0, |m: f64, c| m.max(c.abs())));
            assert!((0..3).all(|d| (points[i as usize][d] - center[d]).abs() <= half + slack));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn boxes_hold_together(tree in trees(3000)) {
        check(&tree);
    }

    #[test]
    fn points_are_where_their_keys_say(
        a in crate::common::shapes(), b in crate::common::shapes(), n in 0usize..2000, m in 0usize..2000,
        depth in crate::common::depths(), seed in any::<u64>(),
    ) {
        let (sources, receivers) = (cloud(a, n, seed), cloud(b, m, !seed));
        let tree = Octree::build_between(&sources, &receivers, depth).unwrap();
        check_points(tree.source_permutation(), &sources, &tree, |b| tree.sources(b));
        check_points(tree.receiver_permutation(), &receivers, &tree, |b| tree.receivers(b));
        let tree = Octree::build(&sources, depth).unwrap();
        prop_assert!(tree.sources_are_receivers());
        prop_assert_eq!(tree.source_permutation().as_ptr(), tree.receiver_permutation().as_ptr());
        check_points(tree.source_permutation(), &sources, &tree, |b| tree.sources(b));
    }

    #[test]
    fn adaptive_splits_where_it_must_and_only_there(
        shape in crate::common::shapes(), n in 1usize..3000, leaf_capacity in 1usize..50, seed in any::<u64>(),
    ) {
        let points = cloud(shape, n, seed);
        let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity }).unwrap();
        for b in 0..tree.n_boxes() {
            let held = &tree.source_permutation()[tree.sources(b)];
            if tree.is_leaf(b) {
                let key = |i: u32| tree.cube().key(&points[i as usize]);
                let coincide = held.iter().all(|&i| key(i) == key(held[0]));
                prop_assert!(held.len() <= leaf_capacity || coincide);
            } else {
                prop_assert!(held.len() > leaf_capacity);
            }
        }
    }

    #[test]
    fn uniform_leaves_are_at_one_level(shape in crate::common::shapes(), n in 1usize..1000, level in 0u8..22, seed in any::<u64>()) {
        let tree = Octree::build(&cloud(shape, n, seed), Depth::Uniform(level)).unwrap();
        prop_assert_eq!(tree.n_levels(), usize::from(level) + 1);
        prop_assert!(tree.leaves().iter().all(|&b| tree.key(b as usize).level() == level));
    }

    #[test]
    fn f32_points_make_the_tree_of_the_same_numbers(n in 0usize..500, seed in any::<u64>()) {
        let single: Vec<[f32; 3]> = cloud(Shape::Cluster, n, seed).iter().map(|p| p.map(|c| c as f32)).collect();
        let double: Vec<[f64; 3]> = single.iter().map(|p| p.map(f64::from)).collect();
        let depth = Depth::Adaptive { leaf_capacity: 3 };
        let (a, b) = (Octree::build(&single, depth).unwrap(), Octree::build(&double, depth).unwrap());
        prop_assert_eq!(a.source_permutation(), b.source_permutation());
        prop_assert_eq!(a.keys(), b.keys());
    }
}

#[test]
fn none_and_one() {
    let none: [[f64; 3]; 0] = [];
    for depth in [Depth::Uniform(3), Depth::Adaptive { leaf_capacity: 1 }] {
        let tree = Octree::build(&none, depth).unwrap();
        check(&tree);
        assert_eq!(InteractionLists::build(&tree, ListOptions::default()).near().n_rows(), 0);
        let tree = Octree::build_between(&none, &[[1.0, 2.0, 3.0]], depth).unwrap();
        check(&tree);
        assert_eq!(InteractionLists::build(&tree, ListOptions::default()).near().n_items(), 0);
    }
    let tree =
        Octree::build(&[[1e300, -1e300, 0.0]], Depth::Adaptive { leaf_capacity: 1 }).unwrap();
    assert_eq!((tree.n_boxes(), tree.leaves()), (1, &[0][..]));
}

#[test]
fn coincident_points_stay_one_leaf() {
    let mut points = vec![[0.3, 0.4, 0.5]; 1000];
    let depth = Depth::Adaptive { leaf_capacity: 10 };
    assert_eq!(Octree::build(&points, depth).unwrap().n_boxes(), 1);
    points.push([0.9, 0.4, 0.5]);
    let tree = Octree::build(&points, depth).unwrap();
    assert_eq!((tree.n_boxes(), tree.n_levels()), (3, 2));
    // The nearest representable neighbour: no deeper than keys go.
    points.push([0.3f64.next_up(), 0.4, 0.5]);
    let tree = Octree::build(&points, depth).unwrap();
    assert!(tree.n_levels() <= usize::from(MAX_LEVEL) + 1);
    check(&tree);
}

#[test]
fn offsets_and_scales_keep_the_tree() {
    // A lattice of 2⁻¹⁰ is exact under all of these, so the tree must be the same.
    let points: Vec<[f64; 3]> = cloud(Shape::Cube, 2000, 3)
        .iter()
        .map(|p| p.map(|c| (c * 1024.0).floor() / 1024.0))
        .collect();
    let depth = Depth::Adaptive { leaf_capacity: 5 };
    let plain = Octree::build(&points, depth).unwrap();
    for (scale, offset) in
        [(1.0, 1e9), (1.0, -3e6), (1e-300f64.log2().ceil().exp2(), 0.0), (990f64.exp2(), 0.0)]
    {
        let moved: Vec<[f64; 3]> = points.iter().map(|p| p.map(|c| c * scale + offset)).collect();
        let tree = Octree::build(&moved, depth).unwrap();
        check(&tree);
        check_points(tree.source_permutation(), &moved, &tree, |b| tree.sources(b));
        assert!(tree.n_levels() < 12);
        if offset == 0.0 {
            assert_eq!(tree.source_permutation(), plain.source_permutation());
            assert_eq!(tree.keys(), plain.keys());
        }
    }
}

#[test]
fn bad_input_is_named() {
    let depth = Depth::Adaptive { leaf_capacity: 8 };
    let mut points = cloud(Shape::Cube, 20_000, 1);
    let good = points.clone();
    points[15_000][2] = f64::NAN;
    points[19_999][0] = f64::INFINITY;
    let error = Octree::build(&points, depth).unwrap_err();
    assert!(matches!(error, Error::NotFinite { set: PointSet::Sources, index: 15_000, .. }));
    assert!(error.to_string().starts_with("source 15000 is at ["));
    let error = Octree::build_between(&good, &points, depth).unwrap_err();
    assert!(matches!(error, Error::NotFinite { set: PointSet::Receivers, index: 15_000, .. }));
    for depth in [Depth::Uniform(22), Depth::AdaptiveTo { leaf_capacity: 8, max_level: 22 }] {
        assert_eq!(Octree::build(&good, depth).unwrap_err(), Error::TooDeep { level: 22 });
    }
    let deepest = Depth::AdaptiveTo { leaf_capacity: 8, max_level: MAX_LEVEL };
    assert!(Octree::build(&good, deepest).is_ok());
    let none = Depth::Adaptive { leaf_capacity: 0 };
    assert_eq!(Octree::build(&good, none).unwrap_err(), Error::NoLeafCapacity);
    assert!(matches!(Cube::bounding([[1.7e308, 0.0, 0.0]]), Err(Error::TooLarge { .. })));
}

//! The group walk against recursion, groups of receivers, and the upward pass, on random trees.

use std::ops::Range;

use crate::common::{Stream, trees};
use octree::walk::{GroupWalk, TreeCell, WalkCell, receiver_groups, tree_cells};
use octree::{Aabb, Depth, Octree, source_bounds, upward};
use proptest::prelude::*;

/// Opens cells at random, the same ones each time.
fn opens(seed: u64, share: f64, cell: usize) -> bool {
    Stream(seed ^ (cell as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)).next() < share
}

fn shares() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.2..1.0]
}

/// Accepted cells and opened leaves below `b`, by recursion over the tree.
fn recursive(
    tree: &Octree,
    b: usize,
    opens: &impl Fn(usize) -> bool,
    found: &mut (Vec<u32>, Vec<Range<usize>>),
) {
    if !opens(b) {
        found.0.push(b as u32);
    } else if tree.is_leaf(b) || tree.sources(b).len() < 2 {
        found.1.push(tree.sources(b));
    } else {
        tree.children(b).for_each(|child| recursive(tree, child, opens, found));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_group_takes_every_source_once(tree in trees(1500), share in shares(), seed in any::<u64>()) {
        let cells = tree_cells(&tree);
        let (mut walk, mut runs) = (GroupWalk::default(), Vec::new());
        for round in 0..3 {
            let seed = seed.wrapping_add(round);
            walk.walk(&cells, |b, cell| {
                assert_eq!(cell, &cells[b]);
                opens(seed, share, b)
            });
            let mut expected = (Vec::new(), Vec::new());
            if tree.n_boxes() > 0 {
                recursive(&tree, 0, &|b| opens(seed, share, b), &mut expected);
            }
            expected.0.sort_unstable();
            prop_assert_eq!(walk.cells(), expected.0);
            let mut sources: Vec<usize> = walk.sources().collect();
            prop_assert_eq!(sources.len(), walk.n_sources());
            walk.source_runs(&mut runs);
            prop_assert!(runs.iter().cloned().flatten().eq(sources.iter().copied()));
            prop_assert!(runs.windows(2).all(|pair| pair[0].end != pair[1].start));
            sources.sort_unstable();
            expected.1.sort_unstable_by_key(|range| (range.start, range.end));
            prop_assert!(expected.1.into_iter().flatten().eq(sources.iter().copied()));
            // Together they are all sources.
            sources.extend(walk.cells().iter().flat_map(|&b| tree.sources(b as usize)));
            sources.sort_unstable();
            prop_assert!(sources.into_iter().eq(0..tree.n_sources()));
        }
    }

    #[test]
    fn leaves_come_by_box_number(tree in trees(1500), share in shares(), seed in any::<u64>()) {
        /// Reports its own number as its sources.
        struct Numbered(u32, TreeCell);
        impl WalkCell for Numbered {
            fn children(&self) -> [u32; 2] {
                self.1.children()
            }
            fn sources(&self) -> [u32; 2] {
                [self.0, self.0 + 1]
            }
        }
        let cells: Vec<Numbered> = (0..).zip(tree_cells(&tree)).map(|(b, cell)| Numbered(b, cell)).collect();
        let mut walk = GroupWalk::default();
        walk.walk(&cells, |b, _| opens(seed, share, b));
        prop_assert!(walk.cells().is_sorted_by(|a, b| a < b));
        prop_assert!(walk.leaves().is_sorted_by(|a, b| a[0] < b[0]));
    }

    #[test]
    fn groups_part_the_receivers(tree in trees(2000), largest in 0usize..100) {
        let groups = receiver_groups(&tree, largest);
        let receivers = groups.iter().flat_map(|group| group.receivers.clone());
        prop_assert!(receivers.eq(0..tree.n_receivers()));
        for group in &groups {
            prop_assert!((1..=largest.max(1)).contains(&group.receivers.len()));
            let held = tree.receivers(group.cell);
            prop_assert!(held.start <= group.receivers.start && group.receivers.end <= held.end);
        }
    }

    #[test]
    fn upward_values_come_from_points_or_children(tree in trees(1500), seed in any::<u64>()) {
        let counts = upward(&tree, |b, below: &[usize]| {
            assert_eq!(below.len(), tree.children(b).len());
            if tree.is_leaf(b) { tree.sources(b).len() } else { below.iter().sum() }
        });
        prop_assert!((0..tree.n_boxes()).all(|b| counts[b] == tree.sources(b).len()));

        let mut stream = Stream(seed);
        let positions: Vec<[f64; 3]> =
            tree.source_permutation().iter().map(|_| [(); 3].map(|()| stream.next())).collect();
        let bounds = source_bounds(&tree, &positions);
        prop_assert_eq!(bounds.len(), tree.n_boxes());
        for b in 0..tree.n_boxes() {
            prop_assert_eq!(bounds[b], Aabb::around(&positions[tree.sources(b)]));
        }
    }
}

/// Groups hold a third of what they may, at the least, on average: boxes alone would hold an eighth.
#[test]
fn groups_are_full() {
    let points: Vec<[f64; 3]> = (0..4000)
        .map(|i| [0.7548776662, 0.5698402910, 0.3142].map(|c| (c * f64::from(i)).fract()))
        .collect();
    let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 8 }).unwrap();
    for largest in [1, 20, 64, 5000] {
        let n_groups = receiver_groups(&tree, largest).len();
        assert!(n_groups * largest <= 3 * points.len() + largest, "{n_groups}, {largest}");
    }
}

#[test]
fn distances_of_boxes() {
    let unit = Aabb::around(&[[0.0f32; 3], [1.0; 3]]);
    assert_eq!(unit.squared_distance_to(&[0.5, 1.0, 0.0]), 0.0);
    assert_eq!(unit.squared_distance_to(&[3.0, -1.0, 0.5]), 5.0);
    let other = Aabb { min: [2.0, 0.5, -4.0], max: [3.0, 9.0, -2.0] };
    assert_eq!(unit.squared_distance(&other), 5.0);
    assert_eq!(other.squared_distance(&unit), 5.0);
    assert_eq!(unit.squared_distance(&Aabb::EMPTY), f64::INFINITY);
    assert_eq!(Aabb::EMPTY.union(unit), unit);
}

//! The Peano–Hilbert curve, and points in the order of curves.

use crate::common::{Shape, cloud};
use octree::papers::curve::{Curve, hilbert, permutation};
use octree::papers::walk::Links;
use octree::{Depth, Error, Key, MAX_LEVEL, Octree};
use proptest::prelude::*;

/// The keys of a level in the order of the curve.
fn along_the_curve(level: u8) -> Vec<Key> {
    let mut keys = vec![None; 1 << (3 * level)];
    for code in 0..1 << (3 * level) {
        let key = Key::from_code(level, code);
        let place = &mut keys[hilbert(key) as usize];
        assert_eq!(*place, None, "a bijection");
        *place = Some(key);
    }
    keys.into_iter().map(Option::unwrap).collect()
}

fn share_a_face(a: Key, b: Key) -> bool {
    let (a, b) = (a.coordinates(), b.coordinates());
    (0..3).map(|d| a[d].abs_diff(b[d])).sum::<u32>() == 1
}

#[test]
fn the_curve_is_a_bijection_in_steps_of_one_face() {
    for level in 0..=5 {
        let keys = along_the_curve(level);
        assert_eq!(keys[0].coordinates(), [0; 3]);
        assert!(keys.windows(2).all(|pair| share_a_face(pair[0], pair[1])), "level {level}");
    }
}

/// Step by step near random places of the deepest level, with the inverse found by descent.
#[test]
fn the_curve_holds_at_the_deepest_level() {
    let at = |place: u64| {
        (0..MAX_LEVEL).rev().fold(Key::root(), |key, below| {
            let children = key.children();
            let mut found = children.into_iter().filter(|&c| hilbert(c) == place >> (3 * below));
            let child = found.next().unwrap();
            assert!(found.next().is_none());
            child
        })
    };
    let mut stream = crate::common::Stream(3);
    for _ in 0..200 {
        let place = (stream.next() * (1u64 << 63) as f64) as u64;
        assert!(share_a_face(at(place), at(place + 1)));
    }
    assert_eq!(hilbert(at((1 << 63) - 1)), (1 << 63) - 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn points_follow_the_curve(shape in crate::common::shapes(), n in 0usize..500, seed in any::<u64>()) {
        let points = cloud(shape, n, seed);
        let cube = octree::Cube::bounding(points.iter().copied()).unwrap();
        for curve in [Curve::Morton, Curve::Hilbert, Curve::Given] {
            let permutation = permutation(&points, curve).unwrap();
            let mut expected: Vec<u32> = (0..n as u32).collect();
            expected.sort_by_key(|&i| {
                let key = cube.key(&points[i as usize]);
                match curve {
                    Curve::Morton => key.code(),
                    Curve::Hilbert => hilbert(key),
                    Curve::Given => 0,
                }
            });
            prop_assert_eq!(&permutation, &expected);
        }
    }

    /// Along either curve the points of a box are together, so the links of all orders serve one tree.
    #[test]
    fn boxes_stay_together(n in 1usize..500, seed in any::<u64>()) {
        let points = cloud(Shape::Cluster, n, seed);
        let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 3 }).unwrap();
        let hilbert = permutation(&points, Curve::Hilbert).unwrap();
        let links = Links::build(&tree).unwrap().permuted(&hilbert).unwrap();
        let mut numbers = vec![0; n];
        for (number, &caller) in links.permutation().iter().enumerate() {
            numbers[caller as usize] = number;
        }
        for b in 0..tree.n_boxes() {
            let range = tree.sources(b);
            let held = tree.source_permutation()[range.clone()].iter().map(|&i| numbers[i as usize]);
            let (first, last) = (held.clone().min().unwrap(), held.max().unwrap());
            prop_assert_eq!(last - first + 1, range.len());
        }
        prop_assert_eq!(permutation(&points, Curve::Morton).unwrap(), tree.source_permutation());
    }
}

#[test]
fn bad_points_are_named() {
    let error = permutation(&[[0.0, f64::NAN, 0.0]], Curve::Hilbert).unwrap_err();
    assert!(matches!(error, Error::NotFinite { index: 0, .. }));
}

//! Keys and neighbourhoods against plain integer geometry.

use octree::neighborhood::{e1, e2, e4, in_e3};
use octree::{Key, MAX_LEVEL};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn keys() -> impl Strategy<Value = Key> {
    (0..=MAX_LEVEL, any::<[u32; 3]>()).prop_map(|(level, c)| {
        Key::from_coordinates(level, c.map(|c| (u64::from(c) % (1 << level)) as u32))
    })
}

/// A box at a random or at an extreme place of levels 1 to 8.
fn shallow_keys() -> impl Strategy<Value = Key> {
    (1u8..=8, any::<[u32; 3]>(), any::<[u8; 3]>()).prop_map(|(level, c, side)| {
        let last = (1u32 << level) - 1;
        Key::from_coordinates(
            level,
            [0, 1, 2].map(|d| match side[d] % 4 {
                0 => 0,
                1 => last,
                _ => c[d] & last,
            }),
        )
    })
}

fn distance(a: Key, b: Key) -> u32 {
    let (a, b) = (a.coordinates(), b.coordinates());
    (0..3).map(|d| a[d].abs_diff(b[d])).max().unwrap()
}

/// All boxes of the level within `reach` of `center`.
fn block(center: Key, reach: i64) -> Vec<Key> {
    let level = center.level();
    let axis = |d: usize| {
        let c = i64::from(center.coordinates()[d]);
        (c - reach).max(0)..(c + reach + 1).min(1 << level)
    };
    let mut keys = Vec::new();
    for z in axis(2) {
        for y in axis(1) {
            keys.extend(
                axis(0).map(|x| Key::from_coordinates(level, [x as u32, y as u32, z as u32])),
            );
        }
    }
    keys
}

#[test]
fn the_root_and_its_octants() {
    let root = Key::root();
    assert_eq!(
        (root.level(), root.code(), root.parent(), root.coordinates()),
        (0, 0, None, [0; 3])
    );
    assert_eq!(root.child(1).coordinates(), [1, 0, 0]);
    assert_eq!(root.child(2).coordinates(), [0, 1, 0]);
    assert_eq!(root.child(4).coordinates(), [0, 0, 1]);
    assert_eq!(root.last_descendant(MAX_LEVEL).raw(), u64::MAX);
    assert_eq!(root.neighbors().count(), 0);
    assert_eq!(e4(root).count(), 0);
}

/// Figure 1's box index 40 is out of range at level 2 in two dimensions; in three it is a box of level 2.
#[test]
fn box_index_40_of_figure_1() {
    let key = Key::from_code(2, 40);
    assert_eq!((key.level(), key.code(), key.coordinates()), (2, 40, [2, 0, 2]));
}

proptest! {
    #[test]
    fn coordinates_round_trip(key in keys()) {
        prop_assert_eq!(Key::from_coordinates(key.level(), key.coordinates()), key);
        prop_assert_eq!(Key::from_code(key.level(), key.code()), key);
        let bits = (0..key.level()).fold(0u64, |code, bit| {
            (0..3).fold(code, |code, d| code | u64::from(key.coordinates()[d] >> bit & 1) << (3 * bit + d as u8))
        });
        prop_assert_eq!(key.code(), bits);
    }

    #[test]
    fn parents_children_and_descendants_agree(key in keys(), level in 0..=MAX_LEVEL) {
        if let Some(parent) = key.parent() {
            prop_assert_eq!(parent.level() + 1, key.level());
            prop_assert_eq!(parent.child(key.octant()), key);
            prop_assert_eq!(parent.children()[usize::from(key.octant())], key);
            prop_assert!(parent.contains(key) && !key.contains(parent));
        }
        if level <= key.level() {
            let ancestor = key.ancestor(level);
            prop_assert_eq!(ancestor.coordinates(), key.coordinates().map(|c| c >> (key.level() - level)));
            let (first, last) = (ancestor.first_descendant(key.level()), ancestor.last_descendant(key.level()));
            prop_assert!(first <= key && key <= last);
            prop_assert_eq!((first.ancestor(level), last.ancestor(level)), (ancestor, ancestor));
            prop_assert_eq!(last.code() - first.code() + 1, 1u64 << (3 * (key.level() - level)));
        }
        prop_assert!(e1(key).contains(&key.first_descendant(MAX_LEVEL)));
    }

    #[test]
    fn adjacency_of_any_two_levels(a in shallow_keys(), b in shallow_keys()) {
        // Two boxes touch if their blocks of smallest boxes do.
        let deep = a.level().max(b.level());
        let ends = |key: Key| [key.first_descendant(deep).coordinates(), key.last_descendant(deep).coordinates()];
        let ([a0, a1], [b0, b1]) = (ends(a), ends(b));
        let touch = (0..3).all(|d| a0[d] <= b1[d] + 1 && b0[d] <= a1[d] + 1);
        prop_assert_eq!((a.is_adjacent(b), b.is_adjacent(a)), (touch, touch));
    }

    #[test]
    fn e2_and_e4_match_geometry(key in shallow_keys()) {
        let near: BTreeSet<Key> = e2(key).collect();
        prop_assert_eq!(&near, &block(key, 1).into_iter().collect());
        prop_assert_eq!(key.neighbors().count() + 1, near.len());
        prop_assert!(key.neighbors().all(|other| other != key && near.contains(&other)));
        let far: Vec<Key> = e4(key).collect();
        prop_assert!(far.len() <= 189);
        let expected: BTreeSet<Key> = block(key, 3)
            .into_iter()
            .filter(|&other| in_e3(key, other) && distance(key.parent().unwrap(), other.parent().unwrap()) <= 1)
            .collect();
        prop_assert_eq!(far.len(), expected.len());
        prop_assert_eq!(far.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

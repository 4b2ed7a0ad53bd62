//! Trees against `octree::Octree`: the same boxes with the same points, and arrays that fit each other.

use crate::clouds::{Cloud, clouds, device_points};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::tree::{HostTree, NONE, Sets, Tree, TreeError};
use octree::{Depth, Octree};
use std::collections::BTreeMap;
use std::ops::Range;

fn boxes_are_those_of_octree<M: Launcher>(machine: &M) {
    for Cloud { name, sources, receivers } in clouds() {
        for depth in [
            Depth::Adaptive { leaf_capacity: 1 },
            Depth::Adaptive { leaf_capacity: 13 },
            Depth::AdaptiveTo { leaf_capacity: 40, max_level: 3 },
            Depth::Uniform(3),
            Depth::Uniform(0),
        ] {
            let expected = match &receivers {
                Some(receivers) => Octree::build_between(&sources, receivers, depth),
                None => Octree::build(&sources, depth),
            };
            let points = device_points(&sources, receivers.as_deref());
            let points = machine.buffer_of(&points).unwrap();
            let sets = match receivers {
                Some(_) => Sets::Two { n_sources: sources.len() },
                None => Sets::One,
            };
            let tree = Tree::build(machine, points.view(), sets, depth, 1.0).unwrap();
            agree(machine, &tree, &expected.unwrap(), &format!("{name} {depth:?}"));
        }
    }
}

fn agree<M: Launcher>(machine: &M, tree: &Tree<M>, expected: &Octree, name: &str) {
    let (n_boxes, host) = (expected.n_boxes(), tree.to_host(machine).unwrap());
    assert_eq!(tree.n_boxes(), n_boxes, "{name}");
    assert_eq!(tree.n_levels(), expected.n_levels(), "{name}");
    assert_eq!(tree.n_leaves(), expected.leaves().len(), "{name}");
    assert_eq!(tree.cube(), expected.cube());
    let HostTree { level_start, range, parent, child, children, level, key, leaves, .. } = &host;
    let of_leaves = |order: &[u32], range: fn(&Octree, usize) -> Range<usize>| {
        let leaf = |&b: &u32| {
            let mut points = order[range(expected, b as usize)].to_vec();
            points.sort_unstable();
            points
        };
        expected.leaves().iter().map(leaf).collect::<Vec<_>>()
    };
    for (found, expected, range) in [
        (
            &host.source_permutation,
            expected.source_permutation(),
            Octree::sources as fn(&_, _) -> _,
        ),
        (&host.receiver_permutation, expected.receiver_permutation(), Octree::receivers),
    ] {
        // The order in a leaf is free.
        assert_eq!(found.len(), expected.len());
        assert_eq!(of_leaves(found, range), of_leaves(expected, range), "{name}");
    }
    let number: BTreeMap<(u32, u64), usize> =
        (0..n_boxes).map(|b| ((level[b], key[b]), b)).collect();
    assert_eq!(number.len(), n_boxes, "{name}");
    let of = |b: usize| {
        let key = expected.key(b);
        number[&(u32::from(key.level()), key.code())]
    };
    for b in 0..n_boxes {
        let (there, key) = (of(b), expected.key(b));
        let (sources, receivers) = (expected.sources(b), expected.receivers(b));
        let ends = [sources.start, sources.end, receivers.start, receivers.end];
        assert_eq!(range[there].0.map(|end| end as usize), ends, "{name} {key:?}");
        assert!(tree.slot(key.level().into(), key.octant().into()).contains(&there), "{name}");
        assert_eq!(parent[there] as usize, expected.parent(b).map_or(NONE as usize, of), "{name}");
        let mut octants = [NONE; 8];
        for c in expected.children(b) {
            octants[expected.key(c).octant() as usize] = of(c) as u32;
        }
        let mut mask = 0;
        for (o, &c) in octants.iter().enumerate() {
            assert_eq!(child[o * n_boxes + there], c, "{name} {key:?} child {o}");
            mask |= u32::from(c != NONE) << o;
        }
        assert_eq!(children[there], mask, "{name}");
    }
    let expected_leaves = expected.leaves().iter().map(|&b| of(b as usize));
    assert!(leaves.iter().map(|&b| b as usize).eq(expected_leaves), "{name}");
    assert_eq!(tree.level_start().len(), tree.level_starts().len());
    // Keys ascend in a slot.
    for slot in level_start.windows(2) {
        assert!(key[slot[0] as usize..slot[1] as usize].is_sorted(), "{name}");
    }
}

fn rebuilt_trees_forget_the_old_one<M: Launcher>(machine: &M) {
    let clouds = clouds();
    let depth = Depth::Adaptive { leaf_capacity: 5 };
    let mut points = device_points(&clouds[0].sources, None);
    let buffer = machine.buffer_of(&points).unwrap();
    let mut tree = Tree::build(machine, buffer.view(), Sets::One, depth, 1.0).unwrap();
    for n in [301, points.len()] {
        points.rotate_left(17);
        let buffer = machine.buffer_of(&points[..n]).unwrap();
        tree.rebuild(machine, buffer.view(), Sets::One, depth, 1.3).unwrap();
        let positions: Vec<[f64; 3]> =
            points[..n].iter().map(|p| [p.0[0], p.0[1], p.0[2]]).collect();
        let expected = Octree::build_enlarged(&positions, None, depth, 1.3).unwrap();
        agree(machine, &tree, &expected, "rebuilt");
    }
    // Nor does the order of points depend on it, whether few levels did last time or not.
    for cloud in [&clouds[2], &clouds[0], &clouds[4], &clouds[5]] {
        let buffer = machine.buffer_of(&device_points(&cloud.sources, None)).unwrap();
        tree.rebuild(machine, buffer.view(), Sets::One, depth, 1.0).unwrap();
        let anew = Tree::build(machine, buffer.view(), Sets::One, depth, 1.0).unwrap();
        let [old, new] = [&tree, &anew].map(|tree| tree.to_host(machine).unwrap());
        assert_eq!(
            (old.source_permutation, old.key),
            (new.source_permutation, new.key),
            "{}",
            cloud.name
        );
    }
}

fn single_precision_gives_the_same_keys<M: Launcher>(machine: &M) {
    let points: Vec<[f32; 3]> =
        clouds()[0].sources.iter().map(|p| p.map(|c| 1e5 + c as f32)).collect();
    let buffer = points.iter().map(|&[x, y, z]| Vec4([x, y, z, 0.0])).collect::<Vec<_>>();
    let buffer = machine.buffer_of(&buffer).unwrap();
    let depth = Depth::Adaptive { leaf_capacity: 7 };
    let tree = Tree::build(machine, buffer.view(), Sets::One, depth, 1.0).unwrap();
    agree(machine, &tree, &Octree::build(&points, depth).unwrap(), "f32");
}

fn points_that_are_not_finite_are_named<M: Launcher>(machine: &M) {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut points = vec![Vec4([1.0, 2.0, 3.0, 0.0]); 500];
        points[477].0[1] = f64::NAN;
        points[300].0[2] = bad;
        let buffer = machine.buffer_of(&points).unwrap();
        let sets = Sets::Two { n_sources: 250 };
        let error =
            Tree::build(machine, buffer.view(), sets, Depth::Uniform(2), 1.0).err().unwrap();
        let TreeError::Points(octree::Error::NotFinite { set, index, position }) = error else {
            panic!("{error}");
        };
        assert_eq!((set, index), (octree::PointSet::Receivers, 50));
        assert_eq!((position[0], position[2].to_bits()), (1.0, bad.to_bits()));
    }
    let none = machine.buffer_of(&[Vec4([0.0f64; 4])]).unwrap();
    for depth in [Depth::Uniform(22), Depth::Adaptive { leaf_capacity: 0 }] {
        assert!(Tree::build(machine, none.view(), Sets::One, depth, 1.0).is_err());
    }
}

on_every_machine!(
    boxes_are_those_of_octree,
    rebuilt_trees_forget_the_old_one,
    single_precision_gives_the_same_keys,
    points_that_are_not_finite_are_named,
);

//! Lists against `octree::InteractionLists`: the same pairs; and each pair of points is covered exactly once.

use crate::clouds::{Cloud, clouds, device_points};
use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::lists::{HostListRows, HostLists, Lists};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::memory::Grown;
use kernels_gpu::tree::{HostTree, NONE, Sets, Tree};
use octree::{Csr, Depth, InteractionLists, Key, ListOptions, Octree};
use std::collections::{BTreeMap, BTreeSet};

/// A receiver box and a source box.
type BoxPairs = BTreeSet<(Key, Key)>;

fn lists_are_those_of_octree<M: Launcher>(machine: &M) {
    let mut lists = Lists::new();
    for Cloud { name, sources, receivers } in clouds() {
        for (depth, m2p, p2l) in [
            (Depth::Adaptive { leaf_capacity: 1 }, 0, 0),
            (Depth::Adaptive { leaf_capacity: 9 }, 0, 0),
            (Depth::Adaptive { leaf_capacity: 9 }, 5, 12),
            (Depth::Adaptive { leaf_capacity: 20 }, usize::MAX, usize::MAX),
            (Depth::Uniform(2), 0, 0),
        ] {
            let options = ListOptions { min_sources_for_m2p: m2p, min_receivers_for_p2l: p2l };
            let octree = match &receivers {
                Some(receivers) => Octree::build_between(&sources, receivers, depth),
                None => Octree::build(&sources, depth),
            };
            let octree = octree.unwrap();
            let points = device_points(&sources, receivers.as_deref());
            let points = machine.buffer_of(&points).unwrap();
            let sets = match receivers {
                Some(_) => Sets::Two { n_sources: sources.len() },
                None => Sets::One,
            };
            let tree = Tree::build(machine, points.view(), sets, depth, 1.0).unwrap();
            lists.rebuild(machine, &tree, options).unwrap();
            let found = Found::new(machine, &tree, &lists);
            let name = format!("{name} {depth:?} {options:?}");
            found.agree(&octree, &InteractionLists::build(&octree, options), &name);
            found.cover_all_pairs(sources.len(), &name);

            let expected = InteractionLists::build(&octree, options);
            let pairs = lists.census(machine, &tree, &mut Grown::new()).unwrap();
            assert_eq!(pairs, counted(&octree, &expected), "{name}");
            let alone = octree.leaves().iter().map(|leaf| *leaf as usize);
            let alone = alone.filter(|leaf| octree.sources(*leaf).is_empty());
            let alone: usize = alone.map(|leaf| octree.receivers(leaf).len()).sum();
            assert_eq!(tree.receivers_alone(machine).unwrap(), alone as u64, "{name}");
        }
    }
}

fn counted(octree: &Octree, lists: &InteractionLists) -> PairCounts {
    let sources =
        |boxes: &[u32]| -> usize { boxes.iter().map(|b| octree.sources(*b as usize).len()).sum() };
    let mut pairs = PairCounts::default();
    for b in 0..octree.n_boxes() {
        let receivers = octree.receivers(b).len();
        pairs.p2p += (receivers * sources(lists.near().row(b))) as u64;
        pairs.m2l += lists.far().row(b).len() as u64;
        pairs.m2p += (receivers * lists.m2p().row(b).len()) as u64;
        pairs.p2l += sources(lists.p2l().row(b)) as u64;
        pairs.far_m2p += (receivers * lists.far().row(b).len()) as u64;
    }
    pairs
}

/// Tree and lists on the host.
struct Found {
    tree: HostTree,
    lists: HostLists,
    n_items: [usize; 3],
}

impl Found {
    fn new<M: Launcher>(machine: &M, tree: &Tree<M>, lists: &Lists<M>) -> Self {
        Self {
            tree: tree.to_host(machine).unwrap(),
            lists: lists.to_host(machine).unwrap(),
            n_items: lists.n_items(),
        }
    }

    fn n_boxes(&self) -> usize {
        self.tree.key.len()
    }

    fn key(&self, b: u32) -> Key {
        Key::from_code(self.tree.level[b as usize] as u8, self.tree.key[b as usize])
    }

    /// Row i of `rows` belongs to the box that `receiver` says.
    fn pairs(
        &self,
        rows: &HostListRows,
        n_items: usize,
        receiver: impl Fn(usize) -> u32,
    ) -> BoxPairs {
        let n_rows = rows.offsets.len().saturating_sub(1);
        let pairs: BoxPairs = (0..n_rows)
            .flat_map(|i| rows.row(i).iter().map(move |&s| (i, s)))
            .map(|(i, s)| (self.key(receiver(i)), self.key(s)))
            .collect();
        assert_eq!(pairs.len(), n_items, "no pair twice");
        pairs
    }

    fn near(&self) -> BoxPairs {
        self.pairs(&self.lists.near, self.n_items[0], |k| self.tree.leaves[k])
    }

    fn m2p(&self) -> BoxPairs {
        self.pairs(&self.lists.m2p, self.n_items[1], |k| self.tree.leaves[k])
    }

    fn p2l(&self) -> BoxPairs {
        self.pairs(&self.lists.p2l, self.n_items[2], |b| b as u32)
    }

    /// The far pairs that colleagues name: children of the parent's split colleagues, without those that touch.
    fn far(&self) -> BoxPairs {
        let n_boxes = self.n_boxes();
        let mut pairs = BoxPairs::new();
        for b in (0..n_boxes as u32).filter(|&b| self.tree.level[b as usize] > 0) {
            let parent = self.tree.parent[b as usize] as usize;
            let key = self.key(b);
            for direction in 0..27 {
                let colleague = self.lists.colleague[direction * n_boxes + parent];
                if colleague == NONE {
                    continue;
                }
                for octant in 0..8 {
                    let s = self.tree.child[octant * n_boxes + colleague as usize];
                    if s == NONE || key.is_adjacent(self.key(s)) {
                        continue;
                    }
                    let ([begin, end, ..], [.., first, last]) =
                        (self.tree.range[s as usize].0, self.tree.range[b as usize].0);
                    if begin < end && first < last {
                        assert!(pairs.insert((key, self.key(s))));
                    }
                }
            }
        }
        pairs
    }

    fn agree(&self, octree: &Octree, expected: &InteractionLists, name: &str) {
        let pairs = |rows: &Csr| -> BoxPairs {
            let of = |b: usize| rows.row(b).iter().map(move |&s| (b, s));
            let all = (0..rows.n_rows()).flat_map(of);
            all.map(|(b, s)| (octree.key(b), octree.key(s as usize))).collect()
        };
        assert_eq!(self.near(), pairs(expected.near()), "near {name}");
        assert_eq!(self.m2p(), pairs(expected.m2p()), "m2p {name}");
        assert_eq!(self.p2l(), pairs(expected.p2l()), "p2l {name}");
        assert_eq!(self.far(), pairs(expected.far()), "far {name}");
    }

    /// The kernel 1: every receiver gets every source exactly once.
    fn cover_all_pairs(&self, n_sources: usize, name: &str) {
        let number: BTreeMap<Key, usize> =
            (0..self.n_boxes()).map(|b| (self.key(b as u32), b)).collect();
        let mut sums = vec![0u64; self.n_boxes()];
        for list in [self.near(), self.m2p(), self.p2l(), self.far()] {
            for (receiver, source) in list {
                let [begin, end, ..] = self.tree.range[number[&source]].0;
                sums[number[&receiver]] += u64::from(end - begin);
            }
        }
        for &leaf in &self.tree.leaves {
            let mut b = leaf as usize;
            let mut sum = sums[b];
            while b != 0 {
                b = self.tree.parent[b] as usize;
                sum += sums[b];
            }
            let [.., first, last] = self.tree.range[leaf as usize].0;
            let expected = if first < last { n_sources as u64 } else { 0 };
            // Leaves without receivers may lie in boxes with some, whose far pairs they do not need.
            assert!(sum == expected || first == last, "{name}: {sum} of {expected}");
        }
    }
}

on_every_machine!(lists_are_those_of_octree);

//! Trees over several devices against the tree of one: together the devices have its lists, and the sources that the lists
//! name.

use crate::clouds::{Cloud, clouds, device_points};
use kernels_gpu::device::{Plain, Vec4, View};
use kernels_gpu::lists::{HostListRows, Lists};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::partition::owners::TILE;
use kernels_gpu::partition::{
    BoxNumbers, CutFinder, Halo, OwnerOrder, Part, PointsInCube, count_beside,
};
use kernels_gpu::tree::{NONE, Sets, Tree};
use octree::partition::Partition;
use octree::{Cube, Depth, InteractionLists, Key, ListOptions, Octree};
use std::collections::BTreeSet;

type BoxPairs = BTreeSet<(Key, Key)>;

/// Lists U, W, X and V.
type AllPairs = [BoxPairs; 4];

fn items<M: Launcher, T: Plain>(machine: &M, view: View<T>) -> Vec<T> {
    let mut items = vec![T::default(); view.len()];
    machine.read(view, &mut items).unwrap();
    items
}

/// Puts points in the order of their owners, and checks that the points and their permutation are at the same places.
fn check_places<M: Launcher>(
    machine: &M,
    brought: PointsInCube<'_, f64>,
    order: &mut OwnerOrder<M>,
    own: usize,
    n_pieces: usize,
) {
    let points = brought.points;
    let nothing = vec![Vec4([f64::NAN; 4]); points.len()];
    let stay = order.starts()[own]..order.starts()[own + 1];
    let mut leaving = machine.buffer_of(&vec![f64::NAN; 3 * points.len()]).unwrap();
    let mut staying = machine.buffer_of(&nothing[..stay.len()]).unwrap();
    let (leaving_to, staying_at) = (leaving.view_mut(), staying.view_mut());
    for piece in 0..n_pieces {
        order.place(machine, brought, own, piece, leaving_to, staying_at).unwrap();
        // Points of this piece are there already.
        let [first, next] =
            [piece, piece + 1].map(|piece| points.len().div_ceil(TILE) * piece / n_pieces * TILE);
        for owner in 0..order.starts().len() - 1 {
            let places = order.piece(owner, piece);
            let at = items(machine, order.permutation().part(places.start, places.len()));
            assert!(at.iter().all(|at| (first..next).contains(&(*at as usize))), "{piece}");
        }
    }
    let brought = items(machine, points);
    let (leaving, staying) = (items(machine, leaving.view()), items(machine, staying.view()));
    let permutation = items(machine, order.permutation());
    for (place, at) in permutation.iter().enumerate() {
        let expected = brought[*at as usize];
        match stay.contains(&place) {
            true => assert_eq!(staying[place - stay.start], expected, "place {place}"),
            false => assert_eq!(leaving[3 * place..][..3], expected.0[..3], "place {place}"),
        }
    }
    // Points of one owner keep their order.
    for owner in order.starts().windows(2) {
        assert!(permutation[owner[0]..owner[1]].is_sorted());
    }
}

/// Points of one device.
struct Device<M: Launcher> {
    points: Vec<Vec4<f64>>,
    memory: M::Buffer<Vec4<f64>>,
    sets: Sets,
    tree: Tree<M>,
}

/// A tree over devices.
struct Devices<M: Launcher> {
    cube: Cube,
    partition: Partition,
    devices: Vec<Device<M>>,
}

impl<M: Launcher> Devices<M> {
    fn new(machine: &M, cloud: &Cloud, depth: Depth, n: usize) -> Self {
        let points = device_points(&cloud.sources, cloud.receivers.as_deref());
        let n_sources = cloud.sources.len();
        let memory = machine.buffer_of(&points).unwrap();
        let mut tree = Tree::empty().unwrap();
        let bounds = tree.bounds(machine, memory.view(), n_sources).unwrap();
        let cube = Cube::around(bounds).unwrap();

        // Cuts that balance all points, off the leaves.
        let mut sample =
            CutFinder::new().sample(machine, memory.view(), &cube, points.len()).unwrap();
        assert_eq!(sample.len(), points.len());
        let deepest = match depth {
            Depth::Uniform(level) => level,
            _ => cube.exact_level(),
        };
        let sampled = Partition::of_sample(&mut sample, n, deepest, 0.01);
        let parts: &[(usize, usize)] = match cloud.receivers {
            Some(_) => &[(0, n_sources), (n_sources, points.len() - n_sources)],
            None => &[(0, points.len())],
        };
        let cuts = &sampled.cuts()[1..n];
        let count = |(first, len): &(usize, usize)| {
            count_beside(machine, memory.view().part(*first, *len), &cube, cuts).unwrap()
        };
        let counts: Vec<_> = parts.iter().map(count).collect();
        let capacity = depth.leaf_capacity().unwrap_or(0) as u64;
        let partition = sampled.snapped(&counts, deepest, capacity);
        if sampled.surely_spares_leaves(&sample, deepest, capacity) {
            assert_eq!(sampled.cuts(), partition.cuts());
        }

        // Points by owner, sources before receivers.
        let mut owned = vec![Vec::new(); n];
        let mut own_sources = vec![0; n];
        for (set, (first, len)) in parts.iter().enumerate() {
            let view = memory.view().part(*first, *len);
            let cuts = &partition.cuts()[1..n];
            let mut order = OwnerOrder::new();
            let brought = PointsInCube { points: view, cube: &cube };
            order.count(machine, brought, cuts, 1).unwrap();
            check_places(machine, brought, &mut order, set % n, 1);
            let permutation = items(machine, order.permutation());
            for device in 0..n {
                let range = order.starts()[device]..order.starts()[device + 1];
                let of = range.map(|at| points[first + permutation[at] as usize]);
                owned[device].extend(of);
                if set == 0 {
                    own_sources[device] = owned[device].len();
                }
            }
        }
        let device = |(rank, (points, n_sources)): (usize, (Vec<_>, usize))| {
            let memory = machine.buffer_of(&points).unwrap();
            let sets = match cloud.receivers {
                Some(_) => Sets::Two { n_sources },
                None => Sets::One,
            };
            let mut tree = Tree::empty().unwrap();
            let part = Part { cube, interval: partition.interval(rank) };
            tree.rebuild_part(machine, memory.view(), sets, depth, &part).unwrap();
            Device { points, memory, sets, tree }
        };
        let devices = owned.into_iter().zip(own_sources).enumerate().map(device).collect();
        Self { cube, partition, devices }
    }

    /// Sources of a device in the order of its tree.
    fn sorted_sources(&self, machine: &M, device: usize) -> Vec<Vec4<f64>> {
        let Device { points, tree, .. } = &self.devices[device];
        let order = items(machine, tree.source_permutation());
        order.iter().map(|at| points[*at as usize]).collect()
    }

    /// The lists of the receivers of one device. Checks that the sources in them are there.
    fn lists_of(&self, machine: &M, rank: usize, options: ListOptions) -> AllPairs {
        let own = &self.devices[rank].tree;
        let (mut slots, mut halos) = (Vec::new(), Vec::new());
        let mut sources = self.sorted_sources(machine, rank);
        for other in (0..self.devices.len()).filter(|other| *other != rank) {
            let mut halo = Halo::new();
            let interval = self.partition.interval(rank);
            let few = options.min_sources_for_m2p;
            let tree = &self.devices[other].tree;
            slots.push(halo.find(machine, tree, interval, few).unwrap());
            let sorted = self.sorted_sources(machine, other);
            sources.extend(items(machine, halo.places()).iter().map(|at| sorted[*at as usize]));
            halos.push(halo);
        }
        let all = Halo::of_all(machine, own).unwrap();
        let mut numbers = BoxNumbers::new(machine, rank, &all, &slots).unwrap();
        let records: Vec<_> = halos.iter().map(Halo::records).collect();
        let n_ghosts: Vec<_> = halos.iter().map(|halo| halo.places().len()).collect();
        let mut tree = Tree::empty().unwrap();
        tree.merge(machine, own, &mut numbers, &records, &n_ghosts).unwrap();
        assert_eq!(tree.n_sources(), sources.len());
        let mut lists = Lists::new();
        lists.rebuild(machine, &tree, options).unwrap();
        self.pairs(machine, &tree, &lists, &sources)
    }

    fn pairs(
        &self,
        machine: &M,
        tree: &Tree<M>,
        lists: &Lists<M>,
        sources: &[Vec4<f64>],
    ) -> AllPairs {
        let n_boxes = tree.n_boxes();
        if n_boxes == 0 {
            return AllPairs::default();
        }
        let (level, codes) = (items(machine, tree.level()), items(machine, tree.key()));
        let key = |b: u32| Key::from_code(level[b as usize] as u8, codes[b as usize]);
        let range = items(machine, tree.range());
        let leaves = items(machine, tree.leaves());
        let found = lists.to_host(machine).unwrap();
        let row = |rows: &HostListRows, i: usize, to: u32| -> BoxPairs {
            rows.row(i).iter().map(|from| (key(to), key(*from))).collect()
        };
        let of_leaves = |rows: &HostListRows| -> BoxPairs {
            leaves.iter().enumerate().flat_map(|(k, leaf)| row(rows, k, *leaf)).collect()
        };
        let of_boxes = (0..n_boxes).flat_map(|b| row(&found.p2l, b, b as u32)).collect();
        // Sources of leaves that are summed point by point are in their boxes.
        let near = (0..leaves.len()).flat_map(|k| found.near.row(k));
        for from in near.chain((0..n_boxes).flat_map(|b| found.p2l.row(b))) {
            let Vec4([begin, end, ..]) = range[*from as usize];
            assert!(begin < end);
            for Vec4([x, y, z, _]) in &sources[begin as usize..end as usize] {
                let place = self.cube.key(&[*x, *y, *z]);
                assert_eq!(place.ancestor(key(*from).level()), key(*from));
            }
        }
        // V: children of the parent's colleagues that are not the box's own.
        let (parent, child) = (items(machine, tree.parent()), items(machine, tree.child()));
        let colleague = |b: usize| {
            (0..27)
                .map(move |d| d * n_boxes + b)
                .map(|at| found.colleague[at])
                .filter(|c| *c != NONE)
        };
        let mut far = BoxPairs::new();
        for b in 0..n_boxes {
            let Vec4([.., first, past]) = range[b];
            if first == past || parent[b] == NONE {
                continue;
            }
            let near: BTreeSet<u32> = colleague(b).collect();
            for c in colleague(parent[b] as usize) {
                for octant in 0..8 {
                    let source = child[octant * n_boxes + c as usize];
                    let acts =
                        source != NONE && range[source as usize].0[0] < range[source as usize].0[1];
                    if acts && !near.contains(&source) {
                        far.insert((key(b as u32), key(source)));
                    }
                }
            }
        }
        [of_leaves(&found.near), of_leaves(&found.m2p), of_boxes, far]
    }
}

/// The lists of one tree of all points.
fn expected(octree: &Octree, options: ListOptions) -> AllPairs {
    let lists = InteractionLists::build(octree, options);
    [lists.near(), lists.m2p(), lists.p2l(), lists.far()].map(|rows| {
        let row = |b: usize| rows.row(b).iter().map(move |from| (b, *from as usize));
        let pairs = (0..octree.n_boxes()).flat_map(row);
        let acts = pairs.filter(|(to, from)| {
            !octree.receivers(*to).is_empty() && !octree.sources(*from).is_empty()
        });
        acts.map(|(to, from)| (octree.key(to), octree.key(from))).collect()
    })
}

fn devices_have_the_lists_of_one<M: Launcher>(machine: &M) {
    for cloud in clouds() {
        for (depth, m2p, p2l) in [
            (Depth::Adaptive { leaf_capacity: 4 }, 0, 0),
            (Depth::Adaptive { leaf_capacity: 9 }, 25, 30),
            (Depth::Adaptive { leaf_capacity: 20 }, usize::MAX, usize::MAX),
            (Depth::Uniform(2), 0, 0),
        ] {
            let options = ListOptions { min_sources_for_m2p: m2p, min_receivers_for_p2l: p2l };
            let octree = match &cloud.receivers {
                Some(receivers) => Octree::build_between(&cloud.sources, receivers, depth),
                None => Octree::build(&cloud.sources, depth),
            };
            let expected = expected(&octree.unwrap(), options);
            for n in [2, 5] {
                let devices = Devices::new(machine, &cloud, depth, n);
                let mut found = AllPairs::default();
                for rank in 0..n {
                    let pairs = devices.lists_of(machine, rank, options);
                    found.iter_mut().zip(pairs).for_each(|(all, pairs)| all.extend(pairs));
                }
                for (list, name) in ["U", "W", "X", "V"].iter().enumerate() {
                    let what = format!("{name} of {} {depth:?} {options:?} on {n}", cloud.name);
                    let missing = expected[list].difference(&found[list]).next();
                    let more = found[list].difference(&expected[list]).next();
                    assert_eq!((missing, more), (None, None), "{what}");
                }
            }
        }
    }
}

/// Points of one device have its keys, and no device has more than its share but for a leaf.
fn owners_have_their_shares<M: Launcher>(machine: &M) {
    for cloud in clouds().iter().filter(|cloud| cloud.sources.len() > 500) {
        let depth = Depth::Adaptive { leaf_capacity: 9 };
        let devices = Devices::new(machine, cloud, depth, 4);
        for (rank, device) in devices.devices.iter().enumerate() {
            let interval = devices.partition.interval(rank);
            for Vec4([x, y, z, _]) in &device.points {
                let code = devices.cube.key(&[*x, *y, *z]).code();
                assert!(interval.contains(&code), "{} {rank}", cloud.name);
            }
            assert_eq!(device.memory.len(), device.points.len());
            assert_eq!(device.sets == Sets::One, cloud.receivers.is_none());
        }
    }
}

/// Points of several tiles, in one piece or several, with an owner of none and the end of the curve as a cut.
fn pieces_go_to_their_places<M: Launcher>(machine: &M) {
    let sources = crate::clouds::cube(4 * TILE as u64 + 77, 12);
    let points = device_points(&sources, None);
    let memory = machine.buffer_of(&points).unwrap();
    let cube = Cube::bounding(sources.iter().copied()).unwrap();
    let end = 1 << 63;
    let cuts = [end / 3, end / 2, end / 2, end];
    for n_pieces in [1, 3, 4, 9] {
        let mut order = OwnerOrder::new();
        let brought = PointsInCube { points: memory.view(), cube: &cube };
        order.count(machine, brought, &cuts, n_pieces).unwrap();
        let owner = |point: &[f64; 3]| {
            let code = cube.key(point).code();
            cuts.iter().filter(|cut| **cut <= code).count()
        };
        for (k, range) in order.starts().windows(2).enumerate() {
            let of_owner = sources.iter().filter(|point| owner(point) == k).count();
            assert_eq!(range[1] - range[0], of_owner, "owner {k}");
        }
        check_places(machine, brought, &mut order, 1, n_pieces);
        let permutation = items(machine, order.permutation());
        for (k, range) in order.starts().windows(2).enumerate() {
            let places = &permutation[range[0]..range[1]];
            assert!(places.iter().all(|at| owner(&sources[*at as usize]) == k));
        }
    }
}

on_every_machine!(
    devices_have_the_lists_of_one,
    owners_have_their_shares,
    pieces_go_to_their_places,
);

//! Many ranks against one process: boxes, lists, ghosts, imports, exports and kinds are those of the tree of all points.

mod common;
mod ranks;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use common::{Shape, cloud, depths};
use octree::partition::{
    Balance, BoxKind, Cargo, EssentialTree, Exchange, Holder, OneProcess, Partition,
};
use octree::{Csr, Cube, Depth, InteractionLists, Key, ListOptions, MAX_LEVEL, Octree, SplitRule};
use proptest::prelude::*;
use ranks::Ranks;

/// The tree of one process, and its lists.
struct Whole {
    tree: Octree,
    lists: InteractionLists,
    options: ListOptions,
}

/// Needs of ranks by brute force: (box, owner, rank that needs it).
type Needs = BTreeSet<(Key, usize, usize)>;

/// How often the paths that the tests are about were taken.
type Taken = BTreeMap<&'static str, usize>;

fn check(
    sources: &[[f64; 3]],
    receivers: Option<&[[f64; 3]]>,
    depth: Depth,
    options: ListOptions,
    cuts: impl Fn(&Octree, &SplitRule) -> Partition,
) -> Taken {
    let tree = match receivers {
        None => Octree::build(sources, depth).unwrap(),
        Some(receivers) => Octree::build_between(sources, receivers, depth).unwrap(),
    };
    let rule = SplitRule::new(*tree.cube(), depth).unwrap();
    let partition = cuts(&tree, &rule);
    let lists = InteractionLists::build(&tree, options);
    let whole = Whole { tree, lists, options };
    let ranks = Ranks::new(&rule, partition, sources, receivers);
    check_parts(&whole, &ranks);

    let halos: Vec<_> = (0..ranks.dealt.len()).map(|j| ranks.halos_of(j)).collect();
    let essential: Vec<EssentialTree<'_>> = (0..ranks.dealt.len())
        .map(|j| {
            let part = &ranks.dealt[j].part;
            EssentialTree::assemble(part, &ranks.partition, j, &ranks.shared, &halos[j]).unwrap()
        })
        .collect();
    let exchanges: Vec<Exchange> =
        essential.iter().map(|essential| essential.exchange(whole.options)).collect();
    check_cargos(&essential, &exchanges);
    let [multipoles, points] = needs(&whole, &ranks);
    for j in 0..essential.len() {
        check_boxes(&whole, &ranks, &essential[j], j);
        check_lists(&whole, &ranks.dealt[j].part, &essential[j], &exchanges[j].lists);
        check_fill(&whole, &ranks, &essential, &exchanges, j);
        check_needs(&essential[j], &exchanges[j], j, [&multipoles, &points]);
    }
    let pairs = essential.iter().zip(&exchanges);
    pairs.flat_map(|(essential, exchange)| taken(essential, exchange)).fold(
        Taken::new(),
        |mut sum, what| {
            *sum.entry(what).or_default() += 1;
            sum
        },
    )
}

fn taken(essential: &EssentialTree<'_>, exchange: &Exchange) -> Vec<&'static str> {
    let mut taken = Vec::new();
    for cargo in &exchange.imports {
        taken.extend(cargo.multipoles.iter().map(|_| "multipoles of a remote box"));
        taken.extend(cargo.points.iter().map(|block| {
            match essential.holders()[block.node as usize] {
                Holder::Shared => "points of a truncated box, from several owners",
                _ if essential.is_truncated(block.node as usize) => "points of a truncated box",
                _ => "points of a remote leaf",
            }
        }));
    }
    let kinds = essential.kinds(exchange).into_iter();
    taken.extend(kinds.filter(|&kind| kind == BoxKind::Domestic).map(|_| "domestic boxes"));
    taken
}

/// Parts and shared boxes together are the tree.
fn check_parts(whole: &Whole, ranks: &Ranks) {
    let tree = &whole.tree;
    let mut n_boxes = 0;
    for (rank, dealt) in ranks.dealt.iter().enumerate() {
        let part = &dealt.part;
        for b in (0..part.n_boxes()).filter(|&b| !ranks.partition.is_shared(part.key(b))) {
            n_boxes += 1;
            assert_eq!(ranks.partition.owners(part.key(b)), rank..rank + 1);
            let same = tree.find(part.key(b)).unwrap();
            assert_eq!(part.sources(b).len(), tree.sources(same).len());
            assert_eq!(part.receivers(b).len(), tree.receivers(same).len());
            assert_eq!(part.is_leaf(b), tree.is_leaf(same));
        }
    }
    for (i, &key) in ranks.shared.keys().iter().enumerate() {
        let size = |b| [tree.sources(b).len() as u64, tree.receivers(b).len() as u64];
        let found = tree.find(key);
        assert_eq!(ranks.shared.totals(i), found.map_or([0, 0], size));
        assert!(found.is_none_or(|b| !tree.is_leaf(b)), "a cut inside a leaf");
        n_boxes += usize::from(found.is_some());
    }
    assert_eq!(n_boxes, tree.n_boxes());
}

/// Each box of the structure is that of the tree, and no box that the rank has is missing.
fn check_boxes(whole: &Whole, ranks: &Ranks, essential: &EssentialTree<'_>, rank: usize) {
    let (tree, structure) = (&whole.tree, essential.tree());
    for b in 0..structure.n_boxes() {
        let same = tree.find(structure.key(b)).unwrap();
        assert_eq!(structure.sources(b).len(), tree.sources(same).len());
        assert_eq!(structure.receivers(b).len(), tree.receivers(same).len());
        assert_eq!(structure.is_leaf(b), tree.is_leaf(same) || essential.is_truncated(b));
        if !structure.is_leaf(b) {
            assert_eq!(structure.children(b).len(), tree.children(same).len());
        }
        let owners = ranks.partition.owners(structure.key(b));
        let holder = match owners.len() {
            1 if owners.start == rank => Holder::Own,
            1 => Holder::Remote(owners.start as u32),
            _ => Holder::Shared,
        };
        assert_eq!(essential.holders()[b], holder);
    }
    let part = &ranks.dealt[rank].part;
    for b in 0..part.n_boxes() {
        let number = structure.find(part.key(b)).unwrap();
        assert_eq!(essential.in_part(number), Some(b));
    }
}

/// Rows of own receivers are those of the tree; a truncated box in `near` stands for the leaves below it.
fn check_lists(
    whole: &Whole,
    part: &Octree,
    essential: &EssentialTree<'_>,
    lists: &InteractionLists,
) {
    let (tree, structure) = (&whole.tree, essential.tree());
    for b in 0..structure.n_boxes() {
        let keys = |csr: &Csr| -> Vec<Key> {
            csr.row(b).iter().map(|&s| structure.key(s as usize)).collect()
        };
        if essential.in_part(b).is_none_or(|b| part.receivers(b).is_empty()) {
            let lists = [&lists.near, &lists.far, &lists.m2p, &lists.p2l];
            assert!(lists.iter().all(|csr| csr.row(b).is_empty()));
            continue;
        }
        let same = tree.find(structure.key(b)).unwrap();
        let expected = |csr: &Csr| -> Vec<Key> {
            csr.row(same).iter().map(|&s| tree.key(s as usize)).collect()
        };
        assert_eq!(keys(&lists.far), expected(&whole.lists.far));
        assert_eq!(keys(&lists.m2p), expected(&whole.lists.m2p));
        assert_eq!(keys(&lists.p2l), expected(&whole.lists.p2l));
        let near: Vec<Key> =
            keys(&lists.near).into_iter().flat_map(|key| leaves(tree, key)).collect();
        assert_eq!(near, expected(&whole.lists.near));
        let offsets = |lists: &InteractionLists, b: usize| {
            lists.far_offset[lists.far.offsets()[b]..lists.far.offsets()[b + 1]].to_vec()
        };
        assert_eq!(offsets(lists, b), offsets(&whole.lists, same));
    }
    assert_eq!(lists.far_offset.len(), lists.far.n_items());
}

/// The leaves of the tree with sources at or below a box.
fn leaves(tree: &Octree, key: Key) -> Vec<Key> {
    let below = tree.leaves_below(tree.find(key).unwrap()).iter().map(|&leaf| leaf as usize);
    below.filter(|&leaf| !tree.sources(leaf).is_empty()).map(|leaf| tree.key(leaf)).collect()
}

/// What k imports from j is what j exports to k, in one order, each box once.
fn check_cargos(essential: &[EssentialTree<'_>], exchanges: &[Exchange]) {
    type Sent = (Vec<Key>, Vec<(Key, usize)>);
    let sent = |essential: &EssentialTree<'_>, cargo: &Cargo| -> Sent {
        let key = |b: u32| essential.tree().key(b as usize);
        let multipoles: Vec<Key> = cargo.multipoles.iter().map(|&b| key(b)).collect();
        let points: Vec<(Key, usize)> =
            cargo.points.iter().map(|block| (key(block.node), block.sources.len())).collect();
        assert!(multipoles.is_sorted_by(|a, b| a < b));
        assert!(points.is_sorted_by(|a, b| a.0 < b.0));
        assert!(points.iter().all(|block| block.1 > 0));
        assert!(!multipoles.is_empty() || !points.is_empty());
        (multipoles, points)
    };
    let mut imports: HashMap<(usize, usize), Sent> = HashMap::new();
    for (j, exchange) in exchanges.iter().enumerate() {
        assert!(exchange.imports.is_sorted_by(|a, b| a.rank < b.rank));
        for cargo in &exchange.imports {
            imports.insert((cargo.rank, j), sent(&essential[j], cargo));
        }
    }
    let mut n_exports = 0;
    for (k, exchange) in exchanges.iter().enumerate() {
        assert!(exchange.exports.is_sorted_by(|a, b| a.rank < b.rank));
        for cargo in &exchange.exports {
            assert_ne!(cargo.rank, k);
            assert_eq!(imports.get(&(k, cargo.rank)), Some(&sent(&essential[k], cargo)));
            n_exports += 1;
        }
    }
    assert_eq!(imports.len(), n_exports);
}

/// With the ghosts that the owners send, the sources of every listed box, and the receivers of every own box, are
/// those of the tree in its order.
fn check_fill(
    whole: &Whole,
    ranks: &Ranks,
    essential: &[EssentialTree<'_>],
    exchanges: &[Exchange],
    j: usize,
) {
    let mut sources = ranks.dealt[j].sources.clone();
    for import in &exchanges[j].imports {
        let sender = &ranks.dealt[import.rank];
        let export = exchanges[import.rank].exports.iter().find(|cargo| cargo.rank == j).unwrap();
        for (block, here) in export.points.iter().zip(&import.points) {
            assert_eq!(sources.len(), ranks.dealt[j].sources.len() + here.sources.start);
            let permutation = &sender.part.source_permutation()[block.sources.clone()];
            sources.extend(permutation.iter().map(|&i| sender.sources[i as usize]));
        }
    }
    let filled = essential[j].fill(&exchanges[j]).unwrap();
    assert_eq!(filled.keys(), essential[j].tree().keys());
    assert_eq!(filled.source_permutation().len(), sources.len());
    let own = &ranks.dealt[j].receivers;
    assert_eq!(filled.receiver_permutation().len(), own.len());
    let tree = &whole.tree;
    let number = |permutation: &[u32], numbers: &[u32]| -> Vec<u32> {
        permutation.iter().map(|&i| numbers[i as usize]).collect()
    };
    let lists = &exchanges[j].lists;
    let listed = lists.near.items().iter().chain(lists.p2l.items()).map(|&s| s as usize);
    let own_boxes = (0..filled.n_boxes()).filter(|&b| essential[j].holders()[b] == Holder::Own);
    for b in listed.chain(own_boxes).collect::<BTreeSet<usize>>() {
        let same = tree.find(filled.key(b)).unwrap();
        let here = &filled.source_permutation()[filled.sources(b)];
        assert_eq!(number(here, &sources), tree.source_permutation()[tree.sources(same)]);
        if essential[j].holders()[b] == Holder::Own {
            let here = &filled.receiver_permutation()[filled.receivers(b)];
            assert_eq!(number(here, own), tree.receiver_permutation()[tree.receivers(same)]);
        } else {
            assert!(filled.receivers(b).is_empty());
        }
    }
}

/// Multipoles and points that ranks need from others, from the lists of one process alone.
fn needs(whole: &Whole, ranks: &Ranks) -> [Needs; 2] {
    let (tree, partition) = (&whole.tree, &ranks.partition);
    let regions: Vec<Vec<Key>> = (0..partition.n_ranks()).map(|j| partition.region(j)).collect();
    // Sight by its definition, without the code's descent.
    let sees = |j: usize, key: Key| {
        regions[j].iter().any(|u| u.ancestor(u.level().min(key.level())).is_adjacent(key))
    };
    let [mut multipoles, mut points] = [Needs::new(), Needs::new()];
    for (j, dealt) in ranks.dealt.iter().enumerate() {
        for b in (0..dealt.part.n_boxes()).filter(|&b| !dealt.part.receivers(b).is_empty()) {
            let same = tree.find(dealt.part.key(b)).unwrap();
            let row = |csr: &Csr| -> Vec<Key> {
                csr.row(same).iter().map(|&s| tree.key(s as usize)).collect()
            };
            for key in row(&whole.lists.far).into_iter().chain(row(&whole.lists.m2p)) {
                if !partition.is_shared(key) && partition.owners(key).start != j {
                    multipoles.insert((key, partition.owners(key).start, j));
                }
            }
            for key in row(&whole.lists.near).into_iter().chain(row(&whole.lists.p2l)) {
                let owner = partition.owners(key).start;
                if owner != j {
                    let level = (0..key.level()).find(|&level| !sees(j, key.ancestor(level)));
                    points.insert((key.ancestor(level.unwrap_or(key.level())), owner, j));
                }
            }
        }
    }
    [multipoles, points]
}

/// Imports, exports and kinds of rank `j` are the needs found by brute force.
fn check_needs(essential: &EssentialTree<'_>, exchange: &Exchange, j: usize, needs: [&Needs; 2]) {
    let key = |b: u32| essential.tree().key(b as usize);
    let cross = |cargos: &[Cargo], is_import: bool| -> [Needs; 2] {
        let ends = |rank: usize| if is_import { (rank, j) } else { (j, rank) };
        let [mut multipoles, mut points] = [Needs::new(), Needs::new()];
        for cargo in cargos {
            let (from, to) = ends(cargo.rank);
            multipoles.extend(cargo.multipoles.iter().map(|&b| (key(b), from, to)));
            points.extend(cargo.points.iter().map(|block| (key(block.node), from, to)));
        }
        [multipoles, points]
    };
    let imports = cross(&exchange.imports, true);
    let exports = cross(&exchange.exports, false);
    for i in 0..2 {
        let expected = |is: &dyn Fn(&(Key, usize, usize)) -> bool| -> Needs {
            needs[i].iter().filter(|need| is(need)).copied().collect()
        };
        assert_eq!(imports[i], expected(&|need| need.2 == j));
        assert_eq!(exports[i], expected(&|need| need.1 == j));
    }
    for (b, kind) in essential.kinds(exchange).into_iter().enumerate() {
        let crosses = |is: &dyn Fn(&(Key, usize, usize)) -> bool| {
            let first = (key(b as u32), 0, 0);
            let of_box = |need: &&(Key, usize, usize)| need.0 == first.0;
            needs.iter().any(|needs| needs.range(first..).take_while(of_box).any(is))
        };
        let expected = match essential.holders()[b] {
            Holder::Shared => BoxKind::Root,
            Holder::Own if crosses(&|need| need.1 == j) => BoxKind::Export,
            Holder::Own => BoxKind::Domestic,
            Holder::Remote(_) if crosses(&|need| need.2 == j) => BoxKind::Import,
            Holder::Remote(_) => BoxKind::Other,
        };
        assert_eq!(kind, expected);
    }
}

fn balanced<'a>(
    sources: &'a [[f64; 3]],
    receivers: Option<&'a [[f64; 3]]>,
    n_ranks: usize,
) -> impl Fn(&Octree, &SplitRule) -> Partition + 'a {
    move |_, rule| {
        let balance = Balance::new(n_ranks);
        let balanced = Partition::balanced(rule, sources, receivers, balance, &mut OneProcess);
        balanced.unwrap().partition
    }
}

const SHAPES: [Shape; 8] = [
    Shape::Cube,
    Shape::Sphere,
    Shape::Cluster,
    Shape::Pair,
    Shape::Line,
    Shape::Plane,
    Shape::Lattice,
    Shape::Coincident,
];

const LIMITS: [ListOptions; 4] = [
    ListOptions { min_sources_for_m2p: 0, min_receivers_for_p2l: 0 },
    ListOptions { min_sources_for_m2p: 20, min_receivers_for_p2l: 12 },
    ListOptions { min_sources_for_m2p: usize::MAX, min_receivers_for_p2l: usize::MAX },
    ListOptions { min_sources_for_m2p: usize::MAX, min_receivers_for_p2l: 0 },
];

const DEPTHS: [Depth; 4] = [
    Depth::Adaptive { leaf_capacity: 12 },
    Depth::Uniform(3),
    Depth::Adaptive { leaf_capacity: 3 },
    Depth::AdaptiveTo { leaf_capacity: 8, max_level: 4 },
];

#[test]
fn every_shape_and_number_of_ranks() {
    let mut case = 0;
    let mut all_taken = Taken::new();
    for shape in SHAPES {
        for n_ranks in [1, 2, 3, 4, 7, 8, 64] {
            let (options, depth) = (LIMITS[case % 4], DEPTHS[case / 4 % 4]);
            let n = [900, 350, 1500][case % 3];
            let sources = cloud(shape, n, case as u64);
            let one_set = check(&sources, None, depth, options, balanced(&sources, None, n_ranks));
            let receivers = cloud(SHAPES[case / 7 % 8], n / 3, 1000 + case as u64);
            let receivers = Some(receivers.as_slice());
            let two_sets =
                check(&sources, receivers, depth, options, balanced(&sources, receivers, n_ranks));
            for (what, n) in one_set.into_iter().chain(two_sets) {
                *all_taken.entry(what).or_default() += n;
            }
            case += 1;
        }
    }
    assert!(all_taken.len() == 5 && all_taken.values().all(|&n| n > 100), "{all_taken:?}");
}

#[test]
fn large_sets() {
    for (shape, n_ranks, options) in
        [(Shape::Cube, 8, LIMITS[1]), (Shape::Cluster, 7, LIMITS[0]), (Shape::Pair, 64, LIMITS[2])]
    {
        let points = cloud(shape, 5000, 3);
        let depth = Depth::Adaptive { leaf_capacity: 20 };
        check(&points, None, depth, options, balanced(&points, None, n_ranks));
    }
    // More points at one place than make a leaf: a chain of boxes down to the deepest level.
    let points = [cloud(Shape::Coincident, 1200, 1), cloud(Shape::Cube, 300, 2)].concat();
    let depth = Depth::Adaptive { leaf_capacity: 20 };
    check(&points, None, depth, LIMITS[0], balanced(&points, None, 4));
}

#[test]
fn more_ranks_than_boxes_and_no_points() {
    let depth = Depth::Adaptive { leaf_capacity: 4 };
    for n in [0, 1, 2, 5, 40, 700] {
        let points = cloud(Shape::Cluster, n, 9);
        check(&points, None, depth, LIMITS[1], balanced(&points, None, 512));
        let none = Some(&[][..]);
        check(&points, none, depth, LIMITS[0], balanced(&points, none, 7));
        check(&[], Some(&points), depth, LIMITS[0], balanced(&[], Some(&points), 7));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_cuts_between_boxes(
        shape in 0usize..8,
        n in 0usize..700,
        receivers in prop::option::of((0usize..8, 0usize..500)),
        depth in depths(),
        limits in (0usize..4, 0usize..4),
        places in prop::collection::vec((any::<u64>(), 0u8..3), 0..12),
        seed in any::<u64>(),
    ) {
        let sources = cloud(SHAPES[shape], n, seed);
        let receivers = receivers.map(|(shape, n)| cloud(SHAPES[shape], n, seed ^ 1));
        let options = ListOptions {
            min_sources_for_m2p: LIMITS[limits.0].min_sources_for_m2p,
            min_receivers_for_p2l: LIMITS[limits.1].min_receivers_for_p2l,
        };
        check(&sources, receivers.as_deref(), depth, options, |tree, _| {
            let end = 1u64 << (3 * MAX_LEVEL);
            let mut cuts = vec![0, end];
            for &(at, up) in places.iter().filter(|_| tree.n_boxes() > 0) {
                // The first code of a random leaf, or of an ancestor of it, sometimes more than once.
                let leaf = tree.leaves()[at as usize % tree.leaves().len()] as usize;
                let key = tree.key(leaf);
                let key = key.ancestor(key.level().saturating_sub(up));
                let code = key.first_descendant(MAX_LEVEL).code();
                cuts.extend(std::iter::repeat_n(code, 1 + usize::from(at % 8 == 0)));
            }
            cuts.sort_unstable();
            Partition::from_cuts(cuts).unwrap()
        });
    }
}

#[test]
fn bad_records_are_named() {
    let points = cloud(Shape::Cube, 600, 4);
    let cube = Cube::bounding(points.iter().copied()).unwrap();
    let rule = SplitRule::new(cube, Depth::Adaptive { leaf_capacity: 10 }).unwrap();
    let partition = Partition::balanced(&rule, &points, None, Balance::new(3), &mut OneProcess);
    let ranks = Ranks::new(&rule, partition.unwrap().partition, &points, None);
    let assemble = |halos: &[Vec<_>]| {
        EssentialTree::assemble(&ranks.dealt[0].part, &ranks.partition, 0, &ranks.shared, halos)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let good = ranks.halos_of(0);
    assert_eq!(assemble(&good), Ok(()));
    let mut exchanged = good.clone();
    exchanged.swap(1, 2);
    assert!(assemble(&exchanged).unwrap_err().contains("does not own"));
    let mut twice = good.clone();
    twice[1].push(good[1][0]);
    assert!(assemble(&twice).unwrap_err().contains("twice"));
    let mut orphan = good.clone();
    let split = orphan[1].iter().position(|record| !record.is_leaf).unwrap();
    orphan[1].remove(split);
    assert!(assemble(&orphan).unwrap_err().contains("parent is missing"));
}

//! Many ranks against one process: boxes, lists, ghosts, imports, exports and kinds are those of the tree of all points.

use std::collections::BTreeMap;

use crate::common::{Cloud, Shape, cloud, clouds_of, depths};
use crate::ranks::Ranks;
use crate::ranks::checks::{
    Whole, check_boxes, check_cargos, check_fill, check_groups, check_lists, check_parts,
    check_tops,
};
use crate::ranks::needs::{check_needs, check_sums, needs};
use octree::partition::{
    Balance, BoxKind, EssentialTree, Exchange, Holder, OneProcess, Partition, SortedPoints,
};
use octree::{Cube, Depth, InteractionLists, ListOptions, MAX_LEVEL, Octree, SplitRule};
use proptest::prelude::*;

/// Number of times that each path that the tests are about was taken.
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
    check_tops(&whole, &ranks);
    let n_cut: usize =
        [1, 7, 60].iter().map(|largest| check_groups(&whole, &ranks, *largest)).sum();

    let halos: Vec<_> = (0..ranks.dealt.len()).map(|j| ranks.halos_of(j)).collect();
    let essential: Vec<EssentialTree<'_>> = (0..ranks.dealt.len())
        .map(|j| {
            let part = &ranks.dealt[j].part;
            EssentialTree::assemble(part, &ranks.partition, j, &ranks.shared, &halos[j]).unwrap()
        })
        .collect();
    let exchanges: Vec<Exchange> =
        essential.iter().map(|essential| essential.exchange(whole.options, |_, _| false)).collect();
    check_cargos(&essential, &exchanges);
    let [multipoles, points] = needs(&whole, &ranks);
    for j in 0..essential.len() {
        check_boxes(&whole, &ranks, &essential[j], j);
        check_lists(&whole, &ranks.dealt[j].part, &essential[j], &exchanges[j].lists);
        check_fill(&whole, &ranks, &essential, &exchanges, j);
        check_needs(&essential[j], &exchanges[j], j, [&multipoles, &points]);
    }
    let n_sums = check_sums(&whole, &ranks, &essential, &exchanges);
    let pairs = essential.iter().zip(&exchanges);
    let taken = pairs.flat_map(|(essential, exchange)| taken(essential, exchange));
    taken.fold(
        Taken::from([("sums of shared boxes", n_sums), ("cut groups", n_cut)]),
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

fn balanced<'a>(
    sources: &'a [[f64; 3]],
    receivers: Option<&'a [[f64; 3]]>,
    n_ranks: usize,
) -> impl Fn(&Octree, &SplitRule) -> Partition + 'a {
    move |_, rule| {
        let balance = Balance::new(n_ranks);
        let balanced = Partition::balanced(
            rule,
            &SortedPoints::new(rule, sources, receivers),
            balance,
            &mut OneProcess,
        );
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
    assert!(all_taken.len() == 7 && all_taken.values().all(|&n| n > 100), "{all_taken:?}");
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
        sources in clouds_of(prop::sample::select(&SHAPES), 0..700),
        receivers in prop::option::of(clouds_of(prop::sample::select(&SHAPES), 0..500)),
        depth in depths(),
        limits in [0usize..4, 0usize..4],
        places in prop::collection::vec((any::<u64>(), 0u8..3), 0..12),
    ) {
        let (sources, receivers) = (sources.points(), receivers.map(Cloud::points));
        let options = ListOptions {
            min_sources_for_m2p: LIMITS[limits[0]].min_sources_for_m2p,
            min_receivers_for_p2l: LIMITS[limits[1]].min_receivers_for_p2l,
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
    let partition = Partition::balanced(
        &rule,
        &SortedPoints::new(&rule, &points, None),
        Balance::new(3),
        &mut OneProcess,
    );
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

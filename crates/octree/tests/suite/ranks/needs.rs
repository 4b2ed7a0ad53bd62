//! Needs of ranks by brute force, against imports, exports and kinds.

use std::collections::BTreeSet;

use octree::partition::{BoxKind, Cargo, EssentialTree, Exchange, Holder};
use octree::{Csr, Key};

use super::Ranks;
use super::checks::Whole;

/// Needs of ranks by brute force: (box, owner, rank that needs it).
pub(crate) type Needs = BTreeSet<(Key, usize, usize)>;

/// Multipoles and points that ranks need from others, from the lists of one process alone.
pub(crate) fn needs(whole: &Whole, ranks: &Ranks) -> [Needs; 2] {
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
            for key in row(whole.lists.far()).into_iter().chain(row(whole.lists.m2p())) {
                if !partition.is_shared(key) && partition.owners(key).start != j {
                    multipoles.insert((key, partition.owners(key).start, j));
                }
            }
            for key in row(whole.lists.near()).into_iter().chain(row(whole.lists.p2l())) {
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
pub(crate) fn check_needs(
    essential: &EssentialTree<'_>,
    exchange: &Exchange,
    j: usize,
    needs: [&Needs; 2],
) {
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

/// Sums of shared boxes: each rank needs those that lists of one process name, parts are with all ranks that have sources
/// in a box, and what one rank sends is what the other expects.
pub(crate) fn check_sums(
    whole: &Whole,
    ranks: &Ranks,
    essential: &[EssentialTree<'_>],
    exchanges: &[Exchange],
) -> usize {
    let tree = &whole.tree;
    let key = |j: usize, b: &u32| essential[j].tree().key(*b as usize);
    let keys = |j: usize, boxes: &[u32]| boxes.iter().map(|b| key(j, b)).collect::<Vec<Key>>();
    let mut found = 0;
    for (j, (dealt, exchange)) in ranks.dealt.iter().zip(exchanges).enumerate() {
        let sums = &exchange.sums;
        let named = (0..dealt.part.n_boxes()).filter(|&b| !dealt.part.receivers(b).is_empty());
        let named = named.map(|b| tree.find(dealt.part.key(b)).unwrap());
        let named =
            named.flat_map(|b| whole.lists.far().row(b).iter().chain(whole.lists.m2p().row(b)));
        let named: BTreeSet<Key> = named.map(|s| tree.key(*s as usize)).collect();
        let sources_of = |rank: usize, key: Key| {
            let part = &ranks.dealt[rank].part;
            part.find(key).map_or(0, |b| part.sources(b).len())
        };
        let holders = |key: Key| (0..exchanges.len()).filter(move |&k| sources_of(k, key) > 0);
        let adder = |key: Key| {
            let i = ranks.shared.find(key).unwrap();
            let holders: Vec<usize> = holders(key).collect();
            holders[i % holders.len()]
        };
        let needed: BTreeSet<Key> =
            named.into_iter().filter(|key| ranks.partition.is_shared(*key)).collect();
        for (k, boxes) in sums.needed.iter().enumerate() {
            let of_adder = needed.iter().copied().filter(|key| adder(*key) == k && k != j);
            assert_eq!(keys(j, boxes), of_adder.collect::<Vec<Key>>());
            assert_eq!(keys(j, &sums.parts[k]), keys(k, &exchanges[k].sums.coming[j]));
            found += boxes.len();
        }
        // Whoever has sources in a box that is needed adds up, or sends a part to the rank that does.
        for key in &needed {
            for other in holders(*key) {
                let (there, adder) = (&exchanges[other].sums, adder(*key));
                let b = essential[other].tree().find(*key).unwrap() as u32;
                match other == adder {
                    true => assert!(there.added.contains(&b) || holders(*key).count() == 1),
                    false => assert!(there.parts[adder].contains(&b)),
                }
            }
        }
        assert!(
            sums.added.is_sorted() && sums.coming.concat().iter().all(|b| sums.added.contains(b))
        );
    }
    found
}

//! Checks of all ranks against one process: boxes, lists, cargos and ghosts.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use octree::partition::{Cargo, EssentialTree, Exchange, Holder};
use octree::walk::{part_receiver_groups, receiver_groups};
use octree::{Csr, InteractionLists, Key, ListOptions, Octree};

use super::Ranks;

/// The tree of one process, and its lists.
pub(crate) struct Whole {
    pub(crate) tree: Octree,
    pub(crate) lists: InteractionLists,
    pub(crate) options: ListOptions,
}

/// Parts and shared boxes together are the tree.
pub(crate) fn check_parts(whole: &Whole, ranks: &Ranks) {
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

/// The top is the shared boxes and the boxes of one owner below them, with the points of all ranks.
pub(crate) fn check_tops(whole: &Whole, ranks: &Ranks) {
    let tree = &whole.tree;
    for (rank, top) in ranks.tops.iter().enumerate() {
        let boxes = top.boxes();
        assert_eq!(boxes.is_empty(), tree.n_boxes() == 0);
        let shared = boxes.iter().filter(|top| top.owner.is_none()).map(|top| top.key);
        let of_tree = ranks.shared.keys().iter().filter(|key| tree.find(**key).is_some());
        assert!(shared.eq(of_tree.copied()));
        for of_top in boxes {
            let b = tree.find(of_top.key).unwrap();
            let counts = [tree.sources(b).len(), tree.receivers(b).len()].map(|n| n as u64);
            assert_eq!([of_top.n_sources, of_top.n_receivers], counts);
            assert_eq!(of_top.in_part, ranks.dealt[rank].part.find(of_top.key));
            match of_top.owner {
                Some(owner) => {
                    assert_eq!(ranks.partition.owners(of_top.key), owner..owner + 1);
                    assert!(of_top.children.is_empty());
                }
                None => {
                    let children = boxes[of_top.children.clone()].iter().map(|child| child.key);
                    assert!(children.eq(tree.children(b).map(|child| tree.key(child))));
                }
            }
        }
        let owned = top.owned_by(rank).map(|at| boxes[at].in_part.unwrap());
        let n_receivers: usize = owned.map(|b| ranks.dealt[rank].part.receivers(b).len()).sum();
        assert_eq!(n_receivers, ranks.dealt[rank].receivers.len());
    }
}

/// Groups of the parts are those of the tree, with those put together that a cut goes through. Returns how many.
pub(crate) fn check_groups(whole: &Whole, ranks: &Ranks, largest: usize) -> usize {
    let tree = &whole.tree;
    let mut groups: Vec<(Key, Range<usize>)> = Vec::new();
    let (mut before, mut name_before, mut n_cut) = (0, None, 0);
    for (dealt, top) in ranks.dealt.iter().zip(&ranks.tops) {
        let part = &dealt.part;
        let shared: HashMap<usize, [usize; 8]> = (0..top.boxes().len())
            .filter_map(|at| Some((top.boxes()[at].in_part?, top.receivers_by_octant(at)?)))
            .collect();
        let (own, cut) = part_receiver_groups(part, largest, |b| shared.get(&b).copied());
        for (index, group) in own.into_iter().enumerate() {
            let Range { start, end } = group.receivers;
            let name = cut.iter().find(|cut| cut.index == index).map(|cut| cut.name);
            match groups.last_mut() {
                Some((key, receivers)) if name.is_some() && name == name_before => {
                    assert_eq!((*key, receivers.end), (part.key(group.cell), start + before));
                    receivers.end = end + before;
                }
                _ => {
                    n_cut += usize::from(name.is_some());
                    groups.push((part.key(group.cell), start + before..end + before));
                }
            }
            name_before = name;
        }
        before += part.n_receivers();
    }
    let of_tree = receiver_groups(tree, largest).into_iter();
    let of_tree: Vec<_> = of_tree.map(|group| (tree.key(group.cell), group.receivers)).collect();
    assert_eq!(groups, of_tree);
    n_cut
}

/// Each box of the structure is that of the tree, and no box that the rank has is missing.
pub(crate) fn check_boxes(
    whole: &Whole,
    ranks: &Ranks,
    essential: &EssentialTree<'_>,
    rank: usize,
) {
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
pub(crate) fn check_lists(
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
            let lists = [lists.near(), lists.far(), lists.m2p(), lists.p2l()];
            assert!(lists.iter().all(|csr| csr.row(b).is_empty()));
            continue;
        }
        let same = tree.find(structure.key(b)).unwrap();
        let expected = |csr: &Csr| -> Vec<Key> {
            csr.row(same).iter().map(|&s| tree.key(s as usize)).collect()
        };
        assert_eq!(keys(lists.far()), expected(whole.lists.far()));
        assert_eq!(keys(lists.m2p()), expected(whole.lists.m2p()));
        assert_eq!(keys(lists.p2l()), expected(whole.lists.p2l()));
        let near: Vec<Key> =
            keys(lists.near()).into_iter().flat_map(|key| leaves(tree, key)).collect();
        assert_eq!(near, expected(whole.lists.near()));
        let offsets = |lists: &InteractionLists, b: usize| {
            lists.far_pairs(b).map(|(_, offset)| offset).collect::<Vec<_>>()
        };
        assert_eq!(offsets(lists, b), offsets(&whole.lists, same));
    }
    assert_eq!(lists.far_offsets().len(), lists.far().n_items());
}

/// The leaves of the tree with sources at or below a box.
fn leaves(tree: &Octree, key: Key) -> Vec<Key> {
    let below = tree.leaves_below(tree.find(key).unwrap()).iter().map(|&leaf| leaf as usize);
    below.filter(|&leaf| !tree.sources(leaf).is_empty()).map(|leaf| tree.key(leaf)).collect()
}

/// Imports of k from j are the exports of j to k, in one order, each box once.
pub(crate) fn check_cargos(essential: &[EssentialTree<'_>], exchanges: &[Exchange]) {
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
pub(crate) fn check_fill(
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
    assert_eq!(filled.n_sources(), sources.len());
    let own = &ranks.dealt[j].receivers;
    assert_eq!(filled.n_receivers(), own.len());
    let tree = &whole.tree;
    let number = |permutation: &[u32], numbers: &[u32]| -> Vec<u32> {
        permutation.iter().map(|&i| numbers[i as usize]).collect()
    };
    let lists = &exchanges[j].lists;
    let listed = lists.near().items().iter().chain(lists.p2l().items()).map(|&s| s as usize);
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

//! The exchange of a rank: its interaction lists, and what they need from other ranks and these from it.

use std::ops::Range;

use super::essential::{EssentialTree, Holder};
use super::region::Region;
use super::sums::{SharedSums, listed};
use crate::boxes::key::Key;
use crate::lists::{InteractionLists, ListOptions};
use crate::tree::csr::Csr;

/// Lists of a rank's receivers, and the data that cross between ranks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Rows of the boxes in which this rank has receivers, those of the tree of all points; other rows are empty.
    pub lists: InteractionLists,
    /// Data from each other rank, by rank; ranks that send nothing are left out.
    pub imports: Vec<Cargo>,
    /// Data for each other rank, by rank. Rank k's imports from j are j's exports to k: the same boxes in the same order.
    pub exports: Vec<Cargo>,
    /// Shared boxes whose multipoles, sums over ranks, the lists name.
    pub sums: SharedSums,
}

/// Data that cross between this rank and one other, in one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cargo {
    /// The other rank.
    pub rank: usize,
    /// Boxes whose multipole coefficients cross, ascending.
    pub multipoles: Vec<u32>,
    /// Boxes whose source points cross, ascending.
    pub points: Vec<PointBlock>,
}

/// Source points of one box that cross between ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointBlock {
    /// The box.
    pub node: u32,
    /// Exports: tree positions of the sources in the rank's part of the tree. Imports: places among all ghosts, in the
    /// order of ranks and boxes.
    pub sources: Range<usize>,
}

impl Cargo {
    /// Number of source points in all blocks.
    pub fn n_points(&self) -> usize {
        self.points.iter().map(|block| block.sources.len()).sum()
    }
}

impl Exchange {
    /// Number of source points that come from other ranks.
    pub fn n_ghosts(&self) -> usize {
        self.imports.iter().map(Cargo::n_points).sum()
    }
}

/// A box and the rank it goes to or comes from.
type Item = (u32, u32);

impl EssentialTree<'_> {
    /// The lists with these options, and the exchange. Near pairs of a receiver box and a source box for which
    /// `left_out` holds are on no list, and nothing crosses for them; it has to hold alike on all ranks.
    ///
    /// Exports need no request: a second sweep makes the rows of remote receiver boxes, as far as own and shared boxes
    /// act on them, and the rank's own boxes among their items are what others need. Multipoles of shared boxes are
    /// sums over ranks, see [`SharedSums`], and in no cargo. Points of a box that the other rank has truncated cross as one block, under
    /// the name of the truncated box.
    ///
    /// O(boxes of the essential tree), as [`InteractionLists::build`], and a sort of the exports.
    pub fn exchange(&self, options: ListOptions, left_out: impl Fn(Key, Key) -> bool) -> Exchange {
        let mut lists = self.sweep(options, |_| true, |b| self.has_receivers(b));
        let is_here = |b: usize| !matches!(self.holders[b], Holder::Remote(_));
        let mut rows = self.sweep(options, is_here, |b| self.holders[b] != Holder::Own);
        for lists in [&mut lists, &mut rows] {
            lists.retain_near(|b, s| !left_out(self.tree.key(b), self.tree.key(s)));
        }
        let (imports, exports) = (self.imports(&lists), self.exports(&rows));
        let sums = self.sums(&lists);
        Exchange { lists, imports, exports, sums }
    }

    /// The lists between the boxes that `acts` names as sources and those that `receives`. No list of a pair depends on
    /// other boxes than the two and their ancestors.
    fn sweep(
        &self,
        options: ListOptions,
        acts: impl Fn(usize) -> bool,
        receives: impl Fn(usize) -> bool,
    ) -> InteractionLists {
        let mut tree = self.tree.clone();
        let receivers = tree.receivers.get_or_insert_with(|| tree.sources.clone());
        for b in 0..self.holders.len() {
            if !acts(b) {
                tree.sources.ranges[b] = (0, 0);
            }
            if !receives(b) {
                receivers.ranges[b] = (0, 0);
            }
        }
        InteractionLists::build(&tree, options)
    }

    fn imports(&self, lists: &InteractionLists) -> Vec<Cargo> {
        let listed = |lists: [&Csr; 2]| {
            let is_listed = listed(self.tree.n_boxes(), lists);
            (0..self.tree.n_boxes() as u32).filter(move |&s| is_listed[s as usize])
        };
        let mut multipoles: Vec<Item> = Vec::new();
        for s in listed([lists.far(), lists.m2p()]) {
            if let Holder::Remote(rank) = self.holders[s as usize] {
                multipoles.push((rank, s));
            }
        }
        let mut points: Vec<Item> = Vec::new();
        for s in listed([lists.near(), lists.p2l()]) {
            match self.holders[s as usize] {
                Holder::Own => {}
                Holder::Remote(rank) => points.push((rank, s)),
                // A truncated box with few sources: each owner sends its own.
                Holder::Shared => {
                    let owners = self.by_owner(s as usize).filter(|owner| owner.1[0] > 0);
                    points.extend(owners.map(|(rank, _)| (rank as u32, s)));
                }
            }
        }
        let mut ghosts = 0;
        cargos(multipoles, points, |rank, b| {
            let start = ghosts;
            ghosts += match self.holders[b as usize] {
                Holder::Shared => {
                    let mut owners = self.by_owner(b as usize);
                    owners.find(|owner| owner.0 == rank as usize).map_or(0, |owner| owner.1[0])
                }
                _ => self.tree.sources(b as usize).len() as u64,
            } as usize;
            start..ghosts
        })
    }

    fn exports(&self, rows: &InteractionLists) -> Vec<Cargo> {
        let mut multipoles: Vec<Item> = Vec::new();
        let mut points: Vec<Item> = Vec::new();
        for b in 0..self.tree.n_boxes() {
            for rank in self.other_receivers(b) {
                let own = |row: &[u32], items: &mut Vec<Item>| {
                    let is_own = |s: &&u32| self.holders[**s as usize] == Holder::Own;
                    items.extend(row.iter().filter(is_own).map(|&s| (rank, s)));
                };
                own(rows.far().row(b), &mut multipoles);
                own(rows.m2p().row(b), &mut multipoles);
                own(rows.near().row(b), &mut points);
                own(rows.p2l().row(b), &mut points);
            }
        }
        let points = self.named_as_receivers_do(points);
        cargos(multipoles, points, |_, b| {
            let in_part = self.in_part(b as usize);
            in_part.map_or(0..0, |b| self.part.sources(b))
        })
    }

    /// The other ranks that have receivers in box `b`.
    fn other_receivers(&self, b: usize) -> Vec<u32> {
        match self.holders[b] {
            Holder::Own => Vec::new(),
            Holder::Remote(rank) => vec![rank],
            Holder::Shared => {
                let others = self.by_owner(b).filter(|owner| owner.0 != self.rank);
                others.filter(|owner| owner.1[1] > 0).map(|(rank, _)| rank as u32).collect()
            }
        }
    }

    /// The items, with boxes that the other rank has truncated in place of the leaves below them.
    fn named_as_receivers_do(&self, points: Vec<Item>) -> Vec<Item> {
        let mut points = each_once(points);
        for of_rank in points.chunk_by_mut(|a, b| a.0 == b.0) {
            let region = Region::new(self.partition, of_rank[0].0 as usize);
            for (_, b) in of_rank {
                let key = self.tree.key(*b as usize);
                for _ in region.stand_in(key).level()..key.level() {
                    *b = self.tree.parents[*b as usize];
                }
            }
        }
        points
    }
}

/// The values in ascending order, each once.
fn each_once<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    values.sort_unstable();
    values.dedup();
    values
}

/// Items by rank, each once. `sources(rank, b)` is called in the order of ranks and boxes.
fn cargos(
    multipoles: Vec<Item>,
    points: Vec<Item>,
    mut sources: impl FnMut(u32, u32) -> Range<usize>,
) -> Vec<Cargo> {
    let [multipoles, points] = [multipoles, points].map(each_once);
    let ranks: Vec<u32> = multipoles.iter().chain(&points).map(|item| item.0).collect();
    let of = |items: &[Item], rank: u32| {
        let start = items.partition_point(|item| item.0 < rank);
        let end = items.partition_point(|item| item.0 <= rank);
        items[start..end].iter().map(|item| item.1).collect::<Vec<u32>>()
    };
    let cargo = |rank| Cargo {
        rank: rank as usize,
        multipoles: of(&multipoles, rank),
        points: of(&points, rank)
            .into_iter()
            .map(|node| PointBlock { node, sources: sources(rank, node) })
            .collect(),
    };
    each_once(ranks).into_iter().map(cargo).collect()
}

//! Sums of shared boxes: who has parts of them, who adds these up, and who needs the sum.

use super::essential::EssentialTree;
use super::shared::SharedBoxes;
use crate::lists::InteractionLists;
use crate::tree::csr::Csr;

/// Coarsest level of a box on a list V or W: all boxes of the levels above touch each other.
const COARSEST_LISTED: u8 = 2;

/// Shared boxes whose multipoles cross between ranks, as numbers of the essential tree, ascending.
///
/// Parts of a box's multipole are with the ranks that have sources in it. A rank of these, known to all, adds the parts
/// up, and sends the sum to the ranks whose lists name the box. Ranks that need a sum tell it once for a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedSums {
    /// Boxes of which this rank adds up parts of others to its own.
    pub added: Vec<u32>,
    /// By rank, the boxes of which this rank sends it a part.
    pub parts: Vec<Vec<u32>>,
    /// By rank, the boxes of which it sends this one a part.
    pub coming: Vec<Vec<u32>>,
    /// By rank that adds up, the boxes whose sums this rank's lists name; without those that it adds up itself.
    pub needed: Vec<Vec<u32>>,
}

impl SharedBoxes {
    /// The ranks with sources in box `i`, ascending.
    pub fn contributors(&self, i: usize) -> impl Iterator<Item = usize> {
        self.by_owner(i).filter(|(_, [n_sources, _])| *n_sources > 0).map(|(rank, _)| rank)
    }

    /// The rank that adds up the parts of box `i`: of those with sources there another one for each box, so that all
    /// have a share of the work. `None` for a box without sources.
    pub fn adder(&self, i: usize) -> Option<usize> {
        let n = self.contributors(i).count();
        if n == 0 { None } else { self.contributors(i).nth(i % n) }
    }
}

impl EssentialTree<'_> {
    /// The sums that lists of this rank's receivers take, and its share in making sums. O(boxes + shared boxes × owners).
    pub(super) fn sums(&self, lists: &InteractionLists) -> SharedSums {
        let n_ranks = self.partition.n_ranks();
        let is_named = listed(self.tree.n_boxes(), [lists.far(), lists.m2p()]);
        let none = || vec![Vec::new(); n_ranks];
        let mut sums =
            SharedSums { added: Vec::new(), parts: none(), coming: none(), needed: none() };
        for (i, key) in self.shared.keys().iter().enumerate() {
            if key.level() < COARSEST_LISTED {
                continue;
            }
            let (Some(adder), Some(b)) = (self.shared.adder(i), self.tree.find(*key)) else {
                continue;
            };
            let mut contributors = self.shared.contributors(i);
            if adder == self.rank {
                for other in contributors.filter(|other| *other != self.rank) {
                    sums.coming[other].push(b as u32);
                    if sums.added.last() != Some(&(b as u32)) {
                        sums.added.push(b as u32);
                    }
                }
                continue;
            }
            if contributors.any(|rank| rank == self.rank) {
                sums.parts[adder].push(b as u32);
            }
            if is_named[b] {
                sums.needed[adder].push(b as u32);
            }
        }
        sums
    }
}

/// Whether lists name each of `n_boxes` boxes.
pub(super) fn listed(n_boxes: usize, lists: [&Csr; 2]) -> Vec<bool> {
    let mut is_listed = vec![false; n_boxes];
    for &s in lists.iter().flat_map(|list| list.items()) {
        is_listed[s as usize] = true;
    }
    is_listed
}

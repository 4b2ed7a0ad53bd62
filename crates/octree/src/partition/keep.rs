//! Cuts of an earlier partition, kept for points that have moved.

use super::balance::{Balanced, Local, measure};
use super::cuts::{END, Partition, ancestors, codes_of};
use super::sorted::SortedPoints;
use super::totals::Totals;
use crate::boxes::key::Key;
use crate::tree::split::{Node, SplitRule};

impl Partition {
    /// The partition with these cuts for other points: cuts inside a leaf of their tree snap to its nearer end, all others stay.
    /// The weight of a rank is its number of points, sources and receivers apart where these are two sets.
    ///
    /// Codes are those of the rule's cube: in another cube than before, the same codes are other places. The caller looks
    /// at the weights.
    ///
    /// Three collectives: sums of 3 and maxima of 2 integers for each box above a cut, and one sum for each cut.
    /// Requirements on points are those of [`Partition::balanced`].
    pub fn kept(
        &self,
        rule: &SplitRule,
        points: &SortedPoints,
        totals: &mut dyn Totals,
    ) -> Balanced {
        let codes = points.codes();
        let local = Local { codes, weights: None };
        let mut above: Vec<Key> =
            self.inner_cuts().iter().flat_map(|&cut| keys_above(cut, rule.deepest())).collect();
        above.sort_unstable();
        above.dedup();
        let nodes: Vec<Node> = above.iter().map(|&key| codes.node(key)).collect();
        let globals = measure(&local, &nodes, totals);
        let splits = |key: Key| {
            let found = above.binary_search(&key).map(|i| globals[i]);
            found.is_ok_and(|box_| rule.splits(key.level(), box_.largest, || box_.coincide))
        };
        let snapped = |&cut: &u64| match keys_above(cut, rule.deepest()).find(|&key| !splits(key)) {
            None => cut,
            Some(leaf) => {
                let codes = codes_of(leaf);
                if cut - codes.start <= codes.end - cut { codes.start } else { codes.end }
            }
        };
        let inner = self.inner_cuts().iter().map(snapped);
        let cuts: Vec<u64> = std::iter::once(0).chain(inner).chain([END]).collect();
        let mut before: Vec<u64> = cuts.iter().map(|&cut| codes.points_before(cut)).collect();
        totals.sum(&mut before);
        let weights = before.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Balanced { partition: Partition::of_cuts(cuts), weights }
    }
}

/// The boxes with `cut` strictly inside, from the root to the deepest level of a tree.
fn keys_above(cut: u64, deepest: u8) -> impl Iterator<Item = Key> {
    ancestors(cut).take_while(move |key| key.level() <= deepest)
}

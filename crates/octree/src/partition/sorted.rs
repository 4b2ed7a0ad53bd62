//! Points of one process along the Morton curve: sorted once for a rule, for the search of cuts and for the way to owners.

use super::cuts::Partition;
use crate::boxes::coordinate::Coordinate;
use crate::morton::MAX_LEVEL;
use crate::sort::{Sorted, pseudo_sort};
use crate::tree::points;
use crate::tree::split::{SortedCodes, SplitRule};

/// Sources and receivers of one process in the order of their codes at the deepest level of a rule's trees.
#[derive(Debug, Clone)]
pub struct SortedPoints {
    sources: Sorted,
    /// `None`: the receivers are the sources.
    receivers: Option<Sorted>,
    deepest: u8,
}

/// One set of points in the order of the Morton curve.
#[derive(Debug, Clone, Copy)]
pub struct SortedSet<'a> {
    sorted: &'a Sorted,
    deepest: u8,
}

impl SortedPoints {
    /// Sorts the points. Points of one code stay in the order given. O(N).
    ///
    /// Points must be finite ([`point_bounds`](super::point_bounds)).
    pub fn new<C: Coordinate>(
        rule: &SplitRule,
        sources: &[[C; 3]],
        receivers: Option<&[[C; 3]]>,
    ) -> Self {
        let deepest = rule.deepest();
        let sorted = |points| pseudo_sort(&points::codes(rule.cube(), points, deepest));
        Self { sources: sorted(sources), receivers: receivers.map(sorted), deepest }
    }

    /// The sources.
    pub fn sources(&self) -> SortedSet<'_> {
        SortedSet { sorted: &self.sources, deepest: self.deepest }
    }

    /// The receivers; `None` where they are the sources.
    pub fn receivers(&self) -> Option<SortedSet<'_>> {
        let deepest = self.deepest;
        self.receivers.as_ref().map(|sorted| SortedSet { sorted, deepest })
    }

    pub(super) fn codes(&self) -> SortedCodes<'_> {
        SortedCodes {
            sources: &self.sources.codes,
            receivers: self.receivers.as_ref().map(|sorted| sorted.codes.as_slice()),
            deepest: self.deepest,
        }
    }
}

impl<'a> SortedSet<'a> {
    /// The caller's index of each point, in the order of the curve: the points of one owner after those of the one before.
    pub fn order(self) -> &'a [u32] {
        &self.sorted.permutation
    }

    /// Number of points of each owner. Cuts lie between boxes of the rule's deepest level. O(P log N).
    pub fn counts(self, partition: &Partition) -> Vec<usize> {
        let below = 3 * (MAX_LEVEL - self.deepest);
        let before = |&cut: &u64| self.sorted.codes.partition_point(|&code| code << below < cut);
        let before: Vec<usize> = partition.cuts().iter().map(before).collect();
        before.windows(2).map(|ends| ends[1] - ends[0]).collect()
    }
}

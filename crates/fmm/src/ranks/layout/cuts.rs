//! The choice of cuts: by points at first, by counted work where that leaves too much imbalance, kept while it does not.

use octree::SplitRule;
use octree::partition::{Balance, Balanced, Partition, SortedPoints, Weights, imbalance};

use super::trees::Owned;
use super::work::{PointWork, Work};
use crate::api::{Error, RankCuts};
use crate::cpu::Geometry;
use crate::engine::Scalar;
use crate::ranks::Group;

/// Cuts of the Morton curve, the same on all ranks.
#[derive(Clone, Debug)]
pub(in crate::ranks) struct Cuts {
    pub(in crate::ranks) partition: Partition,
    pub(in crate::ranks) kind: RankCuts,
    /// Largest number of points of a rank over the mean, minus 1; sources and receivers both count where they are two sets.
    pub(in crate::ranks) of_points: f64,
}

/// Cuts by work, and the work that their choice was made by.
pub(in crate::ranks) struct Choice {
    /// Imbalance of work between the cuts that stood.
    pub(in crate::ranks) imbalance: f64,
    /// Better cuts; `None`: those that stood stay.
    pub(in crate::ranks) better: Option<Cuts>,
}

impl Cuts {
    /// The earlier cuts, unless they leave the numbers of points more uneven than before by more than `limit`; or else cuts
    /// by numbers of points. Collective.
    pub(in crate::ranks) fn first(
        group: &Group,
        points: &SortedPoints,
        rule: &SplitRule,
        earlier: Option<&Self>,
        limit: f64,
    ) -> Result<Self, Error> {
        if let Some(earlier) = earlier {
            let kept = group.with_totals(|totals| earlier.partition.kept(rule, points, totals))?;
            if kept.imbalance() <= earlier.of_points + limit {
                return Ok(Self::of(kept, RankCuts::Kept));
            }
        }
        let balance = Balance::new(group.size());
        let balanced =
            group.with_totals(|totals| Partition::balanced(rule, points, balance, totals))??;
        Ok(Self::of(balanced, RankCuts::ByPoints))
    }

    fn of(balanced: Balanced, kind: RankCuts) -> Self {
        let of_points = balanced.imbalance();
        Self { partition: balanced.partition, kind, of_points }
    }

    /// Cuts by the work that each rank counted between these, if it is more uneven than `limit` and the promise of other
    /// cuts is worth it. All ranks choose alike, because they look at sums over all. Collective.
    pub(in crate::ranks) fn better<T: Scalar>(
        &self,
        group: &Group,
        rule: &SplitRule,
        owned: &Owned<T>,
        work: &Work<'_>,
        limit: f64,
    ) -> Result<Choice, Error> {
        let imbalance = imbalance(group.gather(&[work.seconds])?.into_iter());
        let stays = Choice { imbalance, better: None };
        if self.kind == RankCuts::ByWork || imbalance <= limit {
            return Ok(stays);
        }
        let PointWork { of_sources, of_receivers } = work.of_points();
        let weights = Weights { sources: &of_sources, receivers: &of_receivers };
        let balance = Balance { weights: Some(weights), ..Balance::new(group.size()) };
        let points = SortedPoints::new(rule, &owned.sources, owned.receivers.as_deref());
        let balanced =
            group.with_totals(|totals| Partition::balanced(rule, &points, balance, totals))??;
        // Few boxes a rank cannot be cut evenly: trees are not built anew for little.
        if balanced.imbalance() > imbalance - 0.5 * limit {
            return Ok(stays);
        }
        let partition = balanced.partition;
        let better = Self { partition, kind: RankCuts::ByWork, of_points: self.of_points };
        Ok(Choice { imbalance, better: Some(better) })
    }

    /// Counts the points of each rank. Collective.
    pub(in crate::ranks) fn count_points<T: Scalar>(
        &mut self,
        group: &Group,
        geometry: &Geometry<T>,
        one_set: bool,
    ) -> Result<(), Error> {
        let here = [geometry.receivers().len(), geometry.own_sources().len()].map(|n| n as u64);
        let by_rank = group.gather_by_rank(&here)?;
        let points = |of_rank: &Vec<u64>| match one_set {
            true => of_rank[0] as f64,
            false => (of_rank[0] + of_rank[1]) as f64,
        };
        self.of_points = imbalance(by_rank.iter().map(points));
        Ok(())
    }
}

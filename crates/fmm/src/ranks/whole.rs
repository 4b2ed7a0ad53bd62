//! Points of all ranks, as one of them sees them; a process alone has all.

use octree::Aabb;

use super::group::Group;
use crate::api::Error;
use crate::choose::spread_indices;
use crate::engine::{PointCounts, PointSets, Scalar, bounds_of_sets};

/// Name of one of the two sets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Sources,
    Receivers,
}

/// Share of a rank in a set. The points of one rank follow those of the rank before.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    /// Points of the ranks before.
    before: usize,
    /// Points of all ranks.
    n: usize,
}

/// Both sets, of which this process has `points`.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a, T> {
    pub(crate) ranks: Option<&'a Group>,
    pub(crate) points: &'a PointSets<'a, T>,
    shares: [Share; 2],
}

impl<'a, T: Scalar> Whole<'a, T> {
    /// The points of all; `None` where ranks differ in having two sets, which an engine refuses. Collective.
    pub(crate) fn new(
        ranks: Option<&'a Group>,
        points: &'a PointSets<'a, T>,
    ) -> Result<Option<Self>, Error> {
        let own = [points.sources.len(), points.n_receivers()];
        let Some(group) = ranks else {
            let shares = own.map(|n| Share { before: 0, n });
            return Ok(Some(Self { ranks, points, shares }));
        };
        let [n_sources, n_receivers] = own.map(|n| n as u64);
        let kind = u64::from(points.receivers.is_some());
        let by_rank = group.gather(&[[n_sources, n_receivers, kind]])?;
        if by_rank.iter().any(|[.., other]| *other != kind) {
            return Ok(None);
        }
        let sum = |rows: &[[u64; 3]], which: usize| -> usize {
            rows.iter().map(|row| row[which] as usize).sum()
        };
        let share = |which| {
            let (before, n) = (sum(&by_rank[..group.rank()], which), sum(&by_rank, which));
            Share { before, n }
        };
        Ok(Some(Self { ranks, points, shares: [share(0), share(1)] }))
    }

    /// Points of a set that this process has.
    pub(crate) fn set(&self, which: Which) -> &'a [[T; 3]] {
        match which {
            Which::Sources => self.points.sources,
            Which::Receivers => self.points.receivers.unwrap_or(self.points.sources),
        }
    }

    /// Numbers of points of all ranks.
    pub(crate) fn counts(&self) -> PointCounts {
        let [n_sources, n_receivers] = self.shares.map(|share| share.n);
        PointCounts { n_sources, n_receivers, one_set: self.points.receivers.is_none() }
    }

    /// Number of points of a set.
    pub(crate) fn n(&self, which: Which) -> usize {
        self.shares[which as usize].n
    }

    /// A sample of a set, spread over its order. Collective.
    pub(crate) fn sample(&self, which: Which) -> Result<Vec<[f64; 3]>, Error> {
        let (set, Share { before, n }) = (self.set(which), self.shares[which as usize]);
        let here = spread_indices(n).filter(|at| (before..before + set.len()).contains(at));
        let own: Vec<[f64; 3]> = here.map(|at| set[at - before].map(T::widen)).collect();
        match self.ranks {
            Some(group) => group.gather(&own),
            None => Ok(own),
        }
    }

    /// Bounds of both sets. Collective.
    pub(crate) fn bounds(&self) -> Result<Aabb, Error> {
        let PointSets { sources, receivers } = *self.points;
        let own = bounds_of_sets([sources, receivers.unwrap_or_default()]);
        self.ranks.map_or(Ok(own), |group| group.bounds(own))
    }
}

//! The survey: what all ranks have to know of each other's points before there is a tree.

use octree::partition::{global_bounds, point_bounds};
use octree::{Aabb, Cube};

use crate::api::Error;
use crate::choose::{Fill, PointStatistics, Spread, spread_indices};
use crate::engine::{PointCounts, PointSets, Scalar};
use crate::ranks::Group;

/// Counts, bounds and dimension of the points of all ranks. The points of one rank follow those of the rank before.
pub(crate) struct Survey {
    /// Points of all ranks.
    pub(crate) counts: PointCounts,
    pub(crate) bounds: Aabb,
    spread: Spread,
}

impl Survey {
    pub(crate) fn new<T: Scalar>(group: &Group, points: &PointSets<'_, T>) -> Result<Self, Error> {
        let bounds = point_bounds(points.sources, points.receivers)?;
        Self::within(group, points, bounds)
    }

    /// The survey of points whose bounds on this rank are known. Collective.
    pub(crate) fn within<T: Scalar>(
        group: &Group,
        points: &PointSets<'_, T>,
        bounds: Aabb,
    ) -> Result<Self, Error> {
        let PointSets { sources, receivers } = *points;
        let own = [sources.len(), points.n_receivers(), usize::from(receivers.is_none())];
        let by_rank = group.gather_by_rank(&own.map(|n| n as u64))?;
        let total = |k: usize| by_rank.iter().map(|own| own[k] as usize).sum::<usize>();
        let one_set = match total(2) {
            0 => false,
            n if n == group.size() => true,
            _ => return Err(Error::SetsDiffer),
        };
        let counts = PointCounts { n_sources: total(0), n_receivers: total(1), one_set };
        let before = |k: usize| by_rank[..group.rank()].iter().map(|own| own[k] as usize).sum();
        let (sources_before, receivers_before) = (before(0), before(1));
        let bounds = group.with_totals(|totals| global_bounds(bounds, totals))?;
        let (larger, first, n) = match receivers {
            Some(receivers) if counts.n_receivers > counts.n_sources => {
                (receivers, receivers_before, counts.n_receivers)
            }
            _ => (sources, sources_before, counts.n_sources),
        };
        let here = spread_indices(n).filter(|at| (first..first + larger.len()).contains(at));
        let sample: Vec<[f64; 3]> = here.map(|at| larger[at - first].map(T::widen)).collect();
        let spread = Spread::of_sample(&group.gather(&sample)?, n);
        Ok(Self { counts, bounds, spread })
    }

    /// The points as the chooser sees them: as one process would that has all of them.
    pub(crate) fn statistics(&self) -> PointStatistics<'_> {
        PointStatistics::of(self.counts, self)
    }
}

impl Fill for Survey {
    fn spread(&self) -> Spread {
        self.spread.clone()
    }

    fn side(&self) -> Option<f64> {
        Some(Cube::around(self.bounds).ok()?.side())
    }
}

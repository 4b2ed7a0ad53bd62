//! The survey: what all ranks have to know of each other's points before there is a tree.

use octree::partition::{global_bounds, point_bounds};
use octree::{Aabb, Cube};

use crate::api::Error;
use crate::choose::{Fill, PointStatistics, Spread};
use crate::engine::{PointCounts, PointSets, Scalar};
use crate::ranks::{Group, Which, Whole};

/// Counts, bounds and dimension of the points of all ranks.
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
        let whole = Whole::new(Some(group), points)?.ok_or(Error::SetsDiffer)?;
        let bounds = group.with_totals(|totals| global_bounds(bounds, totals))?;
        let counts = whole.counts();
        let larger = match counts.n_receivers > counts.n_sources {
            true => Which::Receivers,
            false => Which::Sources,
        };
        let spread = Spread::of_sample(&whole.sample(larger)?, whole.n(larger));
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

//! Points as far as choices depend on them: statistics of points before their tree is built, and of the tree.

use std::cell::OnceCell;
use std::fmt;

use octree::Cube;

use super::dimension::Spread;
use super::scheme::{Scheme, Unexpanded};
#[cfg(feature = "gpu")]
use super::{Algorithm, Chooser};
#[cfg(feature = "gpu")]
use crate::api::Error;
#[cfg(feature = "gpu")]
use crate::engine::ChargeKind;
use crate::engine::{COARSEST_FAR_LEVEL, PointCounts, PointSets, Scalar, TreeSize, bounds_of_sets};

/// Knowledge of the points that a choice is for: points without a tree, or the tree over them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known<'a> {
    Points(&'a PointStatistics<'a>),
    Tree(&'a TreeStatistics),
}

/// Numbers of points, and how they fill space, which is found when it is first asked for.
pub(crate) struct PointStatistics<'a> {
    pub(crate) counts: PointCounts,
    points: &'a (dyn Fill + Sync),
    spread: OnceCell<Spread>,
    side: OnceCell<Option<f64>>,
    /// Sources that softening keeps from acting through expansions.
    pub(super) unexpanded: OnceCell<Unexpanded>,
}

/// A tree that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeStatistics {
    pub(crate) counts: PointCounts,
    /// The scheme that it was built for.
    pub(crate) scheme: Scheme,
    /// Dimension of the points.
    pub(crate) dimension: f64,
    /// Pairs of far boxes.
    pub(crate) far_pairs: usize,
    /// Boxes of the levels that have far pairs.
    pub(crate) far_boxes: usize,
    /// Boxes with children.
    pub(crate) families: usize,
    /// Receivers whose leaves have no source; zero where [`PointCounts::ask_for_alone`] tells not to count.
    pub(crate) alone: usize,
    /// Whether expansions or cells may act.
    pub(crate) expands: bool,
}

/// Sets of points that tell how they fill space.
pub(crate) trait Fill {
    /// The spread of the larger set.
    fn spread(&self) -> Spread;
    /// The side of the smallest cube around all points; `None` where they have none.
    fn side(&self) -> Option<f64>;
}

impl TreeStatistics {
    /// Whether most receivers have no source in their leaves, and expansions of sources afar act on them.
    pub(crate) fn is_remote(&self) -> bool {
        self.expands && 2 * self.alone > self.counts.n_receivers
    }

    /// Statistics of a tree whose far pairs do not matter, or are not known yet.
    pub(crate) fn without_lists(counts: PointCounts, scheme: Scheme, dimension: f64) -> Self {
        Self {
            counts,
            scheme,
            dimension,
            far_pairs: 0,
            far_boxes: 0,
            families: 0,
            alone: 0,
            expands: true,
        }
    }

    /// Statistics of a tree that is not built yet, of this size.
    pub(crate) fn of_size(
        size: &TreeSize,
        counts: PointCounts,
        scheme: Scheme,
        dimension: f64,
    ) -> Self {
        let coarse: f64 = (0..COARSEST_FAR_LEVEL).map(|level| 8f64.powi(level as i32)).sum();
        let far_boxes = (size.boxes - coarse).max(0.0);
        Self {
            far_pairs: (far_boxes * size.list_lengths()[1]) as usize,
            far_boxes: far_boxes as usize,
            families: size.families as usize,
            ..Self::without_lists(counts, scheme, dimension)
        }
    }

    /// The scheme of the points, whose tree is known, or guessed: it tells the faster form of M2L.
    #[cfg(feature = "gpu")]
    pub(crate) fn refined(
        &self,
        chooser: &Chooser,
        charges: Option<ChargeKind>,
    ) -> Result<Scheme, Error> {
        match self.scheme.algorithm {
            Algorithm::Fmm { .. } => chooser.choose(Known::Tree(self), charges),
            _ => Ok(self.scheme),
        }
    }

    /// With the boxes of a device's tree, whose levels begin at `level_starts`, eight numbers a level.
    #[cfg(feature = "gpu")]
    pub(crate) fn with_boxes(self, level_starts: &[u32], n_leaves: usize) -> Self {
        let n_boxes = level_starts.last().map_or(0, |count| *count as usize);
        let coarse = level_starts.get(8 * COARSEST_FAR_LEVEL).map_or(n_boxes, |n| *n as usize);
        Self { far_boxes: n_boxes - coarse, families: n_boxes.saturating_sub(n_leaves), ..self }
    }
}

impl<'a> PointStatistics<'a> {
    pub(crate) fn new<T: Scalar>(points: &'a PointSets<'_, T>) -> Self {
        Self::of(points.counts(), points)
    }

    /// Statistics of points whose way to fill space is known.
    pub(crate) fn of(counts: PointCounts, points: &'a (dyn Fill + Sync)) -> Self {
        let (spread, side, unexpanded) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { counts, points, spread, side, unexpanded }
    }

    /// Statistics of points that are not there yet, as if they filled a cube evenly.
    pub(crate) fn even(counts: &'a PointCounts) -> Self {
        Self::of(*counts, counts)
    }

    pub(super) fn spread(&self) -> &Spread {
        self.spread.get_or_init(|| self.points.spread())
    }

    pub(super) fn side(&self) -> Option<f64> {
        *self.side.get_or_init(|| self.points.side())
    }

    /// 3 for a volume, 2 for a surface, 1 for a curve, and between.
    pub(crate) fn dimension(&self) -> f64 {
        self.spread().dimension()
    }
}

impl Known<'_> {
    /// The dimension of the points, and the number of sources.
    pub(super) fn measures(&self) -> (f64, usize) {
        match self {
            Self::Points(points) => (points.dimension(), points.counts.n_sources),
            Self::Tree(tree) => (tree.dimension, tree.counts.n_sources),
        }
    }
}

impl Fill for PointCounts {
    fn spread(&self) -> Spread {
        Spread::even(self.n_sources.max(self.n_receivers))
    }

    fn side(&self) -> Option<f64> {
        None
    }
}

impl<T: Scalar> Fill for PointSets<'_, T> {
    fn spread(&self) -> Spread {
        match self.receivers {
            Some(receivers) if receivers.len() > self.sources.len() => Spread::of(receivers),
            _ => Spread::of(self.sources),
        }
    }

    fn side(&self) -> Option<f64> {
        let sets = [self.sources, self.receivers.unwrap_or_default()];
        Some(Cube::around(bounds_of_sets(sets)).ok()?.side())
    }
}

impl fmt::Debug for PointStatistics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PointStatistics").field("counts", &self.counts).finish_non_exhaustive()
    }
}

//! Sources that softening keeps from acting through expansions, and what they cost.
//!
//! Expansions are those of 1/r. They act from a distance on from which softening does not matter. The boxes of lists are kept
//! so large that they keep that distance, and walks open the cells below it; sources within are summed one by one. Walks of
//! monopoles are free of that, because a softened monopole costs as much as any: they are the fastest algorithm where the
//! softening is near the distance of neighbours.

use octree::{Depth, MAX_LEVEL};

use super::Chooser;
use super::points::PointStatistics;
use super::scheme::Unexpanded;

/// Radius of the ball that is as large as the 27 near boxes of a box, over the side of a box: 3 (3/4π)^⅓.
const NEAR_BOXES: f64 = 1.861;

impl Chooser {
    /// The sources of points that softening keeps from acting through expansions.
    pub(super) fn unexpanded(&self, points: &PointStatistics<'_>) -> Unexpanded {
        // Without softening, nobody needs to look at all points.
        let side = if self.request.softening > 0.0 { points.side() } else { None };
        match side {
            Some(side) => *points.unexpanded.get_or_init(|| self.within(points, side)),
            None => Unexpanded::default(),
        }
    }

    fn within(&self, points: &PointStatistics<'_>, side: f64) -> Unexpanded {
        let smallest = side * 0.5f64.powi(i32::from(self.deepest_unsoftened(side)));
        let distances = [smallest * NEAR_BOXES, self.unsoftened_distance()];
        let [by_lists, by_walks] = points.spread().within(distances, points.counts.n_sources);
        Unexpanded { by_lists, by_walks }
    }

    /// The depth that is set by hand, or the one to which softening limits leaves of this capacity.
    pub(super) fn depth(&self, leaf_capacity: usize, points: &PointStatistics<'_>) -> Depth {
        let (asked, softening) = (self.request.depth, self.request.softening);
        match (asked, softening > 0.0) {
            (Some(depth), _) => depth,
            (None, false) => Depth::Adaptive { leaf_capacity },
            (None, true) => match points.side() {
                // Positions without a cube are for the tree to refuse, whose error names the point.
                None => Depth::Adaptive { leaf_capacity },
                Some(side) => {
                    let max_level = self.deepest_unsoftened(side);
                    Depth::AdaptiveTo { leaf_capacity, max_level }
                }
            },
        }
    }

    /// The deepest level whose far boxes need no softening, in a cube of a side: two points of far boxes are at least a
    /// box's side apart.
    fn deepest_unsoftened(&self, side: f64) -> u8 {
        let levels = (side / self.unsoftened_distance()).log2().floor();
        levels.clamp(0.0, f64::from(MAX_LEVEL)) as u8
    }

    /// The distance from which on softening changes a pair's gradient by less than half of the tolerance:
    /// the change is 3/2 (ε/r)².
    pub(super) fn unsoftened_distance(&self) -> f64 {
        self.request.softening * (3.0 / self.accuracy.tolerance()).sqrt()
    }
}

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

/// Points of the smallest unsoftened boxes, over those of the best leaves, from which on their size matters: boxes of eight times
/// their volume, between levels, would add half as many near pairs as all leaves have.
const CROWDED: f64 = 0.5 / 8.0;

/// Part of a level that rounding may take.
const ROUNDING: f64 = 1e-9;

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
        let (enlarged, level) = self.smallest_unsoftened(side);
        let smallest = side * enlarged * 0.5f64.powi(i32::from(level));
        let distances = [smallest * NEAR_BOXES, self.unsoftened_distance()];
        let [by_lists, by_walks] = points.spread().within(distances, points.counts.n_sources);
        Unexpanded { by_lists, by_walks }
    }

    /// The side of the cube of level 0 over that of the smallest cube, so that some level has boxes of about `best` points. Where
    /// boxes that softening keeps from being smaller are crowded, these are at a level.
    pub(super) fn enlargement(&self, best: f64, points: &PointStatistics<'_>) -> f64 {
        let spread = points.spread();
        let side = if self.request.softening > 0.0 { points.side() } else { None };
        let crowded =
            |side: &f64| spread.others((side / self.unsoftened_distance()).log2()) > CROWDED * best;
        match side.filter(crowded) {
            Some(side) => self.smallest_unsoftened(side).0,
            None => spread.enlargement(best),
        }
    }

    /// The depth that is set by hand, or the one to which softening limits leaves of this capacity in a cube so much enlarged.
    pub(super) fn depth(
        &self,
        leaf_capacity: usize,
        enlarged: f64,
        points: &PointStatistics<'_>,
    ) -> Depth {
        let (asked, softening) = (self.request.depth, self.request.softening);
        match (asked, softening > 0.0) {
            (Some(depth), _) => depth,
            (None, false) => Depth::Adaptive { leaf_capacity },
            (None, true) => match points.side() {
                // Positions without a cube are for the tree to refuse, whose error names the point.
                None => Depth::Adaptive { leaf_capacity },
                Some(side) => {
                    let max_level = self.deepest_unsoftened(side * enlarged);
                    Depth::AdaptiveTo { leaf_capacity, max_level }
                }
            },
        }
    }

    /// The deepest level whose far boxes need no softening, in a cube of a side: two points of far boxes are at least a
    /// box's side apart.
    fn deepest_unsoftened(&self, side: f64) -> u8 {
        let levels = (side / self.unsoftened_distance()).log2() + ROUNDING;
        levels.floor().clamp(0.0, f64::from(MAX_LEVEL)) as u8
    }

    /// The factor that enlarges a cube of a side, and the level in it whose boxes are as large as softening needs.
    fn smallest_unsoftened(&self, side: f64) -> (f64, u8) {
        let levels = (side / self.unsoftened_distance()).log2();
        if levels <= 0.0 {
            return (1.0, 0);
        }
        let level = (levels - ROUNDING).ceil().min(f64::from(MAX_LEVEL));
        (2f64.powf(level - levels).max(1.0), level as u8)
    }

    /// The distance from which on softening changes a pair's gradient by less than half of the tolerance:
    /// the change is 3/2 (ε/r)².
    pub(super) fn unsoftened_distance(&self) -> f64 {
        self.request.softening * (3.0 / self.accuracy.tolerance()).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dimension::cube_for_tests;
    use super::super::{Known, of_cores};
    use super::*;
    use crate::api::{Method, Request, Tolerance};
    use crate::engine::PointSets;

    /// Side of the smallest boxes that the FMM's tree of the points may have, over the smallest that softening allows.
    fn smallest_boxes(points: &[[f64; 3]], softening: f64) -> f64 {
        let tolerance = Tolerance::L2(1e-3);
        let request = Request { method: Method::Fmm, tolerance, softening, ..Request::default() };
        let abilities = crate::cpu::abilities::<f64>();
        let chooser = Chooser::new(request, abilities, of_cores()).unwrap();
        let sets = PointSets { sources: points, receivers: None };
        let statistics = PointStatistics::new(&sets);
        let shape = chooser.choose(Known::Points(&statistics), None).unwrap().shape;
        let Depth::AdaptiveTo { max_level, .. } = shape.depth else { panic!("{:?}", shape.depth) };
        let side = statistics.side().unwrap() * shape.enlarged;
        side * 0.5f64.powi(max_level.into()) / chooser.unsoftened_distance()
    }

    #[test]
    fn crowded_boxes_are_as_small_as_softening_allows() {
        let cube = cube_for_tests(40_000);
        let cusp: Vec<_> = cube
            .iter()
            .map(|point| {
                let [x, y, z] = point.map(|x| x - 0.5);
                let r2 = x * x + y * y + z * z;
                [x, y, z].map(|x| x * r2 * r2)
            })
            .collect();
        for softening in [1.3e-4, 1.7e-4, 2.3e-4] {
            // The cusp needs boxes of every size, so that none is too large; leaves of the cube have the size of the best.
            let found = smallest_boxes(&cusp, softening);
            assert!((found - 1.0).abs() < 1e-6, "{softening}: {found}");
            let found = smallest_boxes(&cube, softening);
            assert!((1.0 - 1e-6..2.0).contains(&found), "{softening}: {found}");
        }
    }
}

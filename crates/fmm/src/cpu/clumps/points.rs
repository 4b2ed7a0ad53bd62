//! Points of a clump about an origin of their own, from which the coordinates of all are exact.

use std::ops::Range;

use octree::Octree;

use super::Clump;
use crate::engine::{PointSets, Scalar};

/// Points of a clump that a process has, in the order of the outer tree.
#[derive(Debug)]
pub(crate) struct ClumpPoints<T> {
    sources: Vec<[T; 3]>,
    /// `None`: the receivers are the sources.
    receivers: Option<Vec<[T; 3]>>,
}

/// Ends of the points along each axis, the lower ones negated: those of several processes are the largest of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends(pub(crate) [f64; 6]);

impl<T: Scalar> ClumpPoints<T> {
    /// Picks the points of a clump; `points` are those that the tree's permutations count. In a sum of one set, a clump
    /// whose receivers are its sources is one set, too.
    pub(crate) fn new(
        clump: &Clump,
        tree: &Octree,
        points: &PointSets<'_, T>,
        one_set: bool,
    ) -> Self {
        let pick = |set: &[[T; 3]], permutation: &[u32], runs: &[Range<usize>]| -> Vec<[T; 3]> {
            let indices = runs.iter().flat_map(|run| &permutation[run.clone()]);
            indices.map(|index| set[*index as usize]).collect()
        };
        let set = points.receivers.unwrap_or(points.sources);
        let receivers = (!(one_set && clump.is_square))
            .then(|| pick(set, tree.receiver_permutation(), &clump.receivers));
        Self { sources: pick(points.sources, tree.source_permutation(), &clump.sources), receivers }
    }

    /// Ends of these points.
    pub(crate) fn ends(&self) -> Ends {
        let mut ends = [f64::NEG_INFINITY; 6];
        for point in self.sources.iter().chain(self.receivers.iter().flatten()) {
            for (axis, x) in point.iter().map(|x| x.widen()).enumerate() {
                ends[2 * axis] = ends[2 * axis].max(-x);
                ends[2 * axis + 1] = ends[2 * axis + 1].max(x);
            }
        }
        Ends(ends)
    }

    /// The points from the origin of all points with these ends.
    pub(crate) fn about(mut self, ends: Ends) -> Self {
        let origin = ends.origin();
        for point in self.sources.iter_mut().chain(self.receivers.iter_mut().flatten()) {
            for (x, origin) in point.iter_mut().zip(origin) {
                *x = T::narrow(x.widen() - origin);
            }
        }
        self
    }

    /// The points as sets.
    pub(crate) fn sets(&self) -> PointSets<'_, T> {
        PointSets { sources: &self.sources, receivers: self.receivers.as_deref() }
    }
}

impl Ends {
    /// An origin near the points, from which the coordinates of all are exact.
    fn origin(self) -> [f64; 3] {
        [0, 1, 2].map(|axis| match [-self.0[2 * axis], self.0[2 * axis + 1]] {
            // The difference of two numbers within a factor of two is exact (Sterbenz 1974).
            [low, high] if low > 0.0 && high <= 2.0 * low => low,
            [low, high] if high < 0.0 && low >= 2.0 * high => high,
            // The points reach over at least half their distance from 0, which is near enough.
            _ => 0.0,
        })
    }
}

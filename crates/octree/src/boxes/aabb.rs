//! Axis-aligned boxes: the bounds of points, tighter than the boxes of the tree.

use crate::boxes::coordinate::Coordinate;

/// The smallest axis-aligned box around some points; faces belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The smallest coordinate along each axis.
    pub min: [f64; 3],
    /// The largest coordinate along each axis.
    pub max: [f64; 3],
}

impl Aabb {
    /// The box around no point: infinitely far from everything.
    pub const EMPTY: Aabb = Aabb { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The box around `points`. NaN coordinates are ignored.
    pub fn around<C: Coordinate>(points: &[[C; 3]]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |bounds, point| bounds.with(point.map(C::to_f64)))
    }

    /// The box around this one and `point`.
    #[inline]
    pub fn with(self, point: [f64; 3]) -> Aabb {
        self.union(Aabb { min: point, max: point })
    }

    /// The box around both.
    #[inline]
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb {
            min: [0, 1, 2].map(|d| self.min[d].min(other.min[d])),
            max: [0, 1, 2].map(|d| self.max[d].max(other.max[d])),
        }
    }

    /// The largest extent along an axis; 0 around no point.
    #[inline]
    pub fn extent(&self) -> f64 {
        [0, 1, 2].map(|d| self.max[d] - self.min[d]).into_iter().fold(0.0, f64::max)
    }

    /// The squared distance to `point`; 0 inside. Never above the squared distance from any point of the
    /// box as floats give it, when the three squares are added in the order of the axes.
    #[inline]
    pub fn squared_distance_to(&self, point: &[f64; 3]) -> f64 {
        self.squared_distance(&Aabb { min: *point, max: *point })
    }

    /// The squared distance between the nearest points of the two; 0 where they touch. Rounded as
    /// [`squared_distance_to`](Aabb::squared_distance_to) says.
    #[inline]
    pub fn squared_distance(&self, other: &Aabb) -> f64 {
        let gap = |d: usize| {
            let gap = larger(self.min[d] - other.max[d], other.min[d] - self.max[d]);
            let gap = larger(gap, 0.0);
            gap * gap
        };
        gap(0) + gap(1) + gap(2)
    }
}

/// The maximum, in one instruction where NaN does not occur.
#[inline]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

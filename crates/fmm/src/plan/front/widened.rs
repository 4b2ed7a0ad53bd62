//! Positions of a plan's float type in f64.

use crate::engine::{PointSets, Scalar};

/// Points that one task widens.
const TASK: usize = parallel::min_length(1.3);

/// Sources and receivers in f64.
pub(in crate::plan) struct Widened {
    sources: Vec<[f64; 3]>,
    receivers: Option<Vec<[f64; 3]>>,
}

impl Widened {
    pub(in crate::plan) fn new<T: Scalar>(points: &PointSets<'_, T>) -> Self {
        let widened = |positions: &[[T; 3]]| -> Vec<[f64; 3]> {
            parallel::collect(positions.len(), TASK, |i| positions[i].map(T::widen))
        };
        Self { sources: widened(points.sources), receivers: points.receivers.map(widened) }
    }

    pub(in crate::plan) fn sets(&self) -> PointSets<'_, f64> {
        PointSets { sources: &self.sources, receivers: self.receivers.as_deref() }
    }
}

//! Crowds: points in one box of the deepest level, for which a GPU is the wrong device.

use octree::MAX_LEVEL;

use crate::api::Report;

/// Other points in a box of the deepest level, on average, above which the cores take the points of a GPU. With its
/// neighbours such a box costs a GPU, at 10¹² pairs a second, up to 0.9 µs a point, as much as an FMM on a few cores.
const OUTGROWN: f64 = 32768.0;

/// Whether points of which the average one has so many others in its box of the deepest level are for the cores.
pub(crate) fn outgrow_a_gpu(others: f64) -> bool {
    others > OUTGROWN
}

/// Whether boxes of the deepest level may hold many points: a tree that splits boxes until few points are left in them, and
/// ends above that level, has none.
pub(crate) fn may_be_crowded(report: &Report) -> bool {
    report.leaf_capacity.is_none() || report.levels >= usize::from(MAX_LEVEL)
}

//! The size of a tree of evenly spread points, before it is built.

use octree::Depth;

use super::COARSEST_FAR_LEVEL;

/// Numbers of boxes of a tree; estimates are no whole numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeSize {
    pub(crate) boxes: f64,
    /// Boxes with children.
    pub(crate) families: f64,
}

impl TreeSize {
    /// The size of a tree of evenly spread points, in a cube `enlarged` times as long as the one that they fill.
    pub(crate) fn expected(depth: Depth, enlarged: f64, n_points: usize) -> Self {
        let n = n_points as f64;
        let filled = |level: i32| (8f64.powi(level) / enlarged.powi(3)).max(1.0);
        let (capacity, deepest) = match depth {
            Depth::Uniform(level) => (0.0, i32::from(level)),
            Depth::Adaptive { leaf_capacity } => (leaf_capacity as f64, i32::MAX),
            Depth::AdaptiveTo { leaf_capacity, max_level } => {
                (leaf_capacity as f64, i32::from(max_level))
            }
        };
        let levels = (0..deepest).map(filled).take_while(|boxes| n / boxes > capacity);
        let split = levels.take(octree::MAX_LEVEL.into()).map(|boxes| boxes.min(n)).sum::<f64>();
        // Boxes of one level split all at once where points are evenly spread; where they are not, leaves hold
        // between an eighth of the capacity and all of it, ln 8 being the width of that range.
        let smeared = if n > capacity { n / capacity.max(1.0) * 8f64.ln() / 7.0 } else { 0.0 };
        let families = match depth {
            Depth::Uniform(_) => split,
            _ => 0.6 * split + 0.4 * smeared.min(split * 8.0),
        };
        let boxes = (1.0 + 8.0 * families).min(2.0 * n.max(1.0) + 8.0 * families / 7.0);
        Self { boxes, families }
    }

    /// Boxes without children.
    pub(crate) fn leaves(&self) -> f64 {
        self.boxes - self.families
    }

    /// Boxes near a leaf, and far boxes of a box, in a cube full of leaves.
    pub(crate) fn list_lengths(&self) -> [f64; 2] {
        let level = self.leaves().max(1.0).log(8.0);
        let near = |level: f64| (3.0 - 2.0 * 0.5f64.powf(level)).powi(3);
        if level < COARSEST_FAR_LEVEL as f64 - 0.5 {
            return [near(level), 0.0];
        }
        [near(level), 8.0 * near(level - 1.0) - near(level)]
    }
}

//! Tasks of the treecode: groups of receivers that walk the tree together, in bundles.

use octree::Octree;
use octree::walk::{ReceiverGroup, receiver_groups};

use super::receivers::{ReceiverTask, Segment, bundle};

/// Receivers of a task, at least: with some 1500 cells and sources each, 300 µs of work, well worth a start.
const TASK: usize = 512;

/// Tasks that cover all receivers in tree order, in [groups](receiver_groups) of at most `largest`. They
/// depend on the tree only, so that sums are the same for any number of threads.
pub(crate) fn walk_tasks(tree: &Octree, largest: usize) -> Vec<ReceiverTask> {
    let segment = |ReceiverGroup { cell, receivers }| Segment { leaf: cell, receivers };
    bundle(receiver_groups(tree, largest).into_iter().map(segment), TASK)
}

#[cfg(test)]
mod tests {
    use octree::Depth;

    use super::*;

    #[test]
    fn tasks_cover_the_receivers_once() {
        let points: Vec<[f64; 3]> = (0..4000)
            .map(|i| [0.7548776662, 0.5698402910, 0.3142].map(|c| (c * f64::from(i)).fract()))
            .collect();
        let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 8 }).unwrap();
        for largest in [1, 20, 64, 5000] {
            let tasks = walk_tasks(&tree, largest);
            let mut next = 0;
            for segment in tasks.iter().flat_map(|task| &task.segments) {
                assert_eq!(segment.receivers.start, next);
                assert!((1..=largest).contains(&segment.receivers.len()));
                next = segment.receivers.end;
            }
            assert_eq!(next, points.len());
        }
    }
}

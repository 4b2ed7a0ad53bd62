//! Tasks of the treecode: groups of receivers that walk the tree together, in bundles.

use octree::walk::ReceiverGroup;

use super::receivers::{ReceiverTask, Segment, bundle};

/// Receivers of a task, at least: with some 1500 cells and sources each, 300 µs of work, well worth a start.
const TASK: usize = 512;

/// Tasks of the groups of a tree, which cover all receivers in tree order. They depend on the groups only, so that sums are
/// the same for any number of threads.
pub(crate) fn walk_tasks(groups: &[ReceiverGroup]) -> Vec<ReceiverTask> {
    let segment =
        |group: &ReceiverGroup| Segment { leaf: group.cell, receivers: group.receivers.clone() };
    bundle(groups.iter().map(segment), TASK)
}

#[cfg(test)]
mod tests {
    use octree::walk::receiver_groups;
    use octree::{Depth, Octree};

    use super::*;

    #[test]
    fn tasks_cover_the_receivers_once() {
        let points: Vec<[f64; 3]> = (0..4000)
            .map(|i| [0.7548776662, 0.5698402910, 0.3142].map(|c| (c * f64::from(i)).fract()))
            .collect();
        let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 8 }).unwrap();
        for largest in [1, 20, 64, 5000] {
            let tasks = walk_tasks(&receiver_groups(&tree, largest));
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

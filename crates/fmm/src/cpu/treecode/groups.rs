//! Groups of receivers that walk the tree together.

use octree::Octree;

use crate::tasks::{ReceiverTask, Segment};

/// Receivers of a task, at least: enough to be worth its start.
const TASK: usize = 512;

/// Tasks that cover all receivers in tree order, in groups of at most `largest`. They depend on the tree
/// only, so that sums are the same for any number of threads.
///
/// A box that has too many receivers is halved along z, its halves along y, their halves along x: groups
/// are the largest of these parts that have few enough. They are fuller than boxes, of which each has
/// eight times as many receivers as the next smaller ones, and hardly less compact.
pub(crate) fn walk_tasks(tree: &Octree, largest: usize) -> Vec<ReceiverTask> {
    let mut groups = Groups { tree, largest, tasks: Vec::new(), waiting: Vec::new() };
    if tree.n_boxes() > 0 {
        groups.divide(0);
    }
    groups.close_task();
    groups.tasks
}

struct Groups<'a> {
    tree: &'a Octree,
    largest: usize,
    tasks: Vec<ReceiverTask>,
    /// Groups for the next task.
    waiting: Vec<Segment>,
}

impl Groups<'_> {
    fn divide(&mut self, b: usize) {
        let receivers = self.tree.receivers(b);
        let children = self.tree.children(b);
        if receivers.len() <= self.largest || children.is_empty() {
            for start in receivers.clone().step_by(self.largest) {
                self.push(b, start, receivers.end.min(start + self.largest));
            }
        } else {
            self.divide_siblings(b, children, 4);
        }
    }

    /// Siblings that differ in the octants' bit `bit` and those below.
    fn divide_siblings(&mut self, parent: usize, siblings: std::ops::Range<usize>, bit: u8) {
        let tree = self.tree;
        let (Some(first), Some(last)) = (siblings.clone().next(), siblings.clone().next_back())
        else {
            return;
        };
        let (start, end) = (tree.receivers(first).start, tree.receivers(last).end);
        if bit == 0 {
            self.divide(first);
        } else if end - start <= self.largest {
            self.push(parent, start, end);
        } else {
            let is_lower = |b: &usize| tree.key(*b).octant() & bit == 0;
            let middle = siblings.start + siblings.clone().take_while(is_lower).count();
            self.divide_siblings(parent, siblings.start..middle, bit / 2);
            self.divide_siblings(parent, middle..siblings.end, bit / 2);
        }
    }

    fn push(&mut self, leaf: usize, start: usize, end: usize) {
        if start == end {
            return;
        }
        self.waiting.push(Segment { leaf, receivers: start..end });
        let first = self.waiting[0].receivers.start;
        if end - first >= TASK {
            self.close_task();
        }
    }

    fn close_task(&mut self) {
        if let (Some(first), Some(last)) = (self.waiting.first(), self.waiting.last()) {
            let receivers = first.receivers.start..last.receivers.end;
            let segments = std::mem::take(&mut self.waiting);
            self.tasks.push(ReceiverTask { segments, receivers });
        }
    }
}

#[cfg(test)]
mod tests {
    use octree::Depth;

    use super::*;

    #[test]
    fn groups_cover_the_receivers_once_and_are_full() {
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
            let n_groups: usize = tasks.iter().map(|task| task.segments.len()).sum();
            assert!(n_groups * largest <= 3 * points.len() + largest, "{n_groups}, {largest}");
        }
    }
}

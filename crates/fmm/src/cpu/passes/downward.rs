//! Downward: local expansions to the children and at last to the receivers.

use expansions::operators::l2p;
use expansions::{BoxPoints, RowPair};

use super::{Passes, parents_of_task};
use crate::cpu::expected::BoxErrors;
use crate::cpu::geometry::receivers::{Sums, cut};
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

impl<T: Scalar> Passes<'_, T> {
    /// L2L level by level.
    pub(super) fn l2l(&self, locals: &mut [T]) {
        let (tree, row_length) = (&self.geometry.tree, self.row_length());
        for level in COARSEST_FAR_LEVEL..tree.n_levels().saturating_sub(1) {
            let parents = tree.level(level);
            let (upper, lower) = locals.split_at_mut(parents.end * row_length);
            let upper = &upper[parents.start * row_length..];
            let length = parents_of_task(parents.len());
            let tasks: Vec<_> = parents
                .clone()
                .step_by(length)
                .map(|start| start..parents.end.min(start + length))
                .collect();
            let children = |task: &std::ops::Range<usize>| {
                tree.children(task.start).start..tree.children(task.end - 1).end
            };
            let parts = cut(lower, tasks.iter().map(|task| children(task).len() * row_length));
            parallel::for_parts(tasks.iter().zip(parts), |_, (task, rows)| {
                let first_child = children(task).start;
                let mut pairs: [Vec<RowPair>; 8] = Default::default();
                for parent in task.clone() {
                    let children = tree.children(parent);
                    for child in children.filter(|child| !tree.receivers(*child).is_empty()) {
                        let octant = usize::from(tree.key(child).octant());
                        let rows = [parent - parents.start, child - first_child];
                        pairs[octant].push(rows.map(|row| row as u32));
                    }
                }
                self.tables.l2l().apply(&pairs, upper, rows);
            });
        }
    }

    /// L2P at the leaves, with the errors to expect for a check.
    pub(super) fn l2p(&self, (multipoles, locals): (&[T], &[T]), sums: &mut Sums<T>) {
        let (geometry, row_length) = (self.geometry, self.row_length());
        let tasks = &geometry.tasks;
        if tasks.is_empty() {
            return;
        }
        let top = geometry.tree.level(COARSEST_FAR_LEVEL.min(geometry.tree.n_levels() - 1)).start;
        let errors = self.checked.then(|| BoxErrors::new(self, [multipoles, locals]));
        let parts = sums.split_with_expected(tasks, self.checked);
        parallel::for_parts(tasks.iter().zip(parts), |_, (task, (mut sums, expected))| {
            let mut points = BoxPoints::new();
            for segment in &task.segments {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                if let Some(errors) = &errors {
                    errors.write(segment.leaf, receivers, &mut expected[task.part(segment)]);
                }
                // Larger leaves have no local expansion, but may have boxes of list W.
                if segment.leaf < top {
                    continue;
                }
                let (center, side) = geometry.frame(segment.leaf);
                points.set(center, side, receivers);
                let local = &locals[segment.leaf * row_length..][..row_length];
                let mut sums = sums.part(task.part(segment));
                let tables = self.tables;
                l2p(&tables.harmonics, tables.gradient(), local, &points, &mut sums);
            }
        });
    }
}

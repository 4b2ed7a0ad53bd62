//! Downward: local expansions to the children and at last to the receivers.

use expansions::layout::n_coefficients;
use expansions::numerics::importance::{first_of_last_degrees, last_degrees};
use expansions::operators::l2p;
use expansions::{BoxPoints, RowPair};

use super::{Passes, parents_of_task};
use crate::cpu::receivers::{Sums, cut};
use crate::engine::{COARSEST_FAR_LEVEL, Scalar, clear};

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

    /// L2P at the leaves, with the size of the last degrees of their expansions for the check.
    pub(super) fn l2p(&self, locals: &[T], sums: &mut Sums<T>) {
        let (geometry, row_length) = (self.geometry, self.row_length());
        let (tasks, order) = (&geometry.tasks, self.tables.order());
        if tasks.is_empty() {
            return;
        }
        let top = geometry.tree.level(COARSEST_FAR_LEVEL.min(geometry.tree.n_levels() - 1)).start;
        let mut last_degrees = std::mem::take(&mut sums.last_degrees);
        clear(&mut last_degrees, geometry.receivers().len());
        let sizes = cut(&mut last_degrees, tasks.iter().map(|task| task.receivers.len()));
        let parts = sums.split(tasks).into_iter().zip(sizes);
        parallel::for_parts(tasks.iter().zip(parts), |_, (task, (mut sums, sizes))| {
            let mut points = BoxPoints::new();
            for segment in task.segments.iter().filter(|segment| segment.leaf >= top) {
                let (center, side) = geometry.frame(segment.leaf);
                points.set(center, side, geometry.receivers().slices(segment.receivers.clone()));
                let local = &locals[segment.leaf * row_length..][..row_length];
                sizes[task.part(segment)].fill(size_of_last_degrees(local, order, side));
                let mut sums = sums.part(task.part(segment));
                let tables = self.tables;
                l2p(&tables.harmonics, &tables.gradient, local, side, &points, &mut sums);
            }
        });
        sums.last_degrees = last_degrees;
    }
}

/// Size of the last degrees of a local expansion.
fn size_of_last_degrees<T: Scalar>(local: &[T], order: usize, side: f64) -> f32 {
    let coefficients = &local[first_of_last_degrees(order)..n_coefficients(order)];
    let squares = coefficients.iter().map(|x| x.widen() * x.widen()).sum();
    last_degrees(squares, side).sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_degrees_count() {
        // 1, 3 and 5 coefficients of degrees 0, 1 and 2.
        let local = [100.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0];
        assert_eq!(size_of_last_degrees(&local, 3, 1.0), 5.0);
        assert_eq!(size_of_last_degrees(&local, 3, 4.0), 0.625);
        assert_eq!(size_of_last_degrees(&local, 1, 1.0), 100.0);
    }
}

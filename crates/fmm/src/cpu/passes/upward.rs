//! Upward: multipoles of all boxes.

use expansions::layout::n_coefficients;
use expansions::operators::p2m;
use expansions::{BoxPoints, RowPair};

use super::{Passes, TASK, parents_of_task};
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

impl<T: Scalar> Passes<'_, T> {
    /// P2M at the leaves; the multipoles of other boxes, and of those with ghosts, become zero.
    pub(super) fn p2m(&self, charges: &[T], multipoles: &mut [T]) {
        let geometry = self.geometry;
        let own = geometry.own_sources();
        let n_coefficients = n_coefficients(self.tables.order());
        let length = self.row_length();
        parallel::for_parts(multipoles.chunks_mut(TASK * length), |task, rows| {
            let mut points = BoxPoints::new();
            rows.fill(T::ZERO);
            for (b, row) in (task * TASK..).zip(rows.chunks_mut(length)) {
                let sources = geometry.tree.sources(b);
                let is_own = own.start <= sources.start && sources.end <= own.end;
                if sources.is_empty() || !is_own || !geometry.tree.is_leaf(b) {
                    continue;
                }
                let (center, side) = geometry.frame(b);
                points.set(center, side, geometry.sources().slices(sources.clone()));
                let multipole = &mut row[..n_coefficients];
                p2m(&self.tables.harmonics, &points, &charges[sources], multipole);
            }
        });
    }

    /// M2M level by level, from the deepest to the coarsest that has far pairs.
    pub(super) fn m2m(&self, multipoles: &mut [T]) {
        let (tree, row_length) = (&self.geometry.tree, self.row_length());
        for level in (COARSEST_FAR_LEVEL..tree.n_levels().saturating_sub(1)).rev() {
            let parents = tree.level(level);
            let (upper, lower) = multipoles.split_at_mut(parents.end * row_length);
            let upper = &mut upper[parents.start * row_length..];
            let length = parents_of_task(parents.len());
            parallel::for_parts(upper.chunks_mut(length * row_length), |task, rows| {
                let start = parents.start + task * length;
                let end = parents.end.min(start + length);
                let mut pairs: [Vec<RowPair>; 8] = Default::default();
                for parent in start..end {
                    let children = tree.children(parent);
                    for child in children.filter(|child| !tree.sources(*child).is_empty()) {
                        let octant = usize::from(tree.key(child).octant());
                        let rows = [child - parents.end, parent - start];
                        pairs[octant].push(rows.map(|row| row as u32));
                    }
                }
                self.tables.m2m().apply(&pairs, lower, rows);
            });
        }
    }
}

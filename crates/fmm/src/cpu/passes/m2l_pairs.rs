//! Far: local expansions from the multipoles of far boxes and from the charges of bigger ones.

use expansions::BoxPoints;
use expansions::layout::n_coefficients;
use expansions::operators::{M2lForm, p2l};

use super::{Passes, TASK};
use crate::cpu::geometry::far_chunks::Chunk;
use crate::cpu::geometry::receivers::cut;
use crate::engine::Scalar;

impl<T: Scalar> Passes<'_, T> {
    /// M2L, chunk by chunk; the local expansions of boxes without far pairs become zero.
    pub(super) fn m2l(&self, form: M2lForm, multipoles: &[T], locals: &mut [T]) {
        let (row_length, tables) = (self.row_length(), self.tables.m2l(form));
        parallel::for_chunks(locals, TASK * row_length, |_, rows| rows.fill(T::ZERO));

        // Chunks come in the order of boxes, with gaps where no box has far pairs.
        let chunks = self.geometry.far();
        let gaps = std::iter::once(0).chain(chunks.iter().map(|chunk| chunk.boxes.end));
        let lengths = gaps.zip(chunks).flat_map(|(last, Chunk { boxes, .. })| {
            [(boxes.start - last) * row_length, boxes.len() * row_length]
        });
        let parts = cut(locals, lengths).into_iter().skip(1).step_by(2);
        parallel::for_parts(parts, |task, locals| {
            tables.apply(chunks[task].batches(), multipoles, locals);
        });
    }

    /// P2L from the leaves of list X.
    pub(super) fn p2l(&self, charges: &[T], locals: &mut [T]) {
        let geometry = self.geometry;
        if geometry.lists.p2l().n_items() == 0 {
            return;
        }
        let n_coefficients = n_coefficients(self.tables.order());
        let length = self.row_length();
        parallel::for_parts(locals.chunks_mut(TASK * length), |task, rows| {
            let mut points = BoxPoints::new();
            for (b, row) in (task * TASK..).zip(rows.chunks_mut(length)) {
                let local = &mut row[..n_coefficients];
                for leaf in geometry.lists.p2l().row(b) {
                    let sources = geometry.tree.sources(*leaf as usize);
                    let (center, side) = geometry.frame(b);
                    points.set(center, side, geometry.sources().slices(sources.clone()));
                    p2l(&self.tables.harmonics, &points, &charges[sources], local);
                }
            }
        });
    }
}

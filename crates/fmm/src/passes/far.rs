//! Far: local expansions from the multipoles of far boxes and from the charges of bigger ones.

use expansions::layout::n_coefficients;
use expansions::operators::{FarOffset, p2l};
use expansions::{BoxPoints, RowPair};
use rayon::prelude::*;

use super::{Passes, TASK};
use crate::Scalar;
use crate::schedule::Chunk;
use crate::tasks::cut;

impl<T: Scalar> Passes<'_, T> {
    /// M2L, chunk by chunk; the local expansions of boxes without far pairs become zero.
    pub(super) fn m2l(&self, multipoles: &[T], locals: &mut [T]) {
        let box_length = self.box_length();
        locals.par_chunks_mut(TASK * box_length).for_each(|rows| rows.fill(T::ZERO));

        // Chunks come in the order of boxes, with gaps where no box has far pairs.
        let chunks = self.hierarchy.far();
        let gaps = std::iter::once(0).chain(chunks.iter().map(|chunk| chunk.boxes.end));
        let lengths = gaps.zip(chunks).flat_map(|(last, Chunk { boxes, .. })| {
            [(boxes.start - last) * box_length, boxes.len() * box_length]
        });
        let parts = cut(locals, lengths).into_iter().skip(1).step_by(2).collect::<Vec<_>>();
        chunks.par_iter().zip(parts).with_max_len(1).for_each(|(chunk, locals)| {
            if self.n_vectors == 1 {
                self.operators.m2l().apply(chunk.batches(), multipoles, locals);
            } else {
                let batches: Vec<_> =
                    chunk.batches().map(|batch| self.with_vectors(batch)).collect();
                let batches = batches.iter().map(|(offset, pairs)| (*offset, pairs.as_slice()));
                self.operators.m2l().apply(batches, multipoles, locals);
            }
        });
    }

    /// A batch of pairs of boxes as one of pairs of rows.
    fn with_vectors(&self, (offset, pairs): (FarOffset, &[RowPair])) -> (FarOffset, Vec<RowPair>) {
        let rows = pairs.iter().flat_map(|[source, receiver]| {
            self.rows(*source as usize).zip(self.rows(*receiver as usize))
        });
        (offset, rows.map(|(source, receiver)| [source, receiver]).collect())
    }

    /// P2L from the leaves of list X.
    pub(super) fn p2l(&self, charges: &[&[T]], locals: &mut [T]) {
        let (hierarchy, row_length) = (self.hierarchy, self.row_length());
        if hierarchy.lists.p2l.n_items() == 0 {
            return;
        }
        let n_coefficients = n_coefficients(self.operators.order());
        let boxes = locals.par_chunks_mut(self.box_length()).enumerate().with_min_len(TASK);
        boxes.for_each_init(BoxPoints::new, |points, (b, rows)| {
            for leaf in hierarchy.lists.p2l.row(b) {
                let sources = hierarchy.tree.sources(*leaf as usize);
                let (center, side) = hierarchy.frame(b);
                points.set(center, side, hierarchy.sources().slices(sources.clone()));
                for (charges, row) in charges.iter().zip(rows.chunks_exact_mut(row_length)) {
                    let local = &mut row[..n_coefficients];
                    p2l(&self.operators.harmonics, points, &charges[sources.clone()], local);
                }
            }
        });
    }
}

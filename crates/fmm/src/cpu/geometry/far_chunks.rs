//! Chunks of far pairs for M2L pair by pair.
//!
//! M2L wants many pairs of one offset at a time, and receiver boxes that stay in the cache. So the
//! boxes of a level are cut into chunks along the Morton curve, and within a chunk the pairs are
//! sorted by offset. A chunk is written by one task: the sums are the same for any number of
//! threads.

use std::ops::Range;

use expansions::RowPair;
use expansions::operators::FarOffset;
use octree::{FAR_OFFSETS, InteractionLists, Octree, far_offset};

/// Far pairs of consecutive receiver boxes of one level.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The receiver boxes.
    pub(crate) boxes: Range<usize>,
    /// `[source box, receiver box − boxes.start]`, by offset.
    pub(crate) pairs: Vec<RowPair>,
    /// For each offset that occurs, the one after its last pair.
    pub(crate) ends: Vec<(FarOffset, u32)>,
}

impl Chunk {
    /// The pairs of each offset.
    pub(crate) fn batches(&self) -> impl Iterator<Item = (FarOffset, &[RowPair])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end as usize));
        let pairs = |(start, (offset, end)): (usize, &(FarOffset, u32))| {
            (*offset, &self.pairs[start..*end as usize])
        };
        starts.zip(&self.ends).map(pairs)
    }
}

/// All far pairs of a tree, chunk by chunk in the order of boxes.
pub(crate) fn far_chunks(tree: &Octree, lists: &InteractionLists, chunk_len: usize) -> Vec<Chunk> {
    let offsets: Vec<FarOffset> =
        (0..FAR_OFFSETS).filter_map(|index| FarOffset::new(far_offset(index))).collect();
    let ranges: Vec<Range<usize>> = (0..tree.n_levels())
        .flat_map(|level| {
            let boxes = tree.level(level);
            let end = boxes.end;
            boxes.step_by(chunk_len).map(move |start| start..end.min(start + chunk_len))
        })
        .collect();
    let sorted = |_, boxes: Range<usize>| sort_by_offset(lists, boxes, &offsets);
    let mut chunks = parallel::map_parts(ranges, sorted);
    chunks.retain(|chunk| !chunk.pairs.is_empty());
    chunks
}

/// A counting sort of a chunk's pairs.
fn sort_by_offset(lists: &InteractionLists, boxes: Range<usize>, offsets: &[FarOffset]) -> Chunk {
    let starts = lists.far().offsets();
    let indices = &lists.far_offsets()[starts[boxes.start]..starts[boxes.end]];
    let mut next = [0_u32; FAR_OFFSETS];
    for index in indices {
        next[*index as usize] += 1;
    }
    let mut start = 0;
    for count in &mut next {
        start += std::mem::replace(count, start);
    }
    let mut pairs = vec![[0; 2]; indices.len()];
    let rows = boxes.clone().enumerate().flat_map(|(row, receiver)| {
        lists.far().row(receiver).iter().map(move |source| [*source, row as u32])
    });
    for (pair, index) in rows.zip(indices) {
        let at = &mut next[*index as usize];
        pairs[*at as usize] = pair;
        *at += 1;
    }
    // Now `next` holds the ends.
    let mut ends: Vec<(FarOffset, u32)> = offsets.iter().copied().zip(next).collect();
    let mut last = 0;
    ends.retain(|(_, end)| std::mem::replace(&mut last, *end) != *end);
    Chunk { boxes, pairs, ends }
}

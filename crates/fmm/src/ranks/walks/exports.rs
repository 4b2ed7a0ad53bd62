//! Exports: cells and sources of this rank that the walks of another may reach.

use std::ops::Range;

use octree::walk::WalkCell;

use super::WalkPart;
use super::hulls::Reach;
use crate::cpu::{CellShape, Clumps};

/// Cells of this rank, and those at the top.
pub(super) struct Exporter<'a> {
    pub(super) part: &'a WalkPart,
    pub(super) rank: usize,
    /// Cells of this rank's part of the tree, by box.
    pub(super) shapes: &'a [CellShape],
    /// Monopoles of these cells.
    pub(super) charges: &'a [f64],
    /// Cells at the top, of which those that ranks share are read.
    pub(super) top: &'a [CellShape],
    /// Clumps, with this rank's sources as tree positions.
    pub(super) clumps: &'a Clumps,
}

/// Cells and sources for one other rank.
#[derive(Debug, Default)]
pub(super) struct Export {
    /// Boxes of the cells: first those below shared ones, in the order of the top, then children of cells that are opened,
    /// siblings side by side.
    pub(super) boxes: Vec<u32>,
    /// Words of each cell: centre and opening distances, monopole, number of children, places of its sources among those
    /// that are sent.
    pub(super) words: Vec<[u64; 8]>,
    pub(super) sources: SentSources,
}

/// Sources that are sent, as tree positions.
#[derive(Debug, Default)]
pub(super) struct SentSources {
    /// Ascending.
    pub(super) runs: Vec<Range<usize>>,
    /// Sources before each run.
    before: Vec<usize>,
    pub(super) n: usize,
}

impl SentSources {
    fn new(mut runs: Vec<Range<usize>>) -> Self {
        runs.retain(|run| !run.is_empty());
        runs.sort_unstable_by_key(|run| run.start);
        let mut n = 0;
        let before = runs.iter().map(|run| {
            n += run.len();
            n - run.len()
        });
        let before = before.collect();
        Self { runs, before, n }
    }

    /// Sources that are sent before a tree position.
    fn before(&self, position: usize) -> usize {
        let run = self.runs.partition_point(|run| run.end <= position);
        match self.runs.get(run) {
            None => self.n,
            Some(first) => self.before[run] + position.saturating_sub(first.start),
        }
    }

    /// Places, among the sources that are sent, of those at these tree positions.
    pub(super) fn places(&self, sources: &Range<usize>) -> Range<usize> {
        self.before(sources.start)..self.before(sources.end)
    }
}

impl Exporter<'_> {
    /// Cells and sources for the walks of a rank. Nothing for a rank without receivers.
    pub(super) fn export(&self, rank: usize, reaches: &[Reach]) -> Export {
        if reaches.is_empty() || rank == self.rank {
            return Export::default();
        }
        let top = &self.part.top;
        let reached = self.reached_top(rank, reaches);
        let clumps = &self.part.clumps_of[rank];
        let first: Vec<usize> = top.owned_by(self.rank).collect();
        let in_part = |at: &usize| top.boxes()[*at].in_part.map(|b| b as u32);
        let mut boxes: Vec<u32> = first.iter().filter_map(in_part).collect();
        let (mut n_children, mut runs) = (Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(cell) = boxes.get(next).map(|b| &self.shapes[*b as usize]) {
            let is_reached = first.get(next).is_none_or(|at| reached[*at]);
            let is_clumped = || {
                clumps.iter().any(|clump| self.clumps.all[*clump].has_sources_in(cell.sources()))
            };
            let opens =
                is_reached && (reaches.iter().any(|reach| reach.opens(cell)) || is_clumped());
            let [start, end] = if opens { cell.children() } else { [0; 2] };
            n_children.push(end - start);
            if opens && start == end {
                runs.push(range_of(cell));
            }
            boxes.extend(start..end);
            next += 1;
        }
        let sources = SentSources::new(runs);
        let word = |(b, n_children): (&u32, u32)| {
            let cell = &self.shapes[*b as usize];
            let [x, y, z, floor2, reach2] = cell.to_words();
            let places = sources.places(&range_of(cell));
            let [start, end] = [places.start, places.end].map(|place| place as u64);
            let charge = self.charges[*b as usize].to_bits();
            [x, y, z, floor2, reach2, charge, u64::from(n_children), start << 32 | end]
        };
        let words = boxes.iter().zip(n_children).map(word).collect();
        Export { boxes, words, sources }
    }

    /// Whether a rank's walks may come to each box at the top.
    fn reached_top(&self, rank: usize, reaches: &[Reach]) -> Vec<bool> {
        let WalkPart { top, clumps, clumps_of, .. } = self.part;
        let boxes = top.boxes();
        let mut reached = vec![false; boxes.len()];
        reached.iter_mut().take(1).for_each(|root| *root = true);
        for (at, shared) in boxes.iter().enumerate() {
            let is_clumped =
                || clumps_of[rank].iter().any(|clump| clumps.has_sources_in(*clump, shared.key));
            let opens = |cell: &CellShape| reaches.iter().any(|reach| reach.opens(cell));
            if reached[at] && !shared.children.is_empty() && (opens(&self.top[at]) || is_clumped())
            {
                reached[shared.children.clone()].fill(true);
            }
        }
        reached
    }
}

fn range_of(cell: &CellShape) -> Range<usize> {
    let [start, end] = cell.sources();
    start as usize..end as usize
}

//! The walk itself: level by level, without a branch on the opening test.

use std::ops::Range;

use crate::tree::octree::Octree;

/// Cell as the walk reads it: one for each box, indexed by box number.
///
/// A type of the caller's own keeps what the opening test reads beside the two ranges, so that a tested cell
/// costs one cache line.
pub trait WalkCell {
    /// Box numbers of the children, first and one past the last; equal for a leaf. A cell whose sources are
    /// cheaper to take one by one may be made a leaf.
    fn children(&self) -> [u32; 2];

    /// Sources of the cell as tree positions, first and one past the last.
    fn sources(&self) -> [u32; 2];
}

/// Ranges of a box alone, for opening tests that look their data up by box number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeCell {
    children: [u32; 2],
    sources: [u32; 2],
}

impl TreeCell {
    /// Number of sources in the cell.
    pub fn n_sources(&self) -> usize {
        (self.sources[1] - self.sources[0]) as usize
    }
}

impl WalkCell for TreeCell {
    #[inline]
    fn children(&self) -> [u32; 2] {
        self.children
    }

    #[inline]
    fn sources(&self) -> [u32; 2] {
        self.sources
    }
}

/// Cells of all boxes of `tree`, by box number. A box of fewer than two sources is a leaf here. O(boxes).
pub fn tree_cells(tree: &Octree) -> Vec<TreeCell> {
    let ends = |range: Range<usize>| [range.start as u32, range.end as u32];
    let cell = |b: usize| {
        let sources = tree.sources(b);
        let children = if sources.len() < 2 { 0..0 } else { tree.children(b) };
        TreeCell { children: ends(children), sources: ends(sources) }
    };
    (0..tree.n_boxes()).map(cell).collect()
}

/// Accepted cells and opened leaves of one group of receivers, and the buffers of the walk.
///
/// Every source is in exactly one accepted cell or opened leaf. Keep one value a thread for many groups: the
/// buffers are reused, and a walk then allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct GroupWalk {
    cells: Vec<u32>,
    leaves: Vec<[u32; 2]>,
    /// Ranges of siblings whose parents were opened: a queue, read from the front.
    siblings: Vec<[u32; 2]>,
}

impl GroupWalk {
    /// Walks the tree from the root (box 0) and replaces the lists by those of one group.
    ///
    /// `opens(b, cell)` says whether box `b` is too near to the group to act as a whole. An accepted cell goes
    /// to [`cells`](GroupWalk::cells), an opened leaf to [`leaves`](GroupWalk::leaves), and the children of any
    /// other opened cell are tested next. The test is called for every cell that is reached, also for those
    /// with one source or none.
    ///
    /// Cost: one test and three stores a reached cell. Every cell is written to all three lists and counted in
    /// one, because a branch on the test would be predicted badly.
    #[inline]
    pub fn walk<C: WalkCell>(&mut self, tree: &[C], opens: impl Fn(usize, &C) -> bool) {
        let Self { cells, siblings, leaves } = self;
        let (mut n_cells, mut n_siblings, mut n_leaves) = (0, 1, 0);
        siblings.resize(siblings.len().max(1), [0; 2]);
        siblings[0] = [0, tree.len().min(1) as u32];
        let mut next = 0;
        while next < n_siblings {
            let [first, end] = siblings[next].map(|b| b as usize);
            next += 1;
            let tested = &tree[first..end];
            grow(cells, n_cells + tested.len());
            grow(siblings, n_siblings + tested.len());
            grow(leaves, n_leaves + tested.len());
            for (b, cell) in (first..).zip(tested) {
                let opened = opens(b, cell);
                let children = cell.children();
                let has_children = children[0] < children[1];
                cells[n_cells] = b as u32;
                siblings[n_siblings] = children;
                leaves[n_leaves] = cell.sources();
                n_cells += usize::from(!opened);
                n_siblings += usize::from(opened & has_children);
                n_leaves += usize::from(opened & !has_children);
            }
        }
        cells.truncate(n_cells);
        leaves.truncate(n_leaves);
    }

    /// Box numbers of the accepted cells, ascending.
    #[inline]
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Sources of each opened leaf as tree positions, first and one past the last, by ascending box number. A
    /// leaf without a source has an empty range.
    #[inline]
    pub fn leaves(&self) -> &[[u32; 2]] {
        &self.leaves
    }

    /// Tree positions of the sources of all opened leaves, leaf by leaf. A receiver that is a source too is
    /// among them, unless an accepted cell holds it.
    pub fn sources(&self) -> impl Iterator<Item = usize> {
        self.leaves.iter().flat_map(|&[start, end]| start as usize..end as usize)
    }

    /// Number of sources of all opened leaves.
    pub fn n_sources(&self) -> usize {
        self.leaves.iter().map(|[start, end]| (end - start) as usize).sum()
    }

    /// Replaces `runs` by the sources of the opened leaves as tree positions, leaf by leaf, with ranges joined
    /// that follow each other.
    #[inline]
    pub fn source_runs(&self, runs: &mut Vec<Range<usize>>) {
        runs.clear();
        for [start, end] in self.leaves.iter().map(|run| run.map(|at| at as usize)) {
            match runs.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => runs.push(start..end),
            }
        }
    }
}

/// Makes room for at least `n` items.
#[inline]
fn grow<I: Copy + Default>(items: &mut Vec<I>, n: usize) {
    if items.len() < n {
        items.resize(2 * n, I::default());
    }
}

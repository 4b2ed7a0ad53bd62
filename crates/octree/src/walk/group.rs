//! The walk of a group: receivers that lie together share one list of cells and particles.

use std::ops::Range;

use rayon::prelude::*;

use crate::aabb::Aabb;
use crate::morton::MAX_LEVEL;
use crate::octree::Octree;

/// Decides for a group of receivers whether a cell is opened. Closures are tests too.
pub trait OpeningTest {
    /// Whether `cell` (a box number) is too near to some receiver within `group` to act as a whole, or is
    /// cheaper to sum particle by particle. The cell holds two sources at least.
    fn opens(&self, group: &Aabb, cell: usize) -> bool;
}

impl<F: Fn(&Aabb, usize) -> bool> OpeningTest for F {
    #[inline]
    fn opens(&self, group: &Aabb, cell: usize) -> bool {
        self(group, cell)
    }
}

/// What acts on a group of receivers: cells as a whole, and particles one by one.
///
/// Every source is in exactly one of the cells or ranges. Keep one value for many groups: its buffers are reused,
/// and a walk then allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Interactions {
    cells: Vec<u32>,
    particles: Vec<Range<u32>>,
}

impl Interactions {
    /// Replaces the lists by those of `group`: one walk from the root.
    ///
    /// An accepted cell goes to [`cells`](Interactions::cells), an opened leaf or a cell of one source to
    /// [`particles`](Interactions::particles); an opened cell with children is walked on.
    pub fn gather<T: OpeningTest + ?Sized>(&mut self, tree: &Octree, group: &Aabb, test: &T) {
        self.cells.clear();
        self.particles.clear();
        // The siblings still to visit at each level above the present one.
        let mut waiting = [(0, 0); MAX_LEVEL as usize + 1];
        let mut n_waiting = 0;
        let (mut b, mut end) = (0, tree.n_boxes().min(1));
        loop {
            while b < end {
                let (first, last) = tree.sources.ranges[b];
                match last - first {
                    0 => {}
                    1 => self.push_particles(first, last),
                    _ if !test.opens(group, b) => self.cells.push(b as u32),
                    _ if tree.is_leaf(b) => self.push_particles(first, last),
                    _ => {
                        if b + 1 < end {
                            waiting[n_waiting] = (b + 1, end);
                            n_waiting += 1;
                        }
                        Range { start: b, end } = tree.children(b);
                        continue;
                    }
                }
                b += 1;
            }
            if n_waiting == 0 {
                return;
            }
            n_waiting -= 1;
            (b, end) = waiting[n_waiting];
        }
    }

    /// Box numbers of the accepted cells, in Morton order.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Ranges of sources in tree order, ascending; adjacent ones are joined. A receiver that is a source
    /// too finds itself in one of them, unless an accepted cell holds it.
    pub fn particles(&self) -> &[Range<u32>] {
        &self.particles
    }

    /// How many sources the ranges hold.
    pub fn n_particles(&self) -> usize {
        self.particles.iter().map(ExactSizeIterator::len).sum()
    }

    #[inline]
    fn push_particles(&mut self, first: u32, last: u32) {
        match self.particles.last_mut() {
            Some(range) if range.end == first => range.end = last,
            _ => self.particles.push(first..last),
        }
    }
}

/// Boxes that make good groups: the highest ones with at most `max_receivers` receivers, and fuller leaves. In
/// Morton order; every receiver is in exactly one. O(boxes).
///
/// Groups may be larger than leaves: small leaves keep the lists short, large groups share them among more.
pub fn groups(tree: &Octree, max_receivers: usize) -> Vec<u32> {
    let closed = |b: usize| tree.is_leaf(b) || tree.receivers(b).len() <= max_receivers;
    let is_group = |b: usize| {
        !tree.receivers(b).is_empty()
            && closed(b)
            && tree.parent(b).is_none_or(|parent| !closed(parent))
    };
    let boxes = (0..tree.n_boxes()).into_par_iter().with_min_len(1 << 12);
    let mut groups: Vec<u32> = boxes.filter(|&b| is_group(b)).map(|b| b as u32).collect();
    groups.par_sort_unstable_by_key(|&b| tree.receivers(b as usize).start);
    groups
}

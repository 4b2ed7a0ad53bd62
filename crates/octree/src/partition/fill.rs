//! The tree of a rank with its ghosts: real ranges of points in the boxes of the essential tree.

use super::essential::EssentialTree;
use super::exchange::Exchange;
use crate::error::{Error, PointSet};
use crate::tree::octree::{Octree, Points};

impl EssentialTree<'_> {
    /// The tree on which the rank evaluates its lists, with the box numbers of the essential tree.
    ///
    /// The caller's sources are those of the rank's part, followed by the ghosts in the order of
    /// [`Exchange::imports`]: by rank, then by box. Remote boxes without ghosts have empty ranges of sources, and all
    /// remote boxes of receivers. Receivers are a set of their own, the receivers of the part in their order, also where
    /// the part has one set for both. O(boxes + points).
    ///
    /// # Errors
    /// [`Error::TooManyPoints`]: own sources and ghosts together.
    pub fn fill(&self, exchange: &Exchange) -> Result<Octree, Error> {
        let n_own = self.part.n_sources();
        let count = n_own + exchange.n_ghosts();
        if u32::try_from(count).is_err() {
            return Err(Error::TooManyPoints { set: PointSet::Sources, count });
        }
        // Sorting by box keeps the order of ranks, which is the Morton order inside a truncated shared box.
        let imports = exchange.imports.iter().flat_map(|cargo| &cargo.points);
        let mut ghosts: Vec<(u32, usize, usize)> = imports
            .map(|block| (block.node, n_own + block.sources.start, n_own + block.sources.end))
            .collect();
        ghosts.sort_by_key(|ghost| ghost.0);

        let sources = self.points_by_leaf(count, |b, permutation| {
            if let Some(own) = self.in_part(b) {
                permutation.extend(&self.part.source_permutation()[self.part.sources(own)]);
            }
            let first = ghosts.partition_point(|ghost| ghost.0 < b as u32);
            for &(_, start, end) in ghosts[first..].iter().take_while(|g| g.0 == b as u32) {
                permutation.extend(start as u32..end as u32);
            }
        });
        let n_receivers = self.part.n_receivers();
        let receivers = self.points_by_leaf(n_receivers, |b, permutation| {
            if let Some(own) = self.in_part(b) {
                permutation.extend(&self.part.receiver_permutation()[self.part.receivers(own)]);
            }
        });
        let mut tree = self.tree.clone();
        (tree.sources, tree.receivers) = (sources, Some(receivers));
        tree.seconds = self.part.seconds();
        Ok(tree)
    }

    /// Permutation and ranges of `count` points that `points_of` adds leaf by leaf.
    fn points_by_leaf(&self, count: usize, points_of: impl Fn(usize, &mut Vec<u32>)) -> Points {
        let mut permutation = Vec::with_capacity(count);
        let mut ends = vec![0];
        for &leaf in &self.tree.leaves {
            points_of(leaf as usize, &mut permutation);
            ends.push(permutation.len() as u32);
        }
        let range = |&(start, end): &(u32, u32)| (ends[start as usize], ends[end as usize]);
        Points { ranges: self.tree.leaf_ranges.iter().map(range).collect(), permutation }
    }
}

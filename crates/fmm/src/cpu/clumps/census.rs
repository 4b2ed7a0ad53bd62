//! Census: numbers of points in boxes of one level, which one process knows of its tree and several of all their trees.

use octree::neighborhood::e2;
use octree::{Key, Octree};

use crate::api::Error;

/// A box and the points in it, those of all processes. Ordered by key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BoxCount {
    pub(crate) key: Key,
    pub(crate) n_sources: usize,
    pub(crate) n_receivers: usize,
}

/// Counts of boxes, the same in all processes of a sum.
pub(crate) trait Census {
    /// Boxes of a level with more sources or more receivers than `limit`, by key. Collective.
    fn above(&self, level: usize, limit: usize) -> Result<Vec<BoxCount>, Error>;

    /// Boxes that touch one of these, which are of one level; itself included, by key. Collective.
    fn around(&self, keys: &[Key]) -> Result<Vec<BoxCount>, Error>;
}

impl BoxCount {
    /// The count of box `b` of a tree.
    pub(crate) fn of(tree: &Octree, b: usize) -> Self {
        let (n_sources, n_receivers) = (tree.sources(b).len(), tree.receivers(b).len());
        Self { key: tree.key(b), n_sources, n_receivers }
    }

    /// Whether there are more sources or more receivers than `limit`.
    pub(crate) fn is_above(&self, limit: usize) -> bool {
        self.n_sources.max(self.n_receivers) > limit
    }
}

/// Keys of E2 of boxes, ascending, each once.
pub(crate) fn neighborhoods(keys: &[Key]) -> Vec<Key> {
    let mut around: Vec<Key> = keys.iter().copied().flat_map(e2).collect();
    around.sort_unstable();
    around.dedup();
    around
}

impl Census for Octree {
    fn above(&self, level: usize, limit: usize) -> Result<Vec<BoxCount>, Error> {
        let boxes = if level < self.n_levels() { self.level(level) } else { 0..0 };
        let counts = boxes.map(|b| BoxCount::of(self, b));
        Ok(counts.filter(|count| count.is_above(limit)).collect())
    }

    fn around(&self, keys: &[Key]) -> Result<Vec<BoxCount>, Error> {
        let boxes = neighborhoods(keys).into_iter().filter_map(|key| self.find(key));
        Ok(boxes.map(|b| BoxCount::of(self, b)).collect())
    }
}

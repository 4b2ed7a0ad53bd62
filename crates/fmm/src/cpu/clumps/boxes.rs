//! Boxes of one level with many points, and their neighbours among them.

use std::collections::BTreeMap;

use octree::Key;
use octree::neighborhood::e2;

use super::census::{BoxCount, Census};
use crate::api::Error;

/// Boxes of one level with many sources or receivers.
pub(super) struct Boxes {
    /// Counts, ascending, and so in Morton order.
    pub(super) boxes: Vec<BoxCount>,
    /// Receivers of a box with clumped receivers, and sources of its neighbours, are more than this.
    limit: usize,
}

impl Boxes {
    /// Boxes of a level with more points than `limit`. Collective.
    pub(super) fn above(census: &dyn Census, level: usize, limit: usize) -> Result<Self, Error> {
        Ok(Self { boxes: census.above(level, limit)?, limit })
    }

    /// Boxes among these with more points than a larger limit.
    pub(super) fn larger(&self, limit: usize) -> Self {
        let larger = self.boxes.iter().filter(|count| count.is_above(limit));
        Self { boxes: larger.copied().collect(), limit }
    }

    /// Whether a box is among these.
    pub(super) fn has(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    /// Boxes with sources that touch a box, itself included, ascending.
    pub(super) fn near(&self, key: Key) -> Vec<BoxCount> {
        let near = e2(key).filter_map(|key| self.find(key)).filter(|count| count.n_sources > 0);
        let mut near: Vec<BoxCount> = near.collect();
        near.sort_unstable();
        near
    }

    /// Boxes with many receivers, by their neighbours with many sources.
    pub(super) fn by_neighbors(&self) -> BTreeMap<Vec<BoxCount>, Vec<BoxCount>> {
        let mut rows = BTreeMap::<Vec<BoxCount>, Vec<BoxCount>>::new();
        for count in self.boxes.iter().filter(|count| count.n_receivers > self.limit) {
            let near = self.near(count.key);
            if sources(&near) > self.limit {
                rows.entry(near).or_default().push(*count);
            }
        }
        rows
    }

    fn find(&self, key: Key) -> Option<BoxCount> {
        let place = self.boxes.binary_search_by_key(&key, |count| count.key);
        place.ok().map(|place| self.boxes[place])
    }
}

/// Sources of boxes together.
pub(super) fn sources(boxes: &[BoxCount]) -> usize {
    boxes.iter().map(|count| count.n_sources).sum()
}

/// Receivers of boxes together.
pub(super) fn receivers(boxes: &[BoxCount]) -> usize {
    boxes.iter().map(|count| count.n_receivers).sum()
}

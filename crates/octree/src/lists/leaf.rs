//! The lists of a receiver leaf: `near` (U) and `m2p` (W).

use super::{DIRECT, Part, Sweep};

impl Sweep<'_> {
    /// Closes the `near` and `m2p` rows of box `b`, filled if it is a leaf with receivers.
    pub(super) fn leaf(&self, b: usize, candidates: &[u32], part: &mut Part) {
        if self.tree.is_leaf(b) && !self.tree.receivers(b).is_empty() {
            for &candidate in candidates {
                self.classify(b, (candidate & !DIRECT) as usize, part);
            }
        }
        part.near.close_row();
        part.m2p.close_row();
    }

    /// Sorts the sources of box `s`, a candidate of leaf `b`, into its lists.
    fn classify(&self, b: usize, s: usize, part: &mut Part) {
        if self.tree.is_leaf(s) {
            part.near.items.push(s as u32);
            return;
        }
        for child in self.tree.children(s) {
            let n_sources = self.tree.sources(child).len();
            if n_sources == 0 {
                continue;
            }
            if self.adjacent(b, child) {
                self.classify(b, child, part);
            } else if n_sources >= self.options.min_sources_for_m2p {
                part.m2p.items.push(child as u32);
            } else {
                let leaves = self.tree.leaves_below(child).iter().copied();
                part.near
                    .items
                    .extend(leaves.filter(|&s| !self.tree.sources(s as usize).is_empty()));
            }
        }
    }
}

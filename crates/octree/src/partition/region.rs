//! The region of a rank as a small tree: which boxes its receivers can see.
//!
//! *Sight.* A region sees a box P of level l if P touches a box u of the region with level ≤ l, or the ancestor of u
//! at level l where u is deeper. A box C is in the essential tree of a rank if the rank's region sees the parent of C.
//!
//! *Nothing is missing.* Let b be a box of rank j with receivers of j, and C a box in a list of b. A box b that j owns
//! lies in one u of its region, and a shared b contains one. U and W: b touches C or, with C smaller, the parent P of
//! C; in both cases P touches b, or the ancestor of b at the level of P if b is deeper. V and X: P touches the parent
//! of b or an ancestor of it at the level of P. The ancestor of b at the level of P, or b itself, lies in u or is an
//! ancestor of u; so P is seen. If P is seen then so is its parent, hence all ancestors of C are there too.
//!
//! *The other side sees it too.* The relation behind every list is between boxes that touch, or whose parents do, and
//! touching is symmetric: with C in a box u' of the region of rank k, the same argument with the roles exchanged says
//! that the region of k sees the parent of b. So k knows every receiver box that its own boxes act on.
//!
//! *All or none.* Sight of P decides for all children of P alike. A box of which a rank has no children, though it is
//! no leaf, is *truncated*.

use super::cuts::Partition;
use crate::boxes::key::Key;

/// The boxes of a region and their ancestors, level by level.
#[derive(Debug, Clone)]
pub(super) struct Region {
    nodes: Vec<RegionNode>,
}

/// A box of the region (no children) or an ancestor of some.
#[derive(Debug, Clone, Copy)]
struct RegionNode {
    key: Key,
    /// First and one past the last child among the nodes; equal for a box of the region.
    children: (u32, u32),
}

/// Nodes of a region that touch a box: those of its level, and region boxes above it.
pub(super) type Sight = Vec<u32>;

impl Region {
    /// The region of a rank; O(its boxes).
    pub(super) fn new(partition: &Partition, rank: usize) -> Region {
        let boxes = partition.region(rank);
        let mut keys: Vec<Key> = boxes
            .iter()
            .flat_map(|key| (0..=key.level()).map(|level| key.ancestor(level)))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let mut child = 1;
        let nodes = keys.iter().map(|&key| {
            let start = child;
            while keys.get(child as usize).is_some_and(|next| next.parent() == Some(key)) {
                child += 1;
            }
            RegionNode { key, children: (start, child) }
        });
        Region { nodes: nodes.collect() }
    }

    /// The nodes that touch the root; none for an empty region.
    pub(super) fn sight_of_root(&self) -> Sight {
        if self.nodes.is_empty() { Vec::new() } else { vec![0] }
    }

    /// The nodes that touch `child`, from those that touch its parent.
    pub(super) fn sight(&self, of_parent: &[u32], child: Key) -> Sight {
        let mut seen = Vec::new();
        for &i in of_parent {
            let RegionNode { key, children: (start, end) } = self.nodes[i as usize];
            let nodes = if start == end { i..i + 1 } else { start..end };
            debug_assert!(start == end || key.level() + 1 == child.level());
            seen.extend(nodes.filter(|&i| self.nodes[i as usize].key.is_adjacent(child)));
        }
        seen
    }

    /// The box that stands for `key` in the essential tree of the region: the box itself, or its highest ancestor
    /// that the region does not see. O(level).
    pub(super) fn stand_in(&self, key: Key) -> Key {
        let mut sight = self.sight_of_root();
        for level in 0..key.level() {
            if sight.is_empty() {
                return key.ancestor(level);
            }
            sight = self.sight(&sight, key.ancestor(level + 1));
        }
        key
    }

    /// Whether `key` is in the essential tree of the region.
    pub(super) fn has(&self, key: Key) -> bool {
        !self.nodes.is_empty() && self.stand_in(key) == key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morton::MAX_LEVEL;

    /// Sight by its definition, over all boxes of the region.
    fn sees(region: &[Key], key: Key) -> bool {
        region.iter().any(|u| u.ancestor(u.level().min(key.level())).is_adjacent(key))
    }

    #[test]
    fn sight_is_that_of_the_definition() {
        let at = |level: u8, code: u64| code << (3 * (MAX_LEVEL - level));
        let cuts = vec![0, at(4, 1037), at(4, 1037), at(2, 23), at(3, 401), 1 << 63];
        let partition = Partition::from_cuts(cuts).unwrap();
        for rank in 0..partition.n_ranks() {
            let (region, boxes) = (Region::new(&partition, rank), partition.region(rank));
            for level in 1..5 {
                for code in 0..1 << (3 * level) {
                    let key = Key::from_code(level, code);
                    let parent = key.ancestor(level - 1);
                    assert_eq!(region.has(key), sees(&boxes, parent), "{key:?}");
                    if sees(&boxes, parent) {
                        assert!(key.ancestor(level - 1) == Key::root() || region.has(parent));
                    }
                }
            }
        }
    }
}

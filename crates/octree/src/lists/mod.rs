//! Interaction lists: which boxes act on which, and how.
//!
//! | list | literature | receiver box | source box | operator |
//! |---|---|---|---|---|
//! | `near` | U, leaves of E2 | leaf | leaves that touch it | P2P |
//! | `far` | V, E4 | any | same level, does not touch it, but the parents touch | M2L |
//! | `m2p` | W | leaf | smaller, does not touch it, but its parent does | M2P |
//! | `p2l` | X | any | bigger leaf, does not touch it, but touches its parent | P2L |
//!
//! Every pair of a source leaf and a receiver leaf is covered exactly once: by `near` of the two, or by one
//! of the other lists between boxes at or above the two leaves.

mod leaf;
mod sweep;

use crate::boxes::offsets::far_offset;
use crate::tree::csr::{Csr, Rows, concat};
use crate::tree::octree::Octree;

/// Boxes that one task takes.
const TASK: usize = 32;

/// Sizes below which a box of W or X is summed directly.
///
/// M2P and P2L cost about one coefficient a point; below some number of points on the other side P2P is
/// cheaper. 0 keeps all W and X pairs; `usize::MAX` moves all of them to `near`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListOptions {
    /// A W box with fewer sources than this is summed leaf by leaf, in `near`.
    pub min_sources_for_m2p: usize,
    /// An X leaf of a box with fewer receivers than this is summed by every leaf of the box, in `near`.
    pub min_receivers_for_p2l: usize,
}

/// The lists of all boxes of a tree.
///
/// Every list has a row for every box, by box number, empty where nothing applies: boxes without a receiver
/// have empty rows, and boxes without a source are never listed. Rows are in Morton order of the source boxes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InteractionLists {
    near: Csr,
    far: Csr,
    /// A number for each item of `far`.
    far_offset: Vec<u16>,
    m2p: Csr,
    p2l: Csr,
}

impl InteractionLists {
    /// U: receiver leaf → source leaves, itself included.
    pub fn near(&self) -> &Csr {
        &self.near
    }

    /// V, E4 on a uniform tree: receiver box → source boxes of its level.
    pub fn far(&self) -> &Csr {
        &self.far
    }

    /// W: receiver leaf → smaller source boxes.
    pub fn m2p(&self) -> &Csr {
        &self.m2p
    }

    /// X: receiver box → bigger source leaves.
    pub fn p2l(&self) -> &Csr {
        &self.p2l
    }

    /// Far source boxes of receiver box `b`, each with its coordinates minus those of `b`, in sides of a box.
    pub fn far_pairs(&self, b: usize) -> impl Iterator<Item = (usize, [i8; 3])> {
        let numbers = &self.far_offset[self.far.offsets()[b]..self.far.offsets()[b + 1]];
        let pair = |(&s, &number): (&u32, &u16)| (s as usize, far_offset(number.into()));
        self.far.row(b).iter().zip(numbers).map(pair)
    }

    /// Numbers of [`far_offset`], one for each item of [`far`](Self::far), for passes that sort far pairs by offset.
    pub fn far_offsets(&self) -> &[u16] {
        &self.far_offset
    }

    /// Keeps the near pairs for which `keep(receiver leaf, source leaf)` holds. O(near pairs).
    pub fn retain_near(&mut self, keep: impl Fn(usize, usize) -> bool) {
        self.near.retain(|b, s| keep(b, s as usize));
    }

    /// Sweeps the tree from the root, level by level: the boxes that touch a box are among the children of
    /// those that touch its parent. O(boxes), in parallel inside a level.
    pub fn build(tree: &Octree, options: ListOptions) -> InteractionLists {
        let sweep = Sweep::new(tree, options);
        let mut parts = Vec::new();
        // The root has no far or p2l sources and touches itself.
        let mut top = Part::default();
        let mut candidates = Csr::default();
        if tree.n_boxes() > 0 {
            top.far.close_row();
            top.p2l.close_row();
            if !tree.sources(0).is_empty() {
                top.candidates.items.push(0);
            }
            top.candidates.close_row();
            candidates = Csr::concat(&[&top.candidates]);
        }
        parts.push(top);
        for level in 0..tree.n_levels() {
            let boxes = tree.level(level);
            let first = boxes.start;
            let level_parts = parallel::map_ranges(boxes, TASK, |boxes| {
                let mut part = Part::default();
                let mut scratch = Default::default();
                for b in boxes {
                    let row = candidates.row(b - first);
                    sweep.leaf(b, row, &mut part);
                    sweep.children(b, row, &mut part, &mut scratch);
                }
                part
            });
            let next: Vec<&Rows> = level_parts.iter().map(|part| &part.candidates).collect();
            candidates = Csr::concat(&next);
            parts.extend(level_parts);
        }
        let join =
            |rows: fn(&Part) -> &Rows| Csr::concat(&parts.iter().map(rows).collect::<Vec<_>>());
        let offsets: Vec<&[u16]> = parts.iter().map(|part| part.far_offset.as_slice()).collect();
        InteractionLists {
            near: join(|part| &part.near),
            far: join(|part| &part.far),
            far_offset: concat(&offsets),
            m2p: join(|part| &part.m2p),
            p2l: join(|part| &part.p2l),
        }
    }
}

/// Rows made by one task: `near` and `m2p` of its boxes, the others of their children.
#[derive(Debug, Default)]
struct Part {
    near: Rows,
    m2p: Rows,
    far: Rows,
    far_offset: Vec<u16>,
    p2l: Rows,
    /// Source boxes that are in no list of the box yet: same-level boxes and bigger leaves that touch the box,
    /// and [`DIRECT`] leaves. In Morton order, as all rows made from them.
    candidates: Rows,
}

/// Mark of a candidate leaf that does not touch the box and is summed directly nevertheless. Box numbers stay
/// below this bit.
const DIRECT: u32 = 1 << 31;

/// Tree, options and box coordinates, which every task reads.
struct Sweep<'a> {
    tree: &'a Octree,
    options: ListOptions,
    /// Integer coordinates and level of each box.
    places: Vec<([u32; 3], u8)>,
}

impl<'a> Sweep<'a> {
    fn new(tree: &'a Octree, options: ListOptions) -> Self {
        let keys = tree.keys();
        let place = |b: usize| (keys[b].coordinates(), keys[b].level());
        let places = parallel::collect(keys.len(), 1 << 12, place);
        Sweep { tree, options, places }
    }

    fn adjacent(&self, a: usize, b: usize) -> bool {
        let ((at_a, level_a), (at_b, level_b)) = (self.places[a], self.places[b]);
        crate::boxes::key::adjacent(level_a, at_a, level_b, at_b)
    }
}

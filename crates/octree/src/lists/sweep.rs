//! Step of the sweep from a box to its children: `far` (V), `p2l` (X) and the candidates that remain.

use super::{DIRECT, Part, Sweep};
use crate::boxes::offsets::{ADJACENT, DECISIONS, PLACES, place};

/// A source box as the children of a receiver box see it.
#[derive(Debug, Clone, Copy)]
struct Seen {
    source: u32,
    /// Place among the children of the parent's E2, or [`BIGGER`] or [`PASSED`].
    place: u16,
}

/// Place of a leaf of the parent's level or above.
const BIGGER: u16 = PLACES as u16;

/// Place of a leaf that is handed down to every receiver leaf, marked [`DIRECT`].
const PASSED: u16 = BIGGER + 1;

/// Buffers that one task uses again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    seen: Vec<Seen>,
    far: Vec<u32>,
    far_offset: Vec<u16>,
}

impl Sweep<'_> {
    /// Closes the `far`, `p2l` and candidate rows of the children of box `b`.
    pub(super) fn children(
        &self,
        b: usize,
        candidates: &[u32],
        part: &mut Part,
        scratch: &mut Scratch,
    ) {
        let children = self.tree.children(b);
        if children.is_empty() {
            return;
        }
        scratch.seen.clear();
        if !self.tree.receivers(b).is_empty() {
            self.look(b, candidates, &mut scratch.seen);
        }
        for child in children {
            if !self.tree.receivers(child).is_empty() {
                self.child(child, part, scratch);
            }
            part.far.close_row();
            part.p2l.close_row();
            part.candidates.close_row();
        }
    }

    /// Opens the candidates of `b`: split ones give their children, with their places.
    fn look(&self, b: usize, candidates: &[u32], seen: &mut Vec<Seen>) {
        let origin = self.places[b].0.map(|c| 2 * c as i32);
        for &candidate in candidates {
            if candidate & DIRECT != 0 {
                seen.push(Seen { source: candidate, place: PASSED });
            } else if self.tree.is_leaf(candidate as usize) {
                seen.push(Seen { source: candidate, place: BIGGER });
            } else {
                for s in self.tree.children(candidate as usize) {
                    if !self.tree.sources(s).is_empty() {
                        let at = self.places[s].0;
                        let place = place([0, 1, 2].map(|d| at[d] as i32 - origin[d]));
                        seen.push(Seen { source: s as u32, place });
                    }
                }
            }
        }
    }

    /// Fills the rows of `child` from what its parent has seen.
    fn child(&self, child: usize, part: &mut Part, scratch: &mut Scratch) {
        let Scratch { seen, far, far_offset } = scratch;
        let decisions = &DECISIONS[self.tree.key(child).octant() as usize];
        // Written at every step and kept by counting: most steps are far, but the order is hard to predict.
        far.resize(seen.len(), 0);
        far_offset.resize(seen.len(), 0);
        let mut n_far = 0;
        for &Seen { source, place } in seen.iter() {
            if let Some(&decision) = decisions.get(place as usize) {
                far[n_far] = source;
                far_offset[n_far] = decision;
                if decision == ADJACENT {
                    part.candidates.items.push(source);
                } else {
                    n_far += 1;
                }
            } else if place == PASSED || self.adjacent(child, source as usize) {
                part.candidates.items.push(source);
            } else if self.tree.receivers(child).len() >= self.options.min_receivers_for_p2l {
                part.p2l.items.push(source);
            } else {
                part.candidates.items.push(source | DIRECT);
            }
        }
        part.far.items.extend_from_slice(&far[..n_far]);
        part.far_offset.extend_from_slice(&far_offset[..n_far]);
    }
}

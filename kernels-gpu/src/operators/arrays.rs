//! Trees and arrays that the operators are launched on.

use super::Boxes;
use super::expected::BoxErrors;
use crate::device::{Vec4, View, ViewMut, warp};
use crate::lists::ListRows;
use crate::tree::morton::LEVELS;
use std::ops::Range;

/// A tree on a device, and what the host must know of it.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a, T> {
    /// The boxes.
    pub boxes: Boxes<T>,
    /// The host's copy of their `level_start`: 8 numbers a level, and B.
    pub level_start: &'a [u32],
    /// Leaves, in order.
    pub leaves: View<u32>,
}

impl<T> Tree<'_, T> {
    /// The boxes of a level.
    pub(super) fn level(&self, level: usize) -> Range<u32> {
        level_of(self.level_start, level)
    }

    /// Blocks of up to 32 boxes of one level and octant.
    pub(crate) fn blocks_by_slot(&self) -> u32 {
        self.level_start.windows(2).map(|w| (w[1] - w[0]).div_ceil(warp::SIZE)).sum()
    }

    /// One more than the deepest level.
    pub(super) fn levels(&self) -> usize {
        deepest_level(self.level_start).map_or(0, |level| level + 1)
    }
}

/// The deepest level with boxes of a tree whose levels begin at `level_start`.
pub(super) fn deepest_level(level_start: &[u32]) -> Option<usize> {
    (0..LEVELS).rev().find(|&level| !level_of(level_start, level).is_empty())
}

/// The boxes of a level.
pub(super) fn level_of(level_start: &[u32], level: usize) -> Range<u32> {
    let bound = |slot: usize| level_start.get(slot).or(level_start.last()).map_or(0, |b| *b);
    bound(8 * level)..bound(8 * level + 8)
}

/// Arrays of L2P.
#[derive(Clone, Copy, Debug)]
pub struct L2pArrays<T> {
    /// Leaf of each receiver, as `label` writes it.
    pub leaf_of: View<u32>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Local expansions of all boxes.
    pub local: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver.
    pub field: ViewMut<Vec4<T>>,
}

/// Arrays of M2P.
#[derive(Clone, Copy, Debug)]
pub struct M2pArrays<T> {
    /// Leaves: row k of `rows` is that of leaf k.
    pub leaves: View<u32>,
    /// List W.
    pub rows: ListRows,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Multipoles of all boxes.
    pub multipole: View<Vec4<T>>,
    /// Gradient and potential (gx, gy, gz, Φ) by receiver, added to.
    pub field: ViewMut<Vec4<T>>,
}

/// Arrays of errors to expect, to be written: see [`BoxErrors`].
#[derive(Clone, Copy, Debug)]
pub struct ExpectedArrays {
    /// One a box.
    pub frames: ViewMut<Vec4<f32>>,
    /// [`SIZES`](super::expected::SIZES) a box.
    pub sizes: ViewMut<f32>,
    /// [`WORST`](super::expected::WORST) a box.
    pub worst: ViewMut<u32>,
}

impl ExpectedArrays {
    /// The same, to be read.
    pub fn read_only(self) -> BoxErrors {
        let Self { frames, sizes, worst } = self;
        BoxErrors { frames: frames.read_only(), sizes: sizes.read_only(), worst: worst.read_only() }
    }
}

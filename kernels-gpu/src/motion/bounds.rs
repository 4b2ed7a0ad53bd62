//! Bounds of positions in f64, by the reduction of the tree's bounds.

use crate::device::{View, ViewMut};
use crate::kernel;
use crate::tree::bounds::bounds_of;

/// Arguments of [`BOUNDS_OF_POSITIONS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BoundsOfPositions {
    /// Positions, 3 n.
    pub positions: View<f64>,
    /// Output: [`RESULT`](crate::tree::bounds::RESULT) numbers a block.
    pub results: ViewMut<f64>,
}

#[inline(always)]
fn bounds_of_positions(BoundsOfPositions { positions, results }: BoundsOfPositions) {
    let at = |i: usize| [0, 1, 2].map(|axis| positions.get(3 * i + axis));
    bounds_of(positions.len() / 3, at, results);
}

kernel! {
    /// Bounds of positions, by any number of blocks.
    pub BOUNDS_OF_POSITIONS = bounds_of_positions, (BoundsOfPositions);
}

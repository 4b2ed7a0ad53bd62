//! Grids of the launches, and the boxes that they cover.

use super::blocks::{Apply, THREADS};
use crate::device::{Real, warp};
use crate::machine::Grid;
use crate::operators::arrays::{deepest_level, level_of};

/// The first box with a parent, the first box of the deepest level, and the first with far boxes.
pub(super) fn far_levels(level_start: &[u32]) -> [usize; 3] {
    let first = |level: usize| level_of(level_start, level).start as usize;
    [first(1), first(deepest_level(level_start).unwrap_or(0)), first(2)]
}

/// Grid of a product.
pub(super) fn grid_of<T: Real>(apply: &Apply<T>) -> Grid {
    let a_block = THREADS as usize / warp::SIZE as usize;
    grid(apply.count as usize, apply.blocks.len().div_ceil(a_block))
}

/// Grid of a lane an item, as often as there are `rows`.
pub(super) fn grid(items: usize, rows: usize) -> Grid {
    let blocks = [items.div_ceil(warp::SIZE as usize).max(1) as u32, rows.max(1) as u32];
    Grid { blocks, threads: THREADS, shared_bytes: 0 }
}

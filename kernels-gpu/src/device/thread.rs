//! Indices of a thread in its block and its grid, and the barrier of a block.

use super::arch;

/// Index of the thread in its block.
#[inline(always)]
pub fn thread_idx_x() -> u32 {
    arch::thread_idx_x()
}

/// Index of the block in the grid.
#[inline(always)]
pub fn block_idx_x() -> u32 {
    arch::block_idx_x()
}

/// Second index of the block in the grid.
#[inline(always)]
pub fn block_idx_y() -> u32 {
    arch::block_idx_y()
}

/// Threads of a block.
#[inline(always)]
pub fn block_dim_x() -> u32 {
    arch::block_dim_x()
}

/// Blocks of the grid along x.
#[inline(always)]
pub fn grid_dim_x() -> u32 {
    arch::grid_dim_x()
}

/// Index of the thread among all threads along x.
#[inline(always)]
pub fn index() -> usize {
    block_idx_x() as usize * block_dim_x() as usize + thread_idx_x() as usize
}

/// Number of threads along x.
#[inline(always)]
pub fn count() -> usize {
    grid_dim_x() as usize * block_dim_x() as usize
}

/// Barrier of the block: writes of its threads before it are visible to them after it.
#[inline(always)]
pub fn sync_threads() {
    arch::sync_threads();
}

//! Where a thread is in its block and its grid, and the block's barrier.

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

/// Waits for all threads of the block; what they wrote before is visible after it.
#[inline(always)]
pub fn sync_threads() {
    arch::sync_threads();
}

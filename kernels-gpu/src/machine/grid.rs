//! Launch grids.

/// Launch grid: numbers of blocks and threads, and shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Numbers of blocks along x and y.
    pub blocks: [u32; 2],
    /// Number of threads of a block.
    pub threads: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

impl Grid {
    /// Grid of one thread an item, in blocks of `threads` threads; at least one block.
    pub fn over(items: usize, threads: u32) -> Self {
        let blocks = items.div_ceil(threads as usize).max(1) as u32;
        Self { blocks: [blocks, 1], threads, shared_bytes: 0 }
    }

    /// Grid of `blocks` blocks of `threads` threads.
    pub const fn of(blocks: u32, threads: u32) -> Self {
        Self { blocks: [blocks, 1], threads, shared_bytes: 0 }
    }

    /// Same grid with `bytes` of shared memory for each block.
    #[must_use]
    pub const fn shared(self, bytes: usize) -> Self {
        Self { shared_bytes: bytes as u32, ..self }
    }
}

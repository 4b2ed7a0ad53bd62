//! Shared memory of a warp that walks a group: stack of boxes, rings of waiting cells and sources, staged multipoles.

use super::multipole::vectors;
use crate::device::shared::{Arena, Shared};
use crate::device::{Plain, Vec4, thread, warp};

/// Number of threads of a block.
pub const WALK_THREADS: u32 = 64;
/// Number of warps of a block.
const WARPS: usize = WALK_THREADS as usize / 32;
/// Capacity of the stack in boxes.
pub(super) const STACK: u32 = 512;
/// Capacity of each ring: fewer than 32 items that wait, and 32 new ones.
pub(super) const QUEUE: u32 = 64;

/// Distance of staged cells in vectors: odd, so that lanes write to different banks.
pub(super) const fn stride(order: usize) -> usize {
    vectors(order) | 1
}

/// Shared memory of a block in bytes.
pub const fn shared_bytes<T>(order: usize) -> usize {
    let words = (STACK + QUEUE + warp::SIZE) as usize * 4;
    WARPS * (words + (QUEUE as usize + 32 * stride(order)) * size_of::<Vec4<T>>())
}

/// Shared memory of one warp.
#[derive(Clone, Copy)]
pub(super) struct WarpMemory<T> {
    /// Stack of boxes to be examined.
    pub(super) stack: Shared<u32>,
    /// Ring of accepted cells.
    pub(super) cells: Shared<u32>,
    /// Scratch memory of `Runs`.
    pub(super) runs: Shared<u32>,
    /// Ring of sources of opened leaves.
    pub(super) sources: Shared<Vec4<T>>,
    /// Multipoles of 32 cells.
    pub(super) staged: Shared<Vec4<T>>,
}

impl<T> WarpMemory<T>
where
    Vec4<T>: Plain,
{
    /// Memory of the calling warp, for multipoles of order `P`.
    #[inline(always)]
    pub(super) fn of_warp<const P: usize>() -> Self {
        let warp = thread::thread_idx_x() as usize / 32;
        let mut arena = Arena::new();
        let n_words = (STACK + QUEUE + warp::SIZE) as usize;
        let words = arena.array::<u32>(WARPS * n_words);
        let n_vectors = QUEUE as usize + 32 * stride(P);
        let vectors = arena.array::<Vec4<T>>(WARPS * n_vectors);
        let words = words.part(warp * n_words, n_words);
        let vectors = vectors.part(warp * n_vectors, n_vectors);
        Self {
            stack: words.part(0, STACK as usize),
            cells: words.part(STACK as usize, QUEUE as usize),
            runs: words.part((STACK + QUEUE) as usize, warp::SIZE as usize),
            sources: vectors.part(0, QUEUE as usize),
            staged: vectors.part(QUEUE as usize, 32 * stride(P)),
        }
    }
}

/// Positions in a ring of [`QUEUE`] items.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    /// Slot of the first waiting item.
    pub(super) begin: u32,
    /// Number of waiting items.
    pub(super) waiting: u32,
}

impl Ring {
    /// Ring without items.
    pub(super) const EMPTY: Self = Self { begin: 0, waiting: 0 };

    /// Slot of the new item number `after`.
    #[inline(always)]
    pub(super) fn slot(self, after: u32) -> usize {
        ((self.begin + self.waiting + after) % QUEUE) as usize
    }

    /// Removes the first `n` items, at most 32.
    #[inline(always)]
    pub(super) fn drop(&mut self, n: u32) {
        self.begin = (self.begin + n) % QUEUE;
        self.waiting -= n;
    }
}

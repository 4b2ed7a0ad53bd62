//! Emulator of the device on the host: runs the threads of a block as coroutines, with real barriers.
//!
//! Threads run in order until they wait, so runs repeat exactly. Out-of-range accesses, barriers that some threads of a
//! block skip, and warp collectives that diverge panic, as a test should.

pub(super) mod arch;
mod block;
mod context;
mod fused;
mod stack;

use std::vec::Vec;

/// Runs `kernel` on every thread of `grid`, block after block.
///
/// # Panics
/// If a thread leaves its arrays, or threads that must wait together do not.
#[cfg(feature = "emulator")]
pub(crate) fn launch<A: Copy + 'static>(
    kernel: &super::Kernel<A>,
    grid: crate::machine::Grid,
    args: A,
) {
    let _launch = context::Launch::begin();
    let mut block = block::Block::new(grid);
    for y in 0..grid.blocks[1] {
        for x in 0..grid.blocks[0] {
            block.run([x, y], kernel.thread, args);
        }
    }
}

/// Storage of shared memory, 16-byte aligned.
type SharedMemory = Vec<u128>;

//! P2P of Yokota and Barba (2011), section 5.1: Listing 1, the interaction of two particles, and Listing 2, the sum over the
//! particles of neighbouring cells. The fast path is [`near`](crate::near).
//!
//! Two errata are mended. The last tile of Listing 2 does not read past the end of the sources. The sign is that of ∇Φ,
//! where equation (1) has F = −∇Φ. As printed, `eps` is added to r² and must be positive, because a particle's interaction
//! with itself is NaN for 0.

#[cfg(not(target_arch = "nvptx64"))]
mod blocks;

#[cfg(not(target_arch = "nvptx64"))]
pub use blocks::{ListingError, Padding, TargetBlocks};

use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::kernel;

/// Number of threads of a block: the paper's threadsPerBlockTypeA.
pub const LISTING_THREADS: u32 = 128;
/// Largest number of cells that interact with one cell: the paper's maxP2PInteraction.
pub const MAX_INTERACTION: usize = 27;
/// Number of words of a block in the offsets.
pub const OFFSET_STRIDE: usize = 2 * MAX_INTERACTION + 1;
/// Shared memory of a block in bytes.
pub const LISTING_SHARED: usize = 16 * LISTING_THREADS as usize;

/// Arguments of Listing 2.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct P2pKernel {
    /// Interacting cells of each block, [`OFFSET_STRIDE`] words a block: their number, then the first particle and the
    /// number of particles of each.
    pub offset: View<u32>,
    /// Targets (x, y, z, any), one a thread; those of each cell are padded to whole blocks.
    pub pos_target: View<Vec4<f32>>,
    /// Sources (x, y, z, m).
    pub pos_source: View<Vec4<f32>>,
    /// Number that is added to r².
    pub eps: f32,
    /// Output: acceleration (x, y, z, 0) of each target.
    pub accel: ViewMut<Vec4<f32>>,
}

/// Listing 1: 19 operations, if the reciprocal square root counts as one.
#[inline(always)]
fn p2p_kernel_core(
    accel: [f32; 3],
    pos_target: [f32; 3],
    pos_source: Vec4<f32>,
    eps: f32,
) -> [f32; 3] {
    let Vec4([x, y, z, m]) = pos_source;
    let dist = [pos_target[0] - x, pos_target[1] - y, pos_target[2] - z];
    // Fused as nvcc fuses the paper's expression.
    let r2 = Real::mul_add(
        dist[0],
        dist[0],
        Real::mul_add(dist[1], dist[1], Real::mul_add(dist[2], dist[2], eps)),
    );
    let inv_dist = Real::rsqrt(r2);
    let inv_dist_cube = inv_dist * inv_dist * inv_dist;
    let s = m * inv_dist_cube;
    [0, 1, 2].map(|k| Real::mul_add(-dist[k], s, accel[k]))
}

/// Listing 2: the sum over the particles of neighbouring cells.
fn p2p_kernel(args: P2pKernel) {
    let threads_per_block = LISTING_THREADS as usize;
    let (thread, block) = (thread::thread_idx_x() as usize, thread::block_idx_x() as usize);
    let shared_pos_source = Arena::new().array::<Vec4<f32>>(threads_per_block);
    let load = |jb: usize| {
        // Mended: the listing reads on where the buffer ends.
        let source =
            if jb < args.pos_source.len() { args.pos_source.get(jb) } else { Vec4([0.0; 4]) };
        shared_pos_source.set(thread, source);
    };
    let Vec4([x, y, z, _]) = args.pos_target.get(block * threads_per_block + thread);
    let mut accel = [0.0; 3];
    let num_interaction = args.offset.get(block * OFFSET_STRIDE) as usize;
    for ij in 0..num_interaction {
        let jbase = args.offset.get(block * OFFSET_STRIDE + 2 * ij + 1) as usize;
        let jsize = args.offset.get(block * OFFSET_STRIDE + 2 * ij + 2) as usize;
        let jblok = jsize.div_ceil(threads_per_block);
        let mut j = 0;
        while j + 1 < jblok {
            load(jbase + j * threads_per_block + thread);
            thread::sync_threads();
            let mut jj = 0;
            while jj < threads_per_block {
                for unrolled in 0..32 {
                    let source = shared_pos_source.get(jj + unrolled);
                    accel = p2p_kernel_core(accel, [x, y, z], source, args.eps);
                }
                jj += 32;
            }
            thread::sync_threads();
            j += 1;
        }
        load(jbase + j * threads_per_block + thread);
        thread::sync_threads();
        for jj in 0..jsize - j * threads_per_block {
            accel = p2p_kernel_core(accel, [x, y, z], shared_pos_source.get(jj), args.eps);
        }
        thread::sync_threads();
    }
    let [x, y, z] = accel;
    args.accel.set(block * threads_per_block + thread, Vec4([x, y, z, 0.0]));
}

kernel! {
    /// Kernel of Listing 2.
    pub P2P_KERNEL = p2p_kernel, (P2pKernel);
}

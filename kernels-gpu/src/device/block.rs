//! Reductions over the threads of a block.

use super::shared::Arena;
use super::{ViewMut, thread, warp};

/// Shared memory of a block of `warps` warps that reduces `numbers` numbers, in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub const fn shared_bytes(numbers: usize, warps: usize) -> usize {
    size_of::<f64>() * numbers * warps
}

/// Joins the `N` numbers of each thread over the `WARPS` warps of the block, number k to item k of `results`. The order is
/// always the same: lanes by shuffles, then warps. Takes the first bytes of the block's shared memory.
#[inline(always)]
pub fn reduce<const N: usize, const WARPS: usize>(
    numbers: [f64; N],
    join: impl Fn(f64, f64) -> f64,
    results: ViewMut<f64>,
) {
    let t = thread::thread_idx_x() as usize;
    let of_warps = Arena::new().array::<f64>(N * WARPS);
    for (k, mut number) in numbers.into_iter().enumerate() {
        for mask in [16, 8, 4, 2, 1] {
            number = join(number, warp::shuffle_xor(number, mask));
        }
        if warp::lane_id() == 0 {
            of_warps.set(k * WARPS + t / warp::SIZE as usize, number);
        }
    }
    thread::sync_threads();
    if t < N {
        let mut number = of_warps.get(t * WARPS);
        for w in 1..WARPS {
            number = join(number, of_warps.get(t * WARPS + w));
        }
        results.set(t, number);
    }
}

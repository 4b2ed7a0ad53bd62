//! Exclusive prefix sums of u32 in one pass (Merrill and Garland, "Single-pass parallel prefix scan with decoupled
//! look-back", 2016).
//!
//! A block scans a tile, publishes the tile's sum, and adds up the published sums of the tiles before it until it meets a
//! tile that knows the sum of all tiles before. Blocks take their tiles by ticket, so the tiles that a block waits for have
//! started. State and sum are one word, so relaxed loads and stores suffice.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::Scanner;

use crate::device::shared::{Arena, Shared};
use crate::device::{ViewMut, thread, warp};
use crate::kernel;

/// Number of threads of a block.
pub const SCAN_THREADS: u32 = 256;
/// Number of items that a block scans.
pub const SCAN_TILE: usize = ITEMS * SCAN_THREADS as usize;
/// Shared memory of a block in bytes.
pub const SCAN_SHARED: usize = 4 * (WARPS + 2);

const ITEMS: usize = 8;
const WARPS: usize = SCAN_THREADS as usize / 32;

/// States of a tile, above its sum: sum of its own items modulo 2³², or of all tiles up to this one, which may be larger.
const OWN: u64 = 1 << 62;
const WHOLE: u64 = 2 << 62;

/// Sum in the word of a tile.
#[inline(always)]
pub(crate) fn sum_of(word: u64) -> u64 {
    word & (OWN - 1)
}

/// Arguments of [`SCAN`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scan {
    /// Items, n + 1: the first n are replaced by the sums of the items before, modulo 2³², and the last by the sum of all.
    pub data: ViewMut<u32>,
    /// Ticket, then one word a tile: n_tiles + 1 words, all 0 at first.
    pub status: ViewMut<u64>,
}

fn exclusive_scan(Scan { data, status }: Scan) {
    let n = data.len() - 1;
    let t = thread::thread_idx_x() as usize;
    let mut arena = Arena::new();
    let sums = arena.array::<u32>(WARPS);
    let shared = arena.array::<u32>(2);
    if t == 0 {
        shared.set(0, status.atomic_add(0, 1) as u32);
    }
    thread::sync_threads();
    let tile = shared.get(0) as usize;

    // Each thread sums its items, then the block scans the sums.
    let start = tile * SCAN_TILE + t * ITEMS;
    let mut items = [0; ITEMS];
    let mut own: u32 = 0;
    for (j, item) in items.iter_mut().enumerate() {
        if start + j < n {
            *item = data.get(start + j);
        }
        own = own.wrapping_add(*item);
    }
    let (mut before, total) = block_exclusive_scan::<WARPS>(own, sums);

    if t < 32 {
        let prefix = look_back(status, tile, total);
        if t == 0 {
            shared.set(1, prefix as u32);
        }
    }
    thread::sync_threads();
    let prefix = shared.get(1);
    before = before.wrapping_add(prefix);
    for (j, item) in items.iter().enumerate() {
        if start + j < n {
            data.set(start + j, before);
        }
        before = before.wrapping_add(*item);
    }
    if t == 0 && tile == n.div_ceil(SCAN_TILE).max(1) - 1 {
        data.set(n, prefix.wrapping_add(total));
    }
}

/// Sum of `value` over all lower threads of a block of `WARPS` warps, and over all threads; `sums` holds one word a warp.
///
/// All threads call the function. There is a barrier inside; another one must come before `sums` is used again.
#[inline(always)]
pub(crate) fn block_exclusive_scan<const WARPS: usize>(
    value: u32,
    sums: Shared<u32>,
) -> (u32, u32) {
    let inclusive = warp::inclusive_scan(value);
    let my_warp = thread::thread_idx_x() as usize / 32;
    if warp::lane_id() == 31 {
        sums.set(my_warp, inclusive);
    }
    thread::sync_threads();
    let (mut before, mut total) = (0u32, 0u32);
    for w in 0..WARPS {
        let sum = sums.get(w);
        if w < my_warp {
            before = before.wrapping_add(sum);
        }
        total = total.wrapping_add(sum);
    }
    (before.wrapping_add(inclusive.wrapping_sub(value)), total)
}

/// Publishes the sum of `tile` and returns the sum of all tiles before it. One warp calls the function.
#[inline(always)]
fn look_back(status: ViewMut<u64>, tile: usize, total: u32) -> u64 {
    let lane = warp::lane_id() as usize;
    if lane == 0 && tile > 0 {
        status.store_relaxed(1 + tile, OWN | u64::from(total));
    }
    let (mut prefix, mut end) = (0u64, tile);
    while end > 0 {
        // Lane k reads the k-th tile before `end`; before the first there is nothing.
        let word = if lane < end { status.load_relaxed(end - lane) } else { WHOLE };
        let (state, sum) = (word & (OWN | WHOLE), sum_of(word));
        if warp::any(state == 0) {
            continue;
        }
        let whole = warp::ballot(state == WHOLE);
        let last = whole.trailing_zeros();
        prefix += warp::sum(if lane as u32 <= last { sum } else { 0 });
        if whole != 0 {
            break;
        }
        end -= 32;
    }
    if lane == 0 {
        status.store_relaxed(1 + tile, WHOLE | (prefix + u64::from(total)));
    }
    prefix
}

kernel! {
    /// Scan: one thread for [`SCAN_TILE`] / [`SCAN_THREADS`] items.
    pub SCAN = exclusive_scan, (Scan);
}

//! How often each value of each digit occurs.

use super::{DIGIT_BITS, DIGITS, Key};
use crate::device::shared::Arena;
use crate::device::{View, ViewMut, thread};
use crate::kernel;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Keys that make it worth another block.
pub const KEYS_PER_BLOCK: usize = 4096;

/// Shared memory of a block in bytes.
pub const fn shared_bytes(passes: u32) -> usize {
    4 * DIGITS * passes as usize
}

/// Arguments of [`HISTOGRAM_U64`] and its like.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Histogram<K> {
    /// n keys.
    pub keys: View<K>,
    /// `passes` · 256 counts, all 0 at first; pass p counts the digit from bit 8 p on.
    pub counts: ViewMut<u32>,
    /// How many digits to count.
    pub passes: u32,
}

#[inline(always)]
fn histogram<K: Key>(Histogram { keys, counts, passes }: Histogram<K>) {
    let mut arena = Arena::new();
    let bins = DIGITS * passes as usize;
    let block = arena.array::<u32>(bins);
    let mut bin = thread::thread_idx_x() as usize;
    while bin < bins {
        block.set(bin, 0);
        bin += THREADS as usize;
    }
    thread::sync_threads();
    let mut i = thread::index();
    while i < keys.len() {
        let key = keys.get(i);
        for pass in 0..K::PASSES as u32 {
            if pass < passes {
                block.atomic_add(DIGITS * pass as usize + key.digit(DIGIT_BITS * pass) as usize, 1);
            }
        }
        i += thread::count();
    }
    thread::sync_threads();
    let mut bin = thread::thread_idx_x() as usize;
    while bin < bins {
        let count = block.get(bin);
        if count > 0 {
            counts.atomic_add(bin, count);
        }
        bin += THREADS as usize;
    }
}

kernel! {
    /// Any number of threads.
    pub HISTOGRAM_U32 = histogram, (Histogram<u32>);
    /// As [`HISTOGRAM_U32`].
    pub HISTOGRAM_U64 = histogram, (Histogram<u64>);
}

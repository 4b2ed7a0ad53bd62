//! Histogram of all digits of all keys.

use super::{DIGIT_BITS, DIGITS, Key};
use crate::device::shared::Arena;
use crate::device::{View, ViewMut, thread};
use crate::kernel;

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Number of keys that are worth another block.
pub const KEYS_PER_BLOCK: usize = 4096;

/// Shared memory of a block in bytes.
pub const fn shared_bytes(passes: u32) -> usize {
    4 * DIGITS * passes as usize
}

/// Arguments of [`HISTOGRAM_U32`] and [`HISTOGRAM_U64`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Histogram<K> {
    /// Keys, n.
    pub keys: View<K>,
    /// Counts, one for each value of each of `passes` digits, all 0 at first; pass p counts the digit from bit 8 p on.
    pub counts: ViewMut<u32>,
    /// Number of digits.
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
    /// Histogram of 32-bit keys, by any number of threads.
    pub HISTOGRAM_U32 = histogram, (Histogram<u32>);
    /// Histogram of 64-bit keys, by any number of threads.
    pub HISTOGRAM_U64 = histogram, (Histogram<u64>);
}

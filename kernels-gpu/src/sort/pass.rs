//! One pass: the keys of a tile ranked by a digit, and scattered with their values.
//!
//! A tile's counts travel to later tiles in words of two state bits and 30 bits of count, so relaxed loads and stores do,
//! and there are fewer than 2³⁰ keys. Blocks take their tiles by ticket: those that one waits for have started.

use super::{DIGIT_BITS, DIGITS, Key};
use crate::device::shared::{Arena, Shared};
use crate::device::{View, ViewMut, thread, warp};
use crate::kernel;
use crate::scan::block_exclusive_scan;

/// Threads of a block: one for each digit, too.
pub const THREADS: u32 = DIGITS as u32;
/// Keys of a tile.
pub const TILE: usize = ITEMS * THREADS as usize;

const ITEMS: usize = 16;
const WARPS: usize = THREADS as usize / 32;

/// States of a tile, above its count: that of its own keys, or that of all keys that go before those of later tiles.
const OWN: u32 = 1 << 30;
const WHOLE: u32 = 2 << 30;
const COUNT: u32 = OWN - 1;

/// Shared memory of a block in bytes, for keys of `key_bytes`.
pub const fn shared_bytes(key_bytes: usize) -> usize {
    TILE * (key_bytes + 4) + 4 * (WARPS * DIGITS + DIGITS + WARPS + 1)
}

/// Arguments of [`SORT_PASS_U64`] and its like.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pass<K> {
    /// n keys.
    pub keys: View<K>,
    /// n values, or none: then each key's value is its index.
    pub values: View<u32>,
    /// n keys: those of smaller digit first, those of the same digit in the order they had.
    pub sorted_keys: ViewMut<K>,
    /// n values, beside their keys.
    pub sorted_values: ViewMut<u32>,
    /// How often each digit occurs.
    pub counts: View<u32>,
    /// n_tiles · 256 words, all 0 at first.
    pub status: ViewMut<u32>,
    /// One word, 0 at first.
    pub ticket: ViewMut<u32>,
    /// The digit's lowest bit.
    pub shift: u32,
}

#[inline(always)]
fn pass<K: Key>(args: Pass<K>) {
    let t = thread::thread_idx_x() as usize;
    let (my_warp, lane) = (t / 32, warp::lane_id());
    let mut arena = Arena::new();
    let tile_keys = arena.array::<K>(TILE);
    let tile_values = arena.array::<u32>(TILE);
    let ranks = arena.array::<u32>(WARPS * DIGITS);
    let moves = arena.array::<u32>(DIGITS);
    let sums = arena.array::<u32>(WARPS);
    let ticket = arena.array::<u32>(1);

    if t == 0 {
        ticket.set(0, args.ticket.atomic_add(0, 1));
    }
    let my_ranks = ranks.part(my_warp * DIGITS, DIGITS);
    for i in 0..DIGITS / 32 {
        my_ranks.set(32 * i + lane as usize, 0);
    }
    thread::sync_threads();
    let tile = ticket.get(0) as usize;

    // A warp has ITEMS rows of 32 consecutive keys; the last tile is filled up with keys that stay at its end.
    let first_key = tile * TILE;
    let n = (args.keys.len() - first_key).min(TILE) as u32;
    let start = (my_warp * (32 * ITEMS)) as u32 + lane;
    let mut keys = [K::LAST; ITEMS];
    for (j, key) in keys.iter_mut().enumerate() {
        let i = start + 32 * j as u32;
        if i < n {
            *key = args.keys.get(first_key + i as usize);
        }
    }
    let mut places = [0; ITEMS];
    for j in 0..ITEMS {
        places[j] = rank(my_ranks, keys[j].digit(args.shift));
    }
    thread::sync_threads();

    // Thread t has digit t: where it begins in each warp's part, in the tile, and among all keys.
    let mut own = 0;
    for w in 0..WARPS {
        own += ranks.get(w * DIGITS + t);
    }
    if tile > 0 {
        args.status.store_relaxed(tile * DIGITS + t, OWN | own);
    }
    let (first, _) = block_exclusive_scan::<WARPS>(own, sums);
    let mut place = first;
    for w in 0..WARPS {
        let count = ranks.get(w * DIGITS + t);
        ranks.set(w * DIGITS + t, place);
        place += count;
    }
    thread::sync_threads();
    for j in 0..ITEMS {
        places[j] += my_ranks.get(keys[j].digit(args.shift) as usize);
        tile_keys.set(places[j] as usize, keys[j]);
    }
    let by_index = args.values.is_empty();
    for (j, place) in places.iter().enumerate() {
        let i = start + 32 * j as u32;
        let mut value = first_key as u32 + i;
        if !by_index && i < n {
            value = args.values.get(first_key + i as usize);
        }
        tile_values.set(*place as usize, value);
    }

    let before = if tile == 0 {
        block_exclusive_scan::<WARPS>(args.counts.get(t), sums).0
    } else {
        look_back(args.status, tile, t)
    };
    args.status.store_relaxed(tile * DIGITS + t, WHOLE | (before + own));
    moves.set(t, before.wrapping_sub(first));
    thread::sync_threads();

    for j in 0..ITEMS as u32 {
        let i = j * THREADS + t as u32;
        if i < n {
            let key = tile_keys.get(i as usize);
            let target = moves.get(key.digit(args.shift) as usize).wrapping_add(i) as usize;
            args.sorted_keys.set(target, key);
            args.sorted_values.set(target, tile_values.get(i as usize));
        }
    }
}

/// How many keys of this digit the warp has seen before this lane's; counts the warp's keys of this row in `ranks`.
#[inline(always)]
fn rank(ranks: Shared<u32>, digit: u32) -> u32 {
    let mut peers = u32::MAX;
    for bit in 0..DIGIT_BITS {
        let set = digit >> bit & 1;
        // All ones where the lane's bit is 0, so that the ballot is negated.
        peers &= warp::ballot(set != 0) ^ set.wrapping_sub(1);
    }
    let below = peers & ((1 << warp::lane_id()) - 1);
    let seen = ranks.get(digit as usize);
    warp::sync_warp();
    if below == 0 {
        ranks.set(digit as usize, seen + peers.count_ones());
    }
    warp::sync_warp();
    seen + below.count_ones()
}

/// How many keys go before those of digit `t` of `tile`. Reads the words of four tiles at a time.
#[inline(always)]
fn look_back(status: ViewMut<u32>, tile: usize, t: usize) -> u32 {
    let mut before = 0;
    let mut at = tile;
    loop {
        let mut words = [0; 4];
        for (k, word) in words.iter_mut().enumerate() {
            *word = status.load_relaxed(at.saturating_sub(1 + k) * DIGITS + t);
        }
        for word in words {
            if word == 0 {
                break;
            }
            before += word & COUNT;
            if word & WHOLE != 0 {
                return before;
            }
            at -= 1;
        }
    }
}

kernel! {
    /// One thread for [`TILE`] / [`THREADS`] keys.
    pub SORT_PASS_U32 = pass, (Pass<u32>);
    /// As [`SORT_PASS_U32`].
    pub SORT_PASS_U64 = pass, (Pass<u64>);
}

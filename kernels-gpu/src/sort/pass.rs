//! One pass of the sort: ranks the keys of a tile by a digit and scatters them with their values.
//!
//! A tile's counts travel to later tiles in one word each, so relaxed loads and stores suffice. The count of its own keys is
//! small, and counts of all keys have the numbers above, which are nearly 2³². Blocks take their tiles by ticket, so the tiles
//! that a block waits for have started.

use super::{DIGIT_BITS, DIGITS, Key};
use crate::device::shared::{Arena, Shared};
use crate::device::{View, ViewMut, thread, warp};
use crate::kernel;
use crate::scan::block_exclusive_scan;

/// Number of threads of a block: one a digit.
pub const THREADS: u32 = DIGITS as u32;
/// Number of keys of a tile.
pub const TILE: usize = ITEMS * THREADS as usize;

const ITEMS: usize = 16;
const WARPS: usize = THREADS as usize / 32;

/// Words of a tile and a digit: 0 at first; then the count of its own keys above [`OWN`], at most [`TILE`]; then the count of all
/// keys that precede those of later tiles, above [`WHOLE`].
const OWN: u32 = 1;
const WHOLE: u32 = OWN + TILE as u32 + 1;

/// Largest number of keys: the largest count that is a word above `WHOLE`. Numbers of places up to the end of the last tile are
/// below 2³², too.
pub const MAX_KEYS: usize = (u32::MAX - WHOLE) as usize;

/// Shared memory of a block in bytes, for keys of `key_bytes`.
pub const fn shared_bytes(key_bytes: usize) -> usize {
    TILE * (key_bytes + 4) + 4 * (WARPS * DIGITS + DIGITS + WARPS + 1)
}

/// Arguments of [`SORT_PASS_U32`] and [`SORT_PASS_U64`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pass<K> {
    /// Keys, n.
    pub keys: View<K>,
    /// Values, n; or none if the value of each key is its index.
    pub values: View<u32>,
    /// Output: keys by ascending digit; keys of one digit keep their order.
    pub sorted_keys: ViewMut<K>,
    /// Output: values beside their keys.
    pub sorted_values: ViewMut<u32>,
    /// Number of keys with each digit.
    pub counts: View<u32>,
    /// States of tiles: n_tiles · 256 words, all 0 at first.
    pub status: ViewMut<u32>,
    /// Ticket: one word, 0 at first.
    pub ticket: ViewMut<u32>,
    /// Lowest bit of the digit.
    pub shift: u32,
}

/// Shared memory of a block.
#[derive(Clone, Copy)]
struct Memory<K> {
    /// Keys of the tile, sorted by digit.
    keys: Shared<K>,
    /// Values of the tile, beside their keys.
    values: Shared<u32>,
    /// Number of keys by warp and digit; later the place of the first of them in the tile.
    ranks: Shared<u32>,
    /// Distance from the place in the tile to the place among all keys, by digit, modulo 2³².
    moves: Shared<u32>,
    /// Scratch memory of scans, one word a warp.
    sums: Shared<u32>,
    /// Number of the tile.
    ticket: Shared<u32>,
}

impl<K: Key> Memory<K> {
    #[inline(always)]
    fn new() -> Self {
        let mut arena = Arena::new();
        Self {
            keys: arena.array(TILE),
            values: arena.array(TILE),
            ranks: arena.array(WARPS * DIGITS),
            moves: arena.array(DIGITS),
            sums: arena.array(WARPS),
            ticket: arena.array(1),
        }
    }

    /// Counts of the calling warp.
    #[inline(always)]
    fn own_ranks(self) -> Shared<u32> {
        self.ranks.part(thread::thread_idx_x() as usize / 32 * DIGITS, DIGITS)
    }
}

/// Tile of a block, and the part of it that a thread loads: [`ITEMS`] keys, 32 apart.
#[derive(Clone, Copy)]
struct Tile {
    index: usize,
    /// First key of the tile among all keys.
    first_key: usize,
    /// Number of keys; fewer than [`TILE`] in the last tile.
    n: u32,
    /// Place in the tile of the thread's first key.
    start: u32,
}

impl Tile {
    /// The next tile. All threads call it; counts of warps are set to 0.
    #[inline(always)]
    fn take<K: Key>(args: &Pass<K>, memory: Memory<K>) -> Self {
        let (t, lane) = (thread::thread_idx_x() as usize, warp::lane_id());
        if t == 0 {
            memory.ticket.set(0, args.ticket.atomic_add(0, 1));
        }
        for i in 0..DIGITS / 32 {
            memory.own_ranks().set(32 * i + lane as usize, 0);
        }
        thread::sync_threads();
        let index = memory.ticket.get(0) as usize;
        let first_key = index * TILE;
        let n = (args.keys.len() - first_key).min(TILE) as u32;
        Self { index, first_key, n, start: (t / 32 * (32 * ITEMS)) as u32 + lane }
    }

    /// Place in the tile of the thread's key `j`.
    #[inline(always)]
    fn place(self, j: usize) -> u32 {
        self.start + 32 * j as u32
    }
}

#[inline(always)]
fn pass<K: Key>(args: Pass<K>) {
    let memory = Memory::<K>::new();
    let tile = Tile::take(&args, memory);
    let (keys, mut places) = load_and_rank(&args, memory, tile);
    thread::sync_threads();
    let [first, own] = number_digits(&args, memory, tile);
    thread::sync_threads();
    sort_tile(&args, memory, tile, &keys, &mut places);
    let t = thread::thread_idx_x() as usize;
    let before = if tile.index == 0 {
        block_exclusive_scan::<WARPS>(args.counts.get(t), memory.sums).0
    } else {
        look_back(args.status, tile.index, t)
    };
    args.status.store_relaxed(tile.index * DIGITS + t, WHOLE + (before + own));
    memory.moves.set(t, before.wrapping_sub(first));
    thread::sync_threads();
    scatter(&args, memory, tile);
}

/// Keys of the thread, and the rank of each among the keys of its warp with the same digit.
///
/// A warp has [`ITEMS`] rows of 32 consecutive keys; the last tile is filled up with keys that stay at its end.
#[inline(always)]
fn load_and_rank<K: Key>(
    args: &Pass<K>,
    memory: Memory<K>,
    tile: Tile,
) -> ([K; ITEMS], [u32; ITEMS]) {
    let mut keys = [K::LAST; ITEMS];
    for (j, key) in keys.iter_mut().enumerate() {
        let i = tile.place(j);
        if i < tile.n {
            *key = args.keys.get(tile.first_key + i as usize);
        }
    }
    let mut places = [0; ITEMS];
    for j in 0..ITEMS {
        places[j] = rank(memory.own_ranks(), keys[j].digit(args.shift), DIGIT_BITS);
    }
    (keys, places)
}

/// Publishes the tile's count of digit t, the thread's index, and turns the counts of warps into places in the tile. Returns
/// the place of the first key with digit t in the tile, and the count.
#[inline(always)]
fn number_digits<K: Key>(args: &Pass<K>, memory: Memory<K>, tile: Tile) -> [u32; 2] {
    let (t, ranks) = (thread::thread_idx_x() as usize, memory.ranks);
    let mut own = 0;
    for w in 0..WARPS {
        own += ranks.get(w * DIGITS + t);
    }
    if tile.index > 0 {
        args.status.store_relaxed(tile.index * DIGITS + t, OWN + own);
    }
    let (first, _) = block_exclusive_scan::<WARPS>(own, memory.sums);
    let mut place = first;
    for w in 0..WARPS {
        let count = ranks.get(w * DIGITS + t);
        ranks.set(w * DIGITS + t, place);
        place += count;
    }
    [first, own]
}

/// Writes the thread's keys and values to their places in the sorted tile.
#[inline(always)]
fn sort_tile<K: Key>(
    args: &Pass<K>,
    memory: Memory<K>,
    tile: Tile,
    keys: &[K; ITEMS],
    places: &mut [u32; ITEMS],
) {
    for j in 0..ITEMS {
        places[j] += memory.own_ranks().get(keys[j].digit(args.shift) as usize);
        memory.keys.set(places[j] as usize, keys[j]);
    }
    let by_index = args.values.is_empty();
    for (j, place) in places.iter().enumerate() {
        let i = tile.place(j);
        let mut value = tile.first_key as u32 + i;
        if !by_index && i < tile.n {
            value = args.values.get(tile.first_key + i as usize);
        }
        memory.values.set(*place as usize, value);
    }
}

/// Copies the sorted tile to the places of its keys among all keys.
#[inline(always)]
fn scatter<K: Key>(args: &Pass<K>, memory: Memory<K>, tile: Tile) {
    for j in 0..ITEMS as u32 {
        let i = j * THREADS + thread::thread_idx_x();
        if i < tile.n {
            let key = memory.keys.get(i as usize);
            let target = memory.moves.get(key.digit(args.shift) as usize).wrapping_add(i) as usize;
            args.sorted_keys.set(target, key);
            args.sorted_values.set(target, memory.values.get(i as usize));
        }
    }
}

/// Number of keys of this digit of `bits` bits that the warp has before this lane's key; adds the warp's keys of this row to
/// `ranks`. All lanes call it.
#[inline(always)]
pub(crate) fn rank(ranks: Shared<u32>, digit: u32, bits: u32) -> u32 {
    let mut peers = u32::MAX;
    for bit in 0..bits {
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

/// Number of keys that precede those of digit `t` of `tile`. Reads the words of four tiles at a time.
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
            if word >= WHOLE {
                return before + (word - WHOLE);
            }
            before += word - OWN;
            at -= 1;
        }
    }
}

kernel! {
    /// Pass over 32-bit keys: one thread for [`TILE`] / [`THREADS`] keys.
    pub SORT_PASS_U32 = pass, (Pass<u32>);
    /// Pass over 64-bit keys: one thread for [`TILE`] / [`THREADS`] keys.
    pub SORT_PASS_U64 = pass, (Pass<u64>);
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::kernel_of;
    use crate::machine::{Buffer, Emulator, Grid, Launcher, Machine, Unchecked};
    use std::vec;
    use std::vec::Vec;

    /// Arguments of a look-back: the words of tiles of one digit, 256 words a tile, and the count that it finds.
    #[derive(Clone, Copy)]
    struct Look {
        status: ViewMut<u32>,
        found: ViewMut<u32>,
    }

    fn look(args: Look) {
        let tiles = args.status.len() / DIGITS;
        args.found.set(0, look_back(args.status, tiles, 7));
    }

    /// Tiles whose counts are added up to as many keys as there may be, from every tile that knows the count of all.
    #[test]
    fn counts_of_the_most_keys_fit_their_words() {
        // SAFETY: buffers live until their items were read.
        let machine = unsafe { Unchecked::new(Emulator) };
        let (tiles, own) = (9, TILE as u32);
        let all = MAX_KEYS as u32;
        assert_eq!(MAX_KEYS.next_multiple_of(TILE), (u32::MAX - own) as usize + 1);
        for last_whole in 0..tiles {
            let words = (0..tiles).flat_map(|tile| {
                let after = own * (tiles - 1 - tile) as u32;
                let word = if tile <= last_whole { WHOLE + (all - after) } else { OWN + own };
                (0..DIGITS).map(move |digit| if digit == 7 { word } else { OWN })
            });
            let mut status = machine.buffer_of(&words.collect::<Vec<u32>>()).unwrap();
            let mut found = machine.buffer_of(&[0]).unwrap();
            let args = Look { status: status.view_mut(), found: found.view_mut() };
            let kernel = kernel_of!("look", look, Look);
            machine.launch(&kernel, Grid::of(1, 1), args).unwrap();
            assert_eq!(machine.items_of(&found).unwrap(), vec![all], "{last_whole}");
        }
    }
}

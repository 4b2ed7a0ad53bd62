//! The direct sum: all pairs, O(sources · receivers).
//!
//! A block keeps [`RECEIVERS`] receivers in its threads' registers and reads the sources tile by tile through shared
//! memory (Nyland, Harris and Prins, GPU Gems 3, ch. 31). Terms within a tile are added plainly, sums of tiles with
//! compensation. Where few receivers make few blocks, several blocks share the sources of one, and a second launch adds their
//! sums, always in the same order.
//!
//! **Coincident pairs** count nothing. Without softening, such a pair makes the tile's potential infinite or NaN (1/0 · q);
//! the thread then adds the tile anew, with a comparison in each pair, so that other tiles pay nothing. With softening ε, the
//! smallest r² + ε² of the tile tells whether pairs coincide, for one instruction a pair.
//!
//! **Several vectors of charges** share a pair's distance. Each receiver adds its sources in the same order, so that the bits of
//! the sums are those of one vector.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod pair;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{DirectKernels, DirectSum, Precision, share_vectors};

use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread};
#[cfg(not(target_arch = "nvptx64"))]
use crate::kernel_of;
use crate::{entry, float_kernels};
use pair::{FULL, Pair, Tile, VectorReceiver, VectorSource, carried};

/// Number of threads of a block.
pub const DIRECT_THREADS: u32 = 128;
/// Number of receivers of a thread.
const EACH: usize = 4;
/// Number of receivers of a block.
pub const RECEIVERS: usize = EACH * DIRECT_THREADS as usize;
/// Number of sources of a tile.
pub const TILE: usize = 256;

/// Shared memory of a block in bytes, for V vectors of charges.
pub const fn shared_bytes<T: Pair, const V: usize>() -> usize {
    TILE * Tile::<T, V>::BYTES
}

/// Arguments of the direct sums: blocks (x, y) add the x-th [`RECEIVERS`] receivers' y-th share of the sources.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Direct<T, O> {
    /// Sources (x, y, z, q); with V vectors of charges, source i of vector v at v N + i, for N sources.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any).
    pub receivers: View<Vec4<T>>,
    /// Squared softening length ε².
    pub softening2: T,
    /// Number of sources of a share, a multiple of [`TILE`].
    pub share: u32,
    /// Gradient and potential (gx, gy, gz, Φ): share y of receiver i for vector v at (y V + v) M + i, for M receivers.
    pub output: ViewMut<Vec4<O>>,
}

#[inline(always)]
fn direct<T: Pair, O: Real, const SOFT: bool, const V: usize, const BITS: u32>(args: Direct<T, O>) {
    let (t, n) = (thread::thread_idx_x() as usize, args.receivers.len());
    let tile = Tile::<T, V>::new(&mut Arena::new(), TILE);
    let first = thread::block_idx_x() as usize * RECEIVERS + t;
    let place = |k: usize| first + k * DIRECT_THREADS as usize;
    let mut receivers = [VectorReceiver::<T, V>::new(Vec4([T::ZERO; 4])); EACH];
    for (k, receiver) in receivers.iter_mut().enumerate() {
        *receiver = VectorReceiver::new(args.receivers.get(place(k).min(n - 1)));
    }
    let mut totals = [[[T::ZERO; 4]; V]; EACH];
    let share = args.share as usize;
    let mut start = thread::block_idx_y() as usize * share;
    let end = (args.sources.len() / V).min(start + share);
    while start < end {
        let count = (end - start).min(TILE);
        thread::sync_threads();
        for j in 0..TILE / DIRECT_THREADS as usize {
            let slot = j * DIRECT_THREADS as usize + t;
            let source = if slot < count {
                VectorSource::load::<V>(args.sources, start + slot)
            } else {
                VectorSource::nothing()
            };
            tile.set(slot, source);
        }
        thread::sync_threads();
        let lowest = add_tile::<T, SOFT, V, BITS>(&mut receivers, tile, count, args.softening2);
        let mut coincide = false;
        for k in 0..EACH {
            coincide |= if SOFT {
                lowest[k] <= args.softening2
            } else {
                receivers[k].parts.iter().any(|part| !part[3].is_finite())
            };
        }
        if coincide {
            add_masked::<T, V, BITS>(&mut receivers, tile, count, args.softening2);
        }
        for (totals, receiver) in totals.iter_mut().zip(&mut receivers) {
            for (total, part) in totals.iter_mut().zip(&mut receiver.parts) {
                (*total, *part) = carried(*total, *part);
            }
        }
        start += TILE;
    }
    for v in 0..V {
        let row = (thread::block_idx_y() as usize * V + v) * n;
        for (k, (totals, receiver)) in totals.iter().zip(&receivers).enumerate() {
            if place(k) < n {
                let (total, part) = (totals[v], receiver.parts[v]);
                let sum = |c: usize| total[c].to_f64() + part[c].to_f64();
                args.output.set(row + place(k), Vec4([0, 1, 2, 3].map(|c| O::from_f64(sum(c)))));
            }
        }
    }
}

/// Unrolling of the inner loop in sources, for V vectors of charges. Bounded by registers.
const fn unroll<T, const V: usize>() -> usize {
    if size_of::<T>() == 4 && V == 1 { 8 } else { 2 }
}

/// Adds the first `count` sources of a tile; returns the smallest r² + ε² of each receiver, if `SOFT`.
#[inline(always)]
fn add_tile<T: Pair, const SOFT: bool, const V: usize, const BITS: u32>(
    receivers: &mut [VectorReceiver<T, V>; EACH],
    tile: Tile<T, V>,
    count: usize,
    softening2: T,
) -> [T; EACH] {
    let mut lowest = [T::FAR; EACH];
    let mut j = 0;
    while j < count {
        for u in 0..unroll::<T, V>() {
            let source = tile.get(j + u);
            for k in 0..EACH {
                let r2 = receivers[k].add::<false, BITS>(source, softening2);
                if SOFT {
                    lowest[k] = Real::min(lowest[k], r2);
                }
            }
        }
        j += unroll::<T, V>();
    }
    lowest
}

/// Sums a tile anew, without coincident pairs. The compensation of the tiles before is dropped: half a unit in the last
/// place of the sum so far.
#[inline(always)]
fn add_masked<T: Pair, const V: usize, const BITS: u32>(
    receivers: &mut [VectorReceiver<T, V>; EACH],
    tile: Tile<T, V>,
    count: usize,
    softening2: T,
) {
    for receiver in receivers.iter_mut() {
        receiver.parts = [[T::ZERO; 4]; V];
    }
    for j in 0..count {
        let source = tile.get(j);
        for receiver in receivers.iter_mut() {
            receiver.add::<true, BITS>(source, softening2);
        }
    }
}

/// Arguments of the second launch, which adds the shares: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Shares<O> {
    /// Sums of the shares: share y of receiver i at y M + i; receivers of several vectors follow each other.
    pub shares: View<Vec4<O>>,
    /// Sum over the shares of each of the M receivers.
    pub output: ViewMut<Vec4<O>>,
}

#[inline(always)]
fn add_shares<O: Real>(args: Shares<O>) {
    let (i, n) = (thread::index(), args.output.len());
    if i >= n {
        return;
    }
    let mut sums = [0.0; 4];
    let mut at = i;
    while at < args.shares.len() {
        let Vec4(share) = args.shares.get(at);
        sums = [0, 1, 2, 3].map(|k| sums[k] + share[k].to_f64());
        at += n;
    }
    args.output.set(i, Vec4(sums.map(O::from_f64)));
}

/// Entry points of direct sums for 1, 2, 3 … vectors of charges, from few bits of 1/r to all, and their table.
macro_rules! direct_kernels {
    ($t:ident, $o:ident: $([$($name:literal $vectors:literal),*; $bits:expr])*) => {
        $($(
            entry!([$name], direct::<$t, $o, false, $vectors, { $bits }>, Direct<$t, $o>);
            entry!([$name, "_SOFT"], direct::<$t, $o, true, $vectors, { $bits }>, Direct<$t, $o>);
        )*)*

        #[cfg(not(target_arch = "nvptx64"))]
        impl Precision<$o> for $t {
            const KERNELS: &'static [&'static [DirectKernels<Self, $o>]] = &[$(&[$([
                kernel_of!(
                    $name,
                    direct::<$t, $o, false, $vectors, { $bits }>,
                    Direct<$t, $o>
                ),
                kernel_of!(
                    concat!($name, "_SOFT"),
                    direct::<$t, $o, true, $vectors, { $bits }>,
                    Direct<$t, $o>
                ),
            ]),*]),*];
        }
    };
}

direct_kernels! {
    f32, f32:
    ["DIRECT_F32" 1, "DIRECT_2_F32" 2, "DIRECT_3_F32" 3, "DIRECT_4_F32" 4; FULL]
}

// Pairs in f32, and sums of tiles to about 46 bits.
direct_kernels! {
    f32, f64:
    ["DIRECT_MIXED" 1; FULL]
}

// Registers hold the sums of two vectors.
direct_kernels! {
    f64, f64:
    ["DIRECT_F64_20" 1, "DIRECT_2_F64_20" 2; 20]
    ["DIRECT_F64_40" 1, "DIRECT_2_F64_40" 2; 40]
    ["DIRECT_F64" 1, "DIRECT_2_F64" 2; FULL]
}

float_kernels! {
    /// Sum of shares.
    pub DIRECT_SHARES<T: Real> = add_shares, Shares;
}

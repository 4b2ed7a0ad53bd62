//! Checks of a field: what its receivers weigh, picks of some of them, and direct sums there; and a look at charges before a
//! sum.
//!
//! A direct sum at a few receivers has lanes over the sources: a block takes [`EACH`] receivers and a share of the sources,
//! and adds its threads' sums by shuffles. Pairs are those of [`direct`](crate::direct), each with the comparison that
//! leaves coincident points out. A thread reads four sources at once and ahead, because few warps are there to wait for, and
//! carries its sums to totals every few sources. Shares are added by a block for each column.
//!
//! The first receiver of each block's has the sums of its terms' magnitudes too, which tell how far sums cancel.
//!
//! Cost: 21 instructions a pair in f32, so that 32 receivers cost a few hundredths of a sum over lists.

pub mod charges;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod picks;
pub mod results;
pub mod weights;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{
    ChargeFacts, Checkable, Checked, DirectSums, FewSum, Inspector, PairDigits, Picked, Picker,
    Picking, ResultFacts, Share, expected_errors,
};

use crate::device::shared::{Arena, Shared};
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::direct::Shares;
use crate::direct::pair::{Magnitudes, Pair, Receiver, nothing};
use crate::{float_kernels, kernel};

/// Number of threads of a block, at most.
pub const CHECK_THREADS: u32 = 128;
/// Number of warps of a block.
const WARPS: usize = (CHECK_THREADS / warp::SIZE) as usize;
/// Number of receivers of a block of [`FEW_SUM`].
pub const EACH: usize = 4;
/// Number of sources that a thread reads at once.
const AT_ONCE: usize = 4;
/// Number of reads between carries of sums in f32: 32 sources.
const READS: usize = 8;

/// Number of sums of a block of [`FEW_SUM`]: gradient and potential at each of its receivers.
const SUMS: usize = 4 * EACH;
/// Number of magnitudes of a block of [`FEW_SUM`]: of the potential and of the pull.
const MAGNITUDES: usize = 2;

/// Shared memory of a block in bytes: all numbers of each warp.
pub const SHARED_BYTES: usize = WARPS * (SUMS + MAGNITUDES) * size_of::<f64>();

/// Columns of direct sums at `n` receivers: their sums, then the magnitudes of every [`EACH`]-th.
pub const fn columns(n: usize) -> usize {
    n + n.div_ceil(EACH)
}

/// Arguments of direct sums at a few receivers: blocks (x, y) add the x-th share of the sources at the y-th [`EACH`]
/// receivers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FewSums<T> {
    /// Sources (x, y, z, q).
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any).
    pub receivers: View<Vec4<f64>>,
    /// Squared softening length ε².
    pub softening2: f64,
    /// Number of sources of a share.
    pub share: u32,
    /// Share x of column i at x C + i, for C [`columns`]: gradient and potential (gx, gy, gz, Φ) of receivers, then magnitudes of
    /// their terms.
    pub output: ViewMut<Vec4<f64>>,
}

fn few_sums<T: Pair>(args: FewSums<T>) {
    sums_by_pairs::<T, T>(args);
}

fn few_sums_in_f64<T: Pair>(args: FewSums<T>) {
    sums_by_pairs::<T, f64>(args);
}

/// Sums over sources of floats `T` by pairs of floats `P`.
#[inline(always)]
fn sums_by_pairs<T: Pair, P: Pair>(args: FewSums<T>) {
    let (t, n) = (thread::thread_idx_x() as usize, args.receivers.len());
    let first = thread::block_idx_y() as usize * EACH;
    let mut receivers = [Receiver::new(Vec4([P::ZERO; 4])); EACH];
    for (k, receiver) in receivers.iter_mut().enumerate() {
        let Vec4(at) = args.receivers.get((first + k).min(n - 1));
        *receiver = Receiver::new(Vec4(at.map(P::from_f64)));
    }
    let softening2 = P::from_f64(args.softening2);
    let mut totals = [[P::ZERO; 4]; EACH];
    let mut magnitudes = Magnitudes::NONE;
    let start = thread::block_idx_x() as usize * args.share as usize;
    let end = args.sources.len().min(start + args.share as usize);
    let read = |i: usize| {
        let at = |k: usize| i + k * CHECK_THREADS as usize;
        let there = |k: usize| Vec4(args.sources.get(at(k)).0.map(|x| P::from_f64(x.to_f64())));
        let source = |k| if at(k) < end { there(k) } else { nothing() };
        core::array::from_fn::<_, AT_ONCE, _>(source)
    };
    let (mut i, mut reads) = (start + t, 0);
    let mut next = read(i);
    while i < end {
        let sources = next;
        i += AT_ONCE * CHECK_THREADS as usize;
        next = read(i);
        for source in sources {
            let [first, others @ ..] = &mut receivers;
            first.add_with_magnitudes(source, softening2, &mut magnitudes);
            for receiver in others {
                receiver.add::<true>(source, softening2);
            }
        }
        reads += 1;
        // Sums in f64 have digits enough as they are.
        if size_of::<P>() == 4 && reads % READS == 0 {
            for (receiver, total) in receivers.iter_mut().zip(&mut totals) {
                *total = receiver.carry(*total);
            }
        }
    }
    let mut sums = [0.0f64; SUMS];
    for (k, sums) in sums.chunks_exact_mut(4).enumerate() {
        let (total, part) = (totals[k], receivers[k].part);
        for (c, sum) in sums.iter_mut().enumerate() {
            *sum = total[c].to_f64() + part[c].to_f64();
        }
    }
    let Magnitudes { potential, pull } = magnitudes;
    put_shares(args.output, n, sums, [potential.to_f64(), pull.to_f64()]);
}

/// Writes a block's share of its columns, of which there are `n` for receivers.
#[inline(always)]
fn put_shares(
    output: ViewMut<Vec4<f64>>,
    n: usize,
    sums: [f64; SUMS],
    magnitudes: [f64; MAGNITUDES],
) {
    let mut arena = Arena::new();
    let of_sums = OfWarps::new(&mut arena, sums);
    let of_magnitudes = OfWarps::new(&mut arena, magnitudes);
    thread::sync_threads();
    let (t, group) = (thread::thread_idx_x() as usize, thread::block_idx_y() as usize);
    let row = thread::block_idx_x() as usize * columns(n);
    if t < EACH && group * EACH + t < n {
        output.set(row + group * EACH + t, of_sums.row(t));
    }
    if t == 0 {
        let [potential, pull] = [0, 1].map(|k| of_magnitudes.total(k));
        output.set(row + n + group, Vec4([potential, pull, 0.0, 0.0]));
    }
}

/// Sums of `N` numbers over each warp of a block, where `N` is a power of two up to 32. Totals are there behind a barrier.
struct OfWarps<const N: usize> {
    /// Sum k of warp w at w N + k.
    sums: Shared<f64>,
}

impl<const N: usize> OfWarps<N> {
    /// Adds the numbers of the threads of each warp.
    #[inline(always)]
    fn new(arena: &mut Arena, numbers: [f64; N]) -> Self {
        let sums = arena.array(WARPS * N);
        let (sum, lane) = (warp::sums(numbers), warp::lane_id() as usize);
        if lane < N {
            sums.set((thread::thread_idx_x() / warp::SIZE) as usize * N + lane, sum);
        }
        Self { sums }
    }

    /// Sum k over the block.
    #[inline(always)]
    fn total(&self, k: usize) -> f64 {
        let mut total = 0.0;
        for w in 0..(thread::block_dim_x() / warp::SIZE) as usize {
            total += self.sums.get(w * N + k);
        }
        total
    }

    /// Sums 4i to 4i + 3 over the block.
    #[inline(always)]
    fn row(&self, i: usize) -> Vec4<f64> {
        Vec4([0, 1, 2, 3].map(|c| self.total(4 * i + c)))
    }
}

/// Adds the shares of a column: a block is a column, its threads take shares.
fn few_shares(args: Shares<f64>) {
    let (n, column) = (args.output.len(), thread::block_idx_x() as usize);
    let mut sums = [0.0; 4];
    let mut at = column + thread::thread_idx_x() as usize * n;
    while at < args.shares.len() {
        let Vec4(share) = args.shares.get(at);
        sums = [0, 1, 2, 3].map(|k| sums[k] + share[k]);
        at += thread::block_dim_x() as usize * n;
    }
    let of_sums = OfWarps::<4>::new(&mut Arena::new(), sums);
    thread::sync_threads();
    if thread::thread_idx_x() == 0 {
        args.output.set(column, of_sums.row(0));
    }
}

kernel! {
    /// Sums of the shares of blocks, each at a few receivers.
    pub FEW_SHARES = few_shares, (Shares<f64>);
}

float_kernels! {
    /// Direct sum at a few receivers, by pairs in the sources' floats.
    pub FEW_SUM<T: Pair> = few_sums, FewSums;
    /// The same by pairs in f64.
    pub FEW_SUM_IN_F64<T: Pair> = few_sums_in_f64, FewSums;
}

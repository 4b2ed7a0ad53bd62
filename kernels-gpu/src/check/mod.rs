//! Checks of a field: what its receivers weigh, picks of some of them, and direct sums there; and a look at charges before a
//! sum.
//!
//! A direct sum at a few receivers has lanes over the sources: a block takes [`EACH`] receivers and a share of the sources,
//! and adds its threads' sums by shuffles. Pairs are those of [`direct`](crate::direct), each with the comparison that
//! leaves coincident points out. A thread reads four sources at once and ahead, because few warps are there to wait for, and
//! carries its sums to totals every few sources. Shares are added by a block for each receiver.
//!
//! Cost: 20 instructions a pair in f32, so that 32 receivers cost a few hundredths of a sum over lists.

pub mod charges;
#[cfg(not(target_arch = "nvptx64"))]
mod driver;
pub mod picks;
pub mod results;
pub mod weights;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{
    ChargeFacts, Checkable, Checked, FewSum, Inspector, Picked, Picker, Picking, ResultFacts,
    Share, expected_errors,
};

use crate::device::shared::Arena;
use crate::device::{Vec4, View, ViewMut, thread, warp};
use crate::direct::Shares;
use crate::direct::pair::{Pair, Receiver, nothing};
use crate::{float_kernels, kernel};

/// Number of threads of a block.
pub const CHECK_THREADS: u32 = 128;
/// Number of warps of a block.
const WARPS: usize = (CHECK_THREADS / warp::SIZE) as usize;
/// Number of receivers of a block of [`FEW_SUM`].
pub const EACH: usize = 4;
/// Number of sources that a thread reads at once.
const AT_ONCE: usize = 4;
/// Number of reads between carries of sums in f32: 32 sources.
const READS: usize = 8;

/// Shared memory of a block in bytes: a vector for each warp and receiver.
pub const SHARED_BYTES: usize = WARPS * EACH * size_of::<Vec4<f64>>();

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
    pub softening2: T,
    /// Number of sources of a share.
    pub share: u32,
    /// Gradient and potential (gx, gy, gz, Φ): share x of receiver i at x M + i, for M receivers.
    pub output: ViewMut<Vec4<f64>>,
}

#[inline(always)]
fn few_sums<T: Pair>(args: FewSums<T>) {
    let (t, n) = (thread::thread_idx_x() as usize, args.receivers.len());
    let first = thread::block_idx_y() as usize * EACH;
    let mut receivers = [Receiver::new(Vec4([T::ZERO; 4])); EACH];
    for (k, receiver) in receivers.iter_mut().enumerate() {
        let Vec4(at) = args.receivers.get((first + k).min(n - 1));
        *receiver = Receiver::new(Vec4(at.map(T::from_f64)));
    }
    let mut totals = [[T::ZERO; 4]; EACH];
    let start = thread::block_idx_x() as usize * args.share as usize;
    let end = args.sources.len().min(start + args.share as usize);
    let read = |i: usize| {
        let at = |k: usize| i + k * CHECK_THREADS as usize;
        let source = |k| if at(k) < end { args.sources.get(at(k)) } else { nothing() };
        core::array::from_fn::<_, AT_ONCE, _>(source)
    };
    let (mut i, mut reads) = (start + t, 0);
    let mut next = read(i);
    while i < end {
        let sources = next;
        i += AT_ONCE * CHECK_THREADS as usize;
        next = read(i);
        for source in sources {
            for receiver in &mut receivers {
                receiver.add::<true>(source, args.softening2);
            }
        }
        reads += 1;
        // Sums in f64 have digits enough as they are.
        if size_of::<T>() == 4 && reads % READS == 0 {
            for (receiver, total) in receivers.iter_mut().zip(&mut totals) {
                *total = receiver.carry(*total);
            }
        }
    }
    let mut sums = [[0.0f64; 4]; EACH];
    for (k, sums) in sums.iter_mut().enumerate() {
        let part = receivers[k].part;
        *sums = [0, 1, 2, 3].map(|of| totals[k][of].to_f64() + part[of].to_f64());
    }
    let sums = block_sums(sums);
    if t < EACH && first + t < n {
        args.output.set(thread::block_idx_x() as usize * n + first + t, Vec4(sums));
    }
}

/// Sums of the block's threads of each of `N` vectors, where `N` is a power of two: thread k gets those of vector k.
#[inline(always)]
fn block_sums<const N: usize>(totals: [[f64; 4]; N]) -> [f64; 4] {
    let t = thread::thread_idx_x();
    let of_warps = Arena::new().array::<Vec4<f64>>(WARPS * N);
    let sums = [0, 1, 2, 3].map(|of| warp::sums(totals.map(|total| total[of])));
    let lane = warp::lane_id() as usize;
    if lane < N {
        of_warps.set((t / warp::SIZE) as usize * N + lane, Vec4(sums));
    }
    thread::sync_threads();
    let mut sums = [0.0; 4];
    if (t as usize) < N {
        for w in 0..WARPS {
            let Vec4(part) = of_warps.get(w * N + t as usize);
            sums = [0, 1, 2, 3].map(|c| sums[c] + part[c]);
        }
    }
    sums
}

/// Adds the shares of a receiver: a block is a receiver, its threads take shares.
fn few_shares(args: Shares<f64>) {
    let (n, receiver) = (args.output.len(), thread::block_idx_x() as usize);
    let mut sums = [0.0; 4];
    let mut at = receiver + thread::thread_idx_x() as usize * n;
    while at < args.shares.len() {
        let Vec4(share) = args.shares.get(at);
        sums = [0, 1, 2, 3].map(|k| sums[k] + share[k]);
        at += CHECK_THREADS as usize * n;
    }
    let sums = block_sums([sums]);
    if thread::thread_idx_x() == 0 {
        args.output.set(receiver, Vec4(sums));
    }
}

kernel! {
    /// Sums of the shares of blocks, each at a few receivers.
    pub FEW_SHARES = few_shares, (Shares<f64>);
}

float_kernels! {
    /// Direct sum at a few receivers, with pairs and sums in f64.
    pub FEW_SUM<T: Pair> = few_sums, FewSums;
}

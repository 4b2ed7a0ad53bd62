//! Picks of receivers by importance, without a look of the host at the field: limits of outliers, the cumulated probability
//! of blocks of receivers, and one pick for each number between 0 and 1.
//!
//! The rule is that of the cores ([`importance`]); the host adds what the check needs: see `fmm::verify`.

use super::WARPS;
use super::weights::{EACH, Look, SUM_ROWS, WeighedField, limits_of, rows_of, sums_of};
use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, block, thread, warp};
use crate::{float_kernels, kernel};
use core::ops::Add;
use expansions::numerics::importance::{self, BLOCK, Probability, Weights};

/// Rows of a pick.
pub const ROWS: usize = 2;
/// Number of threads of [`LIMITS`] and of [`CUMULATE`], which are one block.
pub const ONE_BLOCK: u32 = 512;
/// Number of their warps.
const WARPS_OF_ONE: usize = (ONE_BLOCK / warp::SIZE) as usize;
/// Shared memory of their block in bytes: rows of sums and a number for each warp.
pub const SHARED: usize = (4 * SUM_ROWS + 1) * 8 * WARPS_OF_ONE;
/// Shared memory of a block of [`PICK_RECEIVERS`] in bytes: a sum and a receiver for each warp.
pub const PICK_SHARED: usize = (size_of::<f64>() + size_of::<u32>()) * WARPS;
/// Numbers in the rows of sums.
const IN_ROWS: u32 = 4 * SUM_ROWS as u32;
/// No receiver.
const NONE: u32 = u32::MAX;

/// Arguments of [`LIMITS`]: one block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Limits<T> {
    /// The field.
    pub weighed: WeighedField<T>,
    /// Receivers in the tree's order whose largest squares are the limits.
    pub limiting: View<u32>,
    /// Output: the limits of potential and gradient.
    pub limits: ViewMut<f64>,
}

#[inline(always)]
fn limits<T: Real>(args: Limits<T>) {
    let t = thread::thread_idx_x() as usize;
    let mut largest = [0.0f64; 2];
    let mut i = t;
    while i < args.limiting.len() {
        let [potential, gradient, ..] = args.weighed.weights(args.limiting.get(i) as usize);
        largest = [largest[0].max(potential), largest[1].max(gradient)];
        i += ONE_BLOCK as usize;
    }
    block::reduce::<2, WARPS_OF_ONE>(largest, f64::max, args.limits);
}

/// Arguments of [`CUMULATE`]: one block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Cumulate {
    /// Sums of the weights of each [`BLOCK`] receivers, [`SUM_ROWS`] rows a block.
    pub sums: View<Vec4<f64>>,
    /// Number of receivers here, and of all devices.
    pub n: [u64; 2],
    /// Sums over the receivers of all devices, [`SUM_ROWS`] rows; no items where all receivers are here.
    pub of_all: View<Vec4<f64>>,
    /// Cumulated probability of the receivers of the devices before.
    pub start: f64,
    /// Output: cumulated probability before each block of receivers.
    pub starts: ViewMut<f64>,
    /// Output: the sums of all blocks here, [`SUM_ROWS`] rows.
    pub total: ViewMut<Vec4<f64>>,
}

fn cumulate(args: Cumulate) {
    let (t, blocks) = (thread::thread_idx_x() as usize, args.starts.len());
    let [n, of_all] = args.n.map(|n| n as usize);
    let (lane, own_warp) = (warp::lane_id(), t / warp::SIZE as usize);
    let each = blocks.div_ceil(ONE_BLOCK as usize);
    let (begin, end) = ((t * each).min(blocks), ((t + 1) * each).min(blocks));
    let mut own = [0.0f64; 6];
    for block in begin..end {
        own = importance::add(own, sums_of(args.sums, block));
    }
    let mut arena = Arena::new();
    let of_warps = arena.array::<f64>(IN_ROWS as usize * WARPS_OF_ONE);
    let probabilities = arena.array::<f64>(WARPS_OF_ONE);
    let [a, b, c, d, e, f] = own;
    let (column, row) = (lane % IN_ROWS, lane / IN_ROWS);
    let of_warp = warp::sums([a, b, c, d, e, f, 0.0, 0.0]);
    if row == 0 {
        of_warps.set(own_warp * IN_ROWS as usize + column as usize, of_warp);
    }
    thread::sync_threads();
    // Each warp adds them all: a lane the numbers of a column in some rows.
    let mut sum = 0.0f64;
    for w in (row as usize..WARPS_OF_ONE).step_by((warp::SIZE / IN_ROWS) as usize) {
        sum += of_warps.get(w * IN_ROWS as usize + column as usize);
    }
    sum += warp::shuffle_xor(sum, IN_ROWS);
    sum += warp::shuffle_xor(sum, 2 * IN_ROWS);
    let total: [f64; 6] = core::array::from_fn(|k| warp::shuffle(sum, k as u32));
    let all = if args.of_all.is_empty() { total } else { sums_of(args.of_all, 0) };
    let probability = Probability::new(of_all, all);
    if t == 0 {
        let [first, second] = rows_of(total);
        args.total.set(0, Vec4(first));
        args.total.set(1, Vec4(second));
    }
    let receivers = n.min(end * BLOCK) - n.min(begin * BLOCK);
    let [potential, gradient, corner, face, ..] = own;
    let own = probability.of(receivers, [potential, gradient, corner, face]);
    let up_to_here = warp::inclusive_scan_by(own, f64::add);
    if lane == warp::SIZE - 1 {
        probabilities.set(own_warp, up_to_here);
    }
    thread::sync_threads();
    let mut start = args.start + (up_to_here - own);
    for w in 0..own_warp {
        start += probabilities.get(w);
    }
    for block in begin..end {
        args.starts.set(block, start);
        let [potential, gradient, corner, face, ..] = sums_of(args.sums, block);
        let receivers = n.min((block + 1) * BLOCK) - block * BLOCK;
        start += probability.of(receivers, [potential, gradient, corner, face]);
    }
}

/// Arguments of [`PICK_RECEIVERS`]: a block is a pick. Picks that are as many as the receivers of all devices are each of
/// them, once.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PickReceivers<T> {
    /// The field.
    pub weighed: WeighedField<T>,
    /// Limits of potential and gradient.
    pub limits: View<f64>,
    /// Cumulated probability before each block of receivers.
    pub starts: View<f64>,
    /// Number of receivers of all devices.
    pub n: u64,
    /// Sums over them, [`SUM_ROWS`] rows.
    pub total: View<Vec4<f64>>,
    /// Number of picks of all devices.
    pub picks: u32,
    /// Cumulated probabilities of the picks here, ascending, one a pick.
    pub targets: View<f64>,
    /// Output: the places of the picked receivers.
    pub at: ViewMut<Vec4<f64>>,
    /// Output: [`ROWS`] rows a pick: its value; and the factor of its squared error, 1 for each output within the limits, else
    /// 0, and its place.
    pub picked: ViewMut<Vec4<f64>>,
}

#[inline(always)]
fn pick_receivers<T: Real>(args: PickReceivers<T>) {
    let (t, pick) = (thread::thread_idx_x() as usize, thread::block_idx_x() as usize);
    let (lane, own_warp) = (warp::lane_id(), t / warp::SIZE as usize);
    let weighed = args.weighed;
    let n = weighed.field.len();
    if u64::from(args.picks) >= args.n {
        if t == 0 {
            put(args, pick, (pick, 1.0), weighed.weights(pick));
        }
        return;
    }
    let probability = Probability::new(args.n as usize, sums_of(args.total, 0));
    let target = args.targets.get(pick);
    let block = last_at_or_before(args.starts, target, lane);
    let end = n.min((block + 1) * BLOCK);
    let place = |k: usize| block * BLOCK + t * EACH + k;
    let looks: [Look<T>; EACH] = core::array::from_fn(|k| weighed.look(place(k).min(end - 1)));
    let mut own = [0.0f64; EACH];
    let mut sum_of_own = 0.0;
    for (k, look) in looks.into_iter().enumerate() {
        own[k] = if place(k) < end { probability.of(1, weighed.weigh(look)) } else { 0.0 };
        sum_of_own += own[k];
    }
    let mut arena = Arena::new();
    let (sums, firsts) = (arena.array::<f64>(WARPS), arena.array::<u32>(WARPS));
    let up_to_here = warp::inclusive_scan_by(sum_of_own, f64::add);
    if lane == warp::SIZE - 1 {
        sums.set(own_warp, up_to_here);
    }
    thread::sync_threads();
    let mut sum = args.starts.get(block) + (up_to_here - sum_of_own);
    for w in 0..own_warp {
        sum += sums.get(w);
    }
    // The first receiver at which the sum reaches the target; the last one where rounding keeps it below.
    let mut first = NONE;
    for (k, own) in own.into_iter().enumerate() {
        sum += own;
        if first == NONE && sum >= target && place(k) < end {
            first = place(k) as u32;
        }
    }
    let reached = warp::ballot(first != NONE);
    let of_warp = warp::shuffle(first, if reached == 0 { 0 } else { reached.trailing_zeros() });
    if lane == 0 {
        firsts.set(own_warp, of_warp);
    }
    thread::sync_threads();
    if t == 0 {
        let mut found = end - 1;
        for w in (0..WARPS).rev() {
            let first = firsts.get(w);
            found = if first == NONE { found } else { first as usize };
        }
        let weights = weighed.weights(found);
        let factor = probability.factor(1, args.picks as usize, weights);
        put(args, pick, (found, factor), weights);
    }
}

/// Writes a pick: a receiver with the factor of its squared error.
#[inline(always)]
fn put<T: Real>(
    args: PickReceivers<T>,
    pick: usize,
    (found, factor): (usize, f64),
    weights: Weights,
) {
    let limits = limits_of(args.limits);
    let within = |k: usize| if weights[k] <= limits[k] { 1.0 } else { 0.0 };
    let Vec4([x, y, z, _]) = args.weighed.places.receivers.get(found);
    let [x, y, z] = [x, y, z].map(T::to_f64);
    args.at.set(pick, Vec4([x, y, z, 0.0]));
    args.picked.set(ROWS * pick, Vec4(args.weighed.value(found)));
    args.picked.set(ROWS * pick + 1, Vec4([factor, within(0), within(1), found as f64]));
}

/// The last of ascending `starts` that is at or before a target, or the first. The lanes of a warp look at a start each.
#[inline(always)]
fn last_at_or_before(starts: View<f64>, target: f64, lane: u32) -> usize {
    let (mut low, mut high) = (0, starts.len());
    while high - low > 1 {
        let step = (high - low).div_ceil(warp::SIZE as usize);
        let at = low + lane as usize * step;
        let before = warp::ballot(at < high && (lane == 0 || starts.get(at) <= target));
        low += step * (warp::SIZE - 1 - before.leading_zeros()) as usize;
        high = high.min(low + step);
    }
    low
}

kernel! {
    /// Cumulated probabilities of blocks of receivers.
    pub CUMULATE = cumulate, (Cumulate);
}

float_kernels! {
    /// Limits of outliers of a field.
    pub LIMITS<T: Real> = limits, Limits;
    /// Picks of receivers of a field.
    pub PICK_RECEIVERS<T: Real> = pick_receivers, PickReceivers;
}

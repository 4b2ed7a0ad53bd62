//! Picks of receivers by importance, without a look of the host at the field: limits of outliers, the cumulated probability
//! of blocks of receivers, and one pick for each number between 0 and 1.
//!
//! The rule is that of the cores ([`importance`]); the host adds what the check needs: see `fmm::verify`.

use super::weights::{SUM_ROWS, WeighedField, limits_of, rows_of, sums_of, sums_of_rows};
use super::{CHECK_THREADS, WARPS};
use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use crate::kernel;
use expansions::numerics::importance::{self, BLOCK, Probability};

/// Warps of a block of [`PICK_RECEIVERS_F32`]: each has a pick.
pub const PICKS_OF_BLOCK: usize = WARPS;
/// Rows of a pick.
pub const ROWS: usize = 2;
/// Shared memory of a block of [`LIMITS_F32`] and of [`CUMULATE`], in bytes: rows of sums and a number for each thread.
pub const SHARED: usize = (4 * SUM_ROWS + 1) * 8 * CHECK_THREADS as usize;

/// Arguments of [`LIMITS_F32`]: one block.
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
        let [potential, gradient, _] = args.weighed.weights(args.limiting.get(i) as usize);
        largest = [largest[0].max(potential), largest[1].max(gradient)];
        i += CHECK_THREADS as usize;
    }
    let of_threads = Arena::new().array::<f64>(2 * CHECK_THREADS as usize);
    of_threads.set(2 * t, largest[0]);
    of_threads.set(2 * t + 1, largest[1]);
    thread::sync_threads();
    if t < 2 {
        let mut all = 0.0f64;
        for k in 0..CHECK_THREADS as usize {
            all = all.max(of_threads.get(2 * k + t));
        }
        args.limits.set(t, all);
    }
}

/// Arguments of [`CUMULATE`]: one block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Cumulate {
    /// Sums of the weights of each [`BLOCK`] receivers, [`SUM_ROWS`] rows a block.
    pub sums: View<Vec4<f64>>,
    /// Number of receivers.
    pub n: u32,
    /// Output: cumulated probability before each block of receivers.
    pub starts: ViewMut<f64>,
    /// Output: the sums of all blocks, [`SUM_ROWS`] rows.
    pub total: ViewMut<Vec4<f64>>,
}

fn cumulate(args: Cumulate) {
    const THREADS: usize = CHECK_THREADS as usize;
    let (t, blocks, n) = (thread::thread_idx_x() as usize, args.starts.len(), args.n as usize);
    let each = blocks.div_ceil(THREADS);
    let (begin, end) = ((t * each).min(blocks), ((t + 1) * each).min(blocks));
    let mut own = [0.0f64; 5];
    for block in begin..end {
        own = importance::add(own, sums_of(args.sums, block));
    }
    let mut arena = Arena::new();
    let of_threads = arena.array::<Vec4<f64>>(SUM_ROWS * THREADS);
    let before = arena.array::<f64>(THREADS);
    let [first, second] = rows_of(own);
    of_threads.set(SUM_ROWS * t, Vec4(first));
    of_threads.set(SUM_ROWS * t + 1, Vec4(second));
    thread::sync_threads();
    let sums_of_thread =
        |k: usize| sums_of_rows([of_threads.get(SUM_ROWS * k), of_threads.get(SUM_ROWS * k + 1)]);
    let mut total = [0.0f64; 5];
    for k in 0..THREADS {
        total = importance::add(total, sums_of_thread(k));
    }
    let probability = Probability::new(n, total);
    let receivers = |block: usize| n.min((block + 1) * BLOCK) - block * BLOCK;
    if t == 0 {
        let [first, second] = rows_of(total);
        args.total.set(0, Vec4(first));
        args.total.set(1, Vec4(second));
        let mut sum = 0.0;
        for k in 0..THREADS {
            before.set(k, sum);
            let (begin, end) = ((k * each).min(blocks), ((k + 1) * each).min(blocks));
            let count = n.min(end * BLOCK) - n.min(begin * BLOCK);
            let [potential, gradient, error, ..] = sums_of_thread(k);
            sum += probability.of(count, [potential, gradient, error]);
        }
    }
    thread::sync_threads();
    let mut start = before.get(t);
    for block in begin..end {
        args.starts.set(block, start);
        let [potential, gradient, error, ..] = sums_of(args.sums, block);
        start += probability.of(receivers(block), [potential, gradient, error]);
    }
}

/// Arguments of [`PICK_RECEIVERS_F32`]: a warp is a pick.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PickReceivers<T> {
    /// The field.
    pub weighed: WeighedField<T>,
    /// Limits of potential and gradient.
    pub limits: View<f64>,
    /// Cumulated probability before each block of receivers.
    pub starts: View<f64>,
    /// Sums of all blocks, [`SUM_ROWS`] rows.
    pub total: View<Vec4<f64>>,
    /// Cumulated probabilities of the picks, ascending, one a pick.
    pub targets: View<f64>,
    /// Output: the places of the picked receivers.
    pub at: ViewMut<Vec4<f64>>,
    /// Output: [`ROWS`] rows a pick: its value; and the factor of its squared error, 1 for each output within the limits, else
    /// 0, and its place.
    pub picked: ViewMut<Vec4<f64>>,
}

#[inline(always)]
fn pick_receivers<T: Real>(args: PickReceivers<T>) {
    let warp_of_block = (thread::thread_idx_x() / warp::SIZE) as usize;
    let pick = thread::block_idx_x() as usize * PICKS_OF_BLOCK + warp_of_block;
    if pick >= args.targets.len() {
        return;
    }
    let (weighed, lane) = (args.weighed, warp::lane_id());
    let n = weighed.field.len();
    let probability = Probability::new(n, sums_of(args.total, 0));
    let target = args.targets.get(pick);
    // The last block that starts at or before the target.
    let (mut low, mut high) = (0, args.starts.len());
    while high - low > 1 {
        let middle = (low + high) / 2;
        if args.starts.get(middle) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    let end = n.min((low + 1) * BLOCK);
    // The first receiver at which the sum reaches the target; the last one where rounding keeps it below.
    let mut sum = args.starts.get(low);
    let mut first = low * BLOCK;
    let mut found = end - 1;
    while first < end {
        let place = first + lane as usize;
        let own = if place < end { probability.of(1, weighed.weights(place)) } else { 0.0 };
        let mut before = own;
        let mut distance = 1;
        while distance < warp::SIZE {
            let below = warp::shuffle_up(before, distance);
            before += if lane >= distance { below } else { 0.0 };
            distance *= 2;
        }
        let reached = warp::ballot(place < end && sum + before >= target);
        if reached != 0 {
            found = first + reached.trailing_zeros() as usize;
            first = end;
        } else {
            sum += warp::shuffle(before, warp::SIZE - 1);
            first += warp::SIZE as usize;
        }
    }
    if lane == 0 {
        let weights = weighed.weights(found);
        let factor = probability.factor(1, args.targets.len(), weights);
        let limits = limits_of(args.limits);
        let within = |k: usize| if weights[k] <= limits[k] { 1.0 } else { 0.0 };
        let Vec4([x, y, z, _]) = weighed.places.receivers.get(found);
        let [x, y, z] = [x, y, z].map(T::to_f64);
        args.at.set(pick, Vec4([x, y, z, 0.0]));
        args.picked.set(ROWS * pick, Vec4(weighed.value(found)));
        args.picked.set(ROWS * pick + 1, Vec4([factor, within(0), within(1), found as f64]));
    }
}

kernel! {
    /// Limits of outliers of a field in f32.
    pub LIMITS_F32 = limits::<f32>, (Limits<f32>);
    /// Limits of outliers of a field in f64.
    pub LIMITS_F64 = limits::<f64>, (Limits<f64>);
    /// Cumulated probabilities of blocks of receivers.
    pub CUMULATE = cumulate, (Cumulate);
    /// Picks of receivers of a field in f32.
    pub PICK_RECEIVERS_F32 = pick_receivers::<f32>, (PickReceivers<f32>);
    /// Picks of receivers of a field in f64.
    pub PICK_RECEIVERS_F64 = pick_receivers::<f64>, (PickReceivers<f64>);
}

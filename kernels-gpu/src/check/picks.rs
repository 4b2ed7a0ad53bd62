//! Picks of receivers by importance, without a look of the host at the field: limits of outliers, the cumulated probability
//! of blocks of receivers, and one pick for each number between 0 and 1.
//!
//! The probability of a receiver has up to three reasons, which share it evenly: all receivers alike, the square of its
//! potential, and that of its gradient. The host adds what the check needs: see `fmm::verify`.

use super::{CHECK_THREADS, SQUARES, WARPS};
use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use crate::kernel;

/// Warps of a block of [`PICK_RECEIVERS_F32`]: each has a pick.
pub const PICKS_OF_BLOCK: usize = WARPS;
/// Rows of a pick.
pub const ROWS: usize = 2;
/// Shared memory of a block of [`LIMITS_F32`] and of [`CUMULATE`], in bytes.
pub const SHARED: usize = 5 * 8 * CHECK_THREADS as usize;

/// Arguments of [`LIMITS_F32`]: one block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Limits<T> {
    /// Field (gx, gy, gz, Φ) of each receiver.
    pub field: View<Vec4<T>>,
    /// Receivers whose largest squares are the limits.
    pub places: View<u32>,
    /// Factor of the gradient before it is squared.
    pub gradient_factor: f64,
    /// Factor of the potential before it is squared.
    pub potential_factor: f64,
    /// Output: the limits of potential and gradient.
    pub limits: ViewMut<f64>,
}

/// Squares of potential and gradient of a receiver.
#[inline(always)]
pub(super) fn squares_of<T: Real>(value: Vec4<T>, gradient: f64, potential: f64) -> [f64; 2] {
    let Vec4([x, y, z, phi]) = value;
    let [x, y, z] = [x, y, z].map(|g| g.to_f64() * gradient);
    let phi = phi.to_f64() * potential;
    [phi * phi, x * x + y * y + z * z]
}

#[inline(always)]
fn limits<T: Real>(args: Limits<T>) {
    let t = thread::thread_idx_x() as usize;
    let mut largest = [0.0f64; 2];
    let mut i = t;
    while i < args.places.len() {
        let value = args.field.get(args.places.get(i) as usize);
        let squares = squares_of(value, args.gradient_factor, args.potential_factor);
        largest = [largest[0].max(squares[0]), largest[1].max(squares[1])];
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

/// Probabilities by which receivers are picked.
#[derive(Clone, Copy, Debug)]
struct Probability {
    alike: f64,
    potential: f64,
    gradient: f64,
}

impl Probability {
    /// Probabilities of `n` receivers with these sums of the squares of potential and gradient.
    #[inline(always)]
    fn new(n: usize, [potential, gradient]: [f64; 2]) -> Self {
        let usable = |sum: f64| sum > 0.0 && sum.is_finite();
        let reasons = 1 + u32::from(usable(potential)) + u32::from(usable(gradient));
        let share = 1.0 / f64::from(reasons);
        let of = |sum: f64| if usable(sum) { share / sum } else { 0.0 };
        Self { alike: share / n as f64, potential: of(potential), gradient: of(gradient) }
    }

    /// The probability of some receivers with sums of squares.
    #[inline(always)]
    fn of(self, receivers: usize, [potential, gradient]: [f64; 2]) -> f64 {
        self.alike * receivers as f64 + (self.potential * potential + self.gradient * gradient)
    }
}

/// Arguments of [`CUMULATE`]: one block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Cumulate {
    /// Sums of squares of each [`SQUARES`] receivers.
    pub squares: View<Vec4<f64>>,
    /// Number of receivers.
    pub n: u32,
    /// Output: cumulated probability before each block of receivers.
    pub starts: ViewMut<f64>,
    /// Output: the sums of all blocks, one item.
    pub total: ViewMut<Vec4<f64>>,
}

fn cumulate(args: Cumulate) {
    const THREADS: usize = CHECK_THREADS as usize;
    let (t, blocks, n) = (thread::thread_idx_x() as usize, args.squares.len(), args.n as usize);
    let each = blocks.div_ceil(THREADS);
    let (begin, end) = ((t * each).min(blocks), ((t + 1) * each).min(blocks));
    let mut sums = [0.0f64; 4];
    for block in begin..end {
        let Vec4(squares) = args.squares.get(block);
        sums = [0, 1, 2, 3].map(|k| sums[k] + squares[k]);
    }
    let mut arena = Arena::new();
    let of_threads = arena.array::<Vec4<f64>>(THREADS);
    let before = arena.array::<f64>(THREADS);
    of_threads.set(t, Vec4(sums));
    thread::sync_threads();
    let mut total = [0.0f64; 4];
    for k in 0..THREADS {
        let Vec4(part) = of_threads.get(k);
        total = [0, 1, 2, 3].map(|c| total[c] + part[c]);
    }
    let probability = Probability::new(n, [total[0], total[1]]);
    let receivers = |block: usize| n.min((block + 1) * SQUARES) - block * SQUARES;
    if t == 0 {
        args.total.set(0, Vec4(total));
        let mut sum = 0.0;
        for k in 0..THREADS {
            before.set(k, sum);
            let (begin, end) = ((k * each).min(blocks), ((k + 1) * each).min(blocks));
            let count = n.min(end * SQUARES) - n.min(begin * SQUARES);
            let Vec4(part) = of_threads.get(k);
            sum += probability.of(count, [part[0], part[1]]);
        }
    }
    thread::sync_threads();
    let mut start = before.get(t);
    for block in begin..end {
        args.starts.set(block, start);
        let Vec4(squares) = args.squares.get(block);
        start += probability.of(receivers(block), [squares[0], squares[1]]);
    }
}

/// Arguments of [`PICK_RECEIVERS_F32`]: a warp is a pick.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PickReceivers<T> {
    /// Field (gx, gy, gz, Φ) of each receiver.
    pub field: View<Vec4<T>>,
    /// Receivers, in the order of the field.
    pub receivers: View<Vec4<T>>,
    /// Factor of coordinates.
    pub length_factor: f64,
    /// Factor of the gradient before it is squared.
    pub gradient_factor: f64,
    /// Factor of the potential before it is squared.
    pub potential_factor: f64,
    /// Limits of potential and gradient.
    pub limits: View<f64>,
    /// Cumulated probability before each block of receivers.
    pub starts: View<f64>,
    /// Sums of all blocks, one item.
    pub total: View<Vec4<f64>>,
    /// Cumulated probabilities of the picks, ascending, one a pick.
    pub targets: View<f64>,
    /// Output: the places of the picked receivers.
    pub at: ViewMut<Vec4<f64>>,
    /// Output: [`ROWS`] rows a pick: its value, and the factor of its squared error with 1 for each output within the
    /// limits, else 0.
    pub picked: ViewMut<Vec4<f64>>,
}

#[inline(always)]
fn pick_receivers<T: Real>(args: PickReceivers<T>) {
    let warp_of_block = (thread::thread_idx_x() / warp::SIZE) as usize;
    let pick = thread::block_idx_x() as usize * PICKS_OF_BLOCK + warp_of_block;
    if pick >= args.targets.len() {
        return;
    }
    let (n, lane) = (args.field.len(), warp::lane_id());
    let Vec4(total) = args.total.get(0);
    let probability = Probability::new(n, [total[0], total[1]]);
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
    let end = n.min((low + 1) * SQUARES);
    let squares = |place: usize| {
        squares_of(args.field.get(place), args.gradient_factor, args.potential_factor)
    };
    // The first receiver at which the sum reaches the target; the last one where rounding keeps it below.
    let mut sum = args.starts.get(low);
    let mut first = low * SQUARES;
    let mut found = end - 1;
    while first < end {
        let place = first + lane as usize;
        let own = if place < end { probability.of(1, squares(place)) } else { 0.0 };
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
        let squares = squares(found);
        let picks = args.targets.len() as f64;
        let factor = 1.0 / (picks * probability.of(1, squares));
        let within = |k: usize| if squares[k] <= args.limits.get(k) { 1.0 } else { 0.0 };
        let (Vec4(value), Vec4([x, y, z, _])) = (args.field.get(found), args.receivers.get(found));
        let [x, y, z] = [x, y, z].map(|c| c.to_f64() * args.length_factor);
        args.at.set(pick, Vec4([x, y, z, 0.0]));
        args.picked.set(ROWS * pick, Vec4(value.map(T::to_f64)));
        args.picked.set(ROWS * pick + 1, Vec4([factor, within(0), within(1), 0.0]));
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

//! M2L by rotation: the far field's hot kernel.
//!
//! A lane turns the multipole of its source in registers and adds it to its box's local expansion, which stays in
//! registers too, or in shared memory where the order is too large for both. There is nothing to load but the
//! multipole and some 5p numbers that a warp has in common.

use super::far::Task;
use super::geometry::Boxes;
use super::order::{Degrees, Order, room};
use super::translate::{ToLocal, Way, record_length, translate};
use crate::device::{Array, Real, Vec4, View, ViewMut, shared::Arena, shared::Shared, thread, warp};

/// Coefficients that are summed over the warps at a time.
const AT_ONCE: usize = 16;

/// Bytes of an expansion up to which two fit a thread's registers.
const REGISTER_BYTES: usize = 392;

/// Warps of a block.
pub(super) const WARPS: usize = 4;

/// Whether a thread's sums are its own; in the kernel of any order they are, in local memory.
const fn own_sums<T>(degrees: usize) -> bool {
    degrees == 0 || room(degrees) * size_of::<T>() <= REGISTER_BYTES
}

/// Shared memory of a block, in bytes, of the kernel of `degrees`, or of any order if that is 0.
pub(super) const fn shared_bytes<T>(degrees: usize) -> usize {
    let numbers = if own_sums::<T>(degrees) { AT_ONCE } else { room(degrees) };
    WARPS * numbers * warp::SIZE as usize * size_of::<T>()
}

/// Arguments of M2L.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2l<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// By octant, the 189 [entries](super::far::entry) of far boxes.
    pub far: View<u32>,
    /// Records of the ways of the 316 offsets, or their matrices.
    pub ways: View<Vec4<T>>,
    /// Coefficient c of box b at c B + b.
    pub multipole: View<T>,
    /// The same: written for all boxes.
    pub local: ViewMut<T>,
}

/// L = Σ over far boxes of M translated (Yokota & Barba, eq. 4), for all boxes of all levels.
///
/// Cost: 2p³ + 8p² operations a pair of boxes. The sum has the order of the offsets in a warp, then of the warps.
#[inline(always)]
pub(super) fn m2l<T: Real, const P: usize, const N: usize>(args: M2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let task = Task::of_block(&args.boxes);
    if own_sums::<T>(P) {
        let mut sums = Own(Array::<T, N>::filled(T::ZERO));
        sum_far::<T, P, N>(args, p, task, &mut sums);
        reduce_own(p, &args, task, &sums.0);
    } else {
        let warp = (thread::thread_idx_x() / warp::SIZE) as usize;
        let parts = Arena::new().array::<T>(WARPS * p.coefficients() * warp::SIZE as usize);
        let mut sums = InShared { parts, first: place(p.coefficients(), warp, 0) };
        for c in 0..p.coefficients() {
            parts.set(place(p.coefficients(), warp, c), T::ZERO);
        }
        sum_far::<T, P, N>(args, p, task, &mut sums);
        thread::sync_threads();
        let mut c = warp;
        while c < p.coefficients() {
            put(&args, task, c, parts, p.coefficients(), c);
            c += WARPS;
        }
    }
}

/// Place of number `k` of `numbers` that this lane of a warp has in shared memory.
#[inline(always)]
fn place(numbers: usize, warp: usize, k: usize) -> usize {
    (warp * numbers + k) * warp::SIZE as usize + warp::lane_id() as usize
}

/// A thread's sums.
trait Sums<T> {
    /// Adds `value · factor` to coefficient `c`.
    fn add(&mut self, c: usize, value: T, factor: T);
}

/// In registers.
struct Own<T, const N: usize>(Array<T, N>);

/// In shared memory.
struct InShared<T> {
    parts: Shared<T>,
    first: usize,
}

impl<T: Real, const N: usize> Sums<T> for Own<T, N> {
    #[inline(always)]
    fn add(&mut self, c: usize, value: T, factor: T) {
        self.0[c] = value.mul_add(factor, self.0[c]);
    }
}

impl<T: Real> Sums<T> for InShared<T> {
    #[inline(always)]
    fn add(&mut self, c: usize, value: T, factor: T) {
        let at = self.first + c * warp::SIZE as usize;
        self.parts.set(at, value.mul_add(factor, self.parts.get(at)));
    }
}

/// Adds what each far box of this warp's offsets brings.
#[inline(always)]
fn sum_far<T: Real, const P: usize, const N: usize>(
    args: M2l<T>,
    p: Degrees<T, P>,
    task: Task,
    sums: &mut impl Sums<T>,
) {
    let stride = args.boxes.count as usize;
    let mut walk = task.walk(args.boxes, args.far);
    while let Some((way, source)) = walk.next() {
        let way = Way { records: args.ways, start: way * record_length(p.count()) };
        let mut e = Array::<T, N>::filled(T::ZERO);
        let before = way.before(p);
        for n in 0..p.count() {
            let before = if source.there { before[n] } else { T::ZERO };
            for c in n * n..(n + 1) * (n + 1) {
                e[c] = args.multipole.get(c * stride + source.index) * before;
            }
        }
        translate::<ToLocal, T, P, N>(p, way, &mut e);
        let after = way.after(p);
        for n in 0..p.count() {
            for c in n * n..(n + 1) * (n + 1) {
                sums.add(c, e[c], after[n]);
            }
        }
    }
}

/// Adds up the warps' sums, some coefficients at a time, and writes them.
#[inline(always)]
pub(super) fn reduce_own<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    args: &M2l<T>,
    task: Task,
    sums: &Array<T, N>,
) {
    let warp = (thread::thread_idx_x() / warp::SIZE) as usize;
    let parts = Arena::new().array::<T>(WARPS * AT_ONCE * warp::SIZE as usize);
    for chunk in 0..p.coefficients().div_ceil(AT_ONCE) {
        for c in chunk * AT_ONCE..p.coefficients().min((chunk + 1) * AT_ONCE) {
            parts.set(place(AT_ONCE, warp, c % AT_ONCE), sums[c]);
        }
        thread::sync_threads();
        let mut k = warp;
        while k < AT_ONCE && chunk * AT_ONCE + k < p.coefficients() {
            put(args, task, chunk * AT_ONCE + k, parts, AT_ONCE, k);
            k += WARPS;
        }
        thread::sync_threads();
    }
}

/// Writes coefficient `c`: the sum of what the warps have at place `k` of `numbers`, in their order.
#[inline(always)]
fn put<T: Real>(
    args: &M2l<T>,
    task: Task,
    c: usize,
    parts: Shared<T>,
    numbers: usize,
    k: usize,
) {
    if task.there {
        let mut sum = parts.get(place(numbers, 0, k));
        for warp in 1..WARPS {
            sum += parts.get(place(numbers, warp, k));
        }
        args.local.set(c * args.boxes.count as usize + task.target, sum);
    }
}

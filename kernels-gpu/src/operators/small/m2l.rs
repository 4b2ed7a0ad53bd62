//! M2L by rotation: the far field's hot kernel.
//!
//! A lane turns the multipole of its source in registers and adds it to its box's local expansion, which stays in
//! registers too, or in shared memory where the order is too large for both. There is nothing to load but the
//! multipole and some 5p numbers that a warp has in common.

use super::constants::MAX_ORDER;
use super::order::{Degrees, Order, room};
use super::translate::{ToLocal, Way, record_length, translate};
use crate::device::{
    Array, Real, Vec4, View, ViewMut, shared::Arena, shared::Shared, thread, warp,
};
use crate::operators::coefficients::{group_of, groups, load, scale, sum};
use crate::operators::far::Task;
use crate::operators::geometry::Boxes;

/// Groups of coefficients that are summed over the warps at a time.
const AT_ONCE: usize = WARPS;

/// Bytes of an expansion up to which two fit a thread's registers.
const REGISTER_BYTES: usize = 330;

/// Warps of a block.
pub(crate) const WARPS: usize = 4;

/// Whether a thread's sums are its own; they are where the emulator runs the code for any order, with an array for them.
const fn own_sums<T>(degrees: usize) -> bool {
    degrees == 0 || room(degrees) * size_of::<T>() <= REGISTER_BYTES
}

/// Shared memory of a block in bytes, of the kernel of `degrees`, 1 or more.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn shared_bytes<T>(degrees: usize) -> usize {
    let groups = if own_sums::<T>(degrees) { AT_ONCE } else { groups(degrees) };
    WARPS * groups * warp::SIZE as usize * size_of::<Vec4<T>>()
}

/// Arguments of M2L.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct M2l<T> {
    /// The order of the expansions.
    pub order: Order<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// By octant, the 189 [entries](crate::operators::far::entry) of far boxes.
    pub far: View<u32>,
    /// Factors of the kernel of any order, in the order in which it reads; the others read none.
    pub factors: View<Vec4<T>>,
    /// Records of the ways of the 316 offsets, or their matrices.
    pub ways: View<Vec4<T>>,
    /// Group g of box b at g B + b.
    pub multipole: View<Vec4<T>>,
    /// The same: written for all boxes, zeros for those without receivers.
    pub local: ViewMut<Vec4<T>>,
}

/// L = Σ over far boxes of M translated (Yokota & Barba, eq. 4), for all boxes of all levels that have receivers.
///
/// Cost: 2p³ + 8p² operations a pair of boxes. The sum has the order of the offsets in a warp, then of the warps.
#[inline(always)]
pub(crate) fn m2l<T: Real, const P: usize, const N: usize>(args: M2l<T>) {
    const { assert!(N == room(P)) };
    let p = args.order.of::<P>();
    let task = Task::of_block(&args.boxes);
    if own_sums::<T>(P) {
        let mut sums = Own(Array::<T, N>::filled(T::ZERO));
        sum_far::<T, P, N>(args, p, task, &mut sums);
        reduce_own(p, &args, task, &sums.0);
    } else {
        let groups = groups(p.count());
        let warp = (thread::thread_idx_x() / warp::SIZE) as usize;
        let parts = Arena::new().array::<Vec4<T>>(WARPS * groups * warp::SIZE as usize);
        let mut sums = InShared { parts, first: place(groups, warp, 0) };
        for group in 0..groups {
            parts.set(place(groups, warp, group), Vec4([T::ZERO; 4]));
        }
        sum_far::<T, P, N>(args, p, task, &mut sums);
        thread::sync_threads();
        let mut group = warp;
        while group < groups {
            put(&args, task, group, parts, groups, group);
            group += WARPS;
        }
    }
}

/// Place of group `k` of `groups` that this lane of a warp has in shared memory.
#[inline(always)]
fn place(groups: usize, warp: usize, k: usize) -> usize {
    (warp * groups + k) * warp::SIZE as usize + warp::lane_id() as usize
}

/// A thread's sums.
trait Sums<T, const P: usize, const N: usize> {
    /// Adds `e`, each degree times its factor.
    fn add(&mut self, p: Degrees<T, P>, e: &mut Array<T, N>, factors: &Array<T, MAX_ORDER>);
}

/// In registers.
struct Own<T, const N: usize>(Array<T, N>);

/// In shared memory.
struct InShared<T> {
    parts: Shared<Vec4<T>>,
    first: usize,
}

impl<T: Real, const P: usize, const N: usize> Sums<T, P, N> for Own<T, N> {
    #[inline(always)]
    fn add(&mut self, p: Degrees<T, P>, e: &mut Array<T, N>, factors: &Array<T, MAX_ORDER>) {
        for n in 0..p.count() {
            for c in n * n..(n + 1) * (n + 1) {
                self.0[c] = e[c].mul_add(factors[n], self.0[c]);
            }
        }
    }
}

impl<T: Real, const P: usize, const N: usize> Sums<T, P, N> for InShared<T> {
    #[inline(always)]
    fn add(&mut self, p: Degrees<T, P>, e: &mut Array<T, N>, factors: &Array<T, MAX_ORDER>) {
        scale(p, factors, e);
        for group in 0..groups(p.count()) {
            let at = self.first + group * warp::SIZE as usize;
            self.parts.set(at, sum(self.parts.get(at), group_of(p, e, group)));
        }
    }
}

/// Adds what each far box of this warp's offsets brings.
#[inline(always)]
fn sum_far<T: Real, const P: usize, const N: usize>(
    args: M2l<T>,
    p: Degrees<T, P>,
    task: Task,
    sums: &mut impl Sums<T, P, N>,
) {
    let stride = args.boxes.count as usize;
    let mut walk = task.walk(args.boxes, args.far);
    while let Some((way, source)) = walk.next() {
        let way = Way { records: args.ways, start: way * record_length(p.count()) };
        let mut e = Array::<T, N>::filled(T::ZERO);
        load(p, args.multipole, [source.index, stride], &mut e);
        let mut before = way.before(p);
        for n in 0..p.count() {
            before[n] = if source.there { before[n] } else { T::ZERO };
        }
        scale(p, &before, &mut e);
        translate::<ToLocal, T, P, N>(p, way, &mut e);
        sums.add(p, &mut e, &way.after(p));
    }
}

/// Adds up the warps' sums, some groups at a time, and writes them.
#[inline(always)]
pub(crate) fn reduce_own<T: Real, const P: usize, const N: usize>(
    p: Degrees<T, P>,
    args: &M2l<T>,
    task: Task,
    sums: &Array<T, N>,
) {
    let warp = (thread::thread_idx_x() / warp::SIZE) as usize;
    let parts = Arena::new().array::<Vec4<T>>(WARPS * AT_ONCE * warp::SIZE as usize);
    for chunk in 0..groups(p.count()).div_ceil(AT_ONCE) {
        for group in chunk * AT_ONCE..groups(p.count()).min((chunk + 1) * AT_ONCE) {
            parts.set(place(AT_ONCE, warp, group % AT_ONCE), group_of(p, sums, group));
        }
        thread::sync_threads();
        if chunk * AT_ONCE + warp < groups(p.count()) {
            put(args, task, chunk * AT_ONCE + warp, parts, AT_ONCE, warp);
        }
        thread::sync_threads();
    }
}

/// Writes a group: the sum of what the warps have at place `k` of `groups`, in their order.
#[inline(always)]
fn put<T: Real>(
    args: &M2l<T>,
    task: Task,
    group: usize,
    parts: Shared<Vec4<T>>,
    groups: usize,
    k: usize,
) {
    if task.there {
        let mut total = parts.get(place(groups, 0, k));
        for warp in 1..WARPS {
            total = sum(total, parts.get(place(groups, warp, k)));
        }
        args.local.set(group * args.boxes.count as usize + task.target, total);
    }
}

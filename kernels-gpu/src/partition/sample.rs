//! Kernels that tell where cuts may be: keys of some points, and numbers of points beside a cut.

use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::float_kernels;
use crate::tree::morton::{LEVELS, MAX_LEVEL, common_level_of};
use crate::tree::points::Lattice;

/// Number of threads of a block.
pub const THREADS: u32 = 256;

/// Shared memory of a block of [`COUNT_BESIDE`] in bytes.
pub const fn shared_bytes(n_cuts: usize) -> usize {
    4 * LEVELS * n_cuts
}

/// Arguments of [`SAMPLE_KEYS`]: a thread is a key.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SampleKeys<T> {
    /// Points (x, y, z, any), n.
    pub points: View<Vec4<T>>,
    /// Lattice of the keys.
    pub lattice: Lattice,
    /// Output: keys of points at even distances in memory, at most n.
    pub keys: ViewMut<u64>,
}

#[inline(always)]
fn sample_keys<T: Real>(args: SampleKeys<T>) {
    let i = thread::index();
    if i < args.keys.len() {
        let from = i as u64 * args.points.len() as u64 / args.keys.len() as u64;
        args.keys.set(i, args.lattice.key(args.points.get(from as usize)));
    }
}

/// Arguments of [`COUNT_BESIDE`], by any number of threads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountBeside<T> {
    /// Points (x, y, z, any).
    pub points: View<Vec4<T>>,
    /// Lattice of the deepest level.
    pub lattice: Lattice,
    /// Coordinates of the box of [`MAX_LEVEL`] after each cut, and anything.
    pub cuts: View<Vec4<u32>>,
    /// Output, added to, [`LEVELS`] a cut: number of points whose box of this level, and of no deeper one, is that of the
    /// box after the cut. Those of level 0, which are most, are not counted: they are the rest.
    pub counts: ViewMut<u32>,
}

#[inline(always)]
fn count_beside<T: Real>(args: CountBeside<T>) {
    let block = Arena::new().array::<u32>(args.counts.len());
    let mut bin = thread::thread_idx_x() as usize;
    while bin < args.counts.len() {
        block.set(bin, 0);
        bin += THREADS as usize;
    }
    thread::sync_threads();
    let mut i = thread::index();
    while i < args.points.len() {
        let place = args.lattice.place(args.points.get(i));
        for cut in 0..args.cuts.len() {
            let Vec4([x, y, z, _]) = args.cuts.get(cut);
            let level = common_level_of(place, [x, y, z], MAX_LEVEL);
            // Threads of a warp that add to one number wait for each other.
            if level > 0 {
                block.atomic_add(LEVELS * cut + level as usize, 1);
            }
        }
        i += thread::count();
    }
    thread::sync_threads();
    let mut bin = thread::thread_idx_x() as usize;
    while bin < args.counts.len() {
        let count = block.get(bin);
        if count > 0 {
            args.counts.atomic_add(bin, count);
        }
        bin += THREADS as usize;
    }
}

float_kernels! {
    /// Keys of some points: one thread a key.
    pub SAMPLE_KEYS<T: Real> = sample_keys, SampleKeys;
    /// Points beside cuts, by any number of threads.
    pub COUNT_BESIDE<T: Real> = count_beside, CountBeside;
}

//! Kernels with one thread a point: keys of some points, points beside cuts, and owners.

use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::kernel;
use crate::tree::morton::{MAX_LEVEL, common_level};
use crate::tree::points::Lattice;

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Number of levels, and so of counts of a cut.
pub const LEVELS: usize = MAX_LEVEL as usize + 1;

/// Shared memory of a block of [`COUNT_BESIDE_F32`] in bytes.
pub const fn shared_bytes(n_cuts: usize) -> usize {
    4 * LEVELS * n_cuts
}

/// Arguments of [`SAMPLE_KEYS_F32`] and [`SAMPLE_KEYS_F64`]: a thread is a key.
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

/// Arguments of [`COUNT_BESIDE_F32`] and [`COUNT_BESIDE_F64`], by any number of threads.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountBeside<T> {
    /// Points (x, y, z, any).
    pub points: View<Vec4<T>>,
    /// Lattice of the deepest level.
    pub lattice: Lattice,
    /// First code after each cut.
    pub cuts: View<u64>,
    /// Output, added to, [`LEVELS`] a cut: number of points whose box of this level, and of no deeper one, is that of the
    /// first code after the cut.
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
        let key = args.lattice.key(args.points.get(i));
        for cut in 0..args.cuts.len() {
            let level = common_level(key, args.cuts.get(cut), MAX_LEVEL);
            block.atomic_add(LEVELS * cut + level as usize, 1);
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

/// Arguments of [`OWNERS_F32`] and [`OWNERS_F64`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Owners<T> {
    /// Points (x, y, z, any), n.
    pub points: View<Vec4<T>>,
    /// Lattice of the deepest level.
    pub lattice: Lattice,
    /// First codes of the second owner and those after it, ascending.
    pub cuts: View<u64>,
    /// Output: owner of each point.
    pub owners: ViewMut<u32>,
}

#[inline(always)]
fn owners<T: Real>(args: Owners<T>) {
    let i = thread::index();
    if i >= args.points.len() {
        return;
    }
    let key = args.lattice.key(args.points.get(i));
    let mut owner = 0;
    for cut in 0..args.cuts.len() {
        owner += u32::from(args.cuts.get(cut) <= key);
    }
    args.owners.set(i, owner);
}

/// Arguments of [`OWNER_STARTS`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OwnerStarts {
    /// Sorted owners, n.
    pub owners: View<u32>,
    /// Output: first place of each owner, then n.
    pub starts: ViewMut<u32>,
}

fn owner_starts(args: OwnerStarts) {
    let (i, n) = (thread::index(), args.owners.len());
    if i > n {
        return;
    }
    let first = if i == 0 { 0 } else { args.owners.get(i - 1) as usize + 1 };
    let end = if i == n { args.starts.len() } else { args.owners.get(i) as usize + 1 };
    for owner in first..end {
        args.starts.set(owner, i as u32);
    }
}

kernel! {
    /// Keys of some points of f32: one thread a key.
    pub SAMPLE_KEYS_F32 = sample_keys, (SampleKeys<f32>);
    /// Keys of some points of f64: one thread a key.
    pub SAMPLE_KEYS_F64 = sample_keys, (SampleKeys<f64>);
    /// Points of f32 beside cuts, by any number of threads.
    pub COUNT_BESIDE_F32 = count_beside, (CountBeside<f32>);
    /// Points of f64 beside cuts, by any number of threads.
    pub COUNT_BESIDE_F64 = count_beside, (CountBeside<f64>);
    /// Owners of points of f32: one thread a point.
    pub OWNERS_F32 = owners, (Owners<f32>);
    /// Owners of points of f64: one thread a point.
    pub OWNERS_F64 = owners, (Owners<f64>);
    /// First place of each owner: one thread a point, and one more.
    pub OWNER_STARTS = owner_starts, (OwnerStarts);
}

#[cfg(not(target_arch = "nvptx64"))]
mod parted {
    use super::*;
    use crate::device::Kernel;

    /// Number types with kernels that part points among owners.
    pub trait Parted: Real {
        /// Kernel: keys of some points.
        const SAMPLE_KEYS: Kernel<SampleKeys<Self>>;
        /// Kernel: points beside cuts.
        const COUNT_BESIDE: Kernel<CountBeside<Self>>;
        /// Kernel: owners of points.
        const OWNERS: Kernel<Owners<Self>>;
    }

    impl Parted for f32 {
        const SAMPLE_KEYS: Kernel<SampleKeys<Self>> = SAMPLE_KEYS_F32;
        const COUNT_BESIDE: Kernel<CountBeside<Self>> = COUNT_BESIDE_F32;
        const OWNERS: Kernel<Owners<Self>> = OWNERS_F32;
    }

    impl Parted for f64 {
        const SAMPLE_KEYS: Kernel<SampleKeys<Self>> = SAMPLE_KEYS_F64;
        const COUNT_BESIDE: Kernel<CountBeside<Self>> = COUNT_BESIDE_F64;
        const OWNERS: Kernel<Owners<Self>> = OWNERS_F64;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use parted::Parted;

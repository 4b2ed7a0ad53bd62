//! Probe kernel that calls each function of [`device`](crate::device), so that a device can be compared with the emulator.

use super::shared::Arena;
use super::{Real, Vec2, Vec4, View, ViewMut, thread, warp};
use crate::kernel;

/// Arguments of [`PROBE`]: one item a thread, blocks of [`PROBE_THREADS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Probe {
    /// Any numbers.
    pub input: View<f32>,
    /// Output of each thread: sum over its warp, scan of indices, ballot of odd lanes, block's count by shared atomics.
    pub words: ViewMut<Vec4<u32>>,
    /// Output of each thread: 1/√x in f32 and f64, fused multiply-add, neighbour's number through shared memory.
    pub numbers: ViewMut<Vec4<f64>>,
    /// Output of each thread: its index in the block and the number of threads of the block.
    pub pairs: ViewMut<Vec2<u32>>,
    /// Output, one item: the number of threads, counted by global atomics.
    pub count: ViewMut<u32>,
}

/// Number of threads of a block of [`PROBE`].
pub const PROBE_THREADS: u32 = 96;

/// Shared memory of a block of [`PROBE`], in bytes.
pub const PROBE_SHARED: usize = 16 * PROBE_THREADS as usize + 4;

fn probe(args: Probe) {
    let (i, t) = (thread::index(), thread::thread_idx_x() as usize);
    let mut arena = Arena::new();
    let tile = arena.array::<Vec4<f32>>(PROBE_THREADS as usize);
    let counter = arena.array::<u32>(1);
    let inside = i < args.input.len();
    let x = if inside { args.input.get(i) } else { 1.0 };
    tile.set(t, Vec4([x, -x, 2.0 * x, 0.0]));
    if t == 0 {
        counter.set(0, 0);
    }
    thread::sync_threads();
    counter.atomic_add(0, 1);
    thread::sync_threads();
    let neighbor = tile.get((t + 1) % PROBE_THREADS as usize).0[2];
    let sum = warp::sum(t as u32);
    let scan = warp::inclusive_scan(t as u32);
    let odd = warp::ballot(t % 2 == 1);
    let halves = warp::shuffle_xor(f64::from(x), 1);
    if inside {
        args.count.atomic_add(0, 1);
        args.words.set(i, Vec4([sum, scan, odd, counter.get(0)]));
        let wide = Real::rsqrt(f64::from(x));
        let fused = Real::mul_add(f64::from(x), halves, -1.0);
        args.numbers.set(i, Vec4([f64::from(Real::rsqrt(x)), wide, fused, f64::from(neighbor)]));
        args.pairs.set(i, Vec2([t as u32, thread::block_dim_x()]));
    }
}

kernel! {
    /// Kernel that calls each function of the device, see [`Probe`].
    pub PROBE = probe, (Probe);
}

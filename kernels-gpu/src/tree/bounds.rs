//! Bounds of all points and the first point that is not finite, by two launches of a reduction.

use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use crate::{float_kernels, kernel};

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Largest number of blocks of the first launch; the second launch has one block.
pub const MAX_BLOCKS: u32 = 512;
/// Length of a result: three minima, three maxima, the index of the first point that is not finite (or ∞).
pub const RESULT: usize = 7;
/// Shared memory of a block in bytes.
pub const SHARED: usize = 8 * RESULT * (THREADS as usize / 32);

/// Arguments of [`BOUNDS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Bounds<T> {
    /// Points in any order: x, y, z and anything.
    pub points: View<Vec4<T>>,
    /// Output: [`RESULT`] numbers a block.
    pub results: ViewMut<f64>,
}

/// Arguments of [`PACKED_BOUNDS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PackedBounds<T> {
    /// Points (x, y, z) one after the other: three numbers a point.
    pub packed: View<T>,
    /// Output: [`RESULT`] numbers a block.
    pub results: ViewMut<f64>,
}

/// Arguments of [`BOUNDS_OF_BLOCKS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BoundsOfBlocks {
    /// Results of the first launch: [`RESULT`] numbers a block.
    pub results: View<f64>,
    /// Output: [`RESULT`] numbers.
    pub result: ViewMut<f64>,
}

/// Result with negated minima and index, so that all numbers are maxima.
type Numbers = [f64; RESULT];

const NONE: Numbers = [f64::NEG_INFINITY; RESULT];

#[inline(always)]
fn bounds<T: Real>(Bounds { points, results }: Bounds<T>) {
    let at = |i: usize| {
        let Vec4([x, y, z, _]) = points.get(i);
        [x.to_f64(), y.to_f64(), z.to_f64()]
    };
    bounds_of(points.len(), at, results);
}

#[inline(always)]
fn packed_bounds<T: Real>(PackedBounds { packed, results }: PackedBounds<T>) {
    let at = |i: usize| [0, 1, 2].map(|axis| packed.get(3 * i + axis).to_f64());
    bounds_of(packed.len() / 3, at, results);
}

/// Bounds of the `n` points that a function gives.
#[inline(always)]
fn bounds_of(n: usize, at: impl Fn(usize) -> [f64; 3], results: ViewMut<f64>) {
    let mut numbers = NONE;
    let mut i = thread::index();
    while i < n {
        let point = at(i);
        for d in 0..3 {
            numbers[d] = numbers[d].max(-point[d]);
            numbers[3 + d] = numbers[3 + d].max(point[d]);
        }
        if !(point[0].is_finite() & point[1].is_finite() & point[2].is_finite()) {
            numbers[6] = numbers[6].max(-(i as f64));
        }
        i += thread::count();
    }
    let block = thread::block_idx_x() as usize;
    reduce(numbers, results.part(block * RESULT, RESULT));
}

fn bounds_of_blocks(BoundsOfBlocks { results, result }: BoundsOfBlocks) {
    let mut numbers = NONE;
    let mut block = thread::thread_idx_x() as usize;
    while block < results.len() / RESULT {
        for (k, number) in numbers.iter_mut().enumerate() {
            let sign = if k < 3 || k == 6 { -1.0 } else { 1.0 };
            *number = number.max(sign * results.get(block * RESULT + k));
        }
        block += THREADS as usize;
    }
    reduce(numbers, result);
}

/// Reduces the block's numbers and writes its result.
#[inline(always)]
fn reduce(mut numbers: Numbers, result: ViewMut<f64>) {
    let t = thread::thread_idx_x() as usize;
    let warps = THREADS as usize / 32;
    let of_warps = Arena::new().array::<f64>(RESULT * warps);
    for (k, number) in numbers.iter_mut().enumerate() {
        for mask in [16, 8, 4, 2, 1] {
            *number = number.max(warp::shuffle_xor(*number, mask));
        }
        if warp::lane_id() == 0 {
            of_warps.set(k * warps + t / 32, *number);
        }
    }
    thread::sync_threads();
    if t < RESULT {
        let mut number = f64::NEG_INFINITY;
        for w in 0..warps {
            number = number.max(of_warps.get(t * warps + w));
        }
        result.set(t, if t < 3 || t == 6 { -number } else { number });
    }
}

kernel! {
    /// Bounds from the results of blocks, by one block.
    pub BOUNDS_OF_BLOCKS = bounds_of_blocks, (BoundsOfBlocks);
}

float_kernels! {
    /// Bounds of points, by any number of blocks.
    pub BOUNDS<T: Real> = bounds, Bounds;
    /// Bounds of points of three numbers, by any number of blocks.
    pub PACKED_BOUNDS<T: Real> = packed_bounds, PackedBounds;
}

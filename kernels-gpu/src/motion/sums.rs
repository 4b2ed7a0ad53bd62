//! Reductions over particles: what a system conserves, and the largest acceleration.
//!
//! A block adds the particles of its threads, and the host adds the blocks, in an order that depends on the number of
//! particles alone.

use crate::device::{Real, Vec4, View, ViewMut, block, thread, warp};
use crate::float_kernels;

/// Number of threads of a block.
pub(super) const THREADS: u32 = 256;
/// Number of warps of a block.
const WARPS: usize = (THREADS / warp::SIZE) as usize;
/// Number of sums: kinetic energy Σ m v²/2, potential energy Σ m φ/2, momentum Σ m v, angular momentum Σ m x × v.
pub const SUMS: usize = 8;
/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const SHARED: usize = block::shared_bytes(SUMS, WARPS);

/// Arguments of [`CONSERVED`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Conserved<T> {
    /// Positions, 3 n.
    pub positions: View<f64>,
    /// Velocities, 3 n.
    pub velocities: View<f64>,
    /// Masses, n.
    pub masses: View<f64>,
    /// Field (gx, gy, gz, Φ) at each particle, n.
    pub field: View<Vec4<T>>,
    /// Potential φ of a Φ of 1.
    pub factor: f64,
    /// Output: [`SUMS`] sums a block.
    pub sums: ViewMut<f64>,
}

#[inline(always)]
fn conserved<T: Real>(args: Conserved<T>) {
    let mut sums = [0.0f64; SUMS];
    let mut i = thread::index();
    while i < args.masses.len() {
        let [x, v] = [args.positions, args.velocities]
            .map(|vectors| [0, 1, 2].map(|axis| vectors.get(3 * i + axis)));
        let mass = args.masses.get(i);
        let Vec4([_, _, _, potential]) = args.field.get(i);
        sums[0] += 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        sums[1] += 0.5 * mass * (args.factor * potential.to_f64());
        sums[2] += mass * v[0];
        sums[3] += mass * v[1];
        sums[4] += mass * v[2];
        sums[5] += mass * (x[1] * v[2] - x[2] * v[1]);
        sums[6] += mass * (x[2] * v[0] - x[0] * v[2]);
        sums[7] += mass * (x[0] * v[1] - x[1] * v[0]);
        i += thread::count();
    }
    let first = thread::block_idx_x() as usize * SUMS;
    block::reduce::<SUMS, WARPS>(sums, |a, b| a + b, args.sums.part(first, SUMS));
}

/// Arguments of [`LARGEST`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Largest<T> {
    /// Field (gx, gy, gz, Φ) at each particle, n.
    pub field: View<Vec4<T>>,
    /// Acceleration of a gradient of 1.
    pub factor: f64,
    /// Output: the largest squared acceleration of each block.
    pub squares: ViewMut<f64>,
}

#[inline(always)]
fn largest<T: Real>(args: Largest<T>) {
    let mut largest = 0.0f64;
    let mut i = thread::index();
    while i < args.field.len() {
        let Vec4([x, y, z, _]) = args.field.get(i);
        let [x, y, z] = [x, y, z].map(|g| args.factor * g.to_f64());
        largest = largest.max(x * x + y * y + z * z);
        i += thread::count();
    }
    let square = args.squares.part(thread::block_idx_x() as usize, 1);
    block::reduce::<1, WARPS>([largest], f64::max, square);
}

float_kernels! {
    /// Conserved quantities, with a field.
    pub CONSERVED<T: Real> = conserved, Conserved;
    /// Largest squared accelerations by a field.
    pub LARGEST<T: Real> = largest, Largest;
}

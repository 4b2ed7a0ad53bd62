//! Results before they leave a device: the first that is not finite, and the forces on the sources.

use super::WARPS;
use crate::device::{Real, Vec4, View, ViewMut, block, thread};
use crate::float_kernels;

/// Numbers of a block: the parts of Σ q ∇Φ, and Σ |q ∇Φ|; minus the least index of a gradient and of a potential that are
/// not finite, or −∞.
pub const NUMBERS: usize = FORCES + 2;
/// Numbers of forces.
pub const FORCES: usize = 4;
/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub const SHARED: usize = block::shared_bytes(FORCES, WARPS);

/// Arguments of [`RESULTS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Results<T> {
    /// Field (gx, gy, gz, Φ) in the caller's order.
    pub field: View<Vec4<T>>,
    /// Permutation: the caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// The receivers as sources (x, y, z, q) in the tree's order; no items where the sources are others.
    pub sources: View<Vec4<T>>,
    /// Output: [`NUMBERS`] numbers a block.
    pub results: ViewMut<f64>,
}

#[inline(always)]
fn results<T: Real>(args: Results<T>) {
    let (mut forces, mut firsts) = ([0.0; FORCES], [f64::NEG_INFINITY; 2]);
    let mut i = thread::index();
    while i < args.field.len() {
        let index = args.permutation.get(i) as usize;
        let Vec4(value) = args.field.get(index);
        let [x, y, z, potential] = value.map(T::to_f64);
        if !(x.is_finite() & y.is_finite() & z.is_finite()) {
            firsts[0] = f64::max(firsts[0], -(index as f64));
        }
        if !potential.is_finite() {
            firsts[1] = f64::max(firsts[1], -(index as f64));
        }
        if !args.sources.is_empty() {
            let Vec4([.., charge]) = args.sources.get(i);
            let force = [x, y, z].map(|part| charge.to_f64() * part);
            let [x, y, z] = force;
            let terms = [x, y, z, length(force)];
            forces = core::array::from_fn(|k| forces[k] + terms[k]);
        }
        i += thread::count();
    }
    let first = thread::block_idx_x() as usize * NUMBERS;
    block::reduce::<FORCES, WARPS>(forces, |a, b| a + b, args.results.part(first, FORCES));
    thread::sync_threads();
    block::reduce::<2, WARPS>(firsts, f64::max, args.results.part(first + FORCES, 2));
}

/// Length of a vector, whose squares may over- or underflow.
#[inline(always)]
fn length(vector: [f64; 3]) -> f64 {
    let [x, y, z] = vector.map(|part| if part < 0.0 { -part } else { part });
    let largest = f64::max(f64::max(x, y), z);
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    let [x, y, z] = [x, y, z].map(|part| part / largest);
    let square = x * x + y * y + z * z;
    // Between 1 and 3.
    largest * (square * square.rsqrt())
}

float_kernels! {
    /// Results.
    pub RESULTS<T: Real> = results, Results;
}

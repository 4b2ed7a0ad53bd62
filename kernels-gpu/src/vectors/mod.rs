//! Algebra of vectors in the memory of a device: products, combinations and traces, for solvers whose vectors stay there.
//!
//! The vectors of a set follow each other in memory, so that a basis is one array: one launch takes the products of all of
//! its vectors with another one, and one subtracts its projections. Products are added in f64, in an order that depends on
//! the length alone.
//!
//! Cost: bound by memory, each number is read once. Ten products of 10⁶ numbers in f64 move 88 MB, 0.03 ms at 3 TB/s.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::{FieldTrace, VectorSpace};

use crate::device::{Real, Vec4, View, ViewMut, block, thread, warp};
use crate::float_kernels;

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Number of warps of a block.
const WARPS: usize = (THREADS / warp::SIZE) as usize;

/// Arguments of [`PRODUCTS`]: blocks (x, y) add the x-th share of the y-th product.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Products<T> {
    /// Vectors v_k, n numbers each, one vector after the other.
    pub vectors: View<T>,
    /// Vector w, n.
    pub with: View<T>,
    /// Output: the shares of v_0·w, then those of v_1·w and so on.
    pub shares: ViewMut<f64>,
}

#[inline(always)]
fn products<T: Real>(args: Products<T>) {
    let (n, k) = (args.with.len(), thread::block_idx_y() as usize);
    let vector = args.vectors.part(k * n, n);
    let mut sum = 0.0f64;
    let mut i = thread::index();
    while i < n {
        sum += vector.get(i).to_f64() * args.with.get(i).to_f64();
        i += thread::count();
    }
    let share = k * thread::grid_dim_x() as usize + thread::block_idx_x() as usize;
    block::reduce::<1, WARPS>([sum], |a, b| a + b, args.shares.part(share, 1));
}

/// Arguments of [`COMBINE`]: a thread is a number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Combine<T> {
    /// Vectors v_k, n numbers each, one vector after the other.
    pub vectors: View<T>,
    /// Factors a_k.
    pub factors: View<f64>,
    /// Factor s of the vector before; 0 if it has no content.
    pub scale: f64,
    /// Vector w, n, apart from the others: s w + Σ a_k v_k is written.
    pub vector: ViewMut<T>,
}

#[inline(always)]
fn combine<T: Real>(args: Combine<T>) {
    let (n, i) = (args.vector.len(), thread::index());
    if i < n {
        let mut sum = 0.0;
        if args.scale != 0.0 {
            sum = args.scale * args.vector.get(i).to_f64();
        }
        for k in 0..args.factors.len() {
            sum += args.factors.get(k) * args.vectors.get(k * n + i).to_f64();
        }
        args.vector.set(i, T::from_f64(sum));
    }
}

/// Arguments of [`MULTIPLY`]: a thread is a number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Multiply<T> {
    /// Factors, n.
    pub factors: View<T>,
    /// Vector, n.
    pub vector: View<T>,
    /// Output, n: the products of their numbers.
    pub product: ViewMut<T>,
}

#[inline(always)]
fn multiply<T: Real>(args: Multiply<T>) {
    let i = thread::index();
    if i < args.product.len() {
        args.product.set(i, args.factors.get(i) * args.vector.get(i));
    }
}

/// Arguments of [`TRACE`]: a thread is a receiver. A trace is what a boundary condition takes of a field: weights (n, 0)
/// give the derivative along a normal n, weights (0, 0, 0, 1) the potential.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Trace<T> {
    /// Field (gx, gy, gz, Φ) at the receivers, n.
    pub field: View<Vec4<T>>,
    /// Weights of the four, n.
    pub weights: View<Vec4<T>>,
    /// Diagonal d of a matrix, n.
    pub diagonal: View<T>,
    /// Vector v, n.
    pub vector: View<T>,
    /// Output, n: weights · field + d v.
    pub trace: ViewMut<T>,
}

#[inline(always)]
fn trace<T: Real>(args: Trace<T>) {
    let i = thread::index();
    if i < args.trace.len() {
        let (Vec4(field), Vec4(weights)) = (args.field.get(i), args.weights.get(i));
        let mut sum = args.diagonal.get(i) * args.vector.get(i);
        for (value, weight) in field.into_iter().zip(weights) {
            sum = value.mul_add(weight, sum);
        }
        args.trace.set(i, sum);
    }
}

float_kernels! {
    /// Products of vectors.
    pub PRODUCTS<T: Real> = products, Products;
    /// Combinations of vectors.
    pub COMBINE<T: Real> = combine, Combine;
    /// Products of the numbers of vectors.
    pub MULTIPLY<T: Real> = multiply, Multiply;
    /// Traces of a field.
    pub TRACE<T: Real> = trace, Trace;
}

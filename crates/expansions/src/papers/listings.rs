//! The two-stage M2L kernel of Yokota and Barba (2011), Listings 3–5, as plain functions shaped like
//! the kernel bodies.
//!
//! Stage one evaluates the real part of Y/(ρⁿ⁺¹A) once for each pair of boxes (eq. 10). In stage two
//! each "thread" sums eq. 4 for one coefficient (j, k). Names, loops and array layouts are those of
//! the listings, so that a device kernel can be read against them; the cosines in the inner loop,
//! which the paper's kernel evaluates for every term, are kept as well. Coefficients are
//! interleaved real and imaginary parts, at 2i and 2i + 1 for i = [`index`](super::complex::index)(n, m).

use super::complex::coefficients::coefficient_count;
use alloc::{vec, vec::Vec};
use num_traits::Float;

/// The number type of a kernel: `f32` on a device, `f64` to compare with the reference.
pub trait Real: Float + From<i16> {}

impl<T: Float + From<i16>> Real for T {}

/// Interaction-list capacity of the paper's kernel: 6³ − 3³ boxes.
pub const MAX_M2L_INTERACTION: usize = 189;

/// Length of one block's record in `device_offset`: a count, then jbase and the offset in x, y, z.
pub const OFFSET_STRIDE: usize = 4 * MAX_M2L_INTERACTION + 1;

/// Length p(2p+1) of `shared_ynm`: Listing 3 writes the degrees 0..2p−1.
///
/// Listing 5 line 13 declares `numCoefficients` = p(p+1)/2 and so writes past the end.
#[must_use]
pub const fn shared_ynm_len(num_expansions: usize) -> usize {
    num_expansions * (2 * num_expansions + 1)
}

/// Listing 3, stage one: the real part of Y_n^m/(ρⁿ⁺¹ A_n^m) = (n−m)! P_n^m/ρⁿ⁺¹ of eq. 10.
///
/// `shared_ynm` holds [`shared_ynm_len`] entries at n(n+1)/2 + m, `shared_factorial` the 2p numbers
/// n! for n = 0..2p−1, whose length gives p. In `f32` they overflow for p ≥ 18.
pub fn m2l_calculate_ynm<T: Real>(shared_ynm: &mut [T], rho: T, alpha: T, shared_factorial: &[T]) {
    let num_expansions = shared_factorial.len() / 2;
    let x = alpha.cos();
    let s = (T::one() - x * x).sqrt();
    let mut fact = T::one();
    let mut pn = T::one();
    let mut rhom = T::one() / rho;
    for m in 0..2 * num_expansions {
        let mut p = pn;
        shared_ynm[m * (m + 1) / 2 + m] = rhom * p;
        let mut p1 = p;
        p = x * real(2 * m + 1) * p; // eq. 9
        rhom = rhom / rho;
        let mut rhon = rhom;
        for n in m + 1..2 * num_expansions {
            shared_ynm[n * (n + 1) / 2 + m] = rhon * p * shared_factorial[n - m];
            let p2 = p1;
            p1 = p;
            p = (x * real(2 * n + 1) * p1 - real::<T>(n + m) * p2) / real(n - m + 1); // eq. 7
            rhon = rhon / rho;
        }
        pn = -pn * fact * s; // eq. 8, with (2m-1)!!
        fact = fact + real(2);
    }
}

/// Listing 4, stage two: adds to `lnm_target` (real, imaginary) the coefficient of one thread.
///
/// Thread `thread_idx` = j(j+1)/2 + k owns L_j^k. About 48 flops for each of the p² terms (n, m).
pub fn m2l_kernel_core<T: Real>(
    thread_idx: usize,
    lnm_target: &mut [T; 2],
    j: usize,
    beta: T,
    shared_factorial: &[T],
    shared_ynm: &[T],
    shared_mnm_source: &[T],
) {
    let num_expansions = shared_factorial.len() / 2;
    let k = thread_idx - j * (j + 1) / 2;
    let ajk = odd_even::<T>(j) * rsqrt(shared_factorial[j - k] * shared_factorial[j + k]);
    for n in 0..num_expansions {
        // The azimuthal indices −m of the listing's first loop: M is conjugated, i^{...} is 1.
        for m in (1..=n).rev() {
            let i = n * (n + 1) / 2 + m;
            let jnkm = (j + n) * (j + n + 1) / 2 + m + k;
            let angle = -real::<T>(m + k) * beta;
            let (ere, eim) = (angle.cos(), angle.sin());
            let anm = rsqrt(shared_factorial[n + m] * shared_factorial[n - m]);
            let cnm = anm * ajk * shared_ynm[jnkm];
            let (cnm_real, cnm_imag) = (cnm * ere, cnm * eim);
            lnm_target[0] = lnm_target[0] + shared_mnm_source[2 * i] * cnm_real;
            lnm_target[0] = lnm_target[0] + shared_mnm_source[2 * i + 1] * cnm_imag;
            lnm_target[1] = lnm_target[1] + shared_mnm_source[2 * i] * cnm_imag;
            lnm_target[1] = lnm_target[1] - shared_mnm_source[2 * i + 1] * cnm_real;
        }
        for m in 0..=n {
            let i = n * (n + 1) / 2 + m;
            let jnkm = (j + n) * (j + n + 1) / 2 + m.abs_diff(k);
            let angle = (real::<T>(m) - real(k)) * beta;
            let (ere, eim) = (angle.cos(), angle.sin());
            let anm = rsqrt(shared_factorial[n - m] * shared_factorial[n + m]);
            // i^{|k-m|-k-m}, whose exponent is -2 min(k, m).
            let mut cnm = odd_even::<T>(k.min(m));
            cnm = cnm * anm * ajk * shared_ynm[jnkm];
            let (cnm_real, cnm_imag) = (cnm * ere, cnm * eim);
            lnm_target[0] = lnm_target[0] + shared_mnm_source[2 * i] * cnm_real;
            lnm_target[0] = lnm_target[0] - shared_mnm_source[2 * i + 1] * cnm_imag;
            lnm_target[1] = lnm_target[1] + shared_mnm_source[2 * i] * cnm_imag;
            lnm_target[1] = lnm_target[1] + shared_mnm_source[2 * i + 1] * cnm_real;
        }
    }
}

/// The shared memory of one block of [`m2l_kernel`].
#[derive(Clone, Debug)]
pub struct M2lShared<T> {
    /// Degree j of each thread.
    j: Vec<usize>,
    ynm: Vec<T>,
    factorial: Vec<T>,
}

impl<T: Real> M2lShared<T> {
    /// Fills the tables of order p, Listing 5 lines 16–29.
    #[must_use]
    pub fn new(num_expansions: usize) -> Self {
        let mut j = vec![0; coefficient_count(num_expansions)];
        for degree in 0..num_expansions {
            for k in 0..=degree {
                j[degree * (degree + 1) / 2 + k] = degree;
            }
        }
        let mut factorial = vec![T::one(); 2 * num_expansions];
        for n in 1..factorial.len() {
            factorial[n] = factorial[n - 1] * real(n);
        }
        Self { j, ynm: vec![T::zero(); shared_ynm_len(num_expansions)], factorial }
    }
}

/// Listing 5: the M2L of one target box ("block"), over its whole interaction list.
///
/// `device_offset` holds, for each block, a record of [`OFFSET_STRIDE`] numbers: the number of
/// interactions, then for each the first coefficient of the source box in `device_mnm_source` and
/// the integer offset x, y, z of the target box *from* the source box, in units of `box_size`.
/// A block has one thread for each coefficient; its p(p+1)/2 results are written, not added.
pub fn m2l_kernel<T: Real>(
    block_idx: usize,
    device_offset: &[i32],
    box_size: T,
    device_lnm_target: &mut [T],
    device_mnm_source: &[T],
    shared: &mut M2lShared<T>,
) {
    let threads = shared.j.len();
    let record = &device_offset[block_idx * OFFSET_STRIDE..][..OFFSET_STRIDE];
    let output = &mut device_lnm_target[2 * block_idx * threads..][..2 * threads];
    output.fill(T::zero());
    for interaction in record[1..].chunks_exact(4).take(record[0] as usize) {
        let source = &device_mnm_source[2 * interaction[0] as usize..][..2 * threads];
        let dist =
            [1, 2, 3].map(|axis| <T as From<i16>>::from(interaction[axis] as i16) * box_size);
        let (rho, alpha, beta) = cart2sph(dist);
        m2l_calculate_ynm(&mut shared.ynm, rho, alpha, &shared.factorial);
        for (thread, target) in output.chunks_exact_mut(2).enumerate() {
            let mut lnm_target = [target[0], target[1]];
            m2l_kernel_core(
                thread,
                &mut lnm_target,
                shared.j[thread],
                beta,
                &shared.factorial,
                &shared.ynm,
                source,
            );
            target.copy_from_slice(&lnm_target);
        }
    }
}

/// (ρ, α, β) of a vector that is not zero.
fn cart2sph<T: Real>([x, y, z]: [T; 3]) -> (T, T, T) {
    let rho = (x * x + y * y + z * z).sqrt();
    (rho, (z / rho).acos(), y.atan2(x))
}

/// `ODDEVEN(n)` = (−1)ⁿ.
fn odd_even<T: Real>(n: usize) -> T {
    if n.is_multiple_of(2) { T::one() } else { -T::one() }
}

fn rsqrt<T: Real>(x: T) -> T {
    x.sqrt().recip()
}

/// A small integer as a number of the kernel.
fn real<T: Real>(n: usize) -> T {
    <T as From<i16>>::from(n as i16)
}

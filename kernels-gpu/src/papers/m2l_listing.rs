//! M2L of Yokota and Barba (2011), section 5.2, Listings 3 to 5, for their figures: complex basis, one thread a target
//! coefficient.
//!
//! A block is a target box. For each source box the block evaluates Y/(ρⁿ⁺¹A) into shared memory (stage one, Listing 3)
//! and loads the multipole; then each thread sums equation 4 for one coefficient L_j^k (stage two, Listing 4). Names
//! and layouts are those of `expansions::papers::listings`, with its errata.
//!
//! [`LISTING_CALLS_F32`] works as printed: each thread evaluates all of stage one, and calls sine and cosine for each term
//! of stage two, by the instructions that nvcc makes of them under the paper's option `-use_fast_math`. In [`LISTING`] the
//! threads of a block share stage one out and make a table of the cosines for each source. Both take cos α = z/ρ without an
//! arc cosine, and powers of 1/ρ along in equation 8, since (2m−1)!! alone leaves f32.

#[cfg(not(target_arch = "nvptx64"))]
use crate::device::{Kernel, warp};
use crate::device::{Real, View, ViewMut, shared::Arena, shared::Shared, thread};
use crate::device::{cos_approx, sin_approx};
#[cfg(not(target_arch = "nvptx64"))]
use crate::machine::{Grid, Launcher, MachineError};
use crate::papers::azimuth::azimuth;
use crate::{float_kernels, kernel};

/// Largest number of interactions in a record of `device_offset`.
pub const MAX_M2L_INTERACTION: usize = 189;

/// Length of a target box's record in `device_offset`: a count, then jbase and the offset in x, y, z of each source.
pub const OFFSET_STRIDE: usize = 4 * MAX_M2L_INTERACTION + 1;

/// Arguments of Listings 3 to 5.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Listing<T> {
    /// Expansion order p.
    pub num_expansions: u32,
    /// Records of [`OFFSET_STRIDE`] numbers, one a block; offsets are those of the target from the source, in boxes.
    pub device_offset: View<i32>,
    /// Side of the boxes.
    pub box_size: T,
    /// Coefficients of the source boxes, real and imaginary parts in turn.
    pub device_mnm_source: View<T>,
    /// Output: coefficients of the target boxes, real and imaginary parts in turn, p(p + 1) numbers a block.
    pub device_lnm_target: ViewMut<T>,
}

/// Shared memory of a block, in bytes.
#[cfg(not(target_arch = "nvptx64"))]
const fn shared_bytes<T>(p: usize) -> usize {
    (p * (2 * p + 1) + p * (p + 1) + 2 * p + 4 * p) * size_of::<T>()
}

/// Shared arrays of a block.
struct Tables<T> {
    ynm: Shared<T>,
    mnm_source: Shared<T>,
    factorial: Shared<T>,
    /// Cosines and sines: cos mβ and sin mβ at 2m and 2m + 1, m < 2p.
    phases: Shared<T>,
}

/// Ways of the threads of a block to share the work out.
trait Form<T> {
    /// Listing 3: fills the tables for a source at this distance.
    fn stage_one(tables: &Tables<T>, p: usize, distance: [T; 3]);

    /// The angle β of a source at this distance, for [`phase`](Self::phase).
    fn beta(distance: [T; 3]) -> T;

    /// Numbers cos mβ and sin mβ in the inner loop of Listing 4.
    fn phase(tables: &Tables<T>, beta: T, m: usize) -> [T; 2];
}

/// Stage one is shared out, and cosines are tabulated.
struct Tabulated;

impl<T: Real> Form<T> for Tabulated {
    #[inline(always)]
    fn stage_one(tables: &Tables<T>, p: usize, distance: [T; 3]) {
        let mut m = thread::thread_idx_x() as usize;
        while m < 2 * p {
            column(tables, p, m, distance);
            m += thread::block_dim_x() as usize;
        }
    }

    #[inline(always)]
    fn beta(_: [T; 3]) -> T {
        T::ZERO
    }

    #[inline(always)]
    fn phase(tables: &Tables<T>, _: T, m: usize) -> [T; 2] {
        [tables.phases.get(2 * m), tables.phases.get(2 * m + 1)]
    }
}

/// The listings as printed: every thread does all of stage one, and calls sine and cosine.
struct Called;

impl Form<f32> for Called {
    #[inline(always)]
    fn stage_one(tables: &Tables<f32>, p: usize, distance: [f32; 3]) {
        for m in 0..2 * p {
            column(tables, p, m, distance);
        }
    }

    #[inline(always)]
    fn beta([x, y, _]: [f32; 3]) -> f32 {
        azimuth(x, y)
    }

    #[inline(always)]
    fn phase(_: &Tables<f32>, beta: f32, m: usize) -> [f32; 2] {
        let angle = m as f32 * beta;
        [cos_approx(angle), sin_approx(angle)]
    }
}

/// Listing 5: one target box. Cost: about 48 operations for each of p²(p + 1)p/2 terms a source. Orders up to 17 in
/// f32.
#[inline(always)]
fn listing<T: Real, F: Form<T>>(args: Listing<T>) {
    let p = args.num_expansions as usize;
    let count = p * (p + 1) / 2;
    let (block, i) = (thread::block_idx_x() as usize, thread::thread_idx_x() as usize);
    let threads = thread::block_dim_x() as usize;
    let mut arena = Arena::new();
    let tables = Tables {
        ynm: arena.array(p * (2 * p + 1)),
        mnm_source: arena.array(2 * count),
        factorial: arena.array(2 * p),
        phases: arena.array(4 * p),
    };
    if i == 0 {
        fill_factorials(tables.factorial, 2 * p);
    }
    let j = degree_of(i);
    let record = block * OFFSET_STRIDE;
    let interactions = args.device_offset.get(record) as usize;
    let mut lnm_target = [T::ZERO; 2];
    for interaction in 0..interactions {
        let entry = |k: usize| args.device_offset.get(record + 1 + 4 * interaction + k);
        let distance = [1, 2, 3].map(|k| T::from_f64(f64::from(entry(k))) * args.box_size);
        thread::sync_threads();
        let mut k = i;
        while k < 2 * count {
            tables.mnm_source.set(k, args.device_mnm_source.get(2 * entry(0) as usize + k));
            k += threads;
        }
        F::stage_one(&tables, p, distance);
        thread::sync_threads();
        if i < count {
            let beta = F::beta(distance);
            let phase = |m: usize| F::phase(&tables, beta, m);
            core_sum(&tables, p, [j, i - j * (j + 1) / 2], phase, &mut lnm_target);
        }
    }
    if i < count {
        args.device_lnm_target.set(2 * (block * count + i), lnm_target[0]);
        args.device_lnm_target.set(2 * (block * count + i) + 1, lnm_target[1]);
    }
}

/// Listing 3 for one m: (n − m)! P_n^m/ρⁿ⁺¹ for the degrees n < 2p, and the phase of m.
#[inline(always)]
fn column<T: Real>(tables: &Tables<T>, p: usize, m: usize, [dx, dy, dz]: [T; 3]) {
    let across2 = dx.mul_add(dx, dy * dy);
    let inverse = dz.mul_add(dz, across2).rsqrt();
    let x = dz * inverse;
    let on_axis = across2 == T::ZERO;
    let turn = if on_axis { T::ZERO } else { across2.rsqrt() };
    let s = across2 * turn * inverse;
    let (cosine, sine) = if on_axis { (T::ONE, T::ZERO) } else { (dx * turn, dy * turn) };
    // The powers of 1/ρ go along, since (2m−1)!! alone leaves f32 at m = 30.
    let (mut value, mut fact) = (inverse, T::ONE);
    let (mut re, mut im) = (T::ONE, T::ZERO);
    for _ in 0..m {
        value *= -fact * s * inverse; // eq. 8, with (2m-1)!!
        fact += real(2);
        (re, im) = (re * cosine - im * sine, re * sine + im * cosine);
    }
    tables.phases.set(2 * m, re);
    tables.phases.set(2 * m + 1, im);
    tables.ynm.set(m * (m + 1) / 2 + m, value);
    let mut p1 = value;
    value = x * real(2 * m + 1) * value * inverse; // eq. 9
    for n in m + 1..2 * p {
        tables.ynm.set(n * (n + 1) / 2 + m, value * tables.factorial.get(n - m));
        let p2 = p1 * inverse;
        p1 = value;
        value = (x * real(2 * n + 1) * p1 - real::<T>(n + m) * p2) / real(n - m + 1) * inverse; // eq. 7
    }
}

/// Listing 4: adds the contribution of the source to L_j^k (real, imaginary).
#[inline(always)]
fn core_sum<T: Real>(
    tables: &Tables<T>,
    p: usize,
    [j, k]: [usize; 2],
    phase: impl Fn(usize) -> [T; 2],
    lnm_target: &mut [T; 2],
) {
    let factorial = |n: usize| tables.factorial.get(n);
    let ajk = odd_even::<T>(j) * (factorial(j - k) * factorial(j + k)).rsqrt();
    let [mut re, mut im] = *lnm_target;
    for n in 0..p {
        // The azimuthal indices −m of the listing's first loop: M is conjugated, i^{...} is 1.
        for m in (1..n + 1).rev() {
            let i = n * (n + 1) / 2 + m;
            let jnkm = (j + n) * (j + n + 1) / 2 + m + k;
            let [ere, eim] = phase(m + k);
            let eim = -eim;
            let anm = (factorial(n + m) * factorial(n - m)).rsqrt();
            let cnm = anm * ajk * tables.ynm.get(jnkm);
            let (cnm_real, cnm_imag) = (cnm * ere, cnm * eim);
            let (mnm_real, mnm_imag) =
                (tables.mnm_source.get(2 * i), tables.mnm_source.get(2 * i + 1));
            re = mnm_imag.mul_add(cnm_imag, mnm_real.mul_add(cnm_real, re));
            im = (-mnm_imag).mul_add(cnm_real, mnm_real.mul_add(cnm_imag, im));
        }
        for m in 0..n + 1 {
            let i = n * (n + 1) / 2 + m;
            let apart = m.abs_diff(k);
            let jnkm = (j + n) * (j + n + 1) / 2 + apart;
            let [ere, eim] = phase(apart);
            let eim = if m < k { -eim } else { eim };
            let anm = (factorial(n - m) * factorial(n + m)).rsqrt();
            // i^{|k-m|-k-m}, whose exponent is -2 min(k, m).
            let cnm = odd_even::<T>(k.min(m)) * anm * ajk * tables.ynm.get(jnkm);
            let (cnm_real, cnm_imag) = (cnm * ere, cnm * eim);
            let (mnm_real, mnm_imag) =
                (tables.mnm_source.get(2 * i), tables.mnm_source.get(2 * i + 1));
            re = (-mnm_imag).mul_add(cnm_imag, mnm_real.mul_add(cnm_real, re));
            im = mnm_imag.mul_add(cnm_real, mnm_real.mul_add(cnm_imag, im));
        }
    }
    *lnm_target = [re, im];
}

/// Writes n! for n = 0 … len − 1: Listing 5, lines 25 to 29.
#[inline(always)]
pub(super) fn fill_factorials<T: Real>(factorials: Shared<T>, len: usize) {
    let mut factorial = T::ONE;
    for n in 0..len {
        factorials.set(n, factorial);
        factorial *= real::<T>(n + 1);
    }
}

/// Degree j of the coefficient that thread i owns, i = j(j + 1)/2 + k.
#[inline(always)]
pub(super) fn degree_of(i: usize) -> usize {
    let mut j = 0;
    while (j + 1) * (j + 2) / 2 <= i {
        j += 1;
    }
    j
}

/// Sign `ODDEVEN(n)` = (−1)ⁿ.
#[inline(always)]
pub(super) fn odd_even<T: Real>(n: usize) -> T {
    if n.is_multiple_of(2) { T::ONE } else { -T::ONE }
}

/// Small integer as a number of the kernel.
#[inline(always)]
pub(super) fn real<T: Real>(n: usize) -> T {
    T::from_f64(f64::from(n as u32))
}

/// Listings 3 to 5, with a table of cosines.
#[inline(always)]
fn tabulated<T: Real>(args: Listing<T>) {
    listing::<T, Tabulated>(args);
}

float_kernels! {
    /// Listings 3 to 5, with a table of cosines.
    pub LISTING<T: Real> = tabulated, Listing;
}

kernel! {
    /// Listings 3 to 5 as printed, with calls of sine and cosine in the inner loop.
    pub LISTING_CALLS_F32 = listing::<f32, Called>, (Listing<f32>);
}

/// Launches Listings 3 to 5, with a table of cosines, for `boxes` target boxes.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn m2l_listing<M: Launcher, T: Real>(
    machine: &M,
    boxes: usize,
    args: Listing<T>,
) -> Result<(), MachineError> {
    launch(machine, &LISTING(), boxes, args)
}

/// Launches Listings 3 to 5 as printed for `boxes` target boxes.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn m2l_listing_calls<M: Launcher>(
    machine: &M,
    boxes: usize,
    args: Listing<f32>,
) -> Result<(), MachineError> {
    launch(machine, &LISTING_CALLS_F32, boxes, args)
}

#[cfg(not(target_arch = "nvptx64"))]
fn launch<M: Launcher, T: Real>(
    machine: &M,
    kernel: &Kernel<Listing<T>>,
    boxes: usize,
    args: Listing<T>,
) -> Result<(), MachineError> {
    if boxes == 0 {
        return Ok(());
    }
    let p = args.num_expansions as usize;
    let threads = (p * (p + 1) / 2).next_multiple_of(warp::SIZE as usize);
    let grid = Grid::of(boxes as u32, threads as u32).shared(shared_bytes::<T>(p));
    machine.launch(kernel, grid, args)
}

//! M2L of Yokota and Barba (2011), section 5.2, Listings 3 to 5, for their figures: complex basis, one thread a target
//! coefficient.
//!
//! A block is a target box. For each source box the block evaluates Y/(ρⁿ⁺¹A) into shared memory (stage one, Listing 3)
//! and loads the multipole; then each thread sums equation 4 for one coefficient L_j^k (stage two, Listing 4). Names
//! and layouts are those of `expansions::papers::listings`, with its errata. Cosines of multiples of β come from a
//! table that the block makes for each source, where the paper's kernel evaluates them in the inner loop.

#[cfg(not(target_arch = "nvptx64"))]
use crate::device::{Kernel, warp};
use crate::device::{Real, View, ViewMut, shared::Arena, shared::Shared, thread};
use crate::kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::machine::{Grid, Machine, MachineError};

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

/// Listing 5: one target box. Cost: about 48 operations for each of p²(p + 1)p/2 terms a source. Orders up to 17 in
/// f32.
#[inline(always)]
fn listing<T: Real>(args: Listing<T>) {
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
        let mut factorial = T::ONE;
        for n in 0..2 * p {
            tables.factorial.set(n, factorial);
            factorial *= real::<T>(n + 1);
        }
    }
    let mut j = 0;
    while (j + 1) * (j + 2) / 2 <= i {
        j += 1;
    }
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
        let mut m = i;
        while m < 2 * p {
            column(&tables, p, m, distance);
            m += threads;
        }
        thread::sync_threads();
        if i < count {
            core_sum(&tables, p, j, i - j * (j + 1) / 2, &mut lnm_target);
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
fn core_sum<T: Real>(tables: &Tables<T>, p: usize, j: usize, k: usize, lnm_target: &mut [T; 2]) {
    let factorial = |n: usize| tables.factorial.get(n);
    let ajk = odd_even::<T>(j) * (factorial(j - k) * factorial(j + k)).rsqrt();
    let [mut re, mut im] = *lnm_target;
    for n in 0..p {
        // The orders -m of the listing's first loop: M is conjugated, i^{...} is 1.
        for m in (1..n + 1).rev() {
            let i = n * (n + 1) / 2 + m;
            let jnkm = (j + n) * (j + n + 1) / 2 + m + k;
            let (ere, eim) = (tables.phases.get(2 * (m + k)), -tables.phases.get(2 * (m + k) + 1));
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
            let (ere, eim) = (tables.phases.get(2 * apart), tables.phases.get(2 * apart + 1));
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

/// Sign `ODDEVEN(n)` = (−1)ⁿ.
#[inline(always)]
fn odd_even<T: Real>(n: usize) -> T {
    if n.is_multiple_of(2) { T::ONE } else { -T::ONE }
}

/// Small integer as a number of the kernel.
#[inline(always)]
fn real<T: Real>(n: usize) -> T {
    T::from_f64(f64::from(n as u32))
}

kernel! {
    /// Listings 3 to 5 in f32.
    pub LISTING_F32 = listing::<f32>, (Listing<f32>);
    /// Listings 3 to 5 in f64.
    pub LISTING_F64 = listing::<f64>, (Listing<f64>);
}

/// `f32` or `f64`: the types that Listings 3 to 5 have kernels for.
#[cfg(not(target_arch = "nvptx64"))]
pub trait ListingReal: Real {
    /// Kernel of Listings 3 to 5.
    const M2L_LISTING: Kernel<Listing<Self>>;
}

#[cfg(not(target_arch = "nvptx64"))]
impl ListingReal for f32 {
    const M2L_LISTING: Kernel<Listing<Self>> = LISTING_F32;
}

#[cfg(not(target_arch = "nvptx64"))]
impl ListingReal for f64 {
    const M2L_LISTING: Kernel<Listing<Self>> = LISTING_F64;
}

/// Launches Listings 3 to 5 for `boxes` target boxes.
///
/// # Errors
/// If the device refuses the launch.
#[cfg(not(target_arch = "nvptx64"))]
pub fn m2l_listing<M: Machine, T: ListingReal>(
    machine: &M,
    boxes: usize,
    args: Listing<T>,
) -> Result<(), MachineError> {
    if boxes == 0 {
        return Ok(());
    }
    let p = args.num_expansions as usize;
    let threads = (p * (p + 1) / 2).next_multiple_of(warp::SIZE as usize);
    let grid = Grid::of(boxes as u32, threads as u32).shared(shared_bytes::<T>(p));
    machine.launch(&T::M2L_LISTING, grid, args)
}

//! M2M and L2L with one thread a coefficient: the theorems of Greengard and Rokhlin, as `expansions::papers::complex` has them.
//!
//! Arguments are those of the paper's M2L, with records of [`TRANSLATION_STRIDE`] numbers a block.

use super::harmonics::{Column, Spherical};
use crate::device::{Real, cos_approx, shared::Arena, shared::Shared, sin_approx, thread};
use crate::kernel;
use crate::papers::m2l_listing::{Listing, degree_of, fill_factorials, odd_even};

/// Largest number of sources of a target box: the children of a parent.
pub const MAX_CHILDREN: usize = 8;

/// Length of a target box's record in `device_offset`: a count, then jbase and the offset in x, y, z of each source. Offsets are
/// those of the target's centre from the source's, in units of `box_size`: half a child's side.
pub const TRANSLATION_STRIDE: usize = 4 * MAX_CHILDREN + 1;

/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const fn shared_bytes(p: usize) -> usize {
    4 * (p * (p + 1) / 2 + p * (p + 1) + 2 * p)
}

/// Shared arrays of a block.
#[derive(Clone, Copy)]
struct Tables {
    /// Numbers ρⁿ P_n^m/(n+m)! = ρⁿ Y_n^m A_n^m e^{−imβ}, at n(n + 1)/2 + m.
    shift: Shared<f32>,
    source: Shared<f32>,
    factorial: Shared<f32>,
}

/// One target box: `core` adds the contribution of a source to coefficient (j, k), for a shift with this azimuth.
#[inline(always)]
fn translate(
    args: Listing<f32>,
    direction: f32,
    adds: bool,
    core: impl Fn(Tables, usize, [usize; 2], f32, &mut [f32; 2]),
) {
    let p = args.num_expansions as usize;
    let count = p * (p + 1) / 2;
    let (block, i) = (thread::block_idx_x() as usize, thread::thread_idx_x() as usize);
    let threads = thread::block_dim_x() as usize;
    let mut arena = Arena::new();
    let tables = Tables {
        shift: arena.array(count),
        source: arena.array(2 * count),
        factorial: arena.array(2 * p),
    };
    if i == 0 {
        fill_factorials(tables.factorial, 2 * p);
    }
    let j = degree_of(i);
    let record = block * TRANSLATION_STRIDE;
    let target = 2 * (block * count + i);
    let mut sum = [0.0f32; 2];
    if adds && i < count {
        sum = [args.device_lnm_target.get(target), args.device_lnm_target.get(target + 1)];
    }
    for interaction in 0..args.device_offset.get(record) as usize {
        let entry = |k: usize| args.device_offset.get(record + 1 + 4 * interaction + k);
        let shift = [1, 2, 3].map(|k| direction * entry(k) as f32 * args.box_size);
        thread::sync_threads();
        let mut k = i;
        while k < 2 * count {
            tables.source.set(k, args.device_mnm_source.get(2 * entry(0) as usize + k));
            k += threads;
        }
        let spherical = Spherical::of(shift);
        let mut m = i;
        while m < p {
            fill_column(tables, p, m, &spherical);
            m += threads;
        }
        thread::sync_threads();
        if i < count {
            core(tables, p, [j, i - j * (j + 1) / 2], spherical.beta, &mut sum);
        }
    }
    if i < count {
        args.device_lnm_target.set(target, sum[0]);
        args.device_lnm_target.set(target + 1, sum[1]);
    }
}

/// Writes the shift's numbers of azimuthal index m.
#[inline(always)]
fn fill_column(tables: Tables, p: usize, m: usize, &Spherical { rho, x, s, .. }: &Spherical) {
    let mut start = 1.0;
    for k in 0..m {
        start *= -((2 * k + 1) as f32) * s * rho; // eq. 8, with (2m-1)!!
    }
    let (mut column, mut power) = (Column::new(x, m, start), 1.0);
    for n in m..p {
        let value = column.value * power / tables.factorial.get(n + m);
        tables.shift.set(n * (n + 1) / 2 + m, value);
        column.step();
        power *= rho;
    }
}

/// A_n^m of equation 5; `m` of either sign.
#[inline(always)]
fn a(tables: Tables, n: usize, m: i32) -> f32 {
    let m = m.unsigned_abs() as usize;
    Real::rsqrt(tables.factorial.get(n - m) * tables.factorial.get(n + m))
}

/// 1/A_n^m.
#[inline(always)]
fn inverse_a(tables: Tables, n: usize, m: i32) -> f32 {
    let k = m.unsigned_abs() as usize;
    tables.factorial.get(n - k) * tables.factorial.get(n + k) * a(tables, n, m)
}

/// Adds to `sum` a factor times coefficient (n, m) of the source times e^{i angle}.
#[inline(always)]
fn add(tables: Tables, n: usize, m: i32, factor: f32, angle: f32, sum: &mut [f32; 2]) {
    let i = n * (n + 1) / 2 + m.unsigned_abs() as usize;
    let (re, im) = (tables.source.get(2 * i), tables.source.get(2 * i + 1));
    let im = if m < 0 { -im } else { im };
    let (ere, eim) = (factor * cos_approx(angle), factor * sin_approx(angle));
    sum[0] = Real::mul_add(-im, eim, Real::mul_add(re, ere, sum[0]));
    sum[1] = Real::mul_add(im, ere, Real::mul_add(re, eim, sum[1]));
}

/// i^e for an even e.
#[inline(always)]
fn even_power_of_i(e: i32) -> f32 {
    odd_even((e.unsigned_abs() / 2) as usize)
}

/// M_j^k = Σ_{n≤j} Σ_m M_{j−n}^{k−m} i^{|k|−|m|−|k−m|} A_n^m A_{j−n}^{k−m} ρⁿ Y_n^{−m}(α, β)/A_j^k, (ρ, α, β) being the source's
/// centre seen from the target's. Cost: about 40 operations for each of about p⁴/8 terms a child.
fn m2m(args: Listing<f32>) {
    translate(args, -1.0, false, |tables, _, [j, k], beta, sum| {
        let (k, inverse) = (k as i32, inverse_a(tables, j, k as i32));
        for n in 0..j + 1 {
            let order = n as i32;
            for m in -order..order + 1 {
                let (degree, rest) = (j - n, k - m);
                if rest.unsigned_abs() as usize <= degree {
                    let sign = even_power_of_i(k - m.abs() - rest.abs());
                    let shift = tables.shift.get(n * (n + 1) / 2 + m.unsigned_abs() as usize);
                    let factor = sign * inverse * a(tables, degree, rest) * shift;
                    add(tables, degree, rest, factor, -(m as f32) * beta, sum);
                }
            }
        }
    });
}

/// L_j^k += Σ_{n≥j} Σ_m L_n^m i^{|m|−|m−k|−|k|} A_{n−j}^{m−k} A_j^k ρ^{n−j} Y_{n−j}^{m−k}(α, β)/A_n^m, (ρ, α, β) being the target's
/// centre seen from the source's. Cost: as [`m2m`].
fn l2l(args: Listing<f32>) {
    translate(args, 1.0, true, |tables, p, [j, k], beta, sum| {
        let (k, ajk) = (k as i32, a(tables, j, k as i32));
        for n in j..p {
            let order = n as i32;
            for m in -order..order + 1 {
                let (degree, rest) = (n - j, m - k);
                if rest.unsigned_abs() as usize <= degree {
                    let sign = even_power_of_i(m.abs() - rest.abs() - k);
                    let at = degree * (degree + 1) / 2 + rest.unsigned_abs() as usize;
                    let factor = sign * ajk * inverse_a(tables, n, m) * tables.shift.get(at);
                    add(tables, n, m, factor, rest as f32 * beta, sum);
                }
            }
        }
    });
}

kernel! {
    /// M2M with one thread a coefficient. What was in the targets is overwritten.
    pub M2M_TARGETS = m2m, (Listing<f32>);
    /// L2L with one thread a coefficient. Targets are added to.
    pub L2L_TARGETS = l2l, (Listing<f32>);
}

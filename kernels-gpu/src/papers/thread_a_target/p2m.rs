//! P2M with one thread a coefficient: equation 2.

use super::harmonics::{Column, Spherical, norm};
use crate::device::{Vec2, Vec4, View, ViewMut, cos_approx, shared::Arena, sin_approx, thread};
use crate::kernel;
use crate::papers::m2l_listing::{degree_of, fill_factorials};

/// Arguments of [`P2M_TARGETS`]: one leaf a block.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct P2mTargets {
    /// Expansion order p.
    pub num_expansions: u32,
    /// First particle and number of particles of the leaf, by block.
    pub device_offset: View<Vec2<u32>>,
    /// Centre (x, y, z, any) of the leaf, by block.
    pub device_center: View<Vec4<f32>>,
    /// Particles (x, y, z, charge).
    pub device_pos_source: View<Vec4<f32>>,
    /// Output: multipoles by block, p(p + 1) numbers each.
    pub device_mnm_target: ViewMut<f32>,
}

/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const fn shared_bytes(p: usize, threads: usize) -> usize {
    16 * threads + 4 * 2 * p
}

/// M_n^m = Σ q ρⁿ Y_n^{−m}. Particles go through shared memory in strides of a block; each thread evaluates its own Y_n^m of
/// each. Cost: about 8n + 60 operations a coefficient and particle.
fn p2m(args: P2mTargets) {
    let p = args.num_expansions as usize;
    let count = p * (p + 1) / 2;
    let (block, i) = (thread::block_idx_x() as usize, thread::thread_idx_x() as usize);
    let threads = thread::block_dim_x() as usize;
    let mut arena = Arena::new();
    let pos_source = arena.array::<Vec4<f32>>(threads);
    let factorial = arena.array::<f32>(2 * p);
    if i == 0 {
        fill_factorials(factorial, 2 * p);
    }
    let n = degree_of(i);
    let m = i - n * (n + 1) / 2;
    let Vec2([first, particles]) = args.device_offset.get(block);
    let Vec4([cx, cy, cz, _]) = args.device_center.get(block);
    let mut sum = [0.0f32; 2];
    let mut done = 0;
    while done < particles as usize {
        let here = (particles as usize - done).min(threads);
        thread::sync_threads();
        if i < here {
            pos_source.set(i, args.device_pos_source.get(first as usize + done + i));
        }
        thread::sync_threads();
        if i < count {
            for k in 0..here {
                let Vec4([x, y, z, charge]) = pos_source.get(k);
                let [re, im] = regular([x - cx, y - cy, z - cz], n, m);
                sum = [sum[0] + charge * re, sum[1] - charge * im];
            }
        }
        done += here;
    }
    if i < count {
        let scale = norm(factorial, n, m);
        args.device_mnm_target.set(2 * (block * count + i), scale * sum[0]);
        args.device_mnm_target.set(2 * (block * count + i) + 1, scale * sum[1]);
    }
}

/// ρⁿ P_n^m e^{imβ} of a vector.
#[inline(always)]
fn regular(vector: [f32; 3], n: usize, m: usize) -> [f32; 2] {
    let Spherical { rho, x, s, beta, .. } = Spherical::of(vector);
    let mut start = 1.0;
    for k in 0..m {
        start *= -((2 * k + 1) as f32) * s * rho; // eq. 8, with (2m-1)!!
    }
    let mut column = Column::new(x, m, start);
    let mut power = 1.0;
    for _ in m..n {
        column.step();
        power *= rho;
    }
    let (value, angle) = (column.value * power, m as f32 * beta);
    [value * cos_approx(angle), value * sin_approx(angle)]
}

kernel! {
    /// P2M with one thread a coefficient.
    pub P2M_TARGETS = p2m, (P2mTargets);
}

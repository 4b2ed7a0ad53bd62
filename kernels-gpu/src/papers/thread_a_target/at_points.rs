//! M2P and L2P with one thread a particle: potential and gradient of equations 2 and 3.

use super::harmonics::{Column, Spherical, norm};
use crate::device::{
    Vec4, View, ViewMut, cos_approx, shared::Arena, shared::Shared, sin_approx, thread,
};
use crate::kernel;
use crate::papers::m2l_listing::fill_factorials;

/// Threads of a block.
pub const POINT_THREADS: u32 = 64;

/// Arguments of [`M2P_TARGETS`] and [`L2P_TARGETS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AtPoints {
    /// Expansion order p.
    pub num_expansions: u32,
    /// First particle and number of particles, at most [`POINT_THREADS`], begin and end of the sources in `device_cell`, by block.
    pub device_offset: View<Vec4<u32>>,
    /// Source boxes.
    pub device_cell: View<u32>,
    /// Centre (x, y, z, any) by box.
    pub device_center: View<Vec4<f32>>,
    /// Coefficients by box, p(p + 1) numbers each.
    pub device_source: View<f32>,
    /// Particles (x, y, z, any).
    pub device_pos_target: View<Vec4<f32>>,
    /// Output: gradient and potential (gx, gy, gz, Φ) by particle.
    pub device_field: ViewMut<Vec4<f32>>,
}

/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) const fn shared_bytes(p: usize) -> usize {
    4 * (p * (p + 1) + 2 * p)
}

/// Shared arrays of a block.
#[derive(Clone, Copy)]
struct Tables {
    source: Shared<f32>,
    factorial: Shared<f32>,
}

/// Functions of the length r in front of Y_n^m: r⁻ⁿ⁻¹ or rⁿ.
trait Radial {
    /// Function of degree 0, and the factor from one degree to the next.
    fn first(r: &Spherical) -> [f32; 2];

    /// Function of degree n divided by r, from those of degrees n and n − 1, and the factor that makes it the derivative by r.
    fn derivative(r: &Spherical, n: usize, value: f32, before: f32) -> [f32; 2];
}

/// Multipoles: r⁻ⁿ⁻¹.
struct Outer;

impl Radial for Outer {
    #[inline(always)]
    fn first(r: &Spherical) -> [f32; 2] {
        [r.inverse, r.inverse]
    }

    #[inline(always)]
    fn derivative(r: &Spherical, n: usize, value: f32, _: f32) -> [f32; 2] {
        [value * r.inverse, -((n + 1) as f32)]
    }
}

/// Local expansions: rⁿ.
struct Inner;

impl Radial for Inner {
    #[inline(always)]
    fn first(r: &Spherical) -> [f32; 2] {
        [1.0, r.rho]
    }

    #[inline(always)]
    fn derivative(_: &Spherical, n: usize, _: f32, before: f32) -> [f32; 2] {
        [before, n as f32]
    }
}

/// One block of particles.
#[inline(always)]
fn at_points<R: Radial>(args: AtPoints) {
    let p = args.num_expansions as usize;
    let count = p * (p + 1) / 2;
    let (block, i) = (thread::block_idx_x() as usize, thread::thread_idx_x() as usize);
    let mut arena = Arena::new();
    let tables = Tables { source: arena.array(2 * count), factorial: arena.array(2 * p) };
    if i == 0 {
        fill_factorials(tables.factorial, 2 * p);
    }
    let Vec4([first, particles, begin, end]) = args.device_offset.get(block);
    let there = i < particles as usize;
    let target = first as usize + i;
    let position = if there { args.device_pos_target.get(target) } else { Vec4([0.0; 4]) };
    let mut field = [0.0f32; 4];
    for at in begin..end {
        let cell = args.device_cell.get(at as usize) as usize;
        thread::sync_threads();
        let mut k = i;
        while k < 2 * count {
            tables.source.set(k, args.device_source.get(2 * cell * count + k));
            k += POINT_THREADS as usize;
        }
        thread::sync_threads();
        if there {
            let Vec4([cx, cy, cz, _]) = args.device_center.get(cell);
            let Vec4([x, y, z, _]) = position;
            evaluate::<R>(tables, p, &Spherical::of([x - cx, y - cy, z - cz]), &mut field);
        }
    }
    if there {
        args.device_field.set(target, Vec4(field));
    }
}

/// Adds gradient and potential of one expansion. Cost: about 56 operations a coefficient.
#[inline(always)]
fn evaluate<R: Radial>(tables: Tables, p: usize, r: &Spherical, field: &mut [f32; 4]) {
    let [first, ratio] = R::first(r);
    let mut potential = 0.0;
    // Derivatives along r, α and β, the latter two divided by r and r sin α.
    let mut along = [0.0f32; 3];
    // P_m^m/sin α for m > 0, whose column is that of P_n^m/sin α.
    let mut reduced = 1.0;
    let (mut start, mut below) = (first, 0.0);
    for m in 0..p {
        let (ere, eim) = (cos_approx(m as f32 * r.beta), sin_approx(m as f32 * r.beta));
        let mut column = Column::new(r.x, m, reduced);
        let (mut radial, mut before, mut slope) = (start, below, 0.0);
        for n in m..p {
            // P_n^m, its derivative by α, and m P_n^m/sin α.
            let [value, by_polar, by_azimuth] = match m {
                0 => [column.value, -r.s * slope, 0.0],
                _ => [
                    r.s * column.value,
                    n as f32 * r.x * column.value - (n + m) as f32 * column.before,
                    m as f32 * column.value,
                ],
            };
            let c = n * (n + 1) / 2 + m;
            let (re, im) = (tables.source.get(2 * c), tables.source.get(2 * c + 1));
            let weight = norm(tables.factorial, n, m) * if m == 0 { 1.0 } else { 2.0 };
            let (real, turned) = (weight * (re * ere - im * eim), -weight * (re * eim + im * ere));
            potential += radial * value * real;
            let [less, factor] = R::derivative(r, n, radial, before);
            along[0] += less * factor * value * real;
            along[1] += less * by_polar * real;
            along[2] += less * by_azimuth * turned;
            if m == 0 {
                // P′_{n+1} = (n + 1) P_n + x P′_n.
                slope = (n + 1) as f32 * column.value + r.x * slope;
            }
            column.step();
            (before, radial) = (radial, radial * ratio);
        }
        // Equation 8, with (2m-1)!!.
        reduced *= -((2 * m + 1) as f32) * if m == 0 { 1.0 } else { r.s };
        (below, start) = (start, start * ratio);
    }
    let [cosine, sine] = r.direction;
    let across = r.s * along[0] + r.x * along[1];
    field[0] += cosine * across - sine * along[2];
    field[1] += sine * across + cosine * along[2];
    field[2] += r.x * along[0] - r.s * along[1];
    field[3] += potential;
}

kernel! {
    /// M2P with one thread a particle.
    pub M2P_TARGETS = at_points::<Outer>, (AtPoints);
    /// L2P with one thread a particle.
    pub L2P_TARGETS = at_points::<Inner>, (AtPoints);
}

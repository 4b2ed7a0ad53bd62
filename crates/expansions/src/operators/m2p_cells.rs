//! M2P for walks: the multipoles of many cells at the points of one group.
//!
//! The irregular harmonics of one m are climbed degree by degree and used at once, so that nothing
//! but sums is kept.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::point_lanes::{add_to, load_padded};
use crate::harmonics::{climb_factors, sectoral_factor};
use crate::layout::{index, n_coefficients};
use crate::{Gradient, Scalar};

/// Cells with multipoles about their own centres, ready for evaluation.
///
/// A cell is a block of numbers: centre, 1/s and, for each of the (p + 1)² functions I_i, the
/// coefficients of Φ and of its three derivatives, brought to the unit of length of the receivers.
/// The functions come by m, within an m by degree, the cosine before the sine.
#[derive(Clone, Debug, Default)]
pub struct Cells<T> {
    order: usize,
    steps: Vec<Steps<T>>,
    blocks: Vec<T>,
}

/// The recurrence of one m.
#[derive(Clone, Debug)]
struct Steps<T> {
    /// Factor from I_{m−1}^{m−1} to I_m^m.
    sectoral: T,
    /// For n = m … p, factors of z/r² I_n^m and of I_{n−1}^m/r² in I_{n+1}^m.
    climb: Vec<[T; 2]>,
}

/// Centre and 1/s.
const HEAD: usize = 4;

impl<T: Scalar> Cells<T> {
    /// Room for `n` cells with multipoles of order `order`, the memory of earlier cells used again.
    pub fn reset(&mut self, order: usize, n: usize) {
        if self.order != order {
            self.order = order;
            self.steps = (0..=order).map(|m| Steps::new(m, order)).collect();
        }
        self.blocks.clear();
        self.blocks.resize(n * Self::block_length(order), T::ZERO);
    }

    /// Numbers in a block.
    pub const fn block_length(order: usize) -> usize {
        HEAD + 4 * n_coefficients(order + 1)
    }

    /// The cells' blocks, one after the other, to be filled by [`Self::fill_block`].
    pub fn blocks_mut(&mut self) -> &mut [T] {
        &mut self.blocks
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<T>()
    }

    /// Writes a block: a multipole of order `order` about `center`, made with lengths in units of
    /// `side`. `gradient` is of one order more.
    pub fn fill_block(
        block: &mut [T],
        order: usize,
        gradient: &Gradient<T>,
        center: [f64; 3],
        side: f64,
        multipole: &[T],
    ) {
        let n = n_coefficients(order + 1);
        let (head, series) = block.split_at_mut(HEAD);
        let scale = side.recip();
        for (to, from) in head.iter_mut().zip(center.into_iter().chain([scale])) {
            *to = T::narrow(from);
        }
        let mut parts = vec![T::ZERO; 3 * n];
        let (dx, rest) = parts.split_at_mut(n);
        let (dy, dz) = rest.split_at_mut(n);
        gradient.of_multipole(order, multipole, [&mut *dx, &mut *dy, &mut *dz]);
        let scale = T::narrow(scale);
        let functions = (0..=order as isize).flat_map(|m| {
            let signs: &[isize] = if m == 0 { &[1] } else { &[1, -1] };
            (m.unsigned_abs()..=order)
                .flat_map(move |n| signs.iter().map(move |sign| index(n, sign * m)))
        });
        for (i, block) in functions.zip(series.chunks_exact_mut(4)) {
            let potential = if i < n_coefficients(order) { multipole[i] } else { T::ZERO };
            block[0] = potential * scale;
            block[1] = dx[i] * scale * scale;
            block[2] = dy[i] * scale * scale;
            block[3] = dz[i] * scale * scale;
        }
    }
}

impl<T: Real> Steps<T> {
    fn new(m: usize, order: usize) -> Self {
        let climb = |n: usize| climb_factors(n + 1, m).map(T::narrow);
        Self { sectoral: T::narrow(sectoral_factor(m)), climb: (m..=order).map(climb).collect() }
    }
}

/// Adds Φ and, where wanted, its gradient due to the cells in `list` to `sums` at `receivers`
/// (Yokota & Barba, eq. 2, at every cell that a walk accepts). Cost: about 7(p + 1)² vector operations
/// for each cell and vector of receivers.
pub fn m2p_cells<T: Scalar>(
    cells: &Cells<T>,
    list: &[u32],
    receivers: [&[T]; 3],
    sums: &mut PointSums<'_, T>,
) {
    T::run_m2p_cells(M2pCells { cells, list, receivers, sums });
}

/// See [`m2p_cells`].
#[derive(Debug)]
pub struct M2pCells<'a, 's, T> {
    cells: &'a Cells<T>,
    list: &'a [u32],
    receivers: [&'a [T]; 3],
    sums: &'a mut PointSums<'s, T>,
}

impl<T: Real> Kernel<T> for M2pCells<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { cells, list, receivers, sums } = self;
        let n = receivers[0].len();
        let mut start = 0;
        while start < n {
            if n - start > V::WIDTH {
                let end = n.min(start + GROUP * V::Wide::WIDTH);
                group::<V::Wide>(cells, list, receivers, start..end, sums);
                start = end;
            } else {
                group::<V>(cells, list, receivers, start..n, sums);
                start = n;
            }
        }
    }
}

/// Vectors of receivers that share a pass over the cells.
const GROUP: usize = 4;

#[inline(always)]
fn group<V: Lanes>(
    cells: &Cells<V::Scalar>,
    list: &[u32],
    receivers: [&[V::Scalar]; 3],
    range: Range<usize>,
    sums: &mut PointSums<'_, V::Scalar>,
) {
    let length = HEAD + 4 * n_coefficients(cells.order + 1);
    let mut points = [[V::zero(); 3]; GROUP];
    let mut totals = [[V::zero(); 4]; GROUP];
    let starts = range.clone().step_by(V::WIDTH);
    let n_packs = starts.len();
    for (point, start) in points.iter_mut().zip(starts.clone()) {
        *point = receivers.map(|c| load_padded::<V>(&c[start..range.end]));
    }
    for cell in list {
        let (head, series) = cells.blocks[*cell as usize * length..][..length].split_at(HEAD);
        let scale = V::splat(head[3]);
        let [cx, cy, cz] = [head[0], head[1], head[2]].map(V::splat);
        for (point, total) in points[..n_packs].iter().zip(&mut totals) {
            let [x, y, z] = *point;
            let relative = [(x - cx) * scale, (y - cy) * scale, (z - cz) * scale];
            add_series(&cells.steps, series, relative, total);
        }
    }
    for (total, start) in totals.iter().zip(starts) {
        add_to(&mut sums.potential[start..range.end], total[0]);
        if sums.with_gradient() {
            for (sum, total) in sums.gradient.iter_mut().zip(&total[1..]) {
                add_to(&mut sum[start..range.end], *total);
            }
        }
    }
}

/// Adds the series in the irregular harmonics at one vector of points.
#[inline(always)]
fn add_series<V: Lanes>(
    steps: &[Steps<V::Scalar>],
    mut series: &[V::Scalar],
    [x, y, z]: [V; 3],
    total: &mut [V; 4],
) {
    let r2 = x.mul_add(x, y.mul_add(y, z * z));
    let inverse = r2.rsqrt_where::<64>(r2);
    let inverse2 = inverse * inverse;
    let [x, y, z] = [x * inverse2, y * inverse2, z * inverse2];
    let mut sums = *total;
    let (mut cosine, mut sine) = (inverse, V::zero());
    for (m, steps) in steps.iter().enumerate() {
        let (functions, rest) = series.split_at(steps.climb.len() * if m == 0 { 4 } else { 8 });
        series = rest;
        if m == 0 {
            let (mut value, mut below) = (cosine, V::zero());
            for (factors, [a, b]) in functions.chunks_exact(4).zip(&steps.climb) {
                add_products(&mut sums, factors, value);
                let next = (V::splat(*a) * z).mul_add(value, -(V::splat(*b) * inverse2 * below));
                (below, value) = (value, next);
            }
            continue;
        }
        let (sx, sy) = (V::splat(steps.sectoral) * x, V::splat(steps.sectoral) * y);
        (cosine, sine) = (sx.mul_add(cosine, -(sy * sine)), sx.mul_add(sine, sy * cosine));
        let (mut c, mut s) = (cosine, sine);
        let (mut c_below, mut s_below) = (V::zero(), V::zero());
        for (factors, [a, b]) in functions.chunks_exact(8).zip(&steps.climb) {
            add_products(&mut sums, &factors[..4], c);
            add_products(&mut sums, &factors[4..], s);
            let (up, down) = (V::splat(*a) * z, V::splat(*b) * inverse2);
            (c_below, c) = (c, up.mul_add(c, -(down * c_below)));
            (s_below, s) = (s, up.mul_add(s, -(down * s_below)));
        }
    }
    *total = sums;
}

/// Adds the products of four factors with one vector.
#[inline(always)]
fn add_products<V: Lanes>(sums: &mut [V; 4], factors: &[V::Scalar], value: V) {
    for (sum, factor) in sums.iter_mut().zip(factors) {
        *sum = V::splat(*factor).mul_add(value, *sum);
    }
}

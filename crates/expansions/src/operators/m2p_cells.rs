//! M2P for walks: the multipoles of many cells at the points of one group.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::point_lanes::{add_to, load_padded};
use crate::layout::n_coefficients;
use crate::{Gradient, Harmonics, Scalar};

/// Cells with multipoles about their own centres, ready for evaluation.
///
/// A cell is a block of numbers: centre, 1/s and, for each of the (p + 1)² functions I_i, the
/// coefficients of Φ and of its three derivatives, brought to the unit of length of the receivers.
#[derive(Clone, Debug, Default)]
pub struct Cells<T> {
    order: usize,
    blocks: Vec<T>,
}

/// Centre and 1/s.
const HEAD: usize = 4;

impl<T: Scalar> Cells<T> {
    /// Room for `n` cells with multipoles of order `order`, the memory of earlier cells used again.
    pub fn reset(&mut self, order: usize, n: usize) {
        self.order = order;
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
        for (i, block) in series.chunks_exact_mut(4).enumerate() {
            let potential = if i < n_coefficients(order) { multipole[i] } else { T::ZERO };
            block[0] = potential * scale;
            block[1] = dx[i] * scale * scale;
            block[2] = dy[i] * scale * scale;
            block[3] = dz[i] * scale * scale;
        }
    }
}

/// Adds Φ and, where wanted, its gradient due to the cells in `list` to `sums` at `receivers`
/// (Yokota & Barba, eq. 2, at every cell that a walk accepts). `harmonics` is of one order more than
/// the cells. Cost: about 7(p + 1)² vector operations for each cell and vector of receivers.
pub fn m2p_cells<T: Scalar>(
    harmonics: &Harmonics<T>,
    cells: &Cells<T>,
    list: &[u32],
    receivers: [&[T]; 3],
    sums: &mut PointSums<'_, T>,
) {
    T::run_m2p_cells(M2pCells { harmonics, cells, list, receivers, sums });
}

/// See [`m2p_cells`].
#[derive(Debug)]
pub struct M2pCells<'a, 's, T> {
    harmonics: &'a Harmonics<T>,
    cells: &'a Cells<T>,
    list: &'a [u32],
    receivers: [&'a [T]; 3],
    sums: &'a mut PointSums<'s, T>,
}

impl<T: Real> Kernel<T> for M2pCells<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let n = self.receivers[0].len();
        let n_terms = n_coefficients(self.harmonics.order());
        let mut wide = vec![V::Wide::zero(); n_terms];
        let mut narrow = vec![V::zero(); n_terms];
        let Self { harmonics, cells, list, receivers, sums } = self;
        let mut start = 0;
        while start < n {
            if n - start > V::WIDTH {
                let end = n.min(start + GROUP * V::Wide::WIDTH);
                group(harmonics, cells, list, receivers, start..end, sums, &mut wide);
                start = end;
            } else {
                group(harmonics, cells, list, receivers, start..n, sums, &mut narrow);
                start = n;
            }
        }
    }
}

/// Vectors of receivers that share a pass over the cells.
const GROUP: usize = 4;

#[inline(always)]
fn group<V: Lanes>(
    harmonics: &Harmonics<V::Scalar>,
    cells: &Cells<V::Scalar>,
    list: &[u32],
    receivers: [&[V::Scalar]; 3],
    range: Range<usize>,
    sums: &mut PointSums<'_, V::Scalar>,
    terms: &mut [V],
) {
    let one = V::splat(V::Scalar::ONE);
    let length = HEAD + 4 * terms.len();
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
            harmonics.irregular(one, relative, terms);
            for (term, factors) in terms.iter().zip(series.chunks_exact(4)) {
                for (sum, factor) in total.iter_mut().zip(factors) {
                    *sum = V::splat(*factor).mul_add(*term, *sum);
                }
            }
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

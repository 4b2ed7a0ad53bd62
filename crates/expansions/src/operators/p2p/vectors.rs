//! P2P one way for several vectors of charges: a distance serves all of them.
//!
//! Potential and gradient of a unit charge at each source of a block are computed once. The sums are then
//! products of small matrices: four such quantities of a source by four vectors of charges at a time,
//! whose sums stay in registers.

use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::pair::{BLOCK, add_compensated, scaled_inverse, softening_square, unscaled};
use super::{P2p, Sources};
use crate::operators::PointSums;
use crate::operators::point_lanes::{add_to, load_padded};

/// Charge vectors that share distances, at most.
pub(super) const VECTORS: usize = 16;

/// Charge vectors of one product.
const TILE: usize = 4;

/// Quantities of one product: 1/r and its gradient at a vector of receivers, or 1/r at four.
const UNITS: usize = 4;

/// Sources whose quantities are kept, in the first-level cache.
const KEPT: usize = 64;

/// Times that receivers use a block of sources while it is in the second-level cache.
const GROUP: usize = 4;

/// Sums by charge vector and quantity.
type Sums<V> = [[V; UNITS]; VECTORS];

/// Sum for at most [`VECTORS`] vectors of charges, in one variant.
pub(super) struct Vectors<'a, 's, T, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    pub(super) P2p<'a, 's, T>,
);

impl<T: Real, const GRADIENT: bool, const SOFT: bool, const BITS: u32> Kernel<T>
    for Vectors<'_, '_, T, GRADIENT, SOFT, BITS>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        if const { V::EXACT_RSQRT } {
            exact_sum::<V, GRADIENT, SOFT>(self.0);
        } else {
            sum::<V, GRADIENT, SOFT, BITS>(self.0);
        }
    }
}

/// [`sum`] for all accuracies, compiled once.
#[inline(never)]
fn exact_sum<V: Lanes, const GRADIENT: bool, const SOFT: bool>(task: P2p<'_, '_, V::Scalar>) {
    sum::<V, GRADIENT, SOFT, 64>(task);
}

#[inline(always)]
fn sum<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    task: P2p<'_, '_, V::Scalar>,
) {
    let P2p { sources, runs, receivers, softening, sums, .. } = task;
    let (n, n_vectors) = (receivers[0].len(), sums.len());
    let softening2 = V::splat(softening_square(softening));
    // Receivers of one product.
    let width = if GRADIENT { V::WIDTH } else { UNITS * V::WIDTH };
    let mut units = [[V::zero(); UNITS]; KEPT];
    for first in (0..n).step_by(GROUP * width) {
        let group = first..n.min(first + GROUP * width);
        let mut totals: [Sums<V>; GROUP] = [[[V::zero(); UNITS]; VECTORS]; GROUP];
        let mut compensation = totals;
        for run in runs {
            let mut block = run.start..run.start;
            while block.end < run.end {
                block = block.end..run.end.min(block.end + BLOCK);
                for (i, start) in group.clone().step_by(width).enumerate() {
                    let at = receivers_from::<V, GRADIENT>(receivers, start);
                    let part = block_sum::<V, GRADIENT, SOFT, BITS>(
                        sources,
                        block.clone(),
                        &at,
                        softening2,
                        &mut units,
                    );
                    for (k, part) in part.iter().enumerate().take(n_vectors) {
                        add_compensated::<V, true>(
                            &mut totals[i][k],
                            &mut compensation[i][k],
                            part,
                        );
                    }
                }
            }
        }
        for (i, start) in group.step_by(width).enumerate() {
            for (k, sums) in sums.iter_mut().enumerate() {
                put::<V, GRADIENT, BITS>(&totals[i][k], &compensation[i][k], start, sums);
            }
        }
    }
}

/// The sum over one block of sources for the receivers of one product. `units` is memory to use.
#[inline(always)]
fn block_sum<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    sources: &Sources<'_, V::Scalar>,
    block: Range<usize>,
    at: &[[V; 3]; UNITS],
    softening2: V,
    units: &mut [[V; UNITS]; KEPT],
) -> Sums<V> {
    let mut sums = [[V::zero(); UNITS]; VECTORS];
    let mut kept = block.start..block.start;
    while kept.end < block.end {
        kept = kept.end..block.end.min(kept.end + KEPT);
        let [x, y, z] = sources.coordinates;
        let xyz = [&x[kept.clone()], &y[kept.clone()], &z[kept.clone()]];
        let units = &mut units[..kept.len()];
        fill::<V, GRADIENT, SOFT, BITS>(xyz, at, softening2, units);
        add_products(units, sources.charges, kept.start, &mut sums);
    }
    sums
}

/// Adds the sums for one vector of charges to `sums`, at the receivers from `start` on.
#[inline(always)]
fn put<V: Lanes, const GRADIENT: bool, const BITS: u32>(
    total: &[V; UNITS],
    compensation: &[V; UNITS],
    start: usize,
    sums: &mut PointSums<'_, V::Scalar>,
) {
    let mut values = [V::zero(); UNITS];
    for unit in 0..UNITS {
        values[unit] = total[unit] + compensation[unit];
    }
    if GRADIENT {
        values = unscaled::<V, BITS>(values);
    } else {
        for value in &mut values {
            [*value, ..] = unscaled::<V, BITS>([*value; 4]);
        }
    }
    for (unit, sum) in values.iter().enumerate() {
        if GRADIENT && unit > 0 {
            add_to(&mut sums.gradient[unit - 1][start..], *sum);
        } else {
            let start = sums.potential.len().min(start + unit * V::WIDTH);
            add_to(&mut sums.potential[start..], *sum);
        }
    }
}

/// Coordinates of the receivers of one product, from `start` on: of one vector with the gradient,
/// otherwise of four.
#[inline(always)]
fn receivers_from<V: Lanes, const GRADIENT: bool>(
    receivers: [&[V::Scalar]; 3],
    start: usize,
) -> [[V; 3]; UNITS] {
    let mut at = [[V::zero(); 3]; UNITS];
    let n = receivers[0].len();
    for pack in 0..if GRADIENT { 1 } else { UNITS } {
        for axis in 0..3 {
            at[pack][axis] = load_padded(&receivers[axis][n.min(start + pack * V::WIDTH)..]);
        }
    }
    at
}

/// Writes the quantities of a unit charge at each source to `units`.
#[inline(always)]
fn fill<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    [x, y, z]: [&[V::Scalar]; 3],
    at: &[[V; 3]; UNITS],
    softening2: V,
    units: &mut [[V; UNITS]],
) {
    for (unit, ((x, y), z)) in units.iter_mut().zip(x.iter().zip(y).zip(z)) {
        let (x, y, z) = (V::splat(*x), V::splat(*y), V::splat(*z));
        if GRADIENT {
            let [rx, ry, rz] = at[0];
            let (dx, dy, dz) = (x - rx, y - ry, z - rz);
            let inverse = scaled_inverse::<V, SOFT, BITS>([dx, dy, dz], softening2);
            let pull = inverse * inverse * inverse;
            *unit = [inverse, pull * dx, pull * dy, pull * dz];
        } else {
            for (unit, [rx, ry, rz]) in unit.iter_mut().zip(at) {
                let distance = [x - *rx, y - *ry, z - *rz];
                *unit = scaled_inverse::<V, SOFT, BITS>(distance, softening2);
            }
        }
    }
}

/// Adds to `sums` the products of the charges from `first` on with the quantities of a unit charge.
#[inline(always)]
fn add_products<V: Lanes>(
    units: &[[V; UNITS]],
    charges: &[&[V::Scalar]],
    first: usize,
    sums: &mut Sums<V>,
) {
    for (charges, sums) in charges.chunks(TILE).zip(sums.chunks_exact_mut(TILE)) {
        match charges {
            [a] => add_tile(units, [a], first, sums),
            [a, b] => add_tile(units, [a, b], first, sums),
            [a, b, c] => add_tile(units, [a, b, c], first, sums),
            [a, b, c, d, ..] => add_tile(units, [a, b, c, d], first, sums),
            [] => (),
        }
    }
}

/// Adds the products of `K` charge vectors.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn add_tile<V: Lanes, const K: usize>(
    units: &[[V; UNITS]],
    mut charges: [&[V::Scalar]; K],
    first: usize,
    sums: &mut [[V; UNITS]],
) {
    let Some(sums) = sums.first_chunk_mut::<K>() else { return };
    for k in 0..K {
        charges[k] = &charges[k][first..][..units.len()];
    }
    let mut added = *sums;
    for j in 0..units.len() {
        for k in 0..K {
            let charge = V::splat(charges[k][j]);
            for unit in 0..UNITS {
                added[k][unit] = charge.mul_add(units[j][unit], added[k][unit]);
            }
        }
    }
    *sums = added;
}

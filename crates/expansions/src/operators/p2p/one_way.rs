//! P2P one way: sources act on receivers.
//!
//! Receivers are lanes and sources are broadcast. Sources are taken in blocks; the sum over a block is
//! taken plainly and the sums of the blocks are added with compensation, so that even in f32 the
//! error does not grow with the number of sources.

use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::pair::{BLOCK, Sums, add_compensated, scaled_inverse, softening_square, unscaled};
use super::variants::{ByVariant, for_variant};
use super::vectors::{VECTORS, Vectors};
use super::{P2p, PairAccuracy, Sources};
use crate::Scalar;
use crate::dispatch::run_widest;
use crate::operators::PointSums;
use crate::operators::point_lanes::{add_to, load_padded};

/// Adds to `sums`, one for each vector of charges q, Φ_i = Σ_j q_j / √(r_ij² + ε²) and, where
/// wanted, its gradient, at the receivers i, over the sources j in `runs`.
///
/// Either all of `sums` have a gradient or none has. Pairs with r_ij = 0, a point and itself among them,
/// are left out. `softening` is ε; with ε > 0 pairs have 4 digits or all ([`PairAccuracy::Full`]). Yokota &
/// Barba, Listing 1. Cost: about 23 vector operations for each source and vector of receivers at
/// full accuracy, 20 in f32; for several vectors of charges about 22 and 4 for each, without gradient
/// 16 and 1.
pub fn p2p<T: Scalar>(
    sources: &Sources<'_, T>,
    runs: &[Range<usize>],
    receivers: [&[T]; 3],
    softening: T,
    accuracy: PairAccuracy,
    sums: &mut [PointSums<'_, T>],
) {
    T::run_p2p(P2p { sources, runs, receivers, softening, accuracy, sums });
}

impl<T: Scalar> P2p<'_, '_, T> {
    /// Runs the kernel of the variant.
    pub(crate) fn dispatch(self) {
        let Some(first) = self.sums.first() else { return };
        let (gradient, soft) = (first.with_gradient(), self.softening > T::ZERO);
        for_variant(self.accuracy, gradient, soft, self);
    }
}

impl<T: Scalar> ByVariant for P2p<'_, '_, T> {
    type Scalar = T;

    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self) {
        if self.sums.len() == 1 {
            return run_widest(OneWay::<'_, '_, T, GRADIENT, SOFT, BITS>(self));
        }
        let charges = self.sources.charges.chunks(VECTORS);
        for (charges, sums) in charges.zip(self.sums.chunks_mut(VECTORS)) {
            let sources = Sources { charges, ..*self.sources };
            let some = P2p { sources: &sources, sums, ..self };
            run_widest(Vectors::<'_, '_, T, GRADIENT, SOFT, BITS>(some));
        }
    }
}

/// Sum for one vector of charges, in one variant.
struct OneWay<'a, 's, T, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(P2p<'a, 's, T>);

impl<T: Real, const GRADIENT: bool, const SOFT: bool, const BITS: u32> Kernel<T>
    for OneWay<'_, '_, T, GRADIENT, SOFT, BITS>
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
    mut task: P2p<'_, '_, V::Scalar>,
) {
    let n = task.receivers[0].len();
    let mut start = 0;
    // There are registers for two vectors of receivers.
    while n - start > V::WIDTH {
        let range = start..n.min(start + GROUP * V::Wide::WIDTH);
        start = range.end;
        group::<V::Wide, GRADIENT, SOFT, BITS>(&mut task, range);
    }
    while start < n {
        let range = start..n.min(start + GROUP * V::WIDTH);
        start = range.end;
        group::<V, GRADIENT, SOFT, BITS>(&mut task, range);
    }
}

/// Vectors of receivers for which a block of sources stays in the first-level cache.
const GROUP: usize = 4;

/// Adds the sums over all runs at the receivers in `range`, at most [`GROUP`] vectors.
#[inline(always)]
fn group<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    task: &mut P2p<'_, '_, V::Scalar>,
    range: Range<usize>,
) {
    let P2p { sources, runs, receivers, softening, sums, .. } = task;
    let ([x, y, z], charges, sums) = (sources.coordinates, sources.charges[0], &mut sums[0]);
    let softening2 = V::splat(softening_square(*softening));
    let mut totals: [Sums<V>; GROUP] = [[V::zero(); 4]; GROUP];
    let mut compensation = totals;
    for run in *runs {
        let mut block = run.start..run.start;
        while block.end < run.end {
            block = block.end..run.end.min(block.end + BLOCK);
            let xyz = [&x[block.clone()], &y[block.clone()], &z[block.clone()]];
            let charges = &charges[block.clone()];
            for (pack, start) in range.clone().step_by(V::WIDTH).enumerate() {
                let [x, y, z] = *receivers;
                let padded = |c: &[V::Scalar]| load_padded::<V>(&c[start..range.end]);
                let receiver = [padded(x), padded(y), padded(z)];
                let part = block_sum::<V, GRADIENT, SOFT, BITS>(xyz, charges, receiver, softening2);
                add_compensated::<V, GRADIENT>(&mut totals[pack], &mut compensation[pack], &part);
            }
        }
    }
    for (pack, start) in range.clone().step_by(V::WIDTH).enumerate() {
        let mut total = totals[pack];
        for (total, rest) in total.iter_mut().zip(&compensation[pack]) {
            *total += *rest;
        }
        add_to(&mut sums.potential[start..range.end], total[0]);
        if GRADIENT {
            for (sum, total) in sums.gradient.iter_mut().zip(&total[1..]) {
                add_to(&mut sum[start..range.end], *total);
            }
        }
    }
}

/// The sum over one block of sources for one vector of receivers.
#[inline(always)]
fn block_sum<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    [x, y, z]: [&[V::Scalar]; 3],
    charges: &[V::Scalar],
    [rx, ry, rz]: [V; 3],
    softening2: V,
) -> Sums<V> {
    let mut sum = [V::zero(); 4];
    for (((x, y), z), charge) in x.iter().zip(y).zip(z).zip(charges) {
        let (dx, dy, dz) = (V::splat(*x) - rx, V::splat(*y) - ry, V::splat(*z) - rz);
        let inverse = scaled_inverse::<V, SOFT, BITS>([dx, dy, dz], softening2);
        let potential = V::splat(*charge) * inverse;
        sum[0] += potential;
        if GRADIENT {
            let pull = potential * (inverse * inverse);
            sum[1] = pull.mul_add(dx, sum[1]);
            sum[2] = pull.mul_add(dy, sum[2]);
            sum[3] = pull.mul_add(dz, sum[3]);
        }
    }
    unscaled::<V, BITS>(sum)
}

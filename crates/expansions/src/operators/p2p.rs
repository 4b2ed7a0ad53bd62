//! P2P: the sum over pairs.
//!
//! Receivers are lanes and sources are broadcast. Sources are worked through in blocks; a block's
//! sum is taken plainly and the blocks' sums are added with compensation, so that even in f32 the
//! error does not grow with the number of sources.

use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::p2p_vectors::{self as vectors, VECTORS};
use super::point_lanes::{add_to, load_padded};
use crate::Scalar;
use crate::scalar::run_widest;

/// Charges at points, given by coordinate.
///
/// Pairs closer than 1e-102 (f64) or 6e-13 (f32), for which 1/r³ might overflow, count as coincident:
/// bring positions to a unit in which their extent is of order 1.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a, T> {
    /// x, y and z of each source.
    pub coordinates: [&'a [T]; 3],
    /// One or more vectors of charges, each with one charge a source.
    pub charges: &'a [&'a [T]],
}

/// How closely a pair's 1/r is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairAccuracy {
    /// About 4 digits.
    Digits4,
    /// About 8 digits; all digits of f32.
    Digits8,
    /// About 12 digits.
    Digits12,
    /// To rounding.
    Full,
}

impl PairAccuracy {
    /// The cheapest one whose relative error is below a tenth of `tolerance`.
    pub fn for_tolerance(tolerance: f64) -> Self {
        match tolerance {
            t if t >= 6.2e-4 => Self::Digits4,
            t if t >= 1e-7 => Self::Digits8,
            t if t >= 1e-11 => Self::Digits12,
            _ => Self::Full,
        }
    }
}

/// Adds to `sums`, one for each vector of charges q, Φ_i = Σ_j q_j / √(r_ij² + ε²) and, where
/// wanted, its gradient, at the receivers i, over the sources j in `runs`.
///
/// All of `sums` have a gradient or none has. Pairs with r_ij = 0, a point and itself among them,
/// are left out. `softening` is ε; with ε > 0 the accuracy is always [`PairAccuracy::Full`]. Yokota &
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

/// See [`p2p`].
#[derive(Debug)]
pub struct P2p<'a, 's, T> {
    pub(super) sources: &'a Sources<'a, T>,
    pub(super) runs: &'a [Range<usize>],
    pub(super) receivers: [&'a [T]; 3],
    pub(super) softening: T,
    accuracy: PairAccuracy,
    pub(super) sums: &'a mut [PointSums<'s, T>],
}

impl<T: Scalar> P2p<'_, '_, T> {
    /// Picks the kernel compiled for the case.
    pub(crate) fn dispatch(self) {
        let Some(first) = self.sums.first() else { return };
        let (gradient, soft) = (first.with_gradient(), self.softening > T::ZERO);
        for_case(self.accuracy, gradient, soft, self);
    }
}

/// What is compiled once for each case of what to compute and how.
pub(super) trait ByCase: Sized {
    /// The type of the sums.
    type Scalar: Real;

    /// Runs with or without gradient and softening, with 1/√ to so many bits.
    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self);

    /// [`Self::run`] without softening. 27 bits are all of f32, so that its higher accuracies share one compiled case.
    fn run_plain<const GRADIENT: bool, const BITS: u32>(self) {
        if const { BITS > 27 && Self::Scalar::BITS <= 27 } {
            self.run::<GRADIENT, false, 27>();
        } else {
            self.run::<GRADIENT, false, BITS>();
        }
    }

    /// [`Self::run`] with softening, always to rounding.
    fn run_soft<const GRADIENT: bool>(self) {
        if const { Self::Scalar::BITS <= 27 } {
            self.run::<GRADIENT, true, 27>();
        } else {
            self.run::<GRADIENT, true, 64>();
        }
    }
}

/// Runs what was compiled for the case.
pub(super) fn for_case(accuracy: PairAccuracy, gradient: bool, soft: bool, work: impl ByCase) {
    match (gradient, soft, accuracy) {
        (true, false, PairAccuracy::Digits4) => work.run_plain::<true, 14>(),
        (true, false, PairAccuracy::Digits8) => work.run_plain::<true, 27>(),
        (true, false, PairAccuracy::Digits12) => work.run_plain::<true, 40>(),
        (true, false, PairAccuracy::Full) => work.run_plain::<true, 64>(),
        (true, true, _) => work.run_soft::<true>(),
        (false, false, PairAccuracy::Digits4) => work.run_plain::<false, 14>(),
        (false, false, PairAccuracy::Digits8) => work.run_plain::<false, 27>(),
        (false, false, PairAccuracy::Digits12) => work.run_plain::<false, 40>(),
        (false, false, PairAccuracy::Full) => work.run_plain::<false, 64>(),
        (false, true, _) => work.run_soft::<false>(),
    }
}

impl<T: Scalar> ByCase for P2p<'_, '_, T> {
    type Scalar = T;

    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self) {
        if self.sums.len() == 1 {
            return run_widest(Case::<'_, '_, T, GRADIENT, SOFT, BITS>(self));
        }
        let charges = self.sources.charges.chunks(VECTORS);
        for (charges, sums) in charges.zip(self.sums.chunks_mut(VECTORS)) {
            let sources = Sources { charges, ..*self.sources };
            let some = P2p { sources: &sources, sums, ..self };
            run_widest(vectors::Case::<'_, '_, T, GRADIENT, SOFT, BITS>(some));
        }
    }
}

/// The sum for one vector of charges, with the case known to the compiler.
struct Case<'a, 's, T, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(P2p<'a, 's, T>);

impl<T: Real, const GRADIENT: bool, const SOFT: bool, const BITS: u32> Kernel<T>
    for Case<'_, '_, T, GRADIENT, SOFT, BITS>
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
    let (charges, sums) = (sources.charges[0], &mut sums[0]);
    let sources = (sources.coordinates, charges);
    let n = receivers[0].len();
    let mut start = 0;
    // There are registers for two vectors of receivers.
    while n - start > V::WIDTH {
        let range = start..n.min(start + GROUP * V::Wide::WIDTH);
        start = range.end;
        group::<V::Wide, GRADIENT, SOFT, BITS>(sources, runs, receivers, range, softening, sums);
    }
    while start < n {
        let range = start..n.min(start + GROUP * V::WIDTH);
        start = range.end;
        group::<V, GRADIENT, SOFT, BITS>(sources, runs, receivers, range, softening, sums);
    }
}

/// Vectors of receivers for which a block of sources stays in the first-level cache.
const GROUP: usize = 4;

/// Sources whose contributions are added plainly.
pub(super) const BLOCK: usize = 512;

/// Potential and gradient at one vector of receivers.
type Sums<V> = [V; 4];

#[inline(always)]
fn group<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    (coordinates, charges): ([&[V::Scalar]; 3], &[V::Scalar]),
    runs: &[Range<usize>],
    receivers: [&[V::Scalar]; 3],
    range: Range<usize>,
    softening: V::Scalar,
    sums: &mut PointSums<'_, V::Scalar>,
) {
    let softening2 = V::splat(softening_square(softening));
    let mut totals: [Sums<V>; GROUP] = [[V::zero(); 4]; GROUP];
    let mut lost = totals;
    for run in runs {
        let mut block = run.start..run.start;
        while block.end < run.end {
            block = block.end..run.end.min(block.end + BLOCK);
            let xyz = coordinates.map(|c| &c[block.clone()]);
            let charges = &charges[block.clone()];
            for (pack, start) in range.clone().step_by(V::WIDTH).enumerate() {
                let receiver = receivers.map(|c| load_padded::<V>(&c[start..range.end]));
                let part = block_sum::<V, GRADIENT, SOFT, BITS>(xyz, charges, receiver, softening2);
                add_compensated::<V, GRADIENT>(&mut totals[pack], &mut lost[pack], &part);
            }
        }
    }
    for (pack, start) in range.clone().step_by(V::WIDTH).enumerate() {
        let total: [V; 4] = core::array::from_fn(|i| totals[pack][i] + lost[pack][i]);
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

/// c/√(|d|² + ε²), and 0 where d = 0; [`unscaled`] takes the factor c from sums.
#[inline(always)]
pub(super) fn scaled_inverse<V: Lanes, const SOFT: bool, const BITS: u32>(
    [dx, dy, dz]: [V; 3],
    softening2: V,
) -> V {
    let r2 = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
    let softened = if SOFT { r2 + softening2 } else { r2 };
    softened.scaled_rsqrt::<BITS>(r2, V::splat(nearest_square()))
}

/// A potential and its gradient, summed from [`scaled_inverse`] and its third power.
#[inline(always)]
pub(super) fn unscaled<V: Lanes, const BITS: u32>([potential, x, y, z]: [V; 4]) -> [V; 4] {
    let scale = V::rsqrt_scale::<BITS>();
    if scale == V::Scalar::ONE {
        return [potential, x, y, z];
    }
    let factor = num_traits::Float::recip(scale);
    let (once, thrice) = (V::splat(factor), V::splat(factor * factor * factor));
    [potential * once, x * thrice, y * thrice, z * thrice]
}

/// The square of the distance up to which points count as coincident: with it, the third power of
/// [`scaled_inverse`] leaves room for charges below the largest number.
#[inline(always)]
fn nearest_square<T: Real>() -> T {
    T::narrow(if T::BITS < <f64 as Real>::BITS { 4e-25 } else { 1e-204 })
}

/// ε², but 0 only without softening, so that 1/√(r² + ε²) has a third power.
#[inline(always)]
pub(super) fn softening_square<T: Real>(softening: T) -> T {
    if softening > T::ZERO {
        num_traits::Float::max(softening * softening, nearest_square())
    } else {
        T::ZERO
    }
}

/// Adds `part` to `total` and what rounding loses to `lost` (two-sum).
#[inline(always)]
pub(super) fn add_compensated<V: Lanes, const GRADIENT: bool>(
    total: &mut Sums<V>,
    lost: &mut Sums<V>,
    part: &Sums<V>,
) {
    for i in 0..if GRADIENT { 4 } else { 1 } {
        let (sum, rest) = two_sum(total[i], part[i]);
        lost[i] += rest;
        total[i] = sum;
    }
}

/// The rounded sum and what rounding loses (Knuth).
#[inline(always)]
pub(super) fn two_sum<V: Lanes>(old: V, new: V) -> (V, V) {
    let sum = old + new;
    let from_new = sum - old;
    (sum, (old - (sum - from_new)) + (new - from_new))
}

//! Symmetric P2P: two sets of points act on each other, and one distance serves both directions.
//!
//! Points of one set (b) are lanes and points of the other (a) are broadcast, as in P2P one way. Reactions of
//! the lanes on a broadcast point are added up lane by lane, in one vector for each point of a block of a. The
//! block stays in the first-level cache, and lanes are summed when all points of b have been taken.

use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::PairAccuracy;
use super::pair::{scaled_inverse, softening_square, two_sum, unscaled};
use super::variants::{ByVariant, for_variant};
use crate::Scalar;
use crate::dispatch::run_widest;
use crate::operators::PointSums;
use crate::operators::point_lanes::{add_to, load_padded};

/// Sums with compensation terms: the result is `total + compensation`.
#[derive(Debug)]
pub struct CompensatedSums<'a, T> {
    /// The rounded sums.
    pub total: PointSums<'a, T>,
    /// Rounding errors of the sums; not kept with [`PairAccuracy::Digits4`].
    pub compensation: PointSums<'a, T>,
}

impl<T> CompensatedSums<'_, T> {
    /// The sums at the first `n` points and those at the others.
    pub fn split_at(&mut self, n: usize) -> (CompensatedSums<'_, T>, CompensatedSums<'_, T>) {
        let (total, total_rest) = self.total.split_at(n);
        let (compensation, compensation_rest) = self.compensation.split_at(n);
        let rest = CompensatedSums { total: total_rest, compensation: compensation_rest };
        (CompensatedSums { total, compensation }, rest)
    }
}

/// Points of the set `a` and points of the set `b` that act on each other, by their numbers in these sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Points of `a`.
    pub points: Range<usize>,
    /// Points of `b`.
    pub others: Range<usize>,
}

/// Set of points with charges and sums, one of two.
#[derive(Debug)]
pub struct SymmetricPoints<'a, T> {
    /// Number of the first point: meetings count from there.
    pub first: usize,
    /// x, y and z of each.
    pub coordinates: [&'a [T]; 3],
    /// The charge of each.
    pub charges: &'a [T],
    /// Sums at the points, to be added to.
    pub sums: CompensatedSums<'a, T>,
}

/// Adds, meeting by meeting, the sums of points of `a` due to points of `b`, and of these due to those: twice
/// [`p2p`](super::p2p()).
///
/// Sums of both have a gradient or none has. Meetings of the same points of `a` that follow each other share the sums of
/// the reactions. Long ranges of `b` are the fastest, because its points are lanes. Cost: about 28 vector operations for
/// two interactions at full accuracy, where one way takes 23 for one; 25 and 20 in f32.
pub fn p2p_symmetric<T: Scalar>(
    a: SymmetricPoints<'_, T>,
    b: SymmetricPoints<'_, T>,
    meetings: &[Meeting],
    softening: T,
    accuracy: PairAccuracy,
) {
    T::run_p2p_symmetric(P2pSymmetric { a, b, meetings, softening, accuracy });
}

/// Arguments of [`p2p_symmetric`].
#[derive(Debug)]
pub struct P2pSymmetric<'a, T> {
    a: SymmetricPoints<'a, T>,
    b: SymmetricPoints<'a, T>,
    meetings: &'a [Meeting],
    softening: T,
    accuracy: PairAccuracy,
}

impl<T: Scalar> P2pSymmetric<'_, T> {
    /// Runs the kernel of the variant.
    pub(crate) fn dispatch(self) {
        let (gradient, soft) = (self.a.sums.total.with_gradient(), self.softening > T::ZERO);
        for_variant(self.accuracy, gradient, soft, self);
    }
}

impl<T: Scalar> ByVariant for P2pSymmetric<'_, T> {
    type Scalar = T;

    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self) {
        run_widest(Symmetric::<'_, T, GRADIENT, SOFT, BITS>(self));
    }
}

/// Symmetric sum in one variant.
struct Symmetric<'a, T, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    P2pSymmetric<'a, T>,
);

/// Vectors of points of b that share the loads and stores of a point of a.
const PACKS: usize = 2;

/// Points of a whose reactions stay in the first-level cache.
const BLOCK: usize = 64;

/// Vectors of points in a stretch of a run.
const STRETCH: usize = 64;

/// Vectors of points of b whose reactions are added plainly, before they go to compensated sums.
const PLAIN: usize = 256;

/// Sums at a block of a, lane by lane: by quantity (potential, gradient with the opposite sign) and point.
type Reactions<V> = [[V; BLOCK]; 4];

impl<T: Real, const GRADIENT: bool, const SOFT: bool, const BITS: u32> Kernel<T>
    for Symmetric<'_, T, GRADIENT, SOFT, BITS>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        if const { V::EXACT_RSQRT && BITS > 14 } {
            exact_sum::<V, GRADIENT, SOFT>(self.0);
        } else {
            sum::<V, GRADIENT, SOFT, BITS>(self.0);
        }
    }
}

/// [`sum`] for all accuracies with compensation, compiled once.
#[inline(never)]
fn exact_sum<V: Lanes, const GRADIENT: bool, const SOFT: bool>(task: P2pSymmetric<'_, V::Scalar>) {
    sum::<V, GRADIENT, SOFT, 64>(task);
}

#[inline(always)]
fn sum<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    task: P2pSymmetric<'_, V::Scalar>,
) {
    let P2pSymmetric { mut a, mut b, meetings, softening, .. } = task;
    let softening2 = V::splat(softening_square(softening));
    let mut reactions: Reactions<V> = [[V::zero(); BLOCK]; 4];
    for meetings in meetings.chunk_by(|m, n| m.points == n.points) {
        let (from, to) = (meetings[0].points.start - a.first, meetings[0].points.end - a.first);
        // Blocks of like size.
        let n = to - from;
        let length = n.div_ceil(n.div_ceil(BLOCK).max(1));
        let mut block = from..from;
        while block.end < to {
            block = block.end..to.min(block.end + length);
            add_meetings::<V, GRADIENT, SOFT, BITS>(
                (&mut a, block.clone()),
                (&mut b, meetings),
                softening2,
                &mut reactions,
            );
        }
    }
}

/// Adds the pairs of a block of a with the points of b in all these meetings.
#[inline(always)]
fn add_meetings<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    (a, block): (&mut SymmetricPoints<'_, V::Scalar>, Range<usize>),
    (b, meetings): (&mut SymmetricPoints<'_, V::Scalar>, &[Meeting]),
    softening2: V,
    reactions: &mut Reactions<V>,
) {
    let mut plain = 0;
    for Meeting { others, .. } in meetings {
        let run = others.start - b.first..others.end - b.first;
        let mut stretch = run.start..run.start;
        while stretch.end < run.end {
            stretch = stretch.end..run.end.min(stretch.end + STRETCH * V::WIDTH);
            if plain >= PLAIN {
                add_reactions::<V, GRADIENT, BITS>(reactions, block.clone(), &mut a.sums);
                plain = 0;
            }
            plain += stretch.len().div_ceil(V::WIDTH);
            let (mut start, end) = (stretch.start, stretch.end);
            while end - start > V::WIDTH {
                let range = start..end.min(start + PACKS * V::WIDTH);
                start = range.end;
                add_pairs::<V, GRADIENT, SOFT, BITS, PACKS>(
                    (a, block.clone()),
                    (b, range),
                    softening2,
                    reactions,
                );
            }
            while start < end {
                let range = start..end.min(start + V::WIDTH);
                start = range.end;
                add_pairs::<V, GRADIENT, SOFT, BITS, 1>(
                    (a, block.clone()),
                    (b, range),
                    softening2,
                    reactions,
                );
            }
        }
    }
    add_reactions::<V, GRADIENT, BITS>(reactions, block, &mut a.sums);
}

/// Adds the pairs of a block of a with the points of b in `range`, which are at most `PACKS` vectors.
///
/// The sums of b get the actions of the block; `reactions` gets the actions on the block, without the sign of the
/// gradient. `V` is the vector of points of b. `GRADIENT`, `SOFT` and `BITS` are the
/// [variant](super::variants::ByVariant::run): sums with a gradient, softening above 0, bits of 1/√.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn add_pairs<
    V: Lanes,
    const GRADIENT: bool,
    const SOFT: bool,
    const BITS: u32,
    const PACKS: usize,
>(
    (a, block): (&SymmetricPoints<'_, V::Scalar>, Range<usize>),
    (b, range): (&mut SymmetricPoints<'_, V::Scalar>, Range<usize>),
    softening2: V,
    reactions: &mut Reactions<V>,
) {
    let mut at = [[V::zero(); 3]; PACKS];
    let mut own = [V::zero(); PACKS];
    for pack in 0..PACKS {
        let range = range.start + pack * V::WIDTH..range.end;
        for axis in 0..3 {
            at[pack][axis] = load_repeated(&b.coordinates[axis][range.clone()]);
        }
        own[pack] = load_padded(&b.charges[range]);
    }
    let mut action = [[V::zero(); 4]; PACKS];
    let n = block.len().min(BLOCK);
    let [x, y, z] = a.coordinates;
    let [x, y, z] = [&x[block.clone()][..n], &y[block.clone()][..n], &z[block.clone()][..n]];
    let charges = &a.charges[block][..n];
    for j in 0..n {
        let (x, y, z) = (V::splat(x[j]), V::splat(y[j]), V::splat(z[j]));
        let charge = V::splat(charges[j]);
        for pack in 0..PACKS {
            let [rx, ry, rz] = at[pack];
            let d = [x - rx, y - ry, z - rz];
            let inverse = scaled_inverse::<V, SOFT, BITS>(d, softening2);
            action[pack][0] = charge.mul_add(inverse, action[pack][0]);
            reactions[0][j] = own[pack].mul_add(inverse, reactions[0][j]);
            if GRADIENT {
                let cube = inverse * inverse * inverse;
                let (pull, back) = (charge * cube, own[pack] * cube);
                for axis in 0..3 {
                    let c = axis + 1;
                    action[pack][c] = pull.mul_add(d[axis], action[pack][c]);
                    reactions[c][j] = back.mul_add(d[axis], reactions[c][j]);
                }
            }
        }
    }
    for pack in 0..PACKS {
        let start = range.start + pack * V::WIDTH;
        let range = start..range.end.min(start + V::WIDTH);
        let action = unscaled::<V, BITS>(action[pack]);
        add_compensated::<V, GRADIENT, BITS>(&mut b.sums, range, &action);
    }
}

/// Adds the reactions of a block to the sums of its points and sets them to zero.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn add_reactions<V: Lanes, const GRADIENT: bool, const BITS: u32>(
    reactions: &mut Reactions<V>,
    block: Range<usize>,
    sums: &mut CompensatedSums<'_, V::Scalar>,
) {
    for start in (0..block.len()).step_by(V::WIDTH) {
        let end = block.len().min(start + V::WIDTH);
        let mut part = [V::zero(); 4];
        for c in 0..if GRADIENT { 4 } else { 1 } {
            let sum = V::sums(&reactions[c][start..end.next_multiple_of(V::WIDTH)]);
            part[c] = if c == 0 { sum } else { -sum };
        }
        let (range, part) = (block.start + start..block.start + end, unscaled::<V, BITS>(part));
        add_compensated::<V, GRADIENT, BITS>(sums, range, &part);
    }
    for sums in reactions {
        sums[..block.len()].fill(V::zero());
    }
}

/// Adds potential and gradient, as many lanes as there are points in `range`.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn add_compensated<V: Lanes, const GRADIENT: bool, const BITS: u32>(
    sums: &mut CompensatedSums<'_, V::Scalar>,
    range: Range<usize>,
    part: &[V; 4],
) {
    let CompensatedSums { total, compensation } = sums;
    let (to, rest) =
        (&mut total.potential[range.clone()], &mut compensation.potential[range.clone()]);
    add_two_sum::<V, BITS>(to, rest, part[0]);
    if GRADIENT {
        for axis in 0..3 {
            let to = &mut total.gradient[axis][range.clone()];
            let rest = &mut compensation.gradient[axis][range.clone()];
            add_two_sum::<V, BITS>(to, rest, part[axis + 1]);
        }
    }
}

/// Adds as many lanes as there are numbers, and the rounding errors to `compensation` unless 4 digits are enough.
#[inline(always)]
fn add_two_sum<V: Lanes, const BITS: u32>(
    total: &mut [V::Scalar],
    compensation: &mut [V::Scalar],
    v: V,
) {
    if BITS <= 14 {
        return add_to(total, v);
    }
    let (sum, rest) = two_sum(load_padded(total), v);
    add_to(compensation, rest);
    sum.store_part(total);
}

/// A whole vector, or the last few numbers and repetitions of the last one.
#[inline(always)]
fn load_repeated<V: Lanes>(from: &[V::Scalar]) -> V {
    match from {
        [.., last] if from.len() < V::WIDTH => V::load_part(from, V::splat(*last)),
        _ => V::load(from),
    }
}

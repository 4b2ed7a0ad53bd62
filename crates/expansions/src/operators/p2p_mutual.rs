//! P2P between two sets of points, both ways at once: a pair's distance serves both.
//!
//! Points of one set are lanes and those of the other are broadcast, as in P2P one way. What lanes give
//! a broadcast point is added up lane by lane, in a vector for each point of a block that stays in the
//! first-level cache; its lanes are summed when all of the other set are through.

use core::ops::Range;

use lanes::{Kernel, Lanes, Real};

use super::p2p::{ByCase, for_case, scaled_inverse, softening_square, two_sum, unscaled};
use super::point_lanes::{add_to, load_padded};
use super::{PairAccuracy, PointSums};
use crate::Scalar;
use crate::scalar::run_widest;

/// Sums that keep what rounding loses: the result is `total + lost`.
#[derive(Debug)]
pub struct CompensatedSums<'a, T> {
    /// The rounded sums.
    pub total: PointSums<'a, T>,
    /// What rounding lost; nothing is kept with [`PairAccuracy::Digits4`].
    pub lost: PointSums<'a, T>,
}

impl<T> CompensatedSums<'_, T> {
    /// The sums at the first `n` points and those at the others.
    pub fn split_at(&mut self, n: usize) -> (CompensatedSums<'_, T>, CompensatedSums<'_, T>) {
        let (total, total_rest) = self.total.split_at(n);
        let (lost, lost_rest) = self.lost.split_at(n);
        (CompensatedSums { total, lost }, CompensatedSums { total: total_rest, lost: lost_rest })
    }
}

/// Points that act and are acted on.
#[derive(Debug)]
pub struct MutualPoints<'a, T> {
    /// x, y and z of each.
    pub coordinates: [&'a [T]; 3],
    /// The charge of each.
    pub charges: &'a [T],
    /// What is added to.
    pub sums: CompensatedSums<'a, T>,
}

/// Adds what points `a` and those of `b` in `runs` give each other: [`p2p`](super::p2p()) there and
/// back.
///
/// Both have sums with a gradient or none has. Best where runs are long: points of `b` are the lanes.
/// Cost: about 28 vector operations for two interactions at full
/// accuracy, where one way takes 23 for one; 25 and 20 in f32.
pub fn p2p_mutual<T: Scalar>(
    a: MutualPoints<'_, T>,
    b: MutualPoints<'_, T>,
    runs: &[Range<usize>],
    softening: T,
    accuracy: PairAccuracy,
) {
    T::run_p2p_mutual(P2pMutual { a, b, runs, softening, accuracy });
}

/// See [`p2p_mutual`].
#[derive(Debug)]
pub struct P2pMutual<'a, T> {
    a: MutualPoints<'a, T>,
    b: MutualPoints<'a, T>,
    runs: &'a [Range<usize>],
    softening: T,
    accuracy: PairAccuracy,
}

impl<T: Scalar> P2pMutual<'_, T> {
    /// Picks the kernel compiled for the case.
    pub(crate) fn dispatch(self) {
        let (gradient, soft) = (self.a.sums.total.with_gradient(), self.softening > T::ZERO);
        for_case(self.accuracy, gradient, soft, self);
    }
}

impl<T: Scalar> ByCase for P2pMutual<'_, T> {
    type Scalar = T;

    fn run<const GRADIENT: bool, const SOFT: bool, const BITS: u32>(self) {
        run_widest(Case::<'_, T, GRADIENT, SOFT, BITS>(self));
    }
}

/// Sums with the case known to the compiler.
struct Case<'a, T, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(P2pMutual<'a, T>);

/// Vectors of receivers that share what is loaded and stored for a source.
const PACKS: usize = 2;

/// Points of `a` that are taken at once.
const BLOCK: usize = 64;

/// A run is taken in stretches of as many vectors of points.
const STRETCH: usize = 64;

/// After as many vectors of points, sums for the points of `a` are no longer added to plainly.
const PLAIN: usize = 256;

/// Sums of theirs, by quantity and point, in the first-level cache.
type Reactions<V> = [[V; BLOCK]; 4];

impl<T: Real, const GRADIENT: bool, const SOFT: bool, const BITS: u32> Kernel<T>
    for Case<'_, T, GRADIENT, SOFT, BITS>
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
fn exact_sum<V: Lanes, const GRADIENT: bool, const SOFT: bool>(task: P2pMutual<'_, V::Scalar>) {
    sum::<V, GRADIENT, SOFT, 64>(task);
}

#[inline(always)]
fn sum<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32>(
    task: P2pMutual<'_, V::Scalar>,
) {
    let P2pMutual { mut a, mut b, runs, softening, .. } = task;
    let n = a.coordinates[0].len();
    let softening2 = V::splat(softening_square(softening));
    // Blocks of like size.
    let length = n.div_ceil(n.div_ceil(BLOCK).max(1));
    let mut reactions: Reactions<V> = [[V::zero(); BLOCK]; 4];
    let mut block = 0..0;
    while block.end < n {
        block = block.end..n.min(block.end + length);
        let mut plain = 0;
        for run in runs {
            let mut stretch = run.start..run.start;
            while stretch.end < run.end {
                stretch = stretch.end..run.end.min(stretch.end + STRETCH * V::WIDTH);
                if plain >= PLAIN {
                    settle::<V, GRADIENT, BITS>(&mut reactions, block.clone(), &mut a.sums);
                    plain = 0;
                }
                plain += stretch.len().div_ceil(V::WIDTH);
                let (mut start, end) = (stretch.start, stretch.end);
                while end - start > V::WIDTH {
                    let range = start..end.min(start + PACKS * V::WIDTH);
                    start = range.end;
                    meet::<V, GRADIENT, SOFT, BITS, PACKS>(
                        (&a, block.clone()),
                        (&mut b, range),
                        softening2,
                        &mut reactions,
                    );
                }
                while start < end {
                    let range = start..end.min(start + V::WIDTH);
                    start = range.end;
                    meet::<V, GRADIENT, SOFT, BITS, 1>(
                        (&a, block.clone()),
                        (&mut b, range),
                        softening2,
                        &mut reactions,
                    );
                }
            }
        }
        settle::<V, GRADIENT, BITS>(&mut reactions, block.clone(), &mut a.sums);
    }
}

/// Adds to the sums of the points of `b` in `range` what a block of `a` gives them, and to `reactions` what they
/// give back, but for the sign of the gradient.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn meet<V: Lanes, const GRADIENT: bool, const SOFT: bool, const BITS: u32, const PACKS: usize>(
    (a, block): (&MutualPoints<'_, V::Scalar>, Range<usize>),
    (b, range): (&mut MutualPoints<'_, V::Scalar>, Range<usize>),
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
    let mut given = [[V::zero(); 4]; PACKS];
    let n = block.len().min(BLOCK);
    let [x, y, z] = a.coordinates.map(|c| &c[block.clone()][..n]);
    let charges = &a.charges[block][..n];
    for j in 0..n {
        let (x, y, z) = (V::splat(x[j]), V::splat(y[j]), V::splat(z[j]));
        let charge = V::splat(charges[j]);
        for pack in 0..PACKS {
            let [rx, ry, rz] = at[pack];
            let d = [x - rx, y - ry, z - rz];
            let inverse = scaled_inverse::<V, SOFT, BITS>(d, softening2);
            given[pack][0] = charge.mul_add(inverse, given[pack][0]);
            reactions[0][j] = own[pack].mul_add(inverse, reactions[0][j]);
            if GRADIENT {
                let cube = inverse * inverse * inverse;
                let (pull, back) = (charge * cube, own[pack] * cube);
                for axis in 0..3 {
                    let c = axis + 1;
                    given[pack][c] = pull.mul_add(d[axis], given[pack][c]);
                    reactions[c][j] = back.mul_add(d[axis], reactions[c][j]);
                }
            }
        }
    }
    for pack in 0..PACKS {
        let start = range.start + pack * V::WIDTH;
        let range = start..range.end.min(start + V::WIDTH);
        let given = unscaled::<V, BITS>(given[pack]);
        add_compensated::<V, GRADIENT, BITS>(&mut b.sums, range, &given);
    }
}

/// Adds to the sums of the points of a block what they were given back, which is then zero.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "counted loops keep sums in registers")]
fn settle<V: Lanes, const GRADIENT: bool, const BITS: u32>(
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
    let CompensatedSums { total, lost } = sums;
    let (to, rest) = (&mut total.potential[range.clone()], &mut lost.potential[range.clone()]);
    add_two_sum::<V, BITS>(to, rest, part[0]);
    if GRADIENT {
        for axis in 0..3 {
            let to = &mut total.gradient[axis][range.clone()];
            let rest = &mut lost.gradient[axis][range.clone()];
            add_two_sum::<V, BITS>(to, rest, part[axis + 1]);
        }
    }
}

/// Adds as many lanes as there are numbers, to `lost` what rounding loses: it does not matter to 4 digits.
#[inline(always)]
fn add_two_sum<V: Lanes, const BITS: u32>(total: &mut [V::Scalar], lost: &mut [V::Scalar], v: V) {
    if BITS <= 14 {
        return add_to(total, v);
    }
    let (sum, rest) = two_sum(load_padded(total), v);
    add_to(lost, rest);
    sum.store_part(total);
}

/// A whole vector, or the last few numbers and the last one again and again.
#[inline(always)]
fn load_repeated<V: Lanes>(from: &[V::Scalar]) -> V {
    match from {
        [.., last] if from.len() < V::WIDTH => V::load_part(from, V::splat(*last)),
        _ => V::load(from),
    }
}

//! Sums over harmonics at points, one point a lane: shared by P2M, P2L, M2P and L2P.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Lanes, Real};

use crate::layout::index;
use crate::numerics::recurrence::{AzimuthalFactor, Recurrence, Start};
use crate::{BoxPoints, Harmonics};

/// Adds to each of the p² coefficients the sum over the points of charge times harmonic function.
#[inline(always)]
pub(super) fn expand<V: Lanes, const IRREGULAR: bool>(
    harmonics: &Harmonics<V::Scalar>,
    points: &BoxPoints<V::Scalar>,
    charges: &[V::Scalar],
    coefficients: &mut [V::Scalar],
) {
    let n = harmonics.n_degrees();
    // Expansions of small boxes take so little that allocating would double it.
    let mut few = [[V::zero(); 2]; FEW];
    let mut many = if n > FEW { vec![[V::zero(); 2]; n] } else { Vec::new() };
    let sums = if n > FEW { &mut many[..] } else { &mut few[..n] };
    let charges = &charges[..points.len()];
    let mut start = 0;
    while start + (GROUP - 1) * V::WIDTH < charges.len() {
        add_group::<V, IRREGULAR, GROUP>(harmonics, points, charges, start, sums);
        start += GROUP * V::WIDTH;
    }
    while start < charges.len() {
        add_group::<V, IRREGULAR, 1>(harmonics, points, charges, start, sums);
        start += V::WIDTH;
    }
    let mut sums = &*sums;
    for m in 0..harmonics.order() {
        for (n, factors) in (m..).zip(harmonics.degrees(m)) {
            if let Some(([cosine, sine], rest)) = sums.split_first() {
                coefficients[index(n, m as isize)] += factors.norm * cosine.sum();
                if m > 0 {
                    coefficients[index(n, -(m as isize))] += factors.norm * sine.sum();
                }
                sums = rest;
            }
        }
    }
}

/// Pairs of coefficients that fit on the stack: those of order 6.
const FEW: usize = 21;

/// Vectors of points whose terms are summed in registers before memory is written.
const GROUP: usize = 4;

/// Adds the terms of `K` vectors of points to the sums of Q cos and Q sin, by m and n.
#[inline(always)]
fn add_group<V: Lanes, const IRREGULAR: bool, const K: usize>(
    harmonics: &Harmonics<V::Scalar>,
    points: &BoxPoints<V::Scalar>,
    charges: &[V::Scalar],
    start: usize,
    sums: &mut [[V; 2]],
) {
    let (starts, mut azimuths) = start_at::<V, IRREGULAR, K>(points, start);
    for k in 0..K {
        azimuths[k].scale(load_padded(&charges[start + k * V::WIDTH..]));
    }
    let mut sums = sums.iter_mut();
    for m in 0..harmonics.order() {
        let mut recurrences = [Recurrence::new(starts[0]); K];
        for k in 1..K {
            recurrences[k] = Recurrence::new(starts[k]);
        }
        for (factors, [cosines, sines]) in harmonics.degrees(m).iter().zip(&mut sums) {
            for k in 0..K {
                *cosines = recurrences[k].value.mul_add(azimuths[k].cosine, *cosines);
                *sines = recurrences[k].value.mul_add(azimuths[k].sine, *sines);
                recurrences[k].advance(V::splat(factors.polynomial));
            }
        }
        for k in 0..K {
            azimuths[k].advance(starts[k]);
        }
    }
}

/// Potential and gradient at points, to be added to.
///
/// The gradient's parts are empty where only the potential is wanted.
#[derive(Debug)]
pub struct PointSums<'a, T> {
    /// Φ at each point.
    pub potential: &'a mut [T],
    /// ∂Φ/∂x, ∂Φ/∂y and ∂Φ/∂z at each point.
    pub gradient: [&'a mut [T]; 3],
}

impl<T> PointSums<'_, T> {
    /// The sums at some of the points.
    pub fn part(&mut self, points: Range<usize>) -> PointSums<'_, T> {
        let gradient = if self.with_gradient() { points.clone() } else { 0..0 };
        PointSums {
            potential: &mut self.potential[points],
            gradient: self.gradient.each_mut().map(|part| &mut part[gradient.clone()]),
        }
    }

    /// The sums at the first `n` points and those at the others.
    pub fn split_at(&mut self, n: usize) -> (PointSums<'_, T>, PointSums<'_, T>) {
        let n_gradient = if self.with_gradient() { n } else { 0 };
        let (potential, potential_rest) = self.potential.split_at_mut(n);
        let [x, y, z] = self.gradient.each_mut().map(|part| part.split_at_mut(n_gradient));
        (
            PointSums { potential, gradient: [x.0, y.0, z.0] },
            PointSums { potential: potential_rest, gradient: [x.1, y.1, z.1] },
        )
    }

    /// Whether the gradient is wanted.
    pub fn with_gradient(&self) -> bool {
        !self.gradient[0].is_empty()
    }
}

/// Expansion and, where wanted, its three derivatives, in the sequence in which harmonics are
/// evaluated.
#[derive(Debug)]
pub(super) struct Series<T> {
    /// Factors of Q cos and Q sin for each m and n: those of the potential and, where the gradient is
    /// wanted, of its three parts.
    factors: Vec<[T; 2]>,
    with_gradient: bool,
}

impl<T: Real> Series<T> {
    /// Series of an expansion and of its derivatives, which are empty where they are not wanted. Each comes with
    /// the factor by which its sums are multiplied. Missing degrees count as 0.
    pub(super) fn new(
        harmonics: &Harmonics<T>,
        (potential, scale): (&[T], T),
        (derivatives, derivative_scale): (&[Vec<T>; 3], T),
    ) -> Self {
        let with_gradient = !derivatives[0].is_empty();
        let n_sums = if with_gradient { 4 } else { 1 };
        let mut factors = Vec::with_capacity(n_sums * harmonics.n_degrees());
        for m in 0..harmonics.order() {
            for (n, degree) in (m..).zip(harmonics.degrees(m)) {
                let (cosine, sine) = (index(n, m as isize), index(n, -(m as isize)));
                let mut push = |coefficients: &[T], scale: T| {
                    let norm = scale * degree.norm;
                    let factor = |i| coefficients.get(i).map_or(T::ZERO, |c| norm * *c);
                    factors.push([factor(cosine), factor(sine)]);
                };
                push(potential, scale);
                if with_gradient {
                    derivatives.iter().for_each(|part| push(part, derivative_scale));
                }
            }
        }
        Self { factors, with_gradient }
    }
}

/// Adds a series in regular or irregular harmonics to the sums at each point.
#[inline(always)]
pub(super) fn evaluate<V: Lanes, const IRREGULAR: bool>(
    harmonics: &Harmonics<V::Scalar>,
    points: &BoxPoints<V::Scalar>,
    series: &Series<V::Scalar>,
    sums: &mut PointSums<'_, V::Scalar>,
) {
    if series.with_gradient {
        evaluate_sums::<V, IRREGULAR, 4>(harmonics, points, series, sums);
    } else {
        evaluate_sums::<V, IRREGULAR, 1>(harmonics, points, series, sums);
    }
}

/// The potential or, with `N` = 4, the potential and its gradient.
#[inline(always)]
fn evaluate_sums<V: Lanes, const IRREGULAR: bool, const N: usize>(
    harmonics: &Harmonics<V::Scalar>,
    points: &BoxPoints<V::Scalar>,
    series: &Series<V::Scalar>,
    sums: &mut PointSums<'_, V::Scalar>,
) {
    let mut start = 0;
    while start + V::WIDTH < points.len() {
        add_series::<V, IRREGULAR, N, 2>(harmonics, points, start, &series.factors, sums);
        start += 2 * V::WIDTH;
    }
    if start < points.len() {
        add_series::<V, IRREGULAR, N, 1>(harmonics, points, start, &series.factors, sums);
    }
}

/// Adds `N` series at `K` vectors of points: with two, each factor is loaded once for both.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "counted loops keep the vectors in registers")]
fn add_series<V: Lanes, const IRREGULAR: bool, const N: usize, const K: usize>(
    harmonics: &Harmonics<V::Scalar>,
    points: &BoxPoints<V::Scalar>,
    start: usize,
    factors: &[[V::Scalar; 2]],
    sums: &mut PointSums<'_, V::Scalar>,
) {
    let (starts, mut azimuths) = start_at::<V, IRREGULAR, K>(points, start);
    let mut totals = [[V::zero(); N]; K];
    let mut rows = factors.chunks_exact(N);
    for m in 0..harmonics.order() {
        let mut recurrences = [Recurrence::new(starts[0]); K];
        for k in 1..K {
            recurrences[k] = Recurrence::new(starts[k]);
        }
        let mut parts = [[[V::zero(); 2]; N]; K];
        for (degree, row) in harmonics.degrees(m).iter().zip(&mut rows) {
            for i in 0..N {
                let (cosine, sine) = (V::splat(row[i][0]), V::splat(row[i][1]));
                for k in 0..K {
                    parts[k][i][0] = cosine.mul_add(recurrences[k].value, parts[k][i][0]);
                    parts[k][i][1] = sine.mul_add(recurrences[k].value, parts[k][i][1]);
                }
            }
            for k in 0..K {
                recurrences[k].advance(V::splat(degree.polynomial));
            }
        }
        for k in 0..K {
            let AzimuthalFactor { cosine, sine } = azimuths[k];
            for i in 0..N {
                let [cosines, sines] = parts[k][i];
                totals[k][i] = cosines.mul_add(cosine, sines.mul_add(sine, totals[k][i]));
            }
            azimuths[k].advance(starts[k]);
        }
    }
    for k in 0..K {
        let start = start + k * V::WIDTH;
        add_to(&mut sums.potential[start..], totals[k][0]);
        for i in 1..N {
            add_to(&mut sums.gradient[i - 1][start..], totals[k][i]);
        }
    }
}

/// `K` vectors of points from `start` on, at m = 0.
#[inline(always)]
fn start_at<V: Lanes, const IRREGULAR: bool, const K: usize>(
    points: &BoxPoints<V::Scalar>,
    start: usize,
) -> ([Start<V>; K], [AzimuthalFactor<V>; K]) {
    let [x, y, z] = points.coordinates();
    let origin = Start::of::<IRREGULAR>([V::zero(); 3]);
    let mut starts = [origin; K];
    let mut azimuths = [AzimuthalFactor::new(origin); K];
    for k in 0..K {
        let at = start + k * V::WIDTH;
        starts[k] =
            Start::of::<IRREGULAR>([V::load(&x[at..]), V::load(&y[at..]), V::load(&z[at..])]);
        azimuths[k] = AzimuthalFactor::new(starts[k]);
    }
    (starts, azimuths)
}

/// A whole vector, or the last few numbers followed by zeros.
#[inline(always)]
pub(super) fn load_padded<V: Lanes>(from: &[V::Scalar]) -> V {
    if from.len() >= V::WIDTH { V::load(from) } else { V::load_part(from, V::zero()) }
}

/// Adds a vector, or as many of its lanes as there are numbers left.
#[inline(always)]
pub(super) fn add_to<V: Lanes>(to: &mut [V::Scalar], v: V) {
    if to.len() >= V::WIDTH {
        (V::load(to) + v).store(to);
    } else {
        (V::load_part(to, V::zero()) + v).store_part(to);
    }
}

//! What the operators between points and expansions share: a point is a lane.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use lanes::{Lanes, ROW_ALIGNMENT};

use crate::BoxPoints;

/// Adds to each coefficient the sum over the points of the function that `fill` writes for a
/// charge and a point.
#[inline(always)]
pub(super) fn expand<V: Lanes>(
    points: &BoxPoints<V::Scalar>,
    charges: &[V::Scalar],
    coefficients: &mut [V::Scalar],
    mut fill: impl FnMut(V, [V; 3], &mut [V]),
) {
    let [x, y, z] = points.coordinates();
    let n = coefficients.len();
    // Expansions of small boxes take so little that allocating would double it.
    let mut few = [V::zero(); 2 * FEW];
    let mut many = if n > FEW { vec![V::zero(); 2 * n] } else { Vec::new() };
    let buffer = if n > FEW { &mut many[..] } else { &mut few[..2 * n] };
    let (terms, sums) = buffer.split_at_mut(n);
    for (block, charges) in charges[..points.len()].chunks(V::WIDTH).enumerate() {
        let start = block * V::WIDTH;
        let point = [V::load(&x[start..]), V::load(&y[start..]), V::load(&z[start..])];
        fill(load_padded(charges), point, terms);
        for (sum, term) in sums.iter_mut().zip(&*terms) {
            *sum += *term;
        }
    }
    for (coefficient, sum) in coefficients.iter_mut().zip(sums) {
        *coefficient += sum.sum();
    }
}

/// Coefficients that are kept without allocation: those of order 6.
const FEW: usize = 36;

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

/// An expansion and, where wanted, its three derivatives, each with the factor that its sums are
/// to be multiplied by.
#[derive(Debug)]
pub(super) struct Series<'a, T> {
    pub(super) potential: &'a [T],
    pub(super) derivatives: [Vec<T>; 3],
    pub(super) scale: T,
    pub(super) derivative_scale: T,
}

/// Adds to the sums at each point the series in the `n_terms` functions that `fill` writes for it.
#[inline(always)]
pub(super) fn evaluate<V: Lanes>(
    points: &BoxPoints<V::Scalar>,
    series: &Series<'_, V::Scalar>,
    sums: &mut PointSums<'_, V::Scalar>,
    n_terms: usize,
    mut fill: impl FnMut([V; 3], &mut [V]),
) {
    let [x, y, z] = points.coordinates();
    let [dx, dy, dz] = &series.derivatives;
    let mut terms = vec![V::zero(); n_terms];
    for start in (0..points.len()).step_by(V::WIDTH) {
        fill([x, y, z].map(|c| V::load(&c[start..])), &mut terms);
        let potential = dot(series.potential, &terms) * V::splat(series.scale);
        add_to(&mut sums.potential[start..], potential);
        if sums.with_gradient() {
            let mut gradient = [V::zero(); 3];
            for (((term, dx), dy), dz) in terms.iter().zip(dx).zip(dy).zip(dz) {
                gradient[0] = V::splat(*dx).mul_add(*term, gradient[0]);
                gradient[1] = V::splat(*dy).mul_add(*term, gradient[1]);
                gradient[2] = V::splat(*dz).mul_add(*term, gradient[2]);
            }
            for (sum, part) in sums.gradient.iter_mut().zip(gradient) {
                add_to(&mut sum[start..], part * V::splat(series.derivative_scale));
            }
        }
    }
}

/// Σ_i coefficient_i · term_i, in four sums so that additions need not wait for each other.
#[inline(always)]
fn dot<V: Lanes>(coefficients: &[V::Scalar], terms: &[V]) -> V {
    let mut sums = [V::zero(); 4];
    for (coefficients, terms) in coefficients.chunks(4).zip(terms.chunks(4)) {
        for ((sum, coefficient), term) in sums.iter_mut().zip(coefficients).zip(terms) {
            *sum = V::splat(*coefficient).mul_add(*term, *sum);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// A whole vector, or the last few numbers followed by zeros.
#[inline(always)]
pub(super) fn load_padded<V: Lanes>(from: &[V::Scalar]) -> V {
    if from.len() >= V::WIDTH {
        return V::load(from);
    }
    let mut block = [V::zero().sum(); 2 * ROW_ALIGNMENT];
    block[..from.len()].copy_from_slice(from);
    V::load(&block)
}

/// Adds a vector, or as many of its lanes as there are numbers left.
#[inline(always)]
pub(super) fn add_to<V: Lanes>(to: &mut [V::Scalar], v: V) {
    if to.len() >= V::WIDTH {
        (V::load(to) + v).store(to);
        return;
    }
    let mut block = [V::zero().sum(); 2 * ROW_ALIGNMENT];
    v.store(&mut block);
    for (to, value) in to.iter_mut().zip(block) {
        *to += value;
    }
}

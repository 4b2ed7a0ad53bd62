//! M2P for walks: the multipoles of many cells at the points of one group.
//!
//! With X = s x/r², each term of a multipole is a polynomial: Φ = 1/r Σ_n Q_n(X), where
//! Q_n = Σ_m M_nm R_n^m, and ∇Φ = 1/r (s/r² ∇Q(X) − x/r² Σ_n (2n + 1) Q_n(X)). As n Q_n = X·∇Q_n, the
//! three parts of ∇Q are nearly all that has to be summed.

use lanes::{Kernel, Lanes, Real};

use super::cells::{Cells, Steps, UNROLLED};
use super::point_lanes::{add_to, load_padded};
use super::{PairAccuracy, PointSums};
use crate::Scalar;
use crate::dispatch::run_widest;
use crate::layout::n_coefficients;

/// Adds Φ and, where wanted, its gradient due to the cells in `list` to `sums` at `receivers`
/// (Yokota & Barba, eq. 2, at every cell that a walk accepts).
///
/// `centers` are those of the cells in `list`, one by one, and are relative to the same origin as
/// `receivers`. 1/r is computed to 4 digits where these are asked for and the order is 3 or lower, otherwise in full. Cost, in
/// vector operations for each cell and vector of receivers: 35, 44, 73, 112 and 168 for the orders 2 … 6, 5 less at 4 digits;
/// above, about 7p².
pub fn m2p_cells<T: Scalar>(
    cells: &Cells<T>,
    list: &[u32],
    centers: [&[T]; 3],
    receivers: [&[T]; 3],
    accuracy: PairAccuracy,
    sums: &mut PointSums<'_, T>,
) {
    T::run_m2p_cells(M2pCells { cells, list, centers, receivers, accuracy, sums });
}

/// Largest order with a kernel for 1/r of 4 digits: above, 1/r is a twentieth of the work.
const FEW_DIGITS: usize = 3;

/// Arguments of [`m2p_cells`].
#[derive(Debug)]
pub struct M2pCells<'a, 's, T> {
    cells: &'a Cells<T>,
    list: &'a [u32],
    centers: [&'a [T]; 3],
    receivers: [&'a [T]; 3],
    accuracy: PairAccuracy,
    sums: &'a mut PointSums<'s, T>,
}

impl<T: Scalar> M2pCells<'_, '_, T> {
    /// Runs the kernel of the order and accuracy.
    pub(crate) fn dispatch(self) {
        match self.cells.order() {
            1 => self.unrolled::<1>(),
            2 => self.unrolled::<2>(),
            3 => self.unrolled::<3>(),
            4 => self.unrolled::<4>(),
            5 => self.unrolled::<5>(),
            UNROLLED => self.unrolled::<UNROLLED>(),
            _ => run_widest(Evaluation::<'_, '_, T, 0, 64>(self)),
        }
    }

    /// The kernel of the order, for 4 digits of 1/r or for all of them.
    fn unrolled<const ORDER: usize>(self) {
        if const { ORDER <= FEW_DIGITS } && self.accuracy == PairAccuracy::Digits4 {
            run_widest(Evaluation::<'_, '_, T, ORDER, 14>(self));
        } else {
            run_widest(Evaluation::<'_, '_, T, ORDER, 64>(self));
        }
    }
}

/// Evaluation compiled for an order (0 for any order above the unrolled ones) and for the bits of 1/r.
struct Evaluation<'a, 's, T, const ORDER: usize, const BITS: u32>(M2pCells<'a, 's, T>);

impl<T: Real, const ORDER: usize, const BITS: u32> Kernel<T>
    for Evaluation<'_, '_, T, ORDER, BITS>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        if const { V::EXACT_RSQRT } {
            exact_sum::<V, ORDER>(self.0);
        } else {
            sum::<V, ORDER, BITS>(self.0);
        }
    }
}

/// [`sum`] for all accuracies, compiled once.
#[inline(never)]
fn exact_sum<V: Lanes, const ORDER: usize>(task: M2pCells<'_, '_, V::Scalar>) {
    sum::<V, ORDER, 64>(task);
}

#[inline(always)]
fn sum<V: Lanes, const ORDER: usize, const BITS: u32>(mut task: M2pCells<'_, '_, V::Scalar>) {
    let n = task.receivers[0].len();
    let mut start = 0;
    while start < n {
        if n - start > V::WIDTH {
            pack::<V::Wide, ORDER, BITS>(&mut task, start);
            start += V::Wide::WIDTH;
        } else {
            pack::<V, ORDER, BITS>(&mut task, start);
            start += V::WIDTH;
        }
    }
}

/// Adds all cells to one vector of receivers.
#[inline(always)]
fn pack<V: Lanes, const ORDER: usize, const BITS: u32>(
    task: &mut M2pCells<'_, '_, V::Scalar>,
    start: usize,
) {
    let length =
        Cells::<V::Scalar>::block_length(if ORDER == 0 { task.cells.order() } else { ORDER });
    let end = task.receivers[0].len().min(start + V::WIDTH);
    let [x, y, z] = task.receivers;
    let padded = |c: &[V::Scalar]| load_padded::<V>(&c[start..end]);
    let [x, y, z] = [padded(x), padded(y), padded(z)];
    let [cx, cy, cz] = task.centers;
    let mut total = [V::zero(); 4];
    for (((cell, cx), cy), cz) in task.list.iter().zip(cx).zip(cy).zip(cz) {
        let block = &task.cells.blocks()[*cell as usize * length..][..length];
        let from = [x - V::splat(*cx), y - V::splat(*cy), z - V::splat(*cz)];
        let inverted = Inverted::new::<BITS>(from, block[0]);
        let series = if ORDER == 0 {
            by_recurrence(task.cells.steps(), &block[1..], &inverted)
        } else {
            unrolled::<V, ORDER>(block, &inverted)
        };
        inverted.add_to(&mut total, &series);
    }
    let sums = &mut task.sums;
    add_to(&mut sums.potential[start..end], total[0]);
    if sums.with_gradient() {
        for (sum, total) in sums.gradient.iter_mut().zip(&total[1..]) {
            add_to(&mut sum[start..end], *total);
        }
    }
}

/// A vector of points x seen from a cell of side s.
struct Inverted<V> {
    from: [V; 3],
    /// 1/r
    inverse: V,
    /// 1/r²
    inverse2: V,
    /// s/r²
    pull: V,
    /// X = s x/r²
    at: [V; 3],
    /// |X|²
    square: V,
}

/// Sums of the series at a vector of points.
struct Series<V> {
    /// Σ Q_n
    sum: V,
    /// Σ n Q_n
    by_degree: V,
    /// ∇Q
    gradient: [V; 3],
}

impl<V: Lanes> Inverted<V> {
    #[inline(always)]
    fn new<const BITS: u32>(from: [V; 3], side: V::Scalar) -> Self {
        let r2 = dot(from, from);
        let inverse = r2.rsqrt::<BITS>();
        let inverse2 = inverse * inverse;
        let side = V::splat(side);
        let pull = inverse2 * side;
        let [x, y, z] = from;
        let at = [x * pull, y * pull, z * pull];
        Self { from, inverse, inverse2, pull, at, square: pull * side }
    }

    /// Adds Φ and ∇Φ.
    #[inline(always)]
    fn add_to(&self, total: &mut [V; 4], series: &Series<V>) {
        let (pull, by_degree) = (self.inverse * self.pull, series.by_degree);
        let back = (by_degree + by_degree + series.sum) * (self.inverse * self.inverse2);
        total[0] = self.inverse.mul_add(series.sum, total[0]);
        for k in 0..3 {
            let towards = pull.mul_add(series.gradient[k], total[k + 1]);
            total[k + 1] = (-back).mul_add(self.from[k], towards);
        }
    }
}

#[inline(always)]
fn dot<V: Lanes>([x, y, z]: [V; 3], [a, b, c]: [V; 3]) -> V {
    x.mul_add(a, y.mul_add(b, z * c))
}

/// The series of a low order, degree by degree. The functions begin with factor 1:
/// f_{n+1}^m = z f_n^m − (n² − m²)/(4n² − 1) |X|² f_{n−1}^m.
#[inline(always)]
fn unrolled<V: Lanes, const ORDER: usize>(block: &[V::Scalar], at: &Inverted<V>) -> Series<V> {
    let [x, y, z] = at.at;
    let sum = V::splat(block[1]);
    if ORDER == 1 {
        return Series { sum, by_degree: V::zero(), gradient: [V::zero(); 3] };
    }
    let dipole = [V::splat(block[2]), V::splat(block[3]), V::splat(block[4])];
    let first = dot(at.at, dipole);
    if ORDER == 2 {
        return Series { sum: sum + first, by_degree: first, gradient: dipole };
    }
    // The degrees 1 and 2 in one go.
    let gradient = add_functions(dipole, block, 1, [y, z, x]);
    let by_degree = dot(at.at, gradient);
    let sum = constant::<V>(0.5).mul_add(first + by_degree, sum);
    let mut series = Series { sum, by_degree, gradient };
    if ORDER == 3 {
        return series;
    }
    let z2 = z * z;
    let (s2, c2) = ((x + x) * y, x.mul_add(x, -(y * y)));
    let f20 = constant::<V>(-1.0 / 3.0).mul_add(at.square, z2);
    series.add_degree(at, 3, block, [s2, y * z, f20, x * z, c2]);
    if ORDER == 4 {
        return series;
    }
    let (s3, c3) = (y.mul_add(c2, x * s2), x.mul_add(c2, -(y * s2)));
    let by_xy = constant::<V>(-1.0 / 5.0).mul_add(at.square, z2);
    let f30 = constant::<V>(-4.0 / 15.0).mul_add(at.square, f20) * z;
    series.add_degree(at, 4, block, [s3, z * s2, y * by_xy, f30, x * by_xy, z * c2, c3]);
    if ORDER == 5 {
        return series;
    }
    let (s4, c4) = (y.mul_add(c3, x * s3), x.mul_add(c3, -(y * s3)));
    let by_m2 = constant::<V>(-1.0 / 7.0).mul_add(at.square, z2);
    let by_xy = constant::<V>(-8.0 / 35.0).mul_add(at.square, by_xy) * z;
    let f40 = z.mul_add(f30, constant::<V>(-9.0 / 35.0) * at.square * f20);
    let functions = [s4, z * s3, by_m2 * s2, y * by_xy, f40, x * by_xy, by_m2 * c2, z * c3, c4];
    series.add_degree(at, 5, block, functions);
    series
}

impl<V: Lanes> Series<V> {
    /// Adds Q_n, given the functions of degree n − 1.
    #[inline(always)]
    fn add_degree<const N: usize>(
        &mut self,
        at: &Inverted<V>,
        n: usize,
        block: &[V::Scalar],
        functions: [V; N],
    ) {
        let part = add_functions([V::zero(); 3], block, n - 1, functions);
        let along = dot(at.at, part);
        self.sum = constant::<V>(1.0 / n as f64).mul_add(along, self.sum);
        self.by_degree += along;
        for (sum, part) in self.gradient.iter_mut().zip(&part) {
            *sum += *part;
        }
    }
}

/// Adds the functions of a degree times their coefficients in ∇Q, of which there are three each.
#[inline(always)]
fn add_functions<V: Lanes, const N: usize>(
    mut sums: [V; 3],
    block: &[V::Scalar],
    degree: usize,
    functions: [V; N],
) -> [V; 3] {
    let factors = &block[2 + 3 * n_coefficients(degree)..][..3 * N];
    for (i, function) in functions.iter().enumerate() {
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = V::splat(factors[3 * i + k]).mul_add(*function, *sum);
        }
    }
    sums
}

#[inline(always)]
fn constant<V: Lanes>(c: f64) -> V {
    V::splat(V::Scalar::narrow(c))
}

/// Series of any order by the recurrence in n at fixed m. Every function is used as soon as it is computed, so that
/// nothing but sums is stored.
#[inline(always)]
fn by_recurrence<V: Lanes>(
    steps: &[Steps<V::Scalar>],
    mut factors: &[V::Scalar],
    at: &Inverted<V>,
) -> Series<V> {
    let [x, y, z] = at.at;
    let mut sums = [V::zero(); 4];
    let (mut cosine, mut sine) = (V::splat(V::Scalar::ONE), V::zero());
    for (m, steps) in steps.iter().enumerate() {
        let (here, rest) = factors.split_at(steps.by_degree.len() * if m == 0 { 4 } else { 8 });
        factors = rest;
        if m == 0 {
            let (mut value, mut below) = (cosine, V::zero());
            for (factors, [a, b]) in here.chunks_exact(4).zip(&steps.by_degree) {
                add_products(&mut sums, factors, value);
                let next = (V::splat(*a) * z).mul_add(value, -(V::splat(*b) * at.square * below));
                (below, value) = (value, next);
            }
            continue;
        }
        let (sx, sy) = (V::splat(steps.sectoral) * x, V::splat(steps.sectoral) * y);
        (cosine, sine) = (sx.mul_add(cosine, -(sy * sine)), sx.mul_add(sine, sy * cosine));
        let (mut c, mut s) = (cosine, sine);
        let (mut c_below, mut s_below) = (V::zero(), V::zero());
        for (factors, [a, b]) in here.chunks_exact(8).zip(&steps.by_degree) {
            add_products(&mut sums, &factors[..4], c);
            add_products(&mut sums, &factors[4..], s);
            let (up, down) = (V::splat(*a) * z, V::splat(*b) * at.square);
            (c_below, c) = (c, up.mul_add(c, -(down * c_below)));
            (s_below, s) = (s, up.mul_add(s, -(down * s_below)));
        }
    }
    let [sum, gradient @ ..] = sums;
    Series { sum, by_degree: dot(at.at, gradient), gradient }
}

/// Adds the products of four factors with one vector.
#[inline(always)]
fn add_products<V: Lanes>(sums: &mut [V; 4], factors: &[V::Scalar], value: V) {
    for (sum, factor) in sums.iter_mut().zip(factors) {
        *sum = V::splat(*factor).mul_add(value, *sum);
    }
}

//! The cells of a treecode: multipoles made ready for evaluation at many points.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{ROW_ALIGNMENT, Real};

use super::p2m;
use crate::layout::{index, n_coefficients};
use crate::numerics::normalization::{Norms, degree_factors, sectoral_factor};
use crate::{BoxPoints, Gradient, Harmonics, Scalar};

/// Cells with multipoles about centres of their own, ready for [`m2p_cells`](super::m2p_cells).
///
/// A cell is a block of numbers: its side s and, with Q(X) = Σ M_i R_i(X), what evaluates Q and ∇Q at
/// X = s x/r². Up to order 6 that is M_00 and, for each function of degree n < p − 1 by
/// [`index`], its three coefficients in ∇Q, for functions that begin with x^i y^j z^k of factor 1. Above,
/// it is four coefficients for each function of degree n < p, three in ∇Q and one in Q; the functions
/// come by m, within an m by degree, the cosine before the sine.
#[derive(Clone, Debug, Default)]
pub struct Cells<T> {
    order: usize,
    /// R_i over the function that begins with factor 1, for the degrees below p − 1.
    norms: Vec<T>,
    steps: Vec<Steps<T>>,
    blocks: Vec<T>,
}

/// Largest order with an unrolled kernel of its own.
pub(super) const UNROLLED: usize = 6;

/// Factors of the recurrence at one azimuthal index m.
#[derive(Clone, Debug)]
pub(super) struct Steps<T> {
    /// Factor from R_{m−1}^{m−1} to R_m^m.
    pub(super) sectoral: T,
    /// Factors of z R_n^m and of r² R_{n−1}^m in R_{n+1}^m, for n = m … p − 1.
    pub(super) by_degree: Vec<[T; 2]>,
}

impl<T: Real> Cells<T> {
    /// Resizes to `n` cells with multipoles of order `order`. The memory of earlier cells is reused, and those of the same
    /// order keep their blocks.
    pub fn reset(&mut self, order: usize, n: usize) {
        if self.order != order {
            self.order = order;
            self.norms = norms(order.saturating_sub(1));
            self.steps = (0..order).map(|m| Steps::new(m, order)).collect();
            self.blocks.clear();
        }
        let n_numbers = n * Self::block_length(order);
        if self.blocks.capacity() < n_numbers {
            // Who writes to new memory is the first to touch it.
            self.blocks = vec![T::ZERO; n_numbers];
        } else {
            self.blocks.resize(n_numbers, T::ZERO);
        }
    }

    /// Numbers in a block.
    pub const fn block_length(order: usize) -> usize {
        let n_numbers = if order <= UNROLLED {
            2 + 3 * n_coefficients(order.saturating_sub(1))
        } else {
            1 + 4 * n_coefficients(order)
        };
        n_numbers.next_multiple_of(ROW_ALIGNMENT)
    }

    /// The order of the multipoles.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Square of the size of a cell's last degrees, in lengths of its side, and the side. They tell the error of the cell: the first
    /// degree that is left out is not much smaller.
    ///
    /// Above order 6 it is the sum of the squares of the last two degrees. Up to order 6 symmetry may leave both empty, as in
    /// cells of a crystal, and lower degrees count as well, each a quarter of the next. Nothing for monopoles alone.
    pub fn last_degrees(&self, cell: usize) -> Option<[f64; 2]> {
        if self.order <= UNROLLED {
            return self.last_degrees_unrolled(cell);
        }
        let length = Self::block_length(self.order);
        let block = &self.blocks[cell * length..][..length];
        let mut functions = block[1..].chunks_exact(4);
        let mut squares = 0.0;
        for m in 0..self.order {
            // The cosine and the sine of each degree.
            let (n_degrees, of_degree) = (self.order - m, if m == 0 { 1 } else { 2 });
            let last = n_degrees.saturating_sub(2) * of_degree;
            let here = functions.by_ref().take(n_degrees * of_degree).skip(last);
            squares += here.map(|f| f[0].widen() * f[0].widen()).sum::<f64>();
        }
        Some([squares, block[0].widen()])
    }

    fn last_degrees_unrolled(&self, cell: usize) -> Option<[f64; 2]> {
        let length = Self::block_length(self.order);
        let block = &self.blocks[cell * length..][..length];
        let mut functions = block[2..].chunks_exact(3).zip(&self.norms);
        let mut squares = 0.0;
        for degree in 1..self.order {
            // Each of the 2n − 1 functions of the gradient has three coefficients, which are n times as large as the multipole's.
            let mut of_degree = 0.0;
            for (coefficients, norm) in functions.by_ref().take(2 * degree - 1) {
                let scale = (norm.widen() * degree as f64).recip();
                of_degree += coefficients.iter().map(|x| (x.widen() * scale).powi(2)).sum::<f64>();
            }
            squares = 0.25 * squares + of_degree;
        }
        (self.order > 1).then_some([squares, block[0].widen()])
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<T>()
    }

    /// Format of the blocks, and the blocks one after the other, to be filled by a [`CellMaker`].
    pub fn parts_mut(&mut self) -> (CellForm<'_, T>, &mut [T]) {
        (CellForm { order: self.order, norms: &self.norms }, &mut self.blocks)
    }

    pub(super) fn blocks(&self) -> &[T] {
        &self.blocks
    }

    pub(super) fn steps(&self) -> &[Steps<T>] {
        &self.steps
    }
}

impl<T: Real> Steps<T> {
    fn new(m: usize, order: usize) -> Self {
        let by_degree = |n: usize| degree_factors(n + 1, m).map(T::narrow);
        Self {
            sectoral: T::narrow(sectoral_factor(m)),
            by_degree: (m..order).map(by_degree).collect(),
        }
    }
}

/// Factors of the functions z^k (x + iy)^m + … in R_{m+k}^{±m}.
fn norms<T: Real>(order: usize) -> Vec<T> {
    let mut norms = vec![T::ZERO; n_coefficients(order)];
    let mut sectoral = Norms::FIRST;
    for m in 0..order {
        let mut norm = sectoral;
        for n in m..order {
            norms[index(n, m as isize)] = T::narrow(norm.value());
            norms[index(n, -(m as isize))] = T::narrow(norm.value());
            norm = norm.next_degree();
        }
        sectoral = sectoral.next_m();
    }
    norms
}

/// Format of the blocks: order and normalisation; see [`Cells::parts_mut`].
#[derive(Clone, Copy, Debug)]
pub struct CellForm<'a, T> {
    order: usize,
    norms: &'a [T],
}

/// Writer of cells, with buffers that all cells after the first use again.
#[derive(Debug)]
pub struct CellMaker<'a, S> {
    harmonics: &'a Harmonics<S>,
    gradient: &'a Gradient<S>,
    points: BoxPoints<S>,
    multipole: Vec<S>,
    derivatives: [Vec<S>; 3],
}

impl<'a, S: Scalar> CellMaker<'a, S> {
    /// Maker of cells of the order of `harmonics`; `gradient` is of that order or more.
    pub fn new(harmonics: &'a Harmonics<S>, gradient: &'a Gradient<S>) -> Self {
        let room = || vec![S::ZERO; n_coefficients(harmonics.order())];
        let (points, multipole) = (BoxPoints::new(), room());
        Self { harmonics, gradient, points, multipole, derivatives: [room(), room(), room()] }
    }

    /// Writes the block of the cell of these charges, expanded about `center` in lengths of `side`.
    pub fn from_charges<T: Real>(
        &mut self,
        center: [f64; 3],
        side: f64,
        coordinates: [&[S]; 3],
        charges: &[S],
        form: CellForm<'_, T>,
        block: &mut [T],
    ) {
        self.points.set(center, side, coordinates);
        self.multipole.fill(S::ZERO);
        p2m(self.harmonics, &self.points, charges, &mut self.multipole);
        self.write(side, form, block);
    }

    /// Writes the block of a cell from its multipole, made with lengths in units of `side`.
    pub fn from_multipole<T: Real>(
        &mut self,
        side: f64,
        multipole: &[S],
        form: CellForm<'_, T>,
        block: &mut [T],
    ) {
        let n = self.multipole.len();
        self.multipole.copy_from_slice(&multipole[..n]);
        self.write(side, form, block);
    }

    fn write<T: Real>(&mut self, side: f64, form: CellForm<'_, T>, block: &mut [T]) {
        let (order, multipole) = (form.order, &self.multipole);
        let [dx, dy, dz] = &mut self.derivatives;
        self.gradient.of_local(order, multipole, [&mut *dx, &mut *dy, &mut *dz]);
        let narrow = |x: S| T::narrow(x.widen());
        block[0] = T::narrow(side);
        if order <= UNROLLED {
            block[1] = narrow(multipole[0]);
            let derivatives = dx.iter().zip(&*dy).zip(&*dz).zip(form.norms);
            for (block, (((dx, dy), dz), norm)) in block[2..].chunks_exact_mut(3).zip(derivatives) {
                block[0] = narrow(*dx) * *norm;
                block[1] = narrow(*dy) * *norm;
                block[2] = narrow(*dz) * *norm;
            }
            return;
        }
        let n_derivatives = n_coefficients(order - 1);
        for (i, block) in functions(order).zip(block[1..].chunks_exact_mut(4)) {
            block[0] = narrow(multipole[i]);
            if i < n_derivatives {
                block[1] = narrow(dx[i]);
                block[2] = narrow(dy[i]);
                block[3] = narrow(dz[i]);
            }
        }
    }
}

/// Positions of the coefficients by m, within an m by degree, the cosine before the sine.
fn functions(order: usize) -> impl Iterator<Item = usize> {
    (0..order as isize).flat_map(move |m| {
        let signs: &[isize] = if m == 0 { &[1] } else { &[1, -1] };
        (m.unsigned_abs()..order)
            .flat_map(move |n| signs.iter().map(move |sign| index(n, sign * m)))
    })
}

//! M2P: potential and gradient of a multipole at far points.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::point_lanes::{Series, evaluate};
use crate::layout::n_coefficients;
use crate::{BoxPoints, Gradient, Harmonics, Scalar};

/// Adds Φ = (1/s) Σ M_i I_i and its gradient at `points`, which are relative to the multipole's box of
/// side s, to `sums` (Yokota & Barba, eq. 2). The multipole is of the order of `tables`. Cost: about 5.5p²
/// multiply-adds a point.
pub fn m2p<T: Scalar>(
    tables: &M2pTables<T>,
    multipole: &[T],
    points: &BoxPoints<T>,
    sums: &mut PointSums<'_, T>,
) {
    let M2pTables { order, harmonics, gradient } = tables;
    let order = *order;
    let mut derivatives = [(); 3].map(|()| Vec::new());
    if sums.with_gradient() {
        derivatives = derivatives.map(|_| vec![T::ZERO; n_coefficients(order + 1)]);
        let [dx, dy, dz] = &mut derivatives;
        gradient.of_multipole(order, multipole, [dx, dy, dz]);
    }
    let scale = T::narrow(points.side().recip());
    let potential = &multipole[..n_coefficients(order)];
    let series = Series::new(harmonics, (potential, scale), (&derivatives, scale * scale));
    T::run_m2p(M2p { harmonics, series: &series, points, sums });
}

/// Tables of [`m2p`] for multipoles of one order.
#[derive(Clone, Debug)]
pub struct M2pTables<T> {
    order: usize,
    /// Harmonics of order + 1: the gradient of a multipole reaches one degree higher.
    harmonics: Harmonics<T>,
    /// Factors of order + 1.
    gradient: Gradient<T>,
}

impl<T: Real> M2pTables<T> {
    /// Tables for multipoles of `order`. O(p²).
    pub fn new(order: usize) -> Self {
        Self { order, harmonics: Harmonics::new(order + 1), gradient: Gradient::new(order + 1) }
    }

    /// Numbers of the tables of an order.
    pub const fn table_numbers(order: usize) -> usize {
        Harmonics::<T>::table_numbers(order + 1) + Gradient::<T>::table_numbers(order + 1)
    }

    /// Order of the multipoles.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Factors of the gradient, which serve [`l2p`](super::l2p()) and cells of this order too.
    pub fn gradient(&self) -> &Gradient<T> {
        &self.gradient
    }

    /// Memory of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        self.harmonics.bytes() + self.gradient.bytes()
    }
}

#[derive(Debug)]
pub struct M2p<'a, 's, T> {
    harmonics: &'a Harmonics<T>,
    series: &'a Series<T>,
    points: &'a BoxPoints<T>,
    sums: &'a mut PointSums<'s, T>,
}

impl<T: Real> Kernel<T> for M2p<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { harmonics, series, points, sums } = self;
        evaluate::<V, true>(harmonics, points, series, sums);
    }
}

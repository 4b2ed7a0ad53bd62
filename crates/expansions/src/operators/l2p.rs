//! L2P: potential and gradient of a local expansion at the points of its box.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::point_lanes::{Series, evaluate};
use crate::layout::n_coefficients;
use crate::{BoxPoints, Gradient, Harmonics, Scalar};

/// Adds Φ = (1/s) Σ L_i R_i and its gradient at `points` to `sums`, where s is the side of their box
/// (Yokota & Barba, eq. 3). `harmonics` are of the order p of the local expansion, `gradient` of that
/// order or more. Cost: about 5.5p² multiply-adds a point, 2.5p² without gradient.
pub fn l2p<T: Scalar>(
    harmonics: &Harmonics<T>,
    gradient: &Gradient<T>,
    local: &[T],
    points: &BoxPoints<T>,
    sums: &mut PointSums<'_, T>,
) {
    let order = harmonics.order();
    let mut derivatives = [(); 3].map(|()| Vec::new());
    if sums.with_gradient() {
        derivatives = derivatives.map(|_| vec![T::ZERO; n_coefficients(order.saturating_sub(1))]);
        let [dx, dy, dz] = &mut derivatives;
        gradient.of_local(order, local, [dx, dy, dz]);
    }
    let scale = T::narrow(points.side().recip());
    let potential = &local[..n_coefficients(order)];
    let series = Series::new(harmonics, (potential, scale), (&derivatives, scale * scale));
    T::run_l2p(L2p { harmonics, series: &series, points, sums });
}

#[derive(Debug)]
pub struct L2p<'a, 's, T> {
    harmonics: &'a Harmonics<T>,
    series: &'a Series<T>,
    points: &'a BoxPoints<T>,
    sums: &'a mut PointSums<'s, T>,
}

impl<T: Real> Kernel<T> for L2p<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { harmonics, series, points, sums } = self;
        evaluate::<V, false>(harmonics, points, series, sums);
    }
}

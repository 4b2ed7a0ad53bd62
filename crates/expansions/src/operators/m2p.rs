//! M2P: potential and gradient of a multipole at far points.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use super::PointSums;
use super::point_lanes::{Series, evaluate};
use crate::layout::n_coefficients;
use crate::{BoxPoints, Gradient, Harmonics, Scalar};

/// Adds Φ = (1/s) Σ M_i I_i and its gradient at `points`, which are relative to the multipole's
/// centre, to `sums`; s = `side` is that of the multipole's box in the unit in which the results
/// are wanted (Yokota & Barba, eq. 2). `harmonics` and `gradient` are of one order more than the
/// multipole: the gradient reaches one degree higher. Cost: about 5.5p² multiply-adds a point.
pub fn m2p<T: Scalar>(
    harmonics: &Harmonics<T>,
    gradient: &Gradient<T>,
    multipole: &[T],
    side: f64,
    points: &BoxPoints<T>,
    sums: &mut PointSums<'_, T>,
) {
    let order = harmonics.order().saturating_sub(1);
    let mut derivatives = [(); 3].map(|()| Vec::new());
    if sums.with_gradient() {
        derivatives = derivatives.map(|_| vec![T::ZERO; n_coefficients(order + 1)]);
        let [dx, dy, dz] = &mut derivatives;
        gradient.of_multipole(order, multipole, [dx, dy, dz]);
    }
    let scale = T::narrow(side.recip());
    let potential = &multipole[..n_coefficients(order)];
    let series = Series::new(harmonics, (potential, scale), (&derivatives, scale * scale));
    T::run_m2p(M2p { harmonics, series: &series, points, sums });
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

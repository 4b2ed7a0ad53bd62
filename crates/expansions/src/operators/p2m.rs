//! P2M: the multipole of the charges in a box.

use lanes::{Kernel, Lanes, Real};

use super::point_lanes::expand;
use crate::{BoxPoints, Harmonics, Scalar};

/// Adds Σ_j q_j R_i(y_j) to the p² coefficients of `multipole`, for the charges q_j at `points`
/// (Yokota & Barba, eq. 2). Cost: about 2.5p² multiply-adds a point.
pub fn p2m<T: Scalar>(
    harmonics: &Harmonics<T>,
    points: &BoxPoints<T>,
    charges: &[T],
    multipole: &mut [T],
) {
    T::run_p2m(P2m { harmonics, points, charges, multipole });
}

#[derive(Debug)]
pub struct P2m<'a, T> {
    harmonics: &'a Harmonics<T>,
    points: &'a BoxPoints<T>,
    charges: &'a [T],
    multipole: &'a mut [T],
}

impl<T: Real> Kernel<T> for P2m<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { harmonics, points, charges, multipole } = self;
        expand::<V, false>(harmonics, points, charges, multipole);
    }
}

//! P2L: charges of a far box to a local expansion, where the far box is too big for a multipole.

use lanes::{Kernel, Lanes, Real};

use super::point_lanes::expand;
use crate::{BoxPoints, Harmonics, Scalar};

/// Adds Σ_j q_j I_i(y_j) to the p² coefficients of `local`, for the charges q_j at `points`, which
/// are relative to the local expansion's centre (Yokota & Barba, eq. 3). Cost: about 2.5p²
/// multiply-adds a point.
pub fn p2l<T: Scalar>(
    harmonics: &Harmonics<T>,
    points: &BoxPoints<T>,
    charges: &[T],
    local: &mut [T],
) {
    T::run_p2l(P2l { harmonics, points, charges, local });
}

#[derive(Debug)]
pub struct P2l<'a, T> {
    harmonics: &'a Harmonics<T>,
    points: &'a BoxPoints<T>,
    charges: &'a [T],
    local: &'a mut [T],
}

impl<T: Real> Kernel<T> for P2l<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { harmonics, points, charges, local } = self;
        expand::<V, true>(harmonics, points, charges, local);
    }
}

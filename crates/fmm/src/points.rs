//! Points in tree order.

use crate::Scalar;
use rayon::prelude::*;

/// Points that one task gathers at least.
const TASK: usize = 1 << 13;

/// The power of two in which the pairwise sums measure length, so that the domain's side is of
/// order 1 and nothing over- or underflows. Scaling by it is exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit(f64);

impl Unit {
    /// The largest power of two that is not above `side`.
    pub(crate) fn of(side: f64) -> Self {
        Self(2f64.powi(side.log2().floor().clamp(-1000.0, 1000.0) as i32))
    }

    /// A length in the caller's unit, in this one.
    pub(crate) fn shrink(self, length: f64) -> f64 {
        length / self.0
    }

    /// A potential in this unit, in the caller's.
    pub(crate) fn potential<T: Scalar>(self, potential: T) -> T {
        T::narrow(potential.widen() / self.0)
    }

    /// A gradient's component in this unit, in the caller's.
    pub(crate) fn gradient<T: Scalar>(self, gradient: T) -> T {
        T::narrow(gradient.widen() / self.0 / self.0)
    }
}

/// Coordinates in tree order and in the plan's [`Unit`], one array an axis.
#[derive(Clone, Debug)]
pub(crate) struct Points<T> {
    coordinates: [Vec<T>; 3],
}

impl<T: Scalar> Points<T> {
    /// Gathers `positions`; `order` gives the caller's index at each tree position.
    pub(crate) fn gather(positions: &[[T; 3]], order: &[u32], unit: Unit) -> Self {
        let axis = |axis: usize| {
            let coordinate =
                |index: &u32| T::narrow(unit.shrink(positions[*index as usize][axis].widen()));
            order.par_iter().with_min_len(TASK).map(coordinate).collect()
        };
        Self { coordinates: [axis(0), axis(1), axis(2)] }
    }

    /// How many points.
    pub(crate) fn len(&self) -> usize {
        self.coordinates[0].len()
    }

    /// x, y and z of the points at these tree positions.
    pub(crate) fn slices(&self, range: std::ops::Range<usize>) -> [&[T]; 3] {
        self.coordinates.each_ref().map(|c| &c[range.clone()])
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        3 * self.len() * size_of::<T>()
    }
}

/// Gathers charges into tree order.
pub(crate) fn gather_charges<T: Scalar>(charges: &[T], order: &[u32], to: &mut Vec<T>) {
    let charge = |index: &u32| charges[*index as usize];
    order.par_iter().with_min_len(TASK).map(charge).collect_into_vec(to);
}

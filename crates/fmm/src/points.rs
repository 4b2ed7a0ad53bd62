//! Points in tree order.

use crate::Scalar;
use rayon::prelude::*;

/// Points that one task gathers.
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
        // As exact as division, and faster.
        length * self.0.recip()
    }

    /// What a potential in this unit and one of charge has to be multiplied by.
    pub(crate) fn potential(self, charge: f64) -> f64 {
        charge / self.0
    }

    /// What a gradient in this unit and one of charge has to be multiplied by.
    pub(crate) fn gradient(self, charge: f64) -> f64 {
        charge / self.0 / self.0
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
        let mut coordinates = [(); 3].map(|()| vec![T::ZERO; order.len()]);
        let [x, y, z] = coordinates.each_mut().map(|axis| axis.par_chunks_mut(TASK));
        // All of a point at once: it is in one cache line.
        order.par_chunks(TASK).zip(x.zip(y).zip(z)).for_each(|(order, ((x, y), z))| {
            for (((index, x), y), z) in order.iter().zip(x).zip(y).zip(z) {
                let position = positions[*index as usize];
                [*x, *y, *z] = position.map(|c| T::narrow(unit.shrink(c.widen())));
            }
        });
        Self { coordinates }
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

/// A unit of charge: the power of two that makes the largest of order 1, so that sums do not overflow
/// in f32 where the result does not.
pub(crate) fn charge_unit<T: Scalar>(charges: &[T]) -> f64 {
    let largest = charges.par_iter().map(|q| q.widen().abs()).reduce(|| 0.0, f64::max);
    if largest > 0.0 { Unit::of(largest).0 } else { 1.0 }
}

/// Gathers charges into tree order, in the [unit](charge_unit) that it returns.
pub(crate) fn gather_charges<T: Scalar>(charges: &[T], order: &[u32], to: &mut Vec<T>) -> f64 {
    let unit = charge_unit(charges);
    let factor = unit.recip();
    let charge = |index: &u32| T::narrow(charges[*index as usize].widen() * factor);
    order.par_iter().with_min_len(TASK).map(charge).collect_into_vec(to);
    unit
}

//! Points and charges in tree order.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::{Scalar, Unit, make_room};

/// Points that one task gathers.
const TASK: usize = parallel::min_length(1.3);

/// Coordinates in tree order and in the plan's [`Unit`], one array an axis. Points and parts of them share their memory.
#[derive(Clone, Debug)]
pub(crate) struct Points<T> {
    coordinates: Arc<[Vec<T>; 3]>,
    /// Places of these points in the arrays.
    places: Range<usize>,
}

impl<T: Scalar> Points<T> {
    /// Gathers `positions`; `order` gives the caller's index at each tree position.
    pub(crate) fn gather(positions: &[[T; 3]], order: &[u32], unit: Unit) -> Self {
        Self::gather_from(order, unit, |index| positions[index])
    }

    /// Gathers the positions that `position` names, of each index of `order`.
    pub(crate) fn gather_from(
        order: &[u32],
        unit: Unit,
        position: impl Fn(usize) -> [T; 3] + Sync,
    ) -> Self {
        let mut coordinates = [(); 3].map(|()| vec![T::ZERO; order.len()]);
        let [x, y, z] = coordinates.each_mut().map(|axis| axis.chunks_mut(TASK));
        // All of a point at once: it is in one cache line.
        let parts = order.chunks(TASK).zip(x.zip(y).zip(z));
        parallel::for_parts(parts, |_, (order, ((x, y), z))| {
            for (((index, x), y), z) in order.iter().zip(x).zip(y).zip(z) {
                [*x, *y, *z] = position(*index as usize).map(|c| T::narrow(unit.shrink(c.widen())));
            }
        });
        Self { coordinates: Arc::new(coordinates), places: 0..order.len() }
    }

    /// The points at these tree positions alone, in the same memory.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let start = self.places.start;
        let places = start + range.start..start + range.end;
        Self { coordinates: Arc::clone(&self.coordinates), places }
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// x, y and z of the points at these tree positions.
    pub(crate) fn slices(&self, range: Range<usize>) -> [&[T]; 3] {
        self.coordinates.each_ref().map(|c| &c[self.places.clone()][range.clone()])
    }

    /// Coordinates of some points in f64, by axis.
    pub(crate) fn at(&self, places: &[usize]) -> [Vec<f64>; 3] {
        let axis = |c: &[T]| places.iter().map(|place| c[*place].widen()).collect();
        self.slices(0..self.len()).map(axis)
    }

    /// Memory in bytes, besides that of `others`.
    pub(crate) fn bytes_beside(&self, others: Option<&Self>) -> usize {
        match others.is_some_and(|others| Arc::ptr_eq(&self.coordinates, &others.coordinates)) {
            true => 0,
            false => 3 * self.coordinates[0].len() * size_of::<T>(),
        }
    }
}

/// Gathers charges into tree order, in a unit of theirs.
pub(crate) fn gather_charges<T: Scalar>(charges: &[T], unit: f64, order: &[u32], to: &mut Vec<T>) {
    let factor = unit.recip();
    make_room(to, order.len());
    parallel::fill(to, TASK, |i| T::narrow(charges[order[i] as usize].widen() * factor));
}

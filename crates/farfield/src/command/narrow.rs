//! From the numbers of a file to those of the computation.

use fmm::Scalar;
use formats::LocatedPoints;
use octree::PointSet;

use super::error::Error;

/// Refuses the first of some points that is beyond the precision of the computation; `place` names a point.
pub(crate) fn check_positions<T: Scalar>(
    positions: &[[f64; 3]],
    place: impl Fn(usize) -> String,
) -> Result<(), Error> {
    let coordinates = positions.as_flattened();
    first_beyond::<T>(coordinates).map_or(Ok(()), |at| {
        let (place, what, value) = (place(at / 3), "a coordinate", coordinates[at]);
        Err(Error::Overflow { place, what, value })
    })
}

/// Refuses the first charge that is beyond the precision of the computation, and charges that all underflow.
pub(crate) fn check_charges<T: Scalar>(located: &LocatedPoints) -> Result<(), Error> {
    let LocatedPoints { points, places, .. } = located;
    check_overflow::<T>(&points.charges, |index| places.of(index))?;
    let larger = |a: &(usize, &f64), b: &(usize, &f64)| a.1.abs().total_cmp(&b.1.abs());
    let largest = points.charges.iter().enumerate().max_by(larger);
    largest.map_or(Ok(()), |(index, value)| check_largest::<T>(*value, || places.of(index)))
}

/// Refuses the first charge that overflows.
pub(crate) fn check_overflow<T: Scalar>(
    charges: &[f64],
    place: impl Fn(usize) -> String,
) -> Result<(), Error> {
    first_beyond::<T>(charges).map_or(Ok(()), |index| {
        Err(Error::Overflow { place: place(index), what: "a charge", value: charges[index] })
    })
}

/// Refuses charges of which even the largest loses digits: nothing but zeros might be left.
pub(crate) fn check_largest<T: Scalar>(
    value: f64,
    place: impl FnOnce() -> String,
) -> Result<(), Error> {
    // Normal numbers keep more digits than this.
    match (T::narrow(value).widen() - value).abs() <= 1e-6 * value.abs() {
        true => Ok(()),
        false => Err(Error::Underflow { place: place(), value }),
    }
}

/// The first value for which the precision of the computation has no room.
fn first_beyond<T: Scalar>(values: &[f64]) -> Option<usize> {
    values.iter().position(|value| !T::narrow(*value).is_finite())
}

/// Room for values of so many points.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| Error::Memory(count))?;
    Ok(values)
}

/// The error of a plan for these sets of points, the receivers last, with the place of the point that is at fault.
pub(crate) fn blame(error: fmm::Error, sets: &[&LocatedPoints]) -> Error {
    let place = match error {
        fmm::Error::Tree(octree::Error::TooLarge { magnitude }) => {
            let is_large = |position: &[f64; 3]| position.iter().any(|c| c.abs() >= magnitude);
            let large = |set: &&LocatedPoints| {
                let index = set.points.positions.iter().position(is_large);
                index.map(|index| set.places.of(index))
            };
            sets.iter().find_map(large)
        }
        fmm::Error::PairTooClose { set: PointSet::Sources, index, .. } => {
            sets.first().map(|set| set.places.of(index))
        }
        fmm::Error::PairTooClose { set: PointSet::Receivers, index, .. }
        | fmm::Error::ResultRange { index, .. } => sets.last().map(|set| set.places.of(index)),
        _ => None,
    };
    match place {
        Some(place) => Error::Point { place, source: error },
        None => error.into(),
    }
}

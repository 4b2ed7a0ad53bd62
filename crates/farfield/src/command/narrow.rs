//! From the numbers of a file to those of the computation.

use std::sync::Arc;

use distributed::Communicator;
use fmm::{Fmm, Plan, Points, Scalar};
use formats::{LocatedPoints, Places};

use super::error::Error;

/// Precisions of the computation.
pub(crate) trait Computed: Scalar {
    /// The plan of a request for positions in f64, of which none loses digits.
    fn plan(fmm: &Fmm, points: Points<'_, [f64; 3]>) -> Result<Plan<Self>, fmm::Error>;

    /// The same of one rank of several. Collective.
    fn plan_over(
        fmm: &Fmm,
        ranks: &Arc<dyn Communicator>,
        points: Points<'_, [f64; 3]>,
    ) -> Result<Plan<Self>, fmm::Error>;
}

impl Computed for f64 {
    fn plan(fmm: &Fmm, points: Points<'_, [f64; 3]>) -> Result<Plan<Self>, fmm::Error> {
        fmm.plan(points)
    }

    fn plan_over(
        fmm: &Fmm,
        ranks: &Arc<dyn Communicator>,
        points: Points<'_, [f64; 3]>,
    ) -> Result<Plan<Self>, fmm::Error> {
        fmm.plan_over(ranks, points)
    }
}

impl Computed for f32 {
    fn plan(fmm: &Fmm, points: Points<'_, [f64; 3]>) -> Result<Plan<Self>, fmm::Error> {
        fmm.plan_f32(points)
    }

    fn plan_over(
        fmm: &Fmm,
        ranks: &Arc<dyn Communicator>,
        points: Points<'_, [f64; 3]>,
    ) -> Result<Plan<Self>, fmm::Error> {
        fmm.plan_f32_over(ranks, points)
    }
}

/// Refuses the first of some points that is beyond the precision of the computation.
pub(crate) fn check_positions<T: Scalar>(located: &LocatedPoints) -> Result<(), Error> {
    let LocatedPoints { points, places } = located;
    for (index, position) in points.positions.iter().enumerate() {
        for coordinate in position {
            number::<T>(*coordinate, "a coordinate", places, index)?;
        }
    }
    Ok(())
}

/// Narrows charges; refuses the first one that overflows, and charges that all underflow.
pub(crate) fn narrow_charges<T: Scalar>(located: &LocatedPoints) -> Result<Vec<T>, Error> {
    let LocatedPoints { points, places } = located;
    let mut charges = room(points.charges.len())?;
    for (index, &charge) in points.charges.iter().enumerate() {
        charges.push(number(charge, "a charge", places, index)?);
    }
    check_largest::<T>(&points.charges, places)?;
    Ok(charges)
}

/// Refuses charges of which even the largest loses digits: nothing but zeros might be left.
fn check_largest<T: Scalar>(charges: &[f64], places: &Places) -> Result<(), Error> {
    let larger = |a: &(usize, &f64), b: &(usize, &f64)| a.1.abs().total_cmp(&b.1.abs());
    let Some((index, &value)) = charges.iter().enumerate().max_by(larger) else {
        return Ok(());
    };
    if keeps::<T>(value) {
        Ok(())
    } else {
        Err(Error::Underflow { place: places.of(index), value })
    }
}

/// Whether a number keeps its digits. Normal numbers keep more than this.
pub(crate) fn keeps<T: Scalar>(value: f64) -> bool {
    (T::narrow(value).widen() - value).abs() <= 1e-6 * value.abs()
}

fn number<T: Scalar>(
    value: f64,
    what: &'static str,
    places: &Places,
    index: usize,
) -> Result<T, Error> {
    narrowed(value).ok_or_else(|| Error::Overflow { place: places.of(index), what, value })
}

/// A number in the precision of the computation; `None` where that has no room for it.
pub(crate) fn narrowed<T: Scalar>(value: f64) -> Option<T> {
    Some(T::narrow(value)).filter(|narrowed| narrowed.is_finite())
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
        fmm::Error::ResultRange { index, .. } => sets.last().map(|set| set.places.of(index)),
        _ => None,
    };
    match place {
        Some(place) => Error::Point { place, source: error },
        None => error.into(),
    }
}

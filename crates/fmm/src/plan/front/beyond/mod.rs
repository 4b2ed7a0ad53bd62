//! Points that sums in their floats do not serve: pairs so close that they would be left out as coincident, and softening lengths
//! by which gradients are none of the normal numbers. Those of f32 go to an engine for positions in f64, those of f64 are refused.
//!
//! | file | what |
//! |---|---|
//! | `close.rs` | the search for close pairs |

mod close;

use octree::{Aabb, Cube, PointSet};

use crate::api::Error;
use crate::engine::{PointSets, Scalar};
use crate::ranks::Group;
use close::{Closeness, Found, Parts};

/// Limits of sums in one type of floats, in units of the extent of all points.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Distance at which pairs count as coincident, at most. Sums leave out pairs nearer than 6.3e-13 (f32) or 1e-102 (f64) of
    /// their unit of length ([`expansions::operators::Sources`]), which is no longer than the side of the cube, some two times the
    /// extent where the cube is enlarged most: nearer than 1.3e-12 or 2e-102 of the extent. The next powers of two are 2⁻³⁹, 1.8e-12,
    /// and 2⁻³³⁷, 3.6e-102.
    nearest: f64,
    /// The same for softened pairs, which are left out where the square of their distance is zero: on a GPU below 2⁻¹²⁶ (f32) or
    /// 2⁻¹⁰²² (f64), the smallest normal number, at 2⁻⁶³ or 2⁻⁵¹¹ of the unit, twice that of the extent. Two powers of two more are
    /// enough also where the squares along three axes are flushed to zero one by one.
    nearest_softened: f64,
    /// Softening length, at most. The unit of length is at least half of the extent, so that the third power of the length, by which
    /// gradients are divided, is at most 2¹¹¹ or 2⁹⁹⁹: gradients of charges are normal numbers, of 2⁻¹²⁶ or 2⁻¹⁰²² or more, where
    /// charge times distance is 2⁻¹⁵ or 2⁻²³ or more.
    softening: f64,
}

const F32: Limits = Limits {
    nearest: power_of_two(-39),
    nearest_softened: power_of_two(-60),
    softening: power_of_two(36),
};

const F64: Limits = Limits {
    nearest: power_of_two(-337),
    nearest_softened: power_of_two(-508),
    softening: power_of_two(332),
};

/// Points of f32 of which distances are looked at, at most.
const MOST: usize = 1 << 16;

/// A normal power of two.
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Limits {
    /// The distance in the points' unit at which pairs count as close.
    fn closeness<T: Scalar>(self, extent: f64, softening: f64) -> Closeness {
        let nearest = if softening > 0.0 { self.nearest_softened } else { self.nearest };
        Closeness::new::<T>(extent * nearest)
    }
}

/// Whether a softening length in units of the extent is too large for f32.
pub(super) fn softens_beyond_f32(softening: f64) -> bool {
    softening > F32.softening
}

/// Whether points of f32 may be beyond its sums: they are, or too many would have to be looked at. O(points). Collective.
pub(super) fn may_be_beyond_f32<T: Scalar>(
    ranks: Option<&Group>,
    points: &PointSets<'_, T>,
    softening: f64,
) -> Result<bool, Error> {
    let parts = Parts::new(points);
    let Some(extent) = extent_of(ranks, &parts)? else { return Ok(false) };
    if softens_beyond_f32(softening / extent) {
        return Ok(true);
    }
    let found = parts.find(ranks, F32.closeness::<T>(extent, softening), MOST)?;
    Ok(found != Found::Nothing)
}

/// Refuses points of f64 that are beyond its sums. O(points). Collective.
pub(super) fn check_f64<T: Scalar>(
    ranks: Option<&Group>,
    points: &PointSets<'_, T>,
    softening: f64,
) -> Result<(), Error> {
    let parts = Parts::new(points);
    let Some(extent) = extent_of(ranks, &parts)? else { return Ok(()) };
    // A length that is infinite is for the request to refuse.
    if softening.is_finite() && softening / extent > F64.softening {
        let largest = F64.softening * extent;
        return Err(Error::SofteningTooLong { softening, largest });
    }
    match parts.find(ranks, F64.closeness::<T>(extent, softening), usize::MAX)? {
        Found::Pair(pair) => match blame(points, pair, extent) {
            Some(error) => Err(error),
            // The points are those of other ranks, which refuse them.
            None => Ok(()),
        },
        Found::Nothing | Found::TooMany => Ok(()),
    }
}

/// The longest side of the box around the points of all ranks; `None` for one place, and for positions without a cube, which are
/// for the tree to refuse. Collective.
fn extent_of<T: Scalar>(ranks: Option<&Group>, parts: &Parts<'_, T>) -> Result<Option<f64>, Error> {
    let own: Aabb = parts.bounds();
    let all = ranks.map_or(Ok(own), |group| group.bounds(own))?;
    let (extent, cube) = (all.extent(), Cube::bounding([all.min, all.max]));
    Ok((extent > 0.0 && extent.is_finite() && cube.is_ok()).then_some(extent))
}

/// The error of a close pair, of which a point is among these.
fn blame<T: Scalar>(
    points: &PointSets<'_, T>,
    [a, b]: [[f64; 3]; 2],
    extent: f64,
) -> Option<Error> {
    let sets = [
        (PointSet::Sources, points.sources),
        (PointSet::Receivers, points.receivers.unwrap_or_default()),
    ];
    sets.into_iter().find_map(|(set, positions)| {
        let with_index = |(index, position): (usize, &[T; 3])| {
            let position = position.map(T::widen);
            let other = if position == a { b } else { a };
            let distances = [0, 1, 2].map(|axis| (a[axis] - b[axis]).abs());
            let distance = distances.into_iter().fold(0.0, f64::max);
            let is_one = position == a || position == b;
            is_one.then_some(Error::PairTooClose { set, index, other, distance, extent })
        };
        positions.iter().enumerate().find_map(with_index)
    })
}

#[cfg(test)]
mod tests;

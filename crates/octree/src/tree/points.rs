//! Checks, bounds and Morton codes of points; shared by the tree and the papers' grid.

use crate::boxes::aabb::Aabb;
use crate::boxes::coordinate::Coordinate;
use crate::boxes::cube::Cube;
use crate::error::{Error, PointSet};
use crate::morton::MAX_LEVEL;

/// Points that one task takes.
const TASK: usize = 1 << 13;

/// The bounds of `points`, or the first point that is not finite.
pub(crate) fn bounds<C: Coordinate>(points: &[[C; 3]], set: PointSet) -> Result<Aabb, Error> {
    if u32::try_from(points.len()).is_err() {
        return Err(Error::TooManyPoints { set, count: points.len() });
    }
    let parts = parallel::map_parts(points.chunks(TASK), |_, chunk| {
        let (mut bounds, mut finite) = (Aabb::EMPTY, true);
        for point in chunk {
            let [x, y, z] = point.map(C::to_f64);
            bounds = bounds.with([x, y, z]);
            finite &= x.is_finite() & y.is_finite() & z.is_finite();
        }
        (bounds, finite)
    });
    let bounds = parts.iter().fold(Aabb::EMPTY, |bounds, part| bounds.union(part.0));
    if parts.iter().all(|part| part.1) {
        return Ok(bounds);
    }
    let is_bad = |i: usize| points[i].iter().any(|c| !c.to_f64().is_finite());
    match parallel::first(points.len(), TASK, is_bad) {
        Some(index) => Err(Error::NotFinite { set, index, position: points[index].map(C::to_f64) }),
        None => Ok(bounds),
    }
}

/// The bounds of one set or of two, or the first point that is not finite.
pub(crate) fn bounds_of<C: Coordinate>(
    sources: &[[C; 3]],
    receivers: Option<&[[C; 3]]>,
) -> Result<Aabb, Error> {
    let bounds_of_sources = bounds(sources, PointSet::Sources)?;
    match receivers {
        None => Ok(bounds_of_sources),
        Some(receivers) => Ok(bounds_of_sources.union(bounds(receivers, PointSet::Receivers)?)),
    }
}

/// The Morton index of every point's box of `level`.
pub(crate) fn codes<C: Coordinate>(cube: &Cube, points: &[[C; 3]], level: u8) -> Vec<u64> {
    let shift = 3 * (MAX_LEVEL - level);
    parallel::collect(points.len(), TASK, |i| cube.key(&points[i]).code() >> shift)
}

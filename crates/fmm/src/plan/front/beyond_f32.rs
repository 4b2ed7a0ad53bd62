//! Points of f32 that sums in f32 do not serve: pairs so close that they would be left out as coincident, and softening lengths
//! by which gradients are none of its normal numbers.
//!
//! Numbers of f32 are that close to each other only beside zero. So both points have a coordinate there, in which they differ
//! and which is not zero for one of them. Few points of most sets do. Coordinates elsewhere are the same for both, which is so
//! for hardly any two of them.

use octree::Aabb;

use super::hash::hash_of_bits;
use super::repeats::may_repeat;
use super::shuffle::of_all;
use crate::api::Error;
use crate::engine::{PointSets, Scalar, bounds, fold_lanes};
use crate::ranks::Group;

/// Distance over the extent at which pairs count as coincident, at most. Sums leave out pairs nearer than 6.3e-13 of their unit of
/// length ([`expansions::operators::Sources`]), which is no longer than the side of the cube, some two times the extent where the cube
/// is enlarged most: nearer than 1.3e-12 of the extent. The next power of two is 2⁻³⁹, 1.8e-12.
const NEAREST: f64 = 1.0 / (1_u64 << 39) as f64;

/// The same for softened pairs, which are left out where the square of their distance is zero: on a GPU below 2⁻¹²⁶, the smallest
/// normal number, at 2⁻⁶³ of the unit or 2⁻⁶² of the extent. 2⁻⁶⁰ is enough also where the squares along three axes are flushed to
/// zero one by one.
const NEAREST_SOFTENED: f64 = 1.0 / (1_u64 << 60) as f64;

/// Softening length over the extent, at most. The unit of length is at least half of the extent, so that the third power of the
/// length, by which gradients are divided, is at most 2¹¹¹: gradients of charges are normal numbers, of 2⁻¹²⁶ or more, where charge
/// times distance is 2⁻¹⁵ or more.
const LARGEST_SOFTENING: f64 = (1_u64 << 36) as f64;

/// Digits of f32: numbers whose distance is that of [`NEAREST`] are at most so many powers of two larger than it.
const DIGITS: i32 = 24;

/// Points of which distances are looked at, at most.
const MOST: usize = 1 << 16;

/// Points that one task looks at.
const TASK: usize = parallel::min_length(0.7);

/// Points of a run: the smallest coordinates of a run tell whether its points have to be looked at again.
const RUN: usize = 1 << 10;

/// Side of a cell over the distance that counts as close: few points are beside a wall, and few in a cell.
const CELL: f64 = 8.0;

/// Whether a softening length in units of the extent is too large for f32.
pub(super) fn softens_beyond_f32(softening: f64) -> bool {
    softening > LARGEST_SOFTENING
}

/// Whether points may be beyond f32: they are, or too many would have to be looked at. O(points). Collective.
pub(super) fn may_be_beyond_f32<T: Scalar>(
    ranks: Option<&Group>,
    points: &PointSets<'_, T>,
    softening: f64,
) -> Result<bool, Error> {
    let sets = [points.sources, points.receivers.unwrap_or_default()];
    let tasks = sets.into_iter().flat_map(|set| set.chunks(TASK));
    let parts = parallel::map_parts(tasks, |_, points| Part::new(points));
    let own = parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part.bounds));
    let extent = ranks.map_or(Ok(own), |group| group.bounds(own))?.extent();
    // Positions that are not finite are for the tree to refuse.
    if extent == 0.0 || !extent.is_finite() {
        return Ok(false);
    }
    if softens_beyond_f32(softening / extent) {
        return Ok(true);
    }
    let nearest = extent * if softening > 0.0 { NEAREST_SOFTENED } else { NEAREST };
    let limit = nearest * 2f64.powi(DIGITS);
    let axes = parallel::map_parts(&parts, |_, part| part.axes_of_near(limit));
    let axes = axes.into_iter().fold(0, |all, of_part| all | of_part);
    let axes = of_all(ranks, vec![axes])?.into_iter().fold(0, |all, of_rank| all | of_rank);
    if axes == 0 {
        return Ok(false);
    }

    let points = repeated(ranks, &parts, axes, limit)?;
    if points.len() > MOST {
        return Ok(true);
    }
    let cells = Cells::new(points.iter().copied(), nearest);
    Ok(points.iter().any(|point| has_near_zero(point, limit) && cells.have_close(*point)))
}

/// Candidates of all ranks that others of them may be close to. Of a cluster about the origin many points are candidates, but few of
/// these repeat: hashes alone are kept. Collective.
fn repeated<T: Scalar>(
    ranks: Option<&Group>,
    parts: &[Part<'_, T>],
    axes: u8,
    limit: f64,
) -> Result<Vec<[f64; 3]>, Error> {
    // By `for_each`, in which the compiler sees loops, where `collect` steps through the iterators.
    let hashes = parallel::map_parts(parts, |_, part| {
        let mut hashes = Vec::new();
        part.candidates(axes, limit).for_each(|point| hashes.push(hash(&point, limit)));
        hashes
    });
    let repeats = may_repeat(ranks, hashes.concat())?;
    let mut rest = repeats.as_slice();
    let of_parts = parts.iter().zip(hashes).map(|(part, hashes)| {
        let (repeats, others) = rest.split_at(hashes.len());
        rest = others;
        (part, repeats)
    });
    let of_parts = of_parts.filter(|(_, repeats)| repeats.iter().any(|repeats| *repeats > 0));
    let points = parallel::map_parts(of_parts, |_, (part, repeats)| {
        let (mut points, mut repeats) = (Vec::new(), repeats.iter());
        part.candidates(axes, limit).for_each(|point| {
            if repeats.next().is_some_and(|repeats| *repeats > 0) {
                points.push(point);
            }
        });
        points
    });
    of_all(ranks, points.concat())
}

/// Points of a task.
struct Part<'a, T> {
    points: &'a [[T; 3]],
    bounds: Aabb,
    /// The smallest magnitude of a coordinate in each run.
    least: Vec<T>,
}

impl<'a, T: Scalar> Part<'a, T> {
    fn new(points: &'a [[T; 3]]) -> Self {
        let least = points.chunks(RUN).map(|run| smallest_magnitude(run.as_flattened())).collect();
        Self { points, bounds: bounds(points), least }
    }

    /// Sets of axes along which points are beside zero that are not zero along all of them, as bits by their number.
    fn axes_of_near(&self, limit: f64) -> u8 {
        let near = self.beside_zero(limit).filter(|point| has_near_zero(point, limit));
        near.fold(0, |axes, point| axes | (1 << axes_beside_zero(&point, limit)))
    }

    /// Points that are beside zero, or at zero, along one of these sets of axes.
    fn candidates(&self, axes: u8, limit: f64) -> impl Iterator<Item = [f64; 3]> {
        let are_candidates = move |point: &[f64; 3]| axes & (1 << axes_beside_zero(point, limit));
        self.beside_zero(limit).filter(move |point| are_candidates(point) > 0)
    }

    /// Points that may have a coordinate beside zero, or at zero.
    fn beside_zero(&self, limit: f64) -> impl Iterator<Item = [f64; 3]> {
        // Rounded to the points' floats, the limit is no less than any of them below it.
        let limit = T::narrow(limit);
        let runs = self.points.chunks(RUN).zip(&self.least);
        let points = runs.filter(move |(_, least)| **least <= limit).flat_map(|(run, _)| run);
        let beside =
            move |[x, y, z]: [T; 3]| (x.abs() <= limit) | (y.abs() <= limit) | (z.abs() <= limit);
        points.filter(move |point| beside(**point)).map(|point| point.map(T::widen))
    }
}

/// The smallest magnitude of numbers.
fn smallest_magnitude<T: Scalar>(numbers: &[T]) -> T {
    let smaller = |a: T, b: T| if b < a { b } else { a };
    let inf = T::narrow(f64::INFINITY);
    let lanes: [T; 16] = fold_lanes(numbers, inf, |least, x| smaller(least, x.abs()));
    lanes.into_iter().fold(inf, smaller)
}

/// Axes along which a point is beside zero, or at zero: bits of 1, 2 and 4.
fn axes_beside_zero(point: &[f64; 3], limit: f64) -> u8 {
    (0..3).map(|axis| u8::from(point[axis].abs() < limit) << axis).sum()
}

/// Whether a coordinate is beside zero, and not zero.
fn has_near_zero(point: &[f64; 3], limit: f64) -> bool {
    point.iter().any(|x| (x.abs() < limit) & (*x != 0.0))
}

/// Hash of what close points have in common: their coordinates that are not beside zero.
fn hash(point: &[f64; 3], limit: f64) -> u64 {
    hash_of_bits(&point.map(|x| if x.abs() < limit { 0 } else { x.to_bits() }))
}

/// Points by cells of a few times the distance that counts as close.
struct Cells {
    points: Vec<([i64; 3], [f64; 3])>,
    nearest: f64,
}

impl Cells {
    fn new(points: impl Iterator<Item = [f64; 3]>, nearest: f64) -> Self {
        let with_cell = |point: [f64; 3]| (point.map(|x| cell(x, nearest)), point);
        let mut points: Vec<_> = points.map(with_cell).collect();
        points.sort_unstable_by_key(|(cell, point)| (*cell, point.map(f64::to_bits)));
        points.dedup();
        Self { points, nearest }
    }

    /// Whether one of the points is close to this one, which is not the same. Cells have few points of which no two are close.
    fn have_close(&self, to: [f64; 3]) -> bool {
        let cells = |axis: usize| {
            cell(to[axis] - self.nearest, self.nearest)
                ..=cell(to[axis] + self.nearest, self.nearest)
        };
        cells(0).any(|x| {
            cells(1).any(|y| {
                cells(2).any(|z| {
                    let first = self.points.partition_point(|(cell, _)| *cell < [x, y, z]);
                    let points = self.points[first..].iter();
                    let mut points = points.take_while(|(cell, _)| *cell == [x, y, z]);
                    points.any(|(_, point)| self.are_close(*point, to))
                })
            })
        })
    }

    fn are_close(&self, a: [f64; 3], b: [f64; 3]) -> bool {
        let square: f64 = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum();
        a != b && square < self.nearest * self.nearest
    }
}

/// Number of the cell of a coordinate.
fn cell(x: f64, nearest: f64) -> i64 {
    (x / (CELL * nearest)).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points spread over a cube about zero.
    fn cube(n: usize) -> Vec<[f32; 3]> {
        let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
        (0..n).map(|i| point(i).map(|x| (x - 0.5) as f32)).collect()
    }

    fn have_close_pairs(sources: &[[f32; 3]], receivers: Option<&[[f32; 3]]>) -> bool {
        let points = PointSets { sources, receivers };
        let found = |softening| may_be_beyond_f32(None, &points, softening).unwrap();
        assert!(found(0.0) || !found(1e-3));
        found(0.0)
    }

    #[test]
    fn pairs_beside_zero_are_found() {
        let found = |pair: [[f32; 3]; 2], expected: bool| {
            let all = [cube(40_000), pair.to_vec()].concat();
            assert_eq!(have_close_pairs(&all, None), expected, "{pair:?}");
            let [source, receiver] = pair;
            let sources = [cube(500), vec![source]].concat();
            assert_eq!(have_close_pairs(&sources, Some(&[receiver])), expected, "{pair:?}");
        };
        for close in [1e-13, -1e-13, 4e-13, 1e-30] {
            for other in [0.0, 1e-20, 0.3] {
                found([[0.0, other, 0.4], [close, other, 0.4]], true);
                found([[other, 0.4, 1e-5], [other, 0.4, (1e-5_f32).next_up()]], true);
            }
        }
        found([[0.0, 0.3, 0.4], [1e-9, 0.3, 0.4]], false);
        found([[0.3, 0.3, 0.4], [0.3, 0.3, 0.4]], false);
        found([[0.3, 0.3, 0.4], [0.3, 0.3, (0.4_f32).next_up()]], false);
        found([[1e-13, 0.3, 0.4], [0.0, 0.3, 0.4001]], false);
    }

    #[test]
    fn pairs_are_found_where_many_points_are_beside_zero() {
        let sheet = cube(4_000).into_iter().map(|[x, y, _]| [x, y, 1e-6]);
        let points = [cube(40_000), sheet.collect()].concat();
        let found = |pair: &[[f32; 3]]| have_close_pairs(&[&points, pair].concat(), None);
        assert!(!found(&[]));
        assert!(found(&[[0.0, 0.3, 0.4], [1e-13, 0.3, 0.4]]));
        assert!(found(&[[0.0; 3], [1e-13, 1e-14, 0.0]]));
    }

    #[test]
    fn softening_lengths_beyond_f32_are_found() {
        for (softening, expected) in [(1e9, false), (1e14, true)] {
            let sources = cube(100);
            let points = PointSets { sources: &sources, receivers: None };
            assert_eq!(may_be_beyond_f32(None, &points, softening).unwrap(), expected);
            let points = PointSets { sources: &sources[..1], receivers: None };
            assert!(!may_be_beyond_f32(None, &points, softening).unwrap());
        }
    }

    #[test]
    fn sets_without_close_pairs_have_none() {
        assert!(!have_close_pairs(&cube(100_000), None));
        assert!(!have_close_pairs(&[], None));
        assert!(!have_close_pairs(&[[0.0; 3]; 100], None));
        assert!(!have_close_pairs(&[[f32::NAN; 3], [1.0; 3], [1e-20; 3]], None));
        assert!(!have_close_pairs(&[[1e-20, f32::NAN, 0.5], [0.0; 3], [1.0; 3]].repeat(40), None));
        assert!(!have_close_pairs(&[[f32::INFINITY; 3], [1.0; 3], [1e-20; 3]], None));
        let plane: Vec<[f32; 3]> = cube(50_000).into_iter().map(|[x, y, _]| [x, y, 0.0]).collect();
        assert!(!have_close_pairs(&plane, None));
        // A cluster about zero beside a far point.
        assert!(have_close_pairs(&[cube(2_000), vec![[1e12, 0.0, 0.0]]].concat(), None));
        // A sheet beside zero has too many points to look at.
        let sheet: Vec<[f32; 3]> = plane.iter().map(|[x, y, _]| [*x, *y, 1e-6]).collect();
        assert!(!have_close_pairs(&sheet, None));
        let sheet = [sheet.clone(), sheet].concat();
        assert!(have_close_pairs(&sheet, None));
    }
}

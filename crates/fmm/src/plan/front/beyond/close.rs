//! The search for close pairs.
//!
//! Floats are so close to each other only beside zero. So both points have a coordinate there, in which they differ
//! and which is not zero for one of them. Few points of most sets do. Coordinates elsewhere are the same for both, which is so
//! for hardly any two of them.

use std::ops::RangeInclusive;

use octree::Aabb;

use super::super::hash::hash_of_bits;
use super::super::repeats::may_repeat;
use super::super::shuffle::of_all;
use crate::api::{Error, Precision};
use crate::engine::{PointSets, Scalar, bounds, fold_lanes};
use crate::ranks::Group;

/// Points that one task looks at.
const TASK: usize = parallel::min_length(0.7);

/// Points of a run: the smallest coordinates of a run tell whether its points have to be looked at again.
const RUN: usize = 1 << 10;

/// Side of a cell over the distance that counts as close: few points are beside a wall, and few in a cell.
const CELL: f64 = 8.0;

/// A distance at which pairs count as close.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closeness {
    nearest: f64,
    /// Magnitude from which on floats are no closer to each other than `nearest`.
    limit: f64,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    Nothing,
    Pair([[f64; 3]; 2]),
    /// More candidates than were to be looked at.
    TooMany,
}

impl Closeness {
    pub(super) fn new<T: Scalar>(nearest: f64) -> Self {
        let digits = match T::PRECISION {
            Precision::F32 => f32::MANTISSA_DIGITS,
            Precision::F64 => f64::MANTISSA_DIGITS,
        };
        Self { nearest, limit: nearest * (1_u64 << digits) as f64 }
    }

    /// Whether a coordinate is beside zero, or at zero.
    fn is_beside_zero(self, x: f64) -> bool {
        x.abs() < self.limit
    }

    /// Axes along which a point is beside zero, or at zero: bits of 1, 2 and 4.
    fn axes_beside_zero(self, point: &[f64; 3]) -> u8 {
        (0..3).map(|axis| u8::from(self.is_beside_zero(point[axis])) << axis).sum()
    }

    /// Whether a coordinate is beside zero, and not zero.
    fn has_near_zero(self, point: &[f64; 3]) -> bool {
        point.iter().any(|x| self.is_beside_zero(*x) & (*x != 0.0))
    }

    /// Hash of what close points have in common: their coordinates that are not beside zero.
    fn hash(self, point: &[f64; 3]) -> u64 {
        hash_of_bits(&point.map(|x| if self.is_beside_zero(x) { 0 } else { x.to_bits() }))
    }

    fn are_close(self, a: [f64; 3], b: [f64; 3]) -> bool {
        // A square of a distance may have no room.
        let square: f64 = (0..3).map(|axis| ((a[axis] - b[axis]) / self.nearest).powi(2)).sum();
        a != b && square < 1.0
    }

    /// Numbers of the cells that have coordinates close to this one, of which those that are not beside zero have none but their
    /// own.
    fn cells_around(self, x: f64) -> RangeInclusive<i64> {
        if self.is_beside_zero(x) {
            self.near_cell(x - self.nearest)..=self.near_cell(x + self.nearest)
        } else {
            self.cell(x)..=self.cell(x)
        }
    }

    /// Number of the cell of a coordinate. Its magnitude is below 2⁵² beside zero, and above that elsewhere.
    fn cell(self, x: f64) -> i64 {
        if self.is_beside_zero(x) { self.near_cell(x) } else { x.to_bits() as i64 }
    }

    /// Number of the cell of a coordinate beside zero.
    fn near_cell(self, x: f64) -> i64 {
        (x / (CELL * self.nearest)).floor() as i64
    }
}

/// Sources and receivers by tasks.
pub(super) struct Parts<'a, T> {
    parts: Vec<Part<'a, T>>,
    one_set: bool,
}

impl<'a, T: Scalar> Parts<'a, T> {
    pub(super) fn new(points: &PointSets<'a, T>) -> Self {
        let sets = [(points.sources, false), (points.receivers.unwrap_or_default(), true)];
        let tasks = sets.into_iter().flat_map(|(set, are_receivers)| {
            set.chunks(TASK).map(move |points| (points, are_receivers))
        });
        let parts = parallel::map_parts(tasks, |_, (points, are_receivers)| {
            Part::new(points, are_receivers)
        });
        Self { parts, one_set: points.receivers.is_none() }
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part.bounds))
    }

    /// A source and a receiver of all ranks that are close, of at most `most` points that are compared. Collective.
    pub(super) fn find(
        &self,
        ranks: Option<&Group>,
        closeness: Closeness,
        most: usize,
    ) -> Result<Found, Error> {
        let axes = parallel::map_parts(&self.parts, |_, part| part.axes_of_near(closeness));
        let axes = axes.into_iter().fold(0, |all, of_part| all | of_part);
        let axes = of_all(ranks, vec![axes])?.into_iter().fold(0, |all, of_rank| all | of_rank);
        if axes == 0 {
            return Ok(Found::Nothing);
        }
        let [sources, receivers] = self.repeated(ranks, axes, closeness)?;
        if sources.len() + receivers.len() > most {
            return Ok(Found::TooMany);
        }
        let to = if self.one_set { &sources } else { &receivers };
        let cells = Cells::new(to.iter().copied(), closeness);
        let mut from = sources.iter().copied();
        let pair = from.find_map(|point| cells.close_to(point).map(|other| [point, other]));
        Ok(pair.map_or(Found::Nothing, Found::Pair))
    }

    /// Sources and receivers of all ranks that others may be close to. Of a cluster about the origin many points are candidates, but
    /// few of these repeat: hashes alone are kept. Collective.
    fn repeated(
        &self,
        ranks: Option<&Group>,
        axes: u8,
        closeness: Closeness,
    ) -> Result<[Vec<[f64; 3]>; 2], Error> {
        // By `for_each`, in which the compiler sees loops, where `collect` steps through the iterators.
        let hashes = parallel::map_parts(&self.parts, |_, part| {
            let mut hashes = Vec::new();
            let candidates = part.candidates(axes, closeness);
            candidates.for_each(|point| hashes.push(closeness.hash(&point)));
            hashes
        });
        let repeats = may_repeat(ranks, hashes.concat())?;
        let mut rest = repeats.as_slice();
        let of_parts = self.parts.iter().zip(hashes).map(|(part, hashes)| {
            let (repeats, others) = rest.split_at(hashes.len());
            rest = others;
            (part, repeats)
        });
        let of_parts = of_parts.filter(|(_, repeats)| repeats.iter().any(|repeats| *repeats > 0));
        let points = parallel::map_parts(of_parts, |_, (part, repeats)| {
            let (mut points, mut repeats) = (Vec::new(), repeats.iter());
            part.candidates(axes, closeness).for_each(|point| {
                if repeats.next().is_some_and(|repeats| *repeats > 0) {
                    points.push(point);
                }
            });
            (part.are_receivers, points)
        });
        let of_set = |receivers: bool| {
            let of_set = points.iter().filter(|(are_receivers, _)| *are_receivers == receivers);
            of_all(ranks, of_set.flat_map(|(_, points)| points).copied().collect())
        };
        Ok([of_set(false)?, of_set(true)?])
    }
}

/// Points of a task.
struct Part<'a, T> {
    points: &'a [[T; 3]],
    are_receivers: bool,
    bounds: Aabb,
    /// The smallest magnitude of a coordinate in each run.
    least: Vec<T>,
}

impl<'a, T: Scalar> Part<'a, T> {
    fn new(points: &'a [[T; 3]], are_receivers: bool) -> Self {
        let least = points.chunks(RUN).map(|run| smallest_magnitude(run.as_flattened())).collect();
        Self { points, are_receivers, bounds: bounds(points), least }
    }

    /// Sets of axes along which points are beside zero that are not zero along all of them, as bits by their number.
    fn axes_of_near(&self, closeness: Closeness) -> u8 {
        let near = self.beside_zero(closeness).filter(|point| closeness.has_near_zero(point));
        near.fold(0, |axes, point| axes | (1 << closeness.axes_beside_zero(&point)))
    }

    /// Points that are beside zero, or at zero, along one of these sets of axes.
    fn candidates(&self, axes: u8, closeness: Closeness) -> impl Iterator<Item = [f64; 3]> {
        let is_one = move |point: &[f64; 3]| axes & (1 << closeness.axes_beside_zero(point)) > 0;
        self.beside_zero(closeness).filter(is_one)
    }

    /// Points that may have a coordinate beside zero, or at zero.
    fn beside_zero(&self, closeness: Closeness) -> impl Iterator<Item = [f64; 3]> {
        // Rounded to the points' floats, the limit is no less than any of them below it.
        let limit = T::narrow(closeness.limit);
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

/// Points by cells: along axes where they are beside zero of a few times the distance that counts as close, and one for each
/// coordinate elsewhere.
struct Cells {
    points: Vec<([i64; 3], [f64; 3])>,
    closeness: Closeness,
}

impl Cells {
    fn new(points: impl Iterator<Item = [f64; 3]>, closeness: Closeness) -> Self {
        let with_cell = |point: [f64; 3]| (point.map(|x| closeness.cell(x)), point);
        let mut points: Vec<_> = points.map(with_cell).collect();
        points.sort_unstable_by_key(|(cell, point)| (*cell, point.map(f64::to_bits)));
        points.dedup();
        Self { points, closeness }
    }

    /// A point that is close to this one and not the same. Cells have few points of which no two are close.
    fn close_to(&self, to: [f64; 3]) -> Option<[f64; 3]> {
        let [x, y, z] = to.map(|x| self.closeness.cells_around(x));
        let around = x.flat_map(|x| y.clone().map(move |y| [x, y]));
        let mut around = around.flat_map(|[x, y]| z.clone().map(move |z| [x, y, z]));
        around.find_map(|around| {
            let first = self.points.partition_point(|(cell, _)| *cell < around);
            let points = self.points[first..].iter();
            let mut points =
                points.take_while(|(cell, _)| *cell == around).map(|(_, point)| *point);
            points.find(|point| self.closeness.are_close(*point, to))
        })
    }
}

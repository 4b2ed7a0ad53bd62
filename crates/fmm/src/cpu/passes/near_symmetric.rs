//! Near, where the sources are the receivers: a pair of points is met once, and serves both.
//!
//! Points are cut along the Morton curve into stretches. First each stretch is dealt with by itself, which tells its pairs
//! with points of later ones, then every two stretches that meet, in the sequence of [`Encounters`]. So every point meets the
//! others in one order, whichever thread it is that sums, and no task waits for more than the stretches that it needs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use expansions::operators::{
    CompensatedSums, Meeting, PairAccuracy, Sources, SymmetricPoints, p2p_symmetric,
};

use super::Passes;
use super::beside::BusyTime;
use crate::cpu::geometry::encounters::{Encounter, Encounters};
use crate::cpu::geometry::receivers::{Segment, Sums};
use crate::engine::Scalar;

/// Consecutive points, with their sums.
struct Part<'a, T> {
    /// Tree positions.
    range: Range<usize>,
    sums: CompensatedSums<'a, T>,
}

/// Points of a stretch, about, of `n_points` that have `n_near` sources on list U each: long ones have more to meet at once,
/// short ones can be shared among more threads. Of 64 stretches or more, 32 pairs meet at a time. No stretch is shorter than four
/// segments, and sums and compensation terms of the longest two, 1 MB in f64, stay in the second-level cache. Where lists U are
/// long, as in the direct sum, 128 stretches meet all others.
fn stretch_length(n_points: usize, n_near: usize) -> usize {
    (n_points / 64).clamp(1 << 9, 1 << 13).max(n_near / 128)
}

/// Pairs that two parts meet in one call, at most: sums and compensation terms of both then stay in the second-level cache.
const AT_ONCE: usize = 1 << 20;

impl<T: Scalar> Passes<'_, T> {
    /// P2P between all points of each leaf and those of list U but ghosts. `compensation` holds the compensation terms.
    pub(super) fn p2p_symmetric(
        &self,
        charges: &[T],
        sums: &mut Sums<T>,
        compensation: &mut Sums<T>,
        busy: &BusyTime,
    ) {
        let with_gradient = !sums.gradient[0].is_empty();
        compensation.make_room(sums.potential.len(), with_gradient);
        let stretches = self.stretches();
        let ranges: Vec<Range<usize>> =
            stretches.iter().map(|segments| positions(segments)).collect();
        let lengths = ranges.iter().map(Range::len);
        let totals = sums.split_by(&lengths);
        let compensations = compensation.split_by(&lengths);
        let parts: Vec<Mutex<Part<'_, T>>> = totals
            .into_iter()
            .zip(compensations)
            .zip(&ranges)
            .map(|((total, compensation), range)| {
                let sums = CompensatedSums { total, compensation };
                Mutex::new(Part { range: range.clone(), sums })
            })
            .collect();

        let alone = |number: usize| {
            let (numbered, part) = ((number, stretches[number]), &parts[number]);
            busy.time(|| self.within(charges, numbered, &mut lock(part), &ranges))
        };
        let met = parallel::map(parts.len(), alone).into_iter().flatten().collect();
        let encounters = Encounters::new(met, parts.len());
        encounters.run(&|encounter: &Encounter| {
            busy.time(|| {
                let [a, b] = encounter.stretches.map(|stretch| &parts[stretch]);
                let (mut a, mut b) = (lock(a), lock(b));
                self.between(charges, &encounter.meetings, &mut a, &mut b);
            });
        });
        drop(parts);
        if self.compensates() {
            sums.add(compensation);
        }
    }

    /// Whether symmetric P2P keeps compensation terms.
    fn compensates(&self) -> bool {
        self.accuracy != PairAccuracy::Digits4
    }

    /// The segments of each stretch.
    fn stretches(&self) -> Vec<&[Segment]> {
        let geometry = self.geometry;
        let (n_points, n_leaves) = (geometry.own_sources().len(), geometry.tree.leaves().len());
        let n_near = geometry.lists.near().n_items() / n_leaves.max(1) * n_points / n_leaves.max(1);
        let length = stretch_length(n_points, n_near);
        let mut stretches = Vec::with_capacity(n_points / length + 1);
        let mut rest = geometry.symmetric.as_slice();
        while let Some(first) = rest.first() {
            let end = first.receivers.start + length;
            let n = rest.partition_point(|segment| segment.receivers.end <= end).max(1);
            let (stretch, later) = rest.split_at(n);
            stretches.push(stretch);
            rest = later;
        }
        stretches
    }

    /// Sums the pairs within a stretch, which has a number and segments. Returns its encounters with later ones, which are at
    /// `ranges`.
    fn within(
        &self,
        charges: &[T],
        (number, segments): (usize, &[Segment]),
        part: &mut Part<'_, T>,
        ranges: &[Range<usize>],
    ) -> Vec<Encounter> {
        let (start, end) = (part.range.start, self.geometry.own_sources().end);
        if self.compensates() {
            let compensation = &mut part.sums.compensation;
            compensation.potential.fill(T::ZERO);
            compensation.gradient.iter_mut().for_each(|axis| axis.fill(T::ZERO));
        }
        let (mut inside, mut runs) = (Vec::new(), Vec::new());
        let mut after: BTreeMap<usize, Vec<Meeting>> = BTreeMap::new();
        for segment in segments {
            let own = segment.receivers.clone();
            let (mut earlier, later) = part.split_at(own.end - start);
            let (_, mut points) = earlier.split_at(own.start - start);
            if self.geometry.lists.near().row(segment.leaf).contains(&(segment.leaf as u32)) {
                self.alone(charges, &mut points);
            }
            self.near_runs(segment.leaf, &mut runs);
            inside.clear();
            for run in &runs {
                // Points before these have met them, and ghosts are no receivers.
                let mut others = run.start.max(own.end)..run.end.min(end);
                let mut other = ranges.partition_point(|range| range.end <= others.start);
                while !others.is_empty() {
                    let next = others.end.min(ranges[other].end);
                    let meeting = Meeting { points: own.clone(), others: others.start..next };
                    match other == number {
                        true => inside.push(meeting),
                        false => after.entry(other).or_default().push(meeting),
                    }
                    others.start = next;
                    other += 1;
                }
            }
            self.meet(charges, points, later, &inside);
        }
        let encounter = |(other, meetings)| Encounter { stretches: [number, other], meetings };
        after.into_iter().map(encounter).collect()
    }

    /// The pairs between two parts, which may be long.
    fn between(
        &self,
        charges: &[T],
        meetings: &[Meeting],
        a: &mut Part<'_, T>,
        b: &mut Part<'_, T>,
    ) {
        let n_pairs: usize = meetings.iter().map(|m| m.points.len() * m.others.len()).sum();
        if n_pairs <= AT_ONCE {
            return self.meet(charges, a.by_ref(), b.by_ref(), meetings);
        }
        let [m00, m01, m10, m11] = quarters(meetings, a.middle(), b.middle());
        let ((mut a0, mut a1), (mut b0, mut b1)) = (a.halves(), b.halves());
        self.between(charges, &m00, &mut a0, &mut b0);
        self.between(charges, &m01, &mut a0, &mut b1);
        self.between(charges, &m10, &mut a1, &mut b0);
        self.between(charges, &m11, &mut a1, &mut b1);
    }

    /// Adds what the points of a part give each other, one way.
    fn alone(&self, charges: &[T], part: &mut Part<'_, T>) {
        let all = self.geometry.sources();
        let sources = Sources { coordinates: all.slices(0..all.len()), charges: &[charges] };
        let sums = part.sums.total.part(0..part.range.len());
        let (run, receivers) = (part.range.clone(), all.slices(part.range.clone()));
        self.pairs(&sources, std::slice::from_ref(&run), receivers, &mut [sums]);
    }

    /// Adds what the points of `a` and `b` give each other.
    fn meet(&self, charges: &[T], a: Part<'_, T>, b: Part<'_, T>, meetings: &[Meeting]) {
        let all = self.geometry.sources();
        let points = |Part { range, sums }| SymmetricPoints {
            first: range.start,
            coordinates: all.slices(range.clone()),
            charges: &charges[range],
            sums,
        };
        p2p_symmetric(points(a), points(b), meetings, self.softening, self.accuracy);
    }
}

/// The part of a stretch, which no other task has at the time.
fn lock<'m, 'a, T>(part: &'m Mutex<Part<'a, T>>) -> MutexGuard<'m, Part<'a, T>> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tree positions of consecutive segments.
fn positions(segments: &[Segment]) -> Range<usize> {
    match segments {
        [] => 0..0,
        [first, .., last] => first.receivers.start..last.receivers.end,
        [only] => only.receivers.clone(),
    }
}

/// Meetings cut at places of both sides: first with first, first with second and so on.
fn quarters(meetings: &[Meeting], a: usize, b: usize) -> [Vec<Meeting>; 4] {
    let mut quarters = [const { Vec::new() }; 4];
    for Meeting { points, others } in meetings {
        let cut = |range: &Range<usize>, at: usize| {
            let at = at.clamp(range.start, range.end);
            [range.start..at, at..range.end]
        };
        for (i, points) in cut(points, a).into_iter().enumerate() {
            for (j, others) in cut(others, b).into_iter().enumerate() {
                if !points.is_empty() && !others.is_empty() {
                    quarters[2 * i + j].push(Meeting { points: points.clone(), others });
                }
            }
        }
    }
    quarters
}

impl<T: Scalar> Part<'_, T> {
    /// The first `n` points and the others.
    fn split_at(&mut self, n: usize) -> (Part<'_, T>, Part<'_, T>) {
        let middle = self.range.start + n;
        let (sums, later) = self.sums.split_at(n);
        (
            Part { range: self.range.start..middle, sums },
            Part { range: middle..self.range.end, sums: later },
        )
    }

    /// Tree position at which the part is halved, so that the first half fills all vectors.
    fn middle(&self) -> usize {
        let n = self.range.len();
        self.range.start + (n / 2).next_multiple_of(64).min(n)
    }

    fn halves(&mut self) -> (Part<'_, T>, Part<'_, T>) {
        self.split_at(self.middle() - self.range.start)
    }

    /// The whole part.
    fn by_ref(&mut self) -> Part<'_, T> {
        self.split_at(self.range.len()).0
    }
}

//! Near, where the sources are the receivers: a pair of points is met once, and serves both.
//!
//! Points are halved along the Morton curve, and halved again, down to stretches that one thread takes
//! on. First each half is dealt with by itself, which tells its pairs with points after it, then the pairs between the two:
//! again by halves of halves, two and two of which share no points and can meet at the same time. So every point meets
//! the others in one order, whichever thread it is that sums.

use std::ops::Range;

use expansions::operators::{CompensatedSums, Meeting, Sources, SymmetricPoints, p2p_symmetric};

use super::Passes;
use crate::cpu::receivers::{Segment, Sums};
use crate::engine::Scalar;

/// Consecutive points, with their sums.
struct Part<'a, T> {
    /// Tree positions.
    range: Range<usize>,
    sums: CompensatedSums<'a, T>,
}

/// Points in the stretches that are not halved again, at most, of `n_points`: long ones have more
/// to meet at once, short ones can be shared among more threads. 128 stretches make 64 meetings at a time, and so work
/// for 64 threads. No stretch is shorter than four segments, and sums and compensation terms of the longest, 256 kB in
/// f64, stay in the second-level cache.
fn stretch(n_points: usize) -> usize {
    (n_points / 128).clamp(1 << 9, 1 << 12)
}

/// Meetings of fewer pairs than this are not shared out: at 0.3 ns a pair, they take 40 to 300 µs. Between, they have an
/// eighth of the near pairs of all points, of which a point has some 1000.
fn few_pairs(n_points: usize) -> usize {
    (128 * n_points).clamp(1 << 17, 1 << 20)
}

impl<T: Scalar> Passes<'_, T> {
    /// P2P between all points of each leaf and those of list U but ghosts. `compensation` holds the compensation terms.
    pub(super) fn p2p_symmetric(
        &self,
        charges: &[T],
        sums: &mut Sums<T>,
        compensation: &mut Sums<T>,
    ) {
        let with_gradient = !sums.gradient[0].is_empty();
        let range = self.geometry.own_sources();
        compensation.reset(range.len(), with_gradient);
        let compensated = CompensatedSums { total: sums.all(), compensation: compensation.all() };
        let mut all = Part { range, sums: compensated };
        let after = self.within(charges, &self.geometry.symmetric, &mut all);
        debug_assert!(after.is_empty(), "nothing comes after all points");
        sums.add(compensation);
    }

    /// The pairs within a part, which has these segments. Returns the meetings of its points with points after it.
    fn within(&self, charges: &[T], segments: &[Segment], part: &mut Part<'_, T>) -> Vec<Meeting> {
        let (start, end) = (part.range.start, self.geometry.own_sources().end);
        if segments.len() > 1 && part.range.len() > stretch(self.geometry.own_sources().len()) {
            let middle = part.range.start.midpoint(part.range.end);
            let n = segments.partition_point(|segment| segment.receivers.end <= middle).max(1);
            let (earlier, later) = segments.split_at(n);
            let (mut a, mut b) = part.split_at(later[0].receivers.start - start);
            let (of_a, of_b) = rayon::join(
                || self.within(charges, earlier, &mut a),
                || self.within(charges, later, &mut b),
            );
            let (mut meetings, mut after) = (Vec::new(), Vec::with_capacity(of_b.len()));
            for meeting in &of_a {
                cut(meeting, b.range.end, &mut meetings, &mut after);
            }
            self.between(charges, meetings, &mut a, &mut b);
            after.extend(of_b);
            return after;
        }
        let (mut after, mut inside, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        for segment in segments {
            let own = segment.receivers.clone();
            let (mut earlier, later) = part.split_at(own.end - start);
            let (_, mut points) = earlier.split_at(own.start - start);
            if self.geometry.lists.near.row(segment.leaf).contains(&(segment.leaf as u32)) {
                self.alone(charges, &mut points);
            }
            self.near_runs(segment.leaf, &mut runs);
            inside.clear();
            for run in &runs {
                // Points before these have met them, and ghosts are no receivers.
                let others = run.start.max(own.end)..run.end.min(end);
                cut(
                    &Meeting { points: own.clone(), others },
                    later.range.end,
                    &mut inside,
                    &mut after,
                );
            }
            self.meet(charges, points, later, &inside);
        }
        after
    }

    /// The pairs between two parts.
    fn between(
        &self,
        charges: &[T],
        meetings: Vec<Meeting>,
        a: &mut Part<'_, T>,
        b: &mut Part<'_, T>,
    ) {
        let n_pairs: usize = meetings.iter().map(|m| m.points.len() * m.others.len()).sum();
        if n_pairs < few_pairs(self.geometry.own_sources().len()) {
            return self.meet(charges, a.by_ref(), b.by_ref(), &meetings);
        }
        let [m00, m01, m10, m11] = quarters(meetings, a.middle(), b.middle());
        let ((mut a0, mut a1), (mut b0, mut b1)) = (a.halves(), b.halves());
        rayon::join(
            || self.between(charges, m00, &mut a0, &mut b0),
            || self.between(charges, m11, &mut a1, &mut b1),
        );
        rayon::join(
            || self.between(charges, m01, &mut a0, &mut b1),
            || self.between(charges, m10, &mut a1, &mut b0),
        );
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

/// Adds the parts of a meeting with points before a place and from there on, if there are any.
fn cut(meeting: &Meeting, place: usize, before: &mut Vec<Meeting>, after: &mut Vec<Meeting>) {
    let Meeting { points, others } = meeting;
    let parts = [
        (others.start..others.end.min(place), before),
        (others.start.max(place)..others.end, after),
    ];
    for (others, to) in parts {
        if others.start < others.end {
            to.push(Meeting { points: points.clone(), others });
        }
    }
}

/// Meetings cut at places of both sides: first with first, first with second and so on.
fn quarters(meetings: Vec<Meeting>, a: usize, b: usize) -> [Vec<Meeting>; 4] {
    let mut quarters = [const { Vec::new() }; 4];
    for Meeting { points, others } in meetings {
        let cut = |range: &Range<usize>, at: usize| {
            let at = at.clamp(range.start, range.end);
            [range.start..at, at..range.end]
        };
        for (i, points) in cut(&points, a).into_iter().enumerate() {
            for (j, others) in cut(&others, b).into_iter().enumerate() {
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

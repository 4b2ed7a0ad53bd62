//! Near, where the sources are the receivers: pairs within a task are summed once, for both points.
//!
//! A task is a stretch of the Morton curve and writes to its own points only, so pairs of two tasks are
//! summed one way by each. The direct sum has other tasks and no such pairs.

use std::ops::Range;

use expansions::operators::{CompensatedSums, MutualPoints, PointSums, Sources, p2p_mutual};
use rayon::prelude::*;

use super::Passes;
use crate::Scalar;
use crate::tasks::{ReceiverTask, Sums, split_sums};

/// Consecutive points, with their sums for each vector of charges.
struct Part<'a, T> {
    /// Tree positions.
    range: Range<usize>,
    sums: Vec<CompensatedSums<'a, T>>,
}

impl<T: Scalar> Passes<'_, T> {
    /// P2P between all points of each leaf and those of list U.
    pub(super) fn p2p_mutual(&self, charges: &[&[T]], sums: &mut [Sums<T>]) {
        if !self.hierarchy.has_expansions() {
            return self.all_pairs(charges, sums);
        }
        let tasks = &self.hierarchy.mutual_tasks;
        let parts = split_sums(sums, tasks);
        tasks.par_iter().zip(parts).for_each_init(Vec::new, |lost, (task, mut sums)| {
            compensated(&mut sums, lost, task.receivers.clone(), |mut part| {
                self.mutual_task(charges, task, &mut part);
            });
        });
    }

    fn mutual_task(&self, charges: &[&[T]], task: &ReceiverTask, all: &mut Part<'_, T>) {
        let Range { start, end } = task.receivers;
        let n_points = self.hierarchy.sources().len();
        let (mut runs, mut one_way, mut both_ways) = (Vec::new(), Vec::new(), Vec::new());
        for segment in &task.segments {
            let own = segment.receivers.clone();
            self.near_runs(segment.leaf, &mut runs);
            let (mut earlier, later) = all.split_at(own.end - start);
            let (_, mut points) = earlier.split_at(own.start - start);
            one_way.clear();
            clip(&runs, 0..start, 0, &mut one_way);
            clip(&runs, own.clone(), 0, &mut one_way);
            clip(&runs, end..n_points, 0, &mut one_way);
            self.act(charges, &one_way, &mut points);
            both_ways.clear();
            clip(&runs, own.end..end, own.end, &mut both_ways);
            self.meet(charges, points, later, &both_ways);
        }
    }

    /// All pairs of a set. Halves of halves, and so on, meet at any time that suits the threads, but each
    /// half meets others in one order.
    fn all_pairs(&self, charges: &[&[T]], sums: &mut [Sums<T>]) {
        let mut totals: Vec<_> = sums.iter_mut().map(Sums::as_mut).collect();
        let all = 0..self.hierarchy.sources().len();
        compensated(&mut totals, &mut Vec::new(), all, |mut part| {
            self.triangle(charges, &mut part)
        });
    }

    /// The pairs within a part.
    fn triangle(&self, charges: &[&[T]], part: &mut Part<'_, T>) {
        if part.range.len() <= SMALL {
            return self.act(charges, &[part.range.clone()], part);
        }
        let (mut a, mut b) = part.halves();
        rayon::join(|| self.triangle(charges, &mut a), || self.triangle(charges, &mut b));
        self.square(charges, &mut a, &mut b);
    }

    /// The pairs between two parts.
    fn square(&self, charges: &[&[T]], a: &mut Part<'_, T>, b: &mut Part<'_, T>) {
        if a.range.len().max(b.range.len()) <= TILE {
            let all = 0..b.range.len();
            return self.meet(charges, a.by_ref(), b.by_ref(), std::slice::from_ref(&all));
        }
        let ((mut a0, mut a1), (mut b0, mut b1)) = (a.halves(), b.halves());
        rayon::join(
            || self.square(charges, &mut a0, &mut b0),
            || self.square(charges, &mut a1, &mut b1),
        );
        rayon::join(
            || self.square(charges, &mut a0, &mut b1),
            || self.square(charges, &mut a1, &mut b0),
        );
    }

    /// Adds what the sources in `runs`, by tree position, give the points of a part.
    fn act(&self, charges: &[&[T]], runs: &[Range<usize>], part: &mut Part<'_, T>) {
        let all = self.hierarchy.sources();
        let sources = Sources { coordinates: all.slices(0..all.len()), charges };
        let n = part.range.len();
        let mut sums: Vec<_> = part.sums.iter_mut().map(|sums| sums.total.part(0..n)).collect();
        self.pairs(&sources, runs, all.slices(part.range.clone()), &mut sums);
    }

    /// Adds what the points of `a` and those of `b` in `runs`, counted from the first of `b`, give each
    /// other.
    fn meet<'s>(
        &self,
        charges: &[&[T]],
        mut a: Part<'s, T>,
        mut b: Part<'s, T>,
        runs: &[Range<usize>],
    ) {
        let charges_of = |part: &Part<'_, T>| -> Vec<&[T]> {
            charges.iter().map(|charges| &charges[part.range.clone()]).collect()
        };
        let (charges_a, charges_b) = (charges_of(&a), charges_of(&b));
        let all = self.hierarchy.sources();
        let [points_a, points_b] = [(&a, &charges_a), (&b, &charges_b)].map(|(part, charges)| {
            Sources { coordinates: all.slices(part.range.clone()), charges }
        });
        let a = MutualPoints { points: points_a, sums: &mut a.sums };
        let b = MutualPoints { points: points_b, sums: &mut b.sums };
        p2p_mutual(a, b, runs, self.softening, self.accuracy);
    }
}

/// A part of so many points is summed one way.
const SMALL: usize = 128;

/// Points of one side of pairs that are summed at once.
const TILE: usize = 512;

impl<T: Scalar> Part<'_, T> {
    /// The first `n` points and the others.
    fn split_at(&mut self, n: usize) -> (Part<'_, T>, Part<'_, T>) {
        let middle = self.range.start + n;
        let (sums, later) = self.sums.iter_mut().map(|sums| sums.split_at(n)).unzip();
        (
            Part { range: self.range.start..middle, sums },
            Part { range: middle..self.range.end, sums: later },
        )
    }

    /// Two halves, the first a multiple of all vectors' lengths.
    fn halves(&mut self) -> (Part<'_, T>, Part<'_, T>) {
        let n = self.range.len();
        self.split_at((n / 2).next_multiple_of(64).min(n))
    }

    /// All of it.
    fn by_ref(&mut self) -> Part<'_, T> {
        self.split_at(self.range.len()).0
    }
}

/// Runs `work` on the sums of the points in `range`, and adds what rounding lost. `lost` is a buffer.
fn compensated<T: Scalar>(
    sums: &mut [PointSums<'_, T>],
    lost: &mut Vec<Sums<T>>,
    range: Range<usize>,
    work: impl FnOnce(Part<'_, T>),
) {
    let with_gradient = sums.iter().any(PointSums::with_gradient);
    lost.resize_with(sums.len(), Sums::default);
    lost.iter_mut().for_each(|lost| lost.reset(range.len(), with_gradient));
    let pairs = sums.iter_mut().zip(&mut *lost);
    let sums_of_part = pairs
        .map(|(sums, lost)| CompensatedSums {
            total: sums.part(0..range.len()),
            lost: lost.as_mut(),
        })
        .collect();
    work(Part { range, sums: sums_of_part });
    for (sums, lost) in sums.iter_mut().zip(lost) {
        let add = |to: &mut [T], lost: &[T]| to.iter_mut().zip(lost).for_each(|(to, x)| *to += *x);
        add(sums.potential, &lost.potential);
        sums.gradient.iter_mut().zip(&lost.gradient).for_each(|(to, lost)| add(to, lost));
    }
}

/// Adds to `to` what of `runs` is in `range`, counted from `origin`.
fn clip(runs: &[Range<usize>], range: Range<usize>, origin: usize, to: &mut Vec<Range<usize>>) {
    let clipped = runs.iter().map(|run| run.start.max(range.start)..run.end.min(range.end));
    let clipped = clipped.filter(|run| !run.is_empty());
    to.extend(clipped.map(|run| run.start - origin..run.end - origin));
}

//! Near: pairs of points, and multipoles of small boxes at the points of bigger ones.

use std::ops::Range;

use expansions::BoxPoints;
use expansions::operators::{PointSums, Sources, m2p, p2p};

use super::Passes;
use super::beside::BusyTime;
use crate::cpu::geometry::receivers::{Sums, split_sums};
use crate::engine::Scalar;

/// Sources of list U that act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    All,
    /// Sources of other processes.
    Ghosts,
}

/// The parts of runs before and after a range.
fn leave_out(own: &Range<usize>, runs: &mut Vec<Range<usize>>) {
    let parts = runs
        .iter()
        .flat_map(|run| [run.start..run.end.min(own.start), run.start.max(own.end)..run.end]);
    *runs = parts.filter(|run| !run.is_empty()).collect();
}

impl<T: Scalar> Passes<'_, T> {
    /// P2P between the receivers of each leaf and the sources of list U. A distance serves
    /// both its points or all charge vectors.
    pub(super) fn p2p(
        &self,
        charges: &[&[T]],
        sums: &mut [Sums<T>],
        compensation: &mut Sums<T>,
        busy: &BusyTime,
    ) {
        if let ([charges], [sums]) = (charges, &mut *sums)
            && !self.geometry.symmetric.is_empty()
        {
            self.p2p_symmetric(charges, sums, compensation, busy);
            if self.geometry.own_sources().len() < self.geometry.sources().len() {
                self.p2p_one_way(&[*charges], std::slice::from_mut(sums), Sent::Ghosts, busy);
            }
            return;
        }
        self.p2p_one_way(charges, sums, Sent::All, busy);
    }

    /// P2P from the sources of list U, or from the ghosts among them.
    fn p2p_one_way(&self, charges: &[&[T]], sums: &mut [Sums<T>], sent: Sent, busy: &BusyTime) {
        let geometry = self.geometry;
        let own = geometry.own_sources();
        let sources = geometry.sources();
        let coordinates = sources.slices(0..sources.len());
        let sources = Sources { coordinates, charges };
        let tasks = &geometry.tasks;
        let parts = split_sums(sums, tasks);
        parallel::for_parts(tasks.iter().zip(parts), |_, (task, mut sums)| {
            busy.time(|| {
                let mut runs = Vec::new();
                for segment in &task.segments {
                    self.near_runs(segment.leaf, &mut runs);
                    if sent == Sent::Ghosts {
                        leave_out(&own, &mut runs);
                    }
                    let receivers = geometry.receivers().slices(segment.receivers.clone());
                    let mut sums: Vec<_> =
                        sums.iter_mut().map(|sums| sums.part(task.part(segment))).collect();
                    self.pairs(&sources, &runs, receivers, &mut sums);
                }
            });
        });
    }

    /// P2P as the plan wants it.
    pub(crate) fn pairs(
        &self,
        sources: &Sources<'_, T>,
        runs: &[Range<usize>],
        receivers: [&[T]; 3],
        sums: &mut [PointSums<'_, T>],
    ) {
        p2p(sources, runs, receivers, self.softening, self.accuracy, sums);
    }

    /// The sources near a leaf, as runs of tree positions: neighbours on the Morton curve join.
    pub(crate) fn near_runs(&self, leaf: usize, runs: &mut Vec<Range<usize>>) {
        runs.clear();
        for source in self.geometry.lists.near().row(leaf) {
            let range = self.geometry.tree.sources(*source as usize);
            match runs.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => runs.push(range),
            }
        }
    }

    /// M2P from the boxes of list W.
    pub(super) fn m2p(&self, multipoles: &[T], sums: &mut Sums<T>) {
        let (geometry, row_length) = (self.geometry, self.row_length());
        if geometry.lists.m2p().n_items() == 0 {
            return;
        }
        let tasks = &geometry.tasks;
        let parts = sums.split(tasks);
        parallel::for_parts(tasks.iter().zip(parts), |_, (task, mut sums)| {
            let mut points = BoxPoints::new();
            for segment in &task.segments {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                for source in geometry.lists.m2p().row(segment.leaf) {
                    let (center, side) = geometry.frame(*source as usize);
                    points.set(center, side, receivers);
                    let multipole = &multipoles[*source as usize * row_length..][..row_length];
                    let mut sums = sums.part(task.part(segment));
                    m2p(&self.tables.m2p, multipole, &points, &mut sums);
                }
            }
        });
    }
}

//! Everywhere: sources that act on every receiver, without lists.

use expansions::operators::Sources;

use super::Passes;
use crate::cpu::geometry::receivers::{Sums, split_sums};
use crate::engine::{Heavy, Scalar};

impl<T: Scalar> Passes<'_, T> {
    /// Adds the sums of heavy charges at every receiver.
    pub(crate) fn add_heavy(&self, heavy: &Heavy<T>, sums: &mut Sums<T>) {
        let all = self.geometry.sources().slices(0..self.geometry.sources().len());
        let coordinates =
            all.map(|axis| heavy.indices.iter().map(|at| axis[*at]).collect::<Vec<T>>());
        self.add_everywhere(coordinates.each_ref().map(Vec::as_slice), &heavy.charges, sums);
    }

    /// Adds the sums of all charges, in tree order, at every receiver.
    pub(crate) fn add_all(&self, charges: &[T], sums: &mut Sums<T>) {
        let sources = self.geometry.sources();
        self.add_everywhere(sources.slices(0..sources.len()), charges, sums);
    }

    /// Adds the sums of sources at these places, in the plan's unit, at every receiver.
    pub(crate) fn add_everywhere(&self, coordinates: [&[T]; 3], charges: &[T], sums: &mut Sums<T>) {
        if charges.is_empty() {
            return;
        }
        let sources = Sources { coordinates, charges: &[charges] };
        let runs = 0..charges.len();
        let geometry = self.geometry;
        let tasks = &geometry.tasks;
        let parts = split_sums(std::slice::from_mut(sums), tasks);
        parallel::for_parts(tasks.iter().zip(parts), |_, (task, mut sums)| {
            for segment in &task.segments {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                let mut sums: Vec<_> =
                    sums.iter_mut().map(|sums| sums.part(task.part(segment))).collect();
                self.pairs(&sources, std::slice::from_ref(&runs), receivers, &mut sums);
            }
        });
    }
}

//! Everywhere: sources that act on every receiver, without lists.

use expansions::operators::{PointSums, Sources};

use super::Passes;
use crate::cpu::geometry::receivers::Sums;
use crate::engine::Scalar;
use crate::verify::Receivers;

impl<T: Scalar> Passes<'_, T> {
    /// Adds the sums of heavy charges, which are at these places in the plan's unit, at every receiver. Pairs and their sums are of
    /// f64 to all digits, since the pulls of such charges may cancel.
    pub(crate) fn add_heavy(
        &self,
        coordinates: &[Vec<f64>; 3],
        charges: &[f64],
        sums: &mut Sums<T>,
    ) {
        if charges.is_empty() {
            return;
        }
        let (coordinates, softening) =
            (coordinates.each_ref().map(Vec::as_slice), self.softening.widen());
        self.at_every_receiver(sums, |receivers, sums| {
            let at = receivers.map(|axis| axis.iter().map(|x| x.widen()).collect());
            let PointSums { potential, gradient: [x, y, z] } = sums;
            let sums = [potential, x, y, z];
            let mut found = sums.each_ref().map(|sums| vec![0.0; sums.len()]);
            Receivers { at: &at, softening }.add(coordinates, charges, &mut found);
            for (sums, found) in sums.into_iter().zip(&found) {
                for (sum, found) in sums.iter_mut().zip(found) {
                    *sum = T::narrow(sum.widen() + found);
                }
            }
        });
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
        self.at_every_receiver(sums, |receivers, mut sums| {
            let sums = std::slice::from_mut(&mut sums);
            self.pairs(&sources, std::slice::from_ref(&runs), receivers, sums);
        });
    }

    /// Adds to the sums at every receiver, segment by segment.
    fn at_every_receiver(
        &self,
        sums: &mut Sums<T>,
        add: impl Fn([&[T]; 3], PointSums<'_, T>) + Sync,
    ) {
        let geometry = self.geometry;
        let tasks = &geometry.tasks;
        parallel::for_parts(tasks.iter().zip(sums.split(tasks)), |_, (task, mut sums)| {
            for segment in &task.segments {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                add(receivers, sums.part(task.part(segment)));
            }
        });
    }
}

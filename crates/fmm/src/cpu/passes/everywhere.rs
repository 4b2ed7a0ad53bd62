//! Everywhere: sources that act on every receiver, without lists.

use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};

use super::Passes;
use crate::cpu::geometry::receivers::{Sums, split_sums};
use crate::engine::Scalar;

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
        let coordinates = coordinates.each_ref().map(Vec::as_slice);
        let (sources, runs) = (Sources { coordinates, charges: &[charges] }, 0..charges.len());
        let softening = self.softening.widen();
        self.at_every_receiver(std::slice::from_mut(sums), |receivers, sums| {
            let at = receivers.map(|axis| axis.iter().map(|x| x.widen()).collect::<Vec<f64>>());
            let PointSums { potential, gradient: [x, y, z] } = &mut sums[0];
            let sums = [&mut **potential, &mut **x, &mut **y, &mut **z];
            let mut found = sums.each_ref().map(|sums| vec![0.0; sums.len()]);
            let [potential, x, y, z] = found.each_mut().map(Vec::as_mut_slice);
            p2p(
                &sources,
                std::slice::from_ref(&runs),
                at.each_ref().map(Vec::as_slice),
                softening,
                PairAccuracy::Full,
                &mut [PointSums { potential, gradient: [x, y, z] }],
            );
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
        self.at_every_receiver(std::slice::from_mut(sums), |receivers, sums| {
            self.pairs(&sources, std::slice::from_ref(&runs), receivers, sums);
        });
    }

    /// Adds to the sums at every receiver, segment by segment.
    fn at_every_receiver(
        &self,
        sums: &mut [Sums<T>],
        add: impl Fn([&[T]; 3], &mut [PointSums<'_, T>]) + Sync,
    ) {
        let geometry = self.geometry;
        let tasks = &geometry.tasks;
        parallel::for_parts(tasks.iter().zip(split_sums(sums, tasks)), |_, (task, mut sums)| {
            for segment in &task.segments {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                let mut sums: Vec<_> =
                    sums.iter_mut().map(|sums| sums.part(task.part(segment))).collect();
                add(receivers, &mut sums);
            }
        });
    }
}

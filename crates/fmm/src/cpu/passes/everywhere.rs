//! Everywhere: sources that act on every receiver, without lists.

use expansions::operators::{PointSums, Sources};

use super::Passes;
use crate::api::Precision;
use crate::cpu::geometry::receivers::{Segment, Sums};
use crate::engine::Scalar;
use crate::verify::FewReceivers;

impl<T: Scalar> Passes<'_, T> {
    /// Adds the sums of heavy charges, which are at these places in the plan's unit, at every receiver. Pairs and their sums are of
    /// f64 to all digits, since the pulls of such charges may cancel; squares of the terms tell what rounding leaves of them.
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
        let magnitudes: Vec<f64> = charges.iter().map(|q| q.abs()).collect();
        let total: f64 = magnitudes.iter().sum();
        let squares = self.at_every_receiver(sums, |receivers, sums| {
            let at = receivers.map(|axis| axis.iter().map(|x| x.widen()).collect());
            let PointSums { potential, gradient: [x, y, z] } = sums;
            let sums = [potential, x, y, z];
            let mut found = sums.each_ref().map(|sums| vec![0.0; sums.len()]);
            let receivers = FewReceivers { at: &at, softening };
            receivers.add(coordinates, charges, &mut found);
            for (sums, found) in sums.into_iter().zip(&found) {
                for (sum, found) in sums.iter_mut().zip(found) {
                    *sum = T::narrow(sum.widen() + found);
                }
            }
            // Sums in f32 are not repeated for the rounding of f64.
            if T::PRECISION == Precision::F32 {
                return [0.0; 2];
            }
            let mut terms = [vec![0.0; at[0].len()], vec![], vec![], vec![]];
            receivers.add(coordinates, &magnitudes, &mut terms);
            // By Cauchy and Schwarz, Σ|q|/r² is (Σ|q|/r)²/Σ|q| at least, and as much where distances are alike.
            let squares = terms[0].iter().map(|term| term * term);
            squares.fold([0.0; 2], |[potential, pull], square| {
                [potential + square, pull + (square / total).powi(2)]
            })
        });
        let all = squares.into_iter().flatten();
        sums.of_heavy = all.fold(sums.of_heavy, |a, b| [a[0] + b[0], a[1] + b[1]]);
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

    /// Adds to the sums at every receiver, segment by segment. Gives what `add` gives, by tasks.
    fn at_every_receiver<R: Send>(
        &self,
        sums: &mut Sums<T>,
        add: impl Fn([&[T]; 3], PointSums<'_, T>) -> R + Sync,
    ) -> Vec<Vec<R>> {
        let geometry = self.geometry;
        let tasks = &geometry.tasks;
        parallel::map_parts(tasks.iter().zip(sums.split(tasks)), |_, (task, mut sums)| {
            let of_segment = |segment: &Segment| {
                let receivers = geometry.receivers().slices(segment.receivers.clone());
                add(receivers, sums.part(task.part(segment)))
            };
            task.segments.iter().map(of_segment).collect()
        })
    }
}

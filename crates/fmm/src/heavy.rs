//! Few charges that outweigh all others act on every receiver by P2P.
//!
//! The tables of orders are made from errors of many charges of like size, which average over the
//! places that charges have in their boxes. A single charge in the corner of its box has an error
//! many times that. So where charges are concentrated the heaviest [`FEW`] are summed directly: each
//! of the others then has less than a part in [`FEW`] of Σq², and their errors average again. That
//! costs [`FEW`] pairs a receiver, little beside its near field.

use expansions::operators::Sources;
use rayon::prelude::*;

use crate::Scalar;
use crate::hierarchy::Hierarchy;
use crate::passes::Passes;
use crate::tasks::{Sums, split_sums};

/// How many charges are summed directly.
const FEW: usize = 64;

/// Charges that average are as many as this, were they of equal size.
const MANY: f64 = 1024.0;

/// Charges that one task adds up.
const TASK: usize = 1 << 13;

/// Whether the participation (Σ|q|)² / Σq², the number of charges were they of equal size, is small.
pub(crate) fn is_concentrated<T: Scalar>(charges: &[T]) -> bool {
    // In a unit of their own, squares neither over- nor underflow.
    let largest = charges.par_iter().map(|q| q.widen().abs()).reduce(|| 0.0, f64::max);
    let add = |[sum, squares]: [f64; 2], q: &T| {
        let share = q.widen().abs() / largest;
        [sum + share, squares + share * share]
    };
    // Chunks of fixed length: the same bits for any number of threads.
    let parts: Vec<[f64; 2]> =
        charges.par_chunks(TASK).map(|part| part.iter().fold([0.0; 2], add)).collect();
    let [sum, squares] = parts.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    largest > 0.0 && sum * sum < MANY * squares
}

/// The heaviest charges of a vector, taken out of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heavy<T> {
    /// Where they were, ascending.
    pub(crate) places: Vec<usize>,
    pub(crate) charges: Vec<T>,
}

impl<T: Scalar> Heavy<T> {
    /// Takes them out of `charges` and leaves zeros; none where charges are not concentrated.
    pub(crate) fn take_from(charges: &mut [T]) -> Self {
        let mut places: Vec<usize> = Vec::new();
        if is_concentrated(charges) {
            places.extend(0..charges.len());
            if places.len() > FEW {
                let heavier = |a: &usize, b: &usize| {
                    let [at_a, at_b] = [*a, *b].map(|at| charges[at].widen().abs());
                    at_b.total_cmp(&at_a).then(a.cmp(b))
                };
                places.select_nth_unstable_by(FEW, heavier);
                places.truncate(FEW);
                places.sort_unstable();
            }
        }
        let charges =
            places.iter().map(|at| std::mem::replace(&mut charges[*at], T::ZERO)).collect();
        Self { places, charges }
    }

    /// Puts them back where they were.
    pub(crate) fn put_back(&self, charges: &mut [T]) {
        for (at, charge) in self.places.iter().zip(&self.charges) {
            charges[*at] = *charge;
        }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }
}

impl<T: Scalar> Passes<'_, T> {
    /// Adds what heavy charges give at every receiver.
    pub(crate) fn add_heavy(&self, heavy: &Heavy<T>, sums: &mut Sums<T>) {
        let all = self.hierarchy.sources().slices(0..self.hierarchy.sources().len());
        let coordinates =
            all.map(|axis| heavy.places.iter().map(|at| axis[*at]).collect::<Vec<T>>());
        self.add_everywhere(coordinates.each_ref().map(Vec::as_slice), &heavy.charges, sums);
    }

    /// Adds what all charges, in tree order, give at every receiver.
    pub(crate) fn add_all(&self, charges: &[T], sums: &mut Sums<T>) {
        let sources = self.hierarchy.sources();
        self.add_everywhere(sources.slices(0..sources.len()), charges, sums);
    }

    fn add_everywhere(&self, coordinates: [&[T]; 3], charges: &[T], sums: &mut Sums<T>) {
        if charges.is_empty() {
            return;
        }
        let sources = Sources { coordinates, charges: &[charges] };
        let runs = 0..charges.len();
        let hierarchy: &Hierarchy<T> = self.hierarchy;
        let tasks = &hierarchy.tasks;
        let parts = split_sums(std::slice::from_mut(sums), tasks);
        tasks.par_iter().zip(parts).for_each(|(task, mut sums)| {
            for segment in &task.segments {
                let receivers = hierarchy.receivers().slices(segment.receivers.clone());
                let mut sums: Vec<_> =
                    sums.iter_mut().map(|sums| sums.part(task.part(segment))).collect();
                self.pairs(&sources, std::slice::from_ref(&runs), receivers, &mut sums);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concentration_is_seen_at_any_scale() {
        let mut charges: Vec<f64> = (0..4000).map(|i| f64::from(i % 7) - 3.5).collect();
        for scale in [1e-300, 1.0, 1e300] {
            let scaled = |charges: &[f64]| charges.iter().map(|q| q * scale).collect::<Vec<_>>();
            assert!(!is_concentrated(&scaled(&charges)));
            assert!(is_concentrated(&scaled(&charges[..500])));
            charges[17] = -1e4;
            assert!(is_concentrated(&scaled(&charges)));
            charges[17] = 0.5;
        }
        assert!(!is_concentrated(&[0.0; 10]));
        assert!(!is_concentrated::<f32>(&[]));
    }

    #[test]
    fn the_heaviest_are_taken_and_put_back() {
        let mut charges: Vec<f64> = (0..4000).map(|i| f64::from(i % 7) - 3.0).collect();
        for i in 0..FEW {
            charges[i * 50 + 3] = if i % 2 == 0 { 1e6 } else { -1e6 };
        }
        let before = charges.clone();
        let heavy = Heavy::take_from(&mut charges);
        assert_eq!(heavy.len(), FEW);
        assert!(charges.iter().all(|q| q.abs() <= 3.0));
        assert!(heavy.charges.iter().all(|q| q.abs() == 1e6));
        heavy.put_back(&mut charges);
        assert_eq!(charges, before);
        // Without any that outweigh the others, none is taken.
        let mut alike = vec![1.0; 4000];
        assert_eq!(Heavy::take_from(&mut alike).len(), 0);
        assert_eq!(alike, vec![1.0; 4000]);
    }
}

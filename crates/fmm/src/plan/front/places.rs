//! Places: distinct positions of points, sums of charges, and results for all points of a place.

use std::collections::HashMap;

use rayon::prelude::*;

use super::crowding::{are_coincident, place};
use crate::api::{Field, Report};
use crate::engine::{Compensated, PointSets, Scalar};

/// Points that one task spreads at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 1 << 13;

/// Distinct positions of a set of points, in the order of their first points.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// First point of each place.
    first: Vec<u32>,
    /// Place of each point.
    of_point: Vec<u32>,
}

/// Places of the sources and of the receivers.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    sources: Places,
    /// `None`: the receivers are the sources.
    receivers: Option<Places>,
}

/// Charges of places.
#[derive(Clone, Debug)]
pub(super) struct Sums<T> {
    /// Sum of the charges of each place, over `unit`.
    pub(super) charges: Vec<T>,
    /// A power of two: 1 unless the sums overflow.
    pub(super) unit: f64,
    /// Sum of each place.
    totals: Vec<Compensated>,
}

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Self { charges: Vec::new(), unit: 1.0, totals: Vec::new() }
    }
}

impl<T> Sums<T> {
    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.charges.len() * size_of::<T>() + self.totals.len() * size_of::<Compensated>()
    }
}

/// Unit of sums that overflow: no plan has 2⁴⁰ points.
const LARGE: f64 = (1u64 << 40) as f64;

/// Points of a set that are merged, at least: all pairs of fewer take hardly longer than a look at them.
const FEWEST: usize = 512;

/// Source points and receiver points of places.
type Picked<T> = (Vec<[T; 3]>, Option<Vec<[T; 3]>>);

impl Merged {
    /// The places of points, if many of the sources or of the receivers coincide and all are finite.
    pub(super) fn new<T: Scalar>(points: &PointSets<'_, T>) -> Option<Self> {
        let is_crowded = |set: &[[T; 3]]| set.len() >= FEWEST && are_coincident(set);
        let sources = is_crowded(points.sources);
        let receivers = points.receivers.is_some_and(is_crowded);
        if !sources && !receivers {
            return None;
        }
        // A set that is not crowded stays as it is: errors of a few receivers at one place weigh as often as they occur.
        let places = |set: &[[T; 3]], merges| match merges {
            true => Places::of(set),
            false => Some(Places::each(set.len())),
        };
        let receivers = match points.receivers {
            None => None,
            Some(set) => Some(places(set, receivers)?),
        };
        Some(Self { sources: places(points.sources, sources)?, receivers })
    }

    pub(super) fn n_sources(&self) -> usize {
        self.sources.first.len()
    }

    pub(super) fn receivers(&self) -> &Places {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }

    /// One point of each place.
    pub(super) fn pick<T: Scalar>(&self, points: &PointSets<'_, T>) -> Picked<T> {
        let receivers = points.receivers.zip(self.receivers.as_ref());
        let receivers = receivers.map(|(receivers, places)| places.pick(receivers));
        (self.sources.pick(points.sources), receivers)
    }

    /// The sums of the charges of each place.
    pub(super) fn sum<T: Scalar>(&self, charges: &[T], sums: &mut Sums<T>) {
        for unit in [1.0, LARGE] {
            sums.unit = unit;
            self.sources.sum(charges, sums);
            if sums.charges.iter().all(|q| q.is_finite()) {
                return;
            }
        }
    }

    /// The field of places at all points, in units of charge.
    pub(super) fn spread<T: Scalar>(&self, places: &Field<T>, unit: f64, field: &mut Field<T>) {
        let scaled = |x: T| T::narrow(x.widen() * unit);
        let of_point = self.receivers().of_point.par_iter().with_min_len(TASK);
        // An output that was not asked for is empty.
        let spread = |n: usize| of_point.clone().take(if n == 0 { 0 } else { usize::MAX });
        let potential = |at: &u32| scaled(places.potential[*at as usize]);
        let gradient = |at: &u32| places.gradient[*at as usize].map(scaled);
        spread(places.potential.len()).map(potential).collect_into_vec(&mut field.potential);
        spread(places.gradient.len()).map(gradient).collect_into_vec(&mut field.gradient);
    }

    /// The field at one point of each place, over a unit of charge.
    pub(super) fn pick_field<T: Scalar>(&self, field: &Field<T>, unit: f64) -> Field<T> {
        let scaled = |x: T| T::narrow(x.widen() / unit);
        let places = self.receivers();
        let pick = |n: usize| places.first.iter().take(if n == 0 { 0 } else { usize::MAX });
        let potential = |at: &u32| scaled(field.potential[*at as usize]);
        let gradient = |at: &u32| field.gradient[*at as usize].map(scaled);
        Field {
            potential: pick(field.potential.len()).map(potential).collect(),
            gradient: pick(field.gradient.len()).map(gradient).collect(),
            ..Field::default()
        }
    }

    /// Writes the numbers of points and of places to a report of places.
    pub(super) fn describe(&self, report: &mut Report) {
        let receivers = self.receivers();
        report.n_sources = self.sources.of_point.len();
        report.n_receivers = receivers.of_point.len();
        report.places = Some([self.sources.first.len(), receivers.first.len()]);
        let places = [Some(&self.sources), self.receivers.as_ref()];
        report.bytes += places.into_iter().flatten().map(Places::bytes).sum::<usize>();
    }
}

impl Places {
    /// A place for each of `n` points.
    fn each(n: usize) -> Self {
        let all: Vec<u32> = (0..n as u32).collect();
        Self { first: all.clone(), of_point: all }
    }

    /// The places of points; `None` if a coordinate is not finite, which is for the tree to refuse.
    fn of<T: Scalar>(points: &[[T; 3]]) -> Option<Self> {
        let mut numbers = HashMap::new();
        let (mut first, mut of_point) = (Vec::new(), Vec::with_capacity(points.len()));
        for (i, point) in points.iter().enumerate() {
            if !point.iter().all(|x| x.is_finite()) {
                return None;
            }
            let number = *numbers.entry(place(point)).or_insert(first.len() as u32);
            if number as usize == first.len() {
                first.push(i as u32);
            }
            of_point.push(number);
        }
        Some(Self { first, of_point })
    }

    /// Items of the first point of each place.
    pub(super) fn pick<A: Copy>(&self, of_points: &[A]) -> Vec<A> {
        self.first.iter().map(|at| of_points[*at as usize]).collect()
    }

    /// Sums of charges over the points of each place, over the unit of `to`.
    fn sum<T: Scalar>(&self, charges: &[T], to: &mut Sums<T>) {
        let Sums { charges: sums, unit, totals } = to;
        totals.clear();
        totals.resize(self.first.len(), Compensated::default());
        for (place, term) in self.of_point.iter().zip(charges) {
            let total = &mut totals[*place as usize];
            *total = total.with(term.widen() / *unit);
        }
        sums.clear();
        sums.extend(totals.iter().map(|total| T::narrow(total.total())));
    }

    /// Memory in bytes.
    fn bytes(&self) -> usize {
        4 * (self.first.len() + self.of_point.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_of_a_place_are_summed() {
        let places: [[f64; 3]; 3] = [[1.0, 2.0, 3.0], [0.0, -5.0, 4.0], [-0.0, -5.0, 4.0]];
        let sources: Vec<_> = (0..600).map(|i| places[i % 3]).collect();
        let points = PointSets { sources: &sources, receivers: None };
        let merged = Merged::new(&points).unwrap();
        assert_eq!(merged.pick(&points), (vec![places[0], places[1]], None));
        let charges: Vec<f64> = (0..600).map(|i| [1e16, 1.0, -1.0][i % 3] * 0.5).collect();
        let mut sums = Sums::default();
        merged.sum(&charges, &mut sums);
        assert_eq!((sums.charges, sums.unit), (vec![1e18, 0.0], 1.0));
        // Sums that overflow have a larger unit.
        let mut sums = Sums::default();
        merged.sum(&vec![1e38f32; 600], &mut sums);
        assert_eq!(sums.unit, LARGE);
        assert!((f64::from(sums.charges[1]) * LARGE / 4e40 - 1.0).abs() < 1e-6);
        assert!(Merged::new(&PointSets { sources: &places, receivers: None }).is_none());
        let nan = [[f64::NAN; 3]; 600];
        assert!(Merged::new(&PointSets { sources: &nan, receivers: None }).is_none());
    }
}

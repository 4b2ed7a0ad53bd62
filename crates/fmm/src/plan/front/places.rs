//! Places: distinct positions of points, sums of charges, and results for all points of a place.

use std::borrow::Cow;
use std::collections::HashMap;

use bytemuck::Pod;

use super::across::Across;
use super::crowding::are_coincident;
use super::hash::bits_of;
use crate::api::{Error, Field, Outputs, Report};
use crate::engine::{Compensated, PointSets, ResultRange, Scalar, make_room};
use crate::ranks::{Which, Whole};

/// Points that one task spreads.
const TASK: usize = parallel::min_length(1.3);

/// Distinct positions of the points of a set that this process has, in the order of their first points.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// First point of each place.
    first: Vec<u32>,
    /// Place of each point.
    of_point: Vec<u32>,
    /// Ways to the same places of other ranks, of which one keeps a place.
    across: Option<Across>,
    /// Points of all ranks.
    n_points: usize,
    /// Places of all ranks.
    n_places: usize,
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
    /// The same sums with the digits of f64.
    pub(super) given: Vec<f64>,
    /// A power of two: 1 unless the sums overflow.
    pub(super) unit: f64,
    /// Sum of each place.
    totals: Vec<[Compensated; 1]>,
}

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Self { charges: Vec::new(), given: Vec::new(), unit: 1.0, totals: Vec::new() }
    }
}

impl<T> Sums<T> {
    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let place = size_of::<T>() + size_of::<f64>();
        self.charges.len() * place + self.totals.len() * size_of::<Compensated>()
    }
}

/// Unit of sums that overflow: no plan has 2⁴⁰ points.
const LARGE: f64 = (1u64 << 40) as f64;

/// Points of a set that are merged, at least: all pairs of fewer take hardly longer than a look at them.
const FEWEST: usize = 512;

/// Source points and receiver points of places.
pub(super) type Picked<T> = (Vec<[T; 3]>, Option<Vec<[T; 3]>>);

impl Merged {
    /// The places of points, if many of the sources or of the receivers coincide and all are finite. Collective.
    pub(super) fn new<T: Scalar>(whole: &Whole<'_, T>) -> Result<Option<Self>, Error> {
        let is_crowded =
            |which| Ok::<_, Error>(whole.n(which) >= FEWEST && are_coincident(whole, which)?);
        let one_set = whole.points.receivers.is_none();
        let sources = is_crowded(Which::Sources)?;
        let receivers = !one_set && is_crowded(Which::Receivers)?;
        if !sources && !receivers {
            return Ok(None);
        }
        // A set that is not crowded stays as it is: errors of a few receivers at one place weigh as often as they occur.
        let places = |which, merges| match merges {
            true => Places::of(whole, which),
            false => Ok(Some(Places::each(whole, which))),
        };
        let Some(sources) = places(Which::Sources, sources)? else { return Ok(None) };
        if one_set {
            return Ok(Some(Self { sources, receivers: None }));
        }
        let receivers = places(Which::Receivers, receivers)?;
        Ok(receivers.map(|receivers| Self { sources, receivers: Some(receivers) }))
    }

    /// Places of sources that this process brings to an engine.
    pub(super) fn n_sources(&self) -> usize {
        self.sources.n_kept()
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

    /// The sums of the charges of each place. Collective.
    pub(super) fn sum<T: Scalar>(&self, charges: &[T], sums: &mut Sums<T>) -> Result<(), Error> {
        for unit in [1.0, LARGE] {
            sums.unit = unit;
            self.sources.sum(charges, sums)?;
            let overflows = sums.charges.iter().any(|q| !q.is_finite());
            if !self.sources.anywhere(overflows)? {
                break;
            }
        }
        Ok(())
    }

    /// Refuses outputs of places that the float type does not hold when they are multiplied by a unit of charge.
    pub(super) fn check_range<T: Scalar>(
        &self,
        vector: usize,
        places: &Field<T>,
        unit: f64,
    ) -> Result<(), Error> {
        let receiver = |place: usize| self.receivers().point_of(place);
        ResultRange::check_field::<T, T>(vector, places, [unit.log2(); 2], receiver)
    }

    /// An error about a receiver that is a place, as one about its first point.
    pub(super) fn of_point(&self, error: Error) -> Error {
        match error {
            Error::ResultRange { vector, index, output, exponent, precision } => {
                let index = self.receivers().point_of(index);
                Error::ResultRange { vector, index, output, exponent, precision }
            }
            error => error,
        }
    }

    /// The outputs of places at all points, in units of charge. Collective.
    pub(super) fn spread<T: Scalar>(
        &self,
        places: &Field<T>,
        unit: f64,
        outputs: Outputs,
        field: &mut Field<T>,
    ) -> Result<(), Error> {
        let scaled = |x: T| T::narrow(x.widen() * unit);
        let receivers = self.receivers();
        let potential = outputs
            .has_potential()
            .then(|| receivers.at_places(places.potential.as_chunks::<1>().0))
            .transpose()?;
        let gradient =
            outputs.has_gradient().then(|| receivers.at_places(&places.gradient)).transpose()?;
        let of_point = &receivers.of_point;
        let length = |wanted: bool| if wanted { of_point.len() } else { 0 };
        make_room(&mut field.potential, length(potential.is_some()));
        make_room(&mut field.gradient, length(gradient.is_some()));
        if let Some(potential) = potential {
            let value = |i: usize| scaled(potential[of_point[i] as usize][0]);
            parallel::fill(&mut field.potential, TASK, value);
        }
        if let Some(gradient) = gradient {
            let value = |i: usize| gradient[of_point[i] as usize].map(scaled);
            parallel::fill(&mut field.gradient, TASK, value);
        }
        Ok(())
    }

    /// The field at one point of each place, over a unit of charge.
    pub(super) fn pick_field<T: Scalar>(&self, field: &Field<T>, unit: f64) -> Field<T> {
        let scaled = |x: T| T::narrow(x.widen() / unit);
        let Field { potential, gradient, .. } = field;
        let places = self.receivers();
        // An output that was not asked for is empty.
        let potential = if potential.is_empty() { Vec::new() } else { places.pick(potential) };
        let gradient = if gradient.is_empty() { Vec::new() } else { places.pick(gradient) };
        Field {
            potential: potential.into_iter().map(scaled).collect(),
            gradient: gradient.into_iter().map(|g| g.map(scaled)).collect(),
            ..Field::default()
        }
    }

    /// Writes the numbers of points and of places to a report of places.
    pub(super) fn describe(&self, report: &mut Report) {
        let receivers = self.receivers();
        (report.n_sources, report.n_receivers) = (self.sources.n_points, receivers.n_points);
        report.places = Some([self.sources.n_places, receivers.n_places]);
        let places = [Some(&self.sources), self.receivers.as_ref()];
        report.bytes += places.into_iter().flatten().map(Places::bytes).sum::<usize>();
    }
}

impl Places {
    /// A place for each point of a set.
    fn each<T: Scalar>(whole: &Whole<'_, T>, which: Which) -> Self {
        let all: Vec<u32> = (0..whole.set(which).len() as u32).collect();
        let n = whole.n(which);
        Self { first: all.clone(), of_point: all, across: None, n_points: n, n_places: n }
    }

    /// The places of the points of a set; `None` if a coordinate is not finite, which is for the tree to refuse. Collective.
    fn of<T: Scalar>(whole: &Whole<'_, T>, which: Which) -> Result<Option<Self>, Error> {
        let points = whole.set(which);
        let mut numbers = HashMap::new();
        let (mut first, mut of_point) = (Vec::new(), Vec::with_capacity(points.len()));
        for (i, point) in points.iter().enumerate() {
            let number = *numbers.entry(bits_of(point)).or_insert(first.len() as u32);
            if number as usize == first.len() {
                first.push(i as u32);
            }
            of_point.push(number);
        }
        let is_finite = |at: &u32| points[*at as usize].iter().all(|x| x.is_finite());
        let mut places =
            Self { n_places: first.len(), first, of_point, across: None, n_points: whole.n(which) };
        let mut bad = [f64::from(u8::from(!places.first.iter().all(is_finite)))];
        if let Some(group) = whole.ranks {
            group.largest(&mut bad)?;
        }
        if bad[0] > 0.0 {
            return Ok(None);
        }
        if let Some(group) = whole.ranks {
            let bits: Vec<[u64; 3]> =
                places.first.iter().map(|at| bits_of(&points[*at as usize])).collect();
            let across = places.across.insert(Across::new(group, &bits)?);
            let mut kept = [across.kept().len() as u64];
            group.sum(&mut kept)?;
            places.n_places = kept[0] as usize;
        }
        Ok(Some(places))
    }

    /// Places that this process brings to an engine.
    fn n_kept(&self) -> usize {
        self.across.as_ref().map_or(self.first.len(), |across| across.kept().len())
    }

    /// The first point of a place that this process brings to an engine.
    fn point_of(&self, place: usize) -> usize {
        let here = self.across.as_ref().map_or(place, |across| across.kept()[place] as usize);
        self.first[here] as usize
    }

    /// Items of the first point of each place that this process brings to an engine.
    pub(super) fn pick<A: Copy>(&self, of_points: &[A]) -> Vec<A> {
        let of_place = |place: usize| of_points[self.first[place] as usize];
        match &self.across {
            None => (0..self.first.len()).map(of_place).collect(),
            Some(across) => across.kept().iter().map(|place| of_place(*place as usize)).collect(),
        }
    }

    /// Values at the places of this process, from those of the places that it brings to an engine. Collective.
    fn at_places<'v, T: Scalar, const N: usize>(
        &self,
        kept: &'v [[T; N]],
    ) -> Result<Cow<'v, [[T; N]]>, Error>
    where
        [f64; N]: Pod,
        [[f64; 2]; N]: Pod,
    {
        let Some(across) = &self.across else { return Ok(Cow::Borrowed(kept)) };
        let kept: Vec<[f64; N]> = kept.iter().map(|row| row.map(T::widen)).collect();
        let places = across.spread(&kept)?.into_iter().map(|row| row.map(T::narrow));
        Ok(Cow::Owned(places.collect()))
    }

    /// Whether something is so on any rank. Collective.
    fn anywhere(&self, here: bool) -> Result<bool, Error> {
        let mut any = [f64::from(u8::from(here))];
        if let Some(across) = &self.across {
            across.group().largest(&mut any)?;
        }
        Ok(any[0] > 0.0)
    }

    /// Sums of charges over the points of each place, over the unit of `to`. Collective.
    fn sum<T: Scalar>(&self, charges: &[T], to: &mut Sums<T>) -> Result<(), Error> {
        let Sums { charges: sums, given, unit, totals } = to;
        totals.clear();
        totals.resize(self.first.len(), [Compensated::default()]);
        for (place, term) in self.of_point.iter().zip(charges) {
            let [total] = &mut totals[*place as usize];
            *total = total.with(term.widen() / *unit);
        }
        given.clear();
        match &self.across {
            None => given.extend(totals.iter().map(|[total]| total.total())),
            Some(across) => {
                let totals = across.sums(totals)?;
                given.extend(across.kept().iter().map(|at| totals[*at as usize][0]));
            }
        }
        sums.clear();
        sums.extend(given.iter().map(|sum| T::narrow(*sum)));
        Ok(())
    }

    /// Memory in bytes.
    fn bytes(&self) -> usize {
        let across = self.across.as_ref().map_or(0, Across::bytes);
        4 * (self.first.len() + self.of_point.len()) + across
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
        let merge = |points: &PointSets<'_, f64>| {
            Merged::new(&Whole::new(None, points).unwrap().unwrap()).unwrap()
        };
        let merged = merge(&points).unwrap();
        assert_eq!(merged.pick(&points), (vec![places[0], places[1]], None));
        let charges: Vec<f64> = (0..600).map(|i| [1e16, 1.0, -1.0][i % 3] * 0.5).collect();
        let mut sums = Sums::default();
        merged.sum(&charges, &mut sums).unwrap();
        assert_eq!((sums.charges, sums.unit), (vec![1e18, 0.0], 1.0));
        // Sums that overflow have a larger unit.
        let mut sums = Sums::default();
        merged.sum(&vec![1e38f32; 600], &mut sums).unwrap();
        assert_eq!(sums.unit, LARGE);
        assert!((f64::from(sums.charges[1]) * LARGE / 4e40 - 1.0).abs() < 1e-6);
        assert!(merge(&PointSets { sources: &places, receivers: None }).is_none());
        let nan = [[f64::NAN; 3]; 600];
        assert!(merge(&PointSets { sources: &nan, receivers: None }).is_none());
    }
}

//! The error of sums in f32 against the positions and charges that the caller gave, at receivers of all ranks.

use std::ops::Range;

use bytemuck::Pod;

use super::super::shuffle::of_all;
use super::super::together;
use super::NarrowEngine;
use super::heavy::Look;
use crate::api::{Error, Field, SampledError};
use crate::engine::ChargeKind;
use crate::verify::{self, Alone, Checked, Direct, Estimate, Picks, Totals, Wide};

/// A charge vector as it was given, with its field.
struct Vector<'a> {
    charges: &'a [f64],
    kind: ChargeKind,
    /// Squares of what f32 changes of its heavy charges on this rank.
    of_heavy: [f64; 2],
    field: &'a Field<f32>,
}

impl NarrowEngine {
    /// The error of the worst vector and output against the positions and charges that the caller gave.
    pub(super) fn error_of(
        &self,
        (given, looks): (&[&[f64]], &[Look]),
        fields: &[Field<f32>],
        tolerance: f64,
    ) -> Result<f64, Error> {
        let of_heavy: Vec<[f64; 2]> =
            looks.iter().map(|look| self.squares_of_heavy(look)).collect();
        let tries_fewest = self.n_sources >= verify::MANY_SOURCES;
        let n_receivers = self.receivers.n;
        verify::error_of_rounded(Some(tolerance), n_receivers, tries_fewest, |count| {
            let mut vectors = given.iter().zip(looks).zip(&of_heavy).zip(fields);
            vectors.try_fold(Estimate::default(), |worst, (((charges, look), of_heavy), field)| {
                let vector = Vector { charges, kind: look.kind, of_heavy: *of_heavy, field };
                Ok(worst.or_worse(self.error_of_vector(&vector, tolerance, count)?))
            })
        })
    }

    fn error_of_vector(
        &self,
        &Vector { charges, kind, of_heavy, field }: &Vector<'_>,
        tolerance: f64,
        count: usize,
    ) -> Result<Estimate, Error> {
        let outputs = self.request.outputs;
        let value = |place: usize| verify::value_at(field, place);
        let weights = |place: usize| verify::weights_of_rounded(value(place), outputs);
        let picks = match &self.ranks {
            Some(group) => self.receivers.picks(group, count, weights)?,
            None => Picks::new(self.receivers.n, count, weights),
        };
        let values = self.of_all(picks.places.iter().map(|place| value(*place)).collect())?;
        let at = self.places_of_all(&picks.places)?;
        let picks = match &self.ranks {
            Some(group) => picks.joined(|rows| group.gather(rows))?,
            None => picks,
        };
        let sources = self.frame.wide(charges);
        let direct = self.direct(charges.len(), &sources, &at);
        let checked = Checked { picks: &picks, direct, values: &values, outputs, tolerance, kind };
        let of_pairs = self.error_of_pairs(charges, of_heavy, picks.squares())?;
        let estimate = checked.estimate()?;
        Ok(Estimate { error: estimate.error.hypot(of_pairs), ..estimate })
    }

    /// The relative error of the worse output by close pairs that narrowing changes and by heavy charges, whose squares on this rank
    /// are known, on all ranks, beside sums of these squares. Collective.
    fn error_of_pairs(
        &self,
        charges: &[f64],
        of_heavy: [f64; 2],
        squares: [f64; 2],
    ) -> Result<f64, Error> {
        let of_pairs = self.pairs.squares(self.request.softening, charges)?;
        let mut changed = [of_pairs[0] + of_heavy[0], of_pairs[1] + of_heavy[1]];
        self.totals().add_up(&mut changed)?;
        let relative = |output: usize| match changed[output] {
            0.0 => 0.0,
            square if square.is_finite() => (square / (square + squares[output])).sqrt(),
            _ => f64::INFINITY,
        };
        let outputs = self.request.outputs;
        let potential = if outputs.has_potential() { relative(0) } else { 0.0 };
        let gradient = if outputs.has_gradient() { relative(1) } else { 0.0 };
        Ok(potential.max(gradient))
    }

    /// Places of all ranks. Collective.
    fn places_of_all(&self, places: &[usize]) -> Result<[Vec<f64>; 3], Error> {
        let [x, y, z] = self.frame.at(places);
        Ok([self.of_all(x)?, self.of_all(y)?, self.of_all(z)?])
    }

    /// Values of all ranks. Collective.
    fn of_all<A: Pod>(&self, values: Vec<A>) -> Result<Vec<A>, Error> {
        of_all(self.ranks.as_ref(), values)
    }

    /// The direct sum over the sources of all ranks, of which this one has `n_sources`.
    fn direct<'a>(
        &'a self,
        n_sources: usize,
        sources: &'a (dyn Fn(Range<usize>) -> Wide + Sync),
        at: &'a [Vec<f64>; 3],
    ) -> Direct<'a> {
        let (softening, totals) = (self.request.softening, self.totals());
        Direct { n_sources, sources, at, softening, totals }
    }

    /// Sums over all ranks.
    fn totals(&self) -> &dyn Totals {
        match &self.ranks {
            Some(group) => group,
            None => &Alone,
        }
    }

    /// Errors of a field of these charges at about `count` receivers of all ranks. Collective.
    pub(super) fn compare(
        &self,
        charges: &[f64],
        field: &Field<f32>,
        count: usize,
    ) -> Result<SampledError, Error> {
        together(self.ranks.as_ref(), || {
            let places = self.receivers.sample(count);
            let values = places.iter().map(|place| verify::value_at(field, *place)).collect();
            let (at, values) = (self.places_of_all(&places)?, self.of_all(values)?);
            let sources = self.frame.wide(charges);
            let sums = self.direct(charges.len(), &sources, &at).sums()?.into_iter();
            let sums = sums.map(|sums| verify::in_units(sums, self.frame.unit, 1.0));
            Ok(verify::compare(values.into_iter().zip(sums), self.request.outputs))
        })
    }
}

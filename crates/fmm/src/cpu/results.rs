//! Results: sums in tree order and the plan's units to fields in the caller's, and their errors.

use std::ops::Range;

use super::CpuEngine;
use super::buffers::Buffers;
use super::geometry::Geometry;
use super::geometry::receivers::Sums;
use crate::api::{Error, Field, Output, Outputs, SampledError};
use crate::engine::{ChargeKind, ResultRange, Scalar, make_room};
use crate::verify::{
    self, Alone, Checked, Direct, Estimate, Picks, Weights, Wide, exact_sums, squares,
};

/// Receivers that one task scatters.
const SCATTER: usize = parallel::min_length(1.3);

/// Receivers at which sums are made in double-double arithmetic at once: with the 2^18 sources that they may have, partial sums of
/// all tasks take 4 MB.
const EXACT: usize = 1 << 10;

/// Gradient and potential (gx, gy, gz, Φ) of a receiver in tree order, from sums in a unit of charge, in the caller's units; zeros
/// for a gradient that is not there.
pub(crate) fn in_callers_units<'a, T: Scalar>(
    geometry: &Geometry<T>,
    sums: &'a Sums<T>,
    charge: f64,
) -> impl Fn(&u32) -> [T; 4] + Sync + 'a {
    let factors = [geometry.unit.potential(charge), geometry.unit.gradient(charge)];
    move |place| {
        let [x, y, z, potential] = value_of(sums, *place as usize);
        let [x, y, z] = [x, y, z].map(|part| T::narrow(part * factors[1]));
        [x, y, z, T::narrow(potential * factors[0])]
    }
}

/// From tree order and the plan's unit to the caller's.
fn scatter<T: Scalar>(
    geometry: &Geometry<T>,
    outputs: Outputs,
    buffers: &mut Buffers<T>,
    fields: &mut [Field<T>],
) {
    let Buffers { sums, charge_units, results, .. } = buffers;
    let (unit, position) = (geometry.unit, &geometry.receiver_positions);
    let scaled = |x: T, factor: f64| T::narrow(x.widen() * factor);
    for ((field, sums), charge) in fields.iter_mut().zip(sums).zip(charge_units) {
        let (factor, gradient_factor) = (unit.potential(*charge), unit.gradient(*charge));
        let Field { potential, gradient, .. } = field;
        make_room(potential, if outputs.has_potential() { position.len() } else { 0 });
        make_room(gradient, if outputs.has_gradient() { position.len() } else { 0 });
        if !outputs.has_gradient() {
            let value = |i: usize| scaled(sums.potential[position[i] as usize], factor);
            parallel::fill(potential, SCATTER, value);
            continue;
        }
        // A receiver's numbers side by side are in one cache line, not in four.
        make_room(results, position.len());
        let [x, y, z] = &sums.gradient;
        parallel::fill(results, SCATTER, |i| {
            let [x, y, z] = [x[i], y[i], z[i]].map(|part| scaled(part, gradient_factor));
            [x, y, z, scaled(sums.potential[i], factor)]
        });
        let row = |i: usize| results[position[i] as usize];
        if !outputs.has_potential() {
            parallel::fill(gradient, SCATTER, |i| {
                let [x, y, z, _] = row(i);
                [x, y, z]
            });
            continue;
        }
        let parts = potential.chunks_mut(SCATTER).zip(gradient.chunks_mut(SCATTER));
        parallel::for_parts(parts, |task, (potential, gradient)| {
            for (k, (potential, gradient)) in potential.iter_mut().zip(gradient).enumerate() {
                let [x, y, z, phi] = row(task * SCATTER + k);
                (*potential, *gradient) = (phi, [x, y, z]);
            }
        });
    }
}

/// Gradient and potential (gx, gy, gz, Φ) of a receiver in tree order; zeros for a gradient that is not there.
pub(crate) fn value_of<T: Scalar>(sums: &Sums<T>, place: usize) -> [f64; 4] {
    let [x, y, z] = sums.gradient.each_ref().map(|axis| axis.get(place).map_or(0.0, |x| x.widen()));
    [x, y, z, sums.potential[place].widen()]
}

/// Weights by which receivers of sums are picked for a check.
pub(crate) fn weights<'a, T: Scalar>(
    sums: &'a Sums<T>,
    outputs: Outputs,
) -> impl Fn(usize) -> Weights + Sync + 'a {
    move |place| {
        let [local, others] =
            sums.expected.get(place).map_or([0.0; 2], |expected| expected.map(f64::from));
        let [potential, gradient] = squares(value_of(sums, place), outputs);
        [potential, gradient, local * local, others * others]
    }
}

/// Copies ranges of a stretch of the sources, with their charges in tree order, in f64.
pub(crate) fn wide_sources<'a, T: Scalar>(
    geometry: &'a Geometry<T>,
    stretch: Range<usize>,
    charges: &'a [T],
) -> impl Fn(Range<usize>) -> Wide + Sync + 'a {
    let widen = |slice: &[T]| slice.iter().map(|x| x.widen()).collect();
    move |range| {
        let places = stretch.start + range.start..stretch.start + range.end;
        let [x, y, z] = geometry.sources().slices(places).map(widen);
        [x, y, z, widen(&charges[range])]
    }
}

/// Puts direct sums in double-double arithmetic, over these sources, in place of `sums`.
pub(crate) fn put_exact_sums<T: Scalar>(
    geometry: &Geometry<T>,
    softening: f64,
    (n_sources, sources): (usize, &(dyn Fn(Range<usize>) -> Wide + Sync)),
    sums: &mut Sums<T>,
) -> Result<(), Error> {
    let softening = geometry.unit.shrink(softening);
    let places: Vec<usize> = (0..sums.potential.len()).collect();
    for places in places.chunks(EXACT) {
        let at = geometry.receivers().at(places);
        let direct = Direct { n_sources, sources, at: &at, softening, totals: &Alone };
        for (place, [x, y, z, potential]) in places.iter().zip(exact_sums(&direct)?) {
            sums.potential[*place] = T::narrow(potential);
            for (axis, part) in sums.gradient.iter_mut().zip([x, y, z]) {
                if let Some(sum) = axis.get_mut(*place) {
                    *sum = T::narrow(part);
                }
            }
        }
    }
    Ok(())
}

/// Check of a vector's sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct SumsCheck {
    /// Receivers at which the sums are checked.
    pub(super) count: usize,
    /// Kind of the charges.
    pub(super) kind: ChargeKind,
}

impl<T: Scalar> CpuEngine<T> {
    /// From tree order and the plan's unit to the caller's. Results beyond the range of `T` are refused before a field
    /// is written.
    pub(super) fn scatter(
        &self,
        buffers: &mut Buffers<T>,
        fields: &mut [Field<T>],
    ) -> Result<(), Error> {
        let Buffers { sums, charge_units, .. } = &*buffers;
        for (vector, (sums, charge)) in sums.iter().zip(charge_units).take(fields.len()).enumerate()
        {
            self.check_range(vector, sums, *charge)?;
        }
        scatter(&self.geometry, self.request.outputs, buffers, fields);
        Ok(())
    }

    /// Refuses sums of which the largest is no number, or none of `T` in the caller's units.
    fn check_range(&self, vector: usize, sums: &Sums<T>, charge: f64) -> Result<(), Error> {
        let (unit, outputs) = (self.geometry.unit, self.request.outputs);
        let index = |place: usize| self.geometry.tree.receiver_permutation()[place] as usize;
        for output in outputs.each() {
            let (arrays, power) = match output {
                Output::Potential => (std::slice::from_ref(&sums.potential), 1),
                Output::Gradient => (&sums.gradient[..], 2),
            };
            let range = ResultRange { vector, output, factor: unit.magnitude(charge, power) };
            arrays.iter().try_for_each(|array| range.check::<T, T>(array, index))?;
        }
        Ok(())
    }

    /// The estimate of the error of a vector's sums.
    pub(super) fn estimate_of_sums(
        &self,
        charges: &[T],
        sums: &Sums<T>,
        SumsCheck { count, kind }: SumsCheck,
    ) -> Result<Estimate, Error> {
        let (geometry, outputs) = (&self.geometry, self.request.outputs);
        let picks = Picks::new(sums.potential.len(), count, weights(sums, outputs));
        let values: Vec<[f64; 4]> =
            picks.places.iter().map(|place| value_of(sums, *place)).collect();
        let at = geometry.receivers().at(&picks.places);
        let sources = wide_sources(geometry, geometry.own_sources(), charges);
        let softening = geometry.unit.shrink(self.request.softening);
        let n_sources = geometry.sources().len();
        let direct = Direct { n_sources, sources: &sources, at: &at, softening, totals: &Alone };
        let tolerance = self.chooser.tolerance();
        let checked = Checked { picks: &picks, direct, values: &values, outputs, tolerance, kind };
        let estimate = checked.estimate()?;
        Ok(estimate.with_heavy(sums.of_heavy, picks.squares(), outputs))
    }

    /// Replaces a vector's sums by direct ones in double-double arithmetic.
    pub(super) fn sum_exactly(&self, charges: &[T], sums: &mut Sums<T>) -> Result<(), Error> {
        let geometry = &self.geometry;
        let sources = wide_sources(geometry, geometry.own_sources(), charges);
        let sources = (geometry.sources().len(), &sources as _);
        put_exact_sums(geometry, self.request.softening, sources, sums)
    }

    /// Errors of a field of these charges at about `count` receivers.
    pub(super) fn compare_sample(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let pairs = self.sampled(charges, field, count)?.into_iter();
        Ok(verify::compare(
            pairs.map(|[value, reference]| (value, reference)),
            self.request.outputs,
        ))
    }

    /// Values of a field of these charges at about `count` receivers, each with its reference.
    pub(crate) fn sampled(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<Vec<[[f64; 4]; 2]>, Error> {
        let (geometry, tree) = (&self.geometry, &self.geometry.tree);
        let order = tree.source_permutation();
        let charges: Vec<T> = order.iter().map(|index| charges[*index as usize]).collect();
        let places = verify::sample(geometry.receivers().len(), count);
        let at = geometry.receivers().at(&places);
        let softening = geometry.unit.shrink(self.request.softening);
        let sources = wide_sources(geometry, geometry.own_sources(), &charges);
        let n_sources = charges.len();
        let direct = Direct { n_sources, sources: &sources, at: &at, softening, totals: &Alone };
        let (outputs, tolerance) = (self.request.outputs, self.chooser.tolerance());
        let sums = verify::sums_without_doubt(direct, outputs, tolerance)?;
        let checked = places.iter().zip(&sums).map(|(place, sums)| {
            let index = tree.receiver_permutation()[*place] as usize;
            [verify::value_at(field, index), verify::in_units(*sums, geometry.unit, 1.0)]
        });
        Ok(checked.collect())
    }
}

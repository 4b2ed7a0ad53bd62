//! The error of an evaluation, estimated at receivers of all ranks: those that one process would pick.

use super::Evaluation;
use crate::api::{Error, Field, SampledError};
use crate::cpu;
use crate::engine::Scalar;
use crate::ranks::Group;
use crate::ranks::Stretch;
use crate::verify::{self, Checked, Direct, Estimate, Totals};

impl<T: Scalar> Evaluation<'_, T> {
    /// The estimate of the error of a vector's sums at about `count` receivers. Collective.
    pub(in crate::ranks) fn estimate_of_vector(
        &self,
        k: usize,
        count: usize,
    ) -> Result<Estimate, Error> {
        let Self { stretch, group, buffers, .. } = self;
        let (layout, outputs) = (&stretch.layout, stretch.request.outputs);
        let geometry = &layout.geometry;
        let sums = &buffers.sums[k];
        let picks = layout.receivers.picks(group, count, cpu::weights(sums, outputs))?;
        let at = geometry.receivers().at(&picks.places);
        let values: Vec<[f64; 4]> =
            picks.places.iter().map(|place| cpu::value_of(sums, *place)).collect();
        // All ranks have the picks of all, and add what their sources contribute to each.
        let picks = picks.joined(|rows| group.gather(rows))?;
        let at = [group.gather(&at[0])?, group.gather(&at[1])?, group.gather(&at[2])?];
        let values = group.gather(&values)?;
        let (tolerance, kind) = (stretch.chooser.tolerance(), self.kind(k));
        let estimate = stretch.with_direct(group, &self.own[k], &at, |direct| {
            let values = &values;
            Checked { picks: &picks, direct, values, outputs, tolerance, kind }.estimate()
        })?;
        let mut of_heavy = sums.of_heavy;
        group.add_up(&mut of_heavy)?;
        Ok(estimate.with_heavy(of_heavy, picks.squares(), outputs))
    }
}

impl<T: Scalar> Stretch<T> {
    /// The direct sum over the sources of all ranks, of which this one has `own` charges, at receivers that all ranks know.
    fn with_direct<R>(
        &self,
        group: &Group,
        own: &[T],
        at: &[Vec<f64>; 3],
        run: impl FnOnce(Direct<'_>) -> R,
    ) -> R {
        let geometry = &self.layout.geometry;
        let sources = cpu::wide_sources(geometry, geometry.own_sources(), own);
        let softening = geometry.unit.shrink(self.request.softening);
        let n_sources = own.len();
        run(Direct { n_sources, sources: &sources, at, softening, totals: group })
    }

    /// Errors of a field of these charges at about `count` receivers of all ranks. Collective.
    pub(in crate::ranks) fn sample_error(
        &self,
        group: &Group,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let layout = &self.layout;
        let geometry = &layout.geometry;
        let own = self.own_charges(group, charges, 1.0)?;
        let n_rows = layout.ways.receivers().rows();
        let values: Vec<[f64; 4]> = (0..n_rows).map(|at| verify::value_at(field, at)).collect();
        let values = layout.ways.receivers().to_owners(group.communicator(), &values)?;
        let places = layout.receivers.sample(count);
        let order = geometry.tree.receiver_permutation();
        let values: Vec<[f64; 4]> =
            places.iter().map(|place| values[order[*place] as usize]).collect();
        let [x, y, z] = geometry.receivers().at(&places);
        let at = [group.gather(&x)?, group.gather(&y)?, group.gather(&z)?];
        let values = group.gather(&values)?;
        let (outputs, tolerance) = (self.request.outputs, self.chooser.tolerance());
        let sums = self.with_direct(group, &own, &at, |direct| {
            verify::sums_without_doubt(direct, outputs, tolerance)
        })?;
        let unit = geometry.unit;
        let sums = sums.into_iter().map(|sums| verify::in_units(sums, unit, 1.0));
        Ok(verify::compare(values.into_iter().zip(sums), self.request.outputs))
    }
}

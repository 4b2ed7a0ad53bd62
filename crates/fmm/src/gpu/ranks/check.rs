//! The error of an evaluation, estimated at receivers of all ranks: those that one device with all points would pick. Each
//! rank picks among those that it owns, on its device.

use kernels_gpu::check::{DirectSums, PairDigits, Share};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Launcher;

use super::evaluation::Evaluation;
use super::{RankEngine, State};
use crate::api::{Error, Field, SampledError};
use crate::engine::{Scalar, charge_unit};
use crate::gpu::Number;
use crate::gpu::check::terms;
use crate::ranks::Receivers;
use crate::verify::{self, CheckedByDevice, Estimate, Picks, Totals};

impl<M, T> Evaluation<'_, M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The estimate of the error of the last run at about `count` receivers of all ranks. Collective.
    pub(super) fn estimate_at(&mut self, count: usize) -> Result<Estimate, Error> {
        let (engine, outputs) = (self.engine, self.engine.request.outputs);
        let group = engine.wire.group();
        if !self.heavy_is_empty() {
            // The sums are over all charges.
            engine.put(self.state, self.charges, false, self.facts.unit(), &Vec::new())?;
            self.charged = false;
        }
        let State { pipeline, fields, .. } = &mut *self.state;
        let n = pipeline.tree().n_receivers();
        let weighed = pipeline.weighed(fields[0].view(n), outputs)?;
        let (machine, picker) = (&engine.machine, &mut pipeline.checks.picker);
        let receivers = Receivers::new(group, n)?;
        let mut limits = picker.limits(machine, weighed, &receivers.limiting())?;
        group.largest(&mut limits)?;
        let own = picker.sums(machine, weighed, limits)?;
        let part = receivers.part(group, own)?;
        let count = count.min(part.n);
        let (start, targets) = part.targets(own, count);
        let share = Share { n: part.n, sums: part.sums, start, picks: count };
        let picked = picker.picks(machine, weighed, share, &targets)?;

        let values = picked.iter().map(|(pick, _)| pipeline.of_order_one(pick.value));
        let values = group.gather(&values.collect::<Vec<_>>())?;
        let at: Vec<[f64; 4]> = picked.iter().map(|(_, Vec4(at))| *at).collect();
        let (factors, within) = picked.iter().map(|(pick, _)| (pick.factor, pick.within)).unzip();
        let picks = Picks::of_device(factors, within, part.sums);
        let picks = picks.joined(|rows| group.gather(rows))?;
        let direct = engine.references(self.state, &at, PairDigits::Own)?;
        let (terms, precision) = (terms(&direct, self.facts.participation()), T::PRECISION);
        let (picks, values, sums) = (&picks, &values, &direct.sums);
        let tolerance = engine.chooser.tolerance();
        CheckedByDevice { picks, values, sums, terms, outputs, tolerance, precision }
            .estimate(|| Ok(engine.references(self.state, &at, PairDigits::Double)?.sums))
    }
}

impl<M, T> RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Sums over the sources of all ranks at places of all ranks, of which `own` are this one's, all in the tree's units.
    /// Collective.
    fn references(
        &self,
        state: &mut State<M, T>,
        own: &[[f64; 4]],
        digits: PairDigits,
    ) -> Result<DirectSums, Error> {
        let group = self.wire.group();
        let at: Vec<Vec4<f64>> = group.gather(own)?.into_iter().map(Vec4).collect();
        let mut direct = state.pipeline.sums_at(&at, self.request.softening, digits)?;
        group.add_up(direct.sums.as_flattened_mut())?;
        group.add_up(direct.magnitudes.as_flattened_mut())?;
        Ok(direct)
    }

    /// Errors of a field of these charges at about `count` receivers of all ranks. Collective.
    pub(super) fn compare(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let group = self.wire.group();
        let mut guard = self.state();
        let state = &mut *guard;
        let mut unit = [charge_unit(charges)];
        group.largest(&mut unit)?;
        self.put(state, charges, false, unit[0], &Vec::new())?;
        let places = state.all_receivers.sample(count);
        let values: Vec<[f64; 4]> = places.iter().map(|at| verify::value_at(field, *at)).collect();
        let values = group.gather(&values)?;
        let which: Vec<u32> = places.iter().map(|place| *place as u32).collect();
        let receivers = state.receivers();
        let own = state.pipeline.places(receivers, &which)?;
        let own: Vec<[f64; 4]> = own.into_iter().map(|Vec4(at)| at).collect();
        let sums = self.references(state, &own, PairDigits::Double)?.sums;
        let length = state.pipeline.unit;
        let sums = sums.into_iter().map(|sums| verify::in_units(sums, length, unit[0]));
        Ok(verify::compare(values.into_iter().zip(sums), self.request.outputs))
    }
}

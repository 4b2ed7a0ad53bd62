//! The error of an evaluation, estimated at receivers of all ranks, which are picked in the order in which the ranks brought
//! them.

use expansions::numerics::importance::{Extremes, expected_errors};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Machine;

use super::super::Number;
use super::super::check::PairDigits;
use super::evaluation::Evaluation;
use super::{RankEngine, State};
use crate::api::{Error, Field, SampledError};
use crate::engine::{Scalar, charge_unit};
use crate::verify::{self, Totals, Weights, squares};

impl<M, T> Evaluation<'_, M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The relative L2 error of the last run at about `count` receivers of all ranks. Collective.
    pub(super) fn error_at(&mut self, count: usize) -> Result<f64, Error> {
        let (engine, outputs) = (self.engine, self.engine.request.outputs);
        let group = engine.wire.group();
        if !self.heavy_is_empty() {
            // The sums are over all charges.
            engine.put(self.state, self.charges, self.vector.unit, &Vec::new())?;
            self.charged = false;
        }
        // Squares in units in which results are of order 1 do not overflow.
        let [of_potential, of_gradient] = self.state.pipeline.result_units().map(f64::recip);
        let values = &self.values;
        let value = |place: usize| {
            let Vec4([x, y, z, potential]) = values[place];
            let [x, y, z] = [x, y, z].map(|g| g.widen() * of_gradient);
            [x, y, z, potential.widen() * of_potential]
        };
        let order = self.state.pipeline.local_order;
        if order.is_some() {
            engine.find_extremes(self.state)?;
        }
        let extremes = order.map_or(&[][..], |_| &self.state.extremes);
        let order = order.unwrap_or(0) as u32;
        let weights = |place: usize| -> Weights {
            let [potential, gradient] = squares(value(place), outputs);
            let of_place = |at: &Extremes| expected_errors(*at, order);
            let [corner, face] = extremes.get(place).map_or([0.0; 2], of_place);
            [potential, gradient, corner, face]
        };
        let picks = self.state.all_receivers.picks(group, count, weights)?;
        let picked: Vec<[f64; 4]> = picks.places.iter().map(|place| value(*place)).collect();
        let references = engine.references(self.state, &picks.places, PairDigits::Device)?;
        let picks = picks.joined(|rows| group.gather(rows))?;
        Ok(picks.worse_error(&group.gather(&picked)?, &references, outputs))
    }
}

impl<M, T> RankEngine<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Finds the places in their leaves of the receivers that the rank brought. Fields on the device are lost where
    /// that is not known yet. Collective.
    fn find_extremes(&self, state: &mut State<M, T>) -> Result<(), Error> {
        if state.has_extremes {
            return Ok(());
        }
        let (machine, n) = (&self.machine, state.pipeline.tree().n_receivers());
        state.fields[0].reserve(machine, n)?;
        state.pipeline.place_extremes(state.fields[0].view_mut(n))?;
        self.bring_back(state)?;
        let mut rows = vec![Vec4::default(); state.counts.receivers];
        state.brought_field().download(machine, &mut rows)?;
        let extremes = |Vec4([corner, face, ..]): Vec4<T>| [corner, face].map(|x| x.widen() as f32);
        // In memory that stays: giving back that of 10⁸ receivers takes the system 10 ms.
        state.extremes.clear();
        state.extremes.extend(rows.into_iter().map(extremes));
        state.has_extremes = true;
        Ok(())
    }

    /// Sums over the sources of all ranks, in the tree's units, at picked receivers of all ranks, of which this one brought
    /// those at `places`. Collective.
    fn references(
        &self,
        state: &mut State<M, T>,
        places: &[usize],
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
        let group = self.wire.group();
        let which: Vec<u32> = places.iter().map(|place| *place as u32).collect();
        let receivers = state.receivers();
        let own = state.pipeline.places(receivers, &which)?;
        let own: Vec<[f64; 4]> = own.into_iter().map(|Vec4(at)| at).collect();
        let at: Vec<Vec4<f64>> = group.gather(&own)?.into_iter().map(Vec4).collect();
        let mut sums = state.pipeline.sums_at(&at, self.request.softening, digits)?;
        group.add_up(sums.as_flattened_mut())?;
        Ok(sums)
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
        self.put(state, charges, unit[0], &Vec::new())?;
        let places = state.all_receivers.sample(count);
        let values: Vec<[f64; 4]> = places.iter().map(|at| verify::value_at(field, *at)).collect();
        let values = group.gather(&values)?;
        let sums = self.references(state, &places, PairDigits::Double)?;
        let length = state.pipeline.unit;
        let sums = sums.into_iter().map(|sums| verify::in_units(sums, length, unit[0]));
        Ok(verify::compare(values.into_iter().zip(sums), self.request.outputs))
    }
}

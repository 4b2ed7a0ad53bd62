//! The error of an evaluation in parts, estimated at receivers of all parts, against sums over all sources.

use kernels_gpu::check::{DirectSums, PairDigits};
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Launcher;

use super::evaluation::Evaluation;
use super::{PartsEngine, State};
use crate::api::{Error, Field, SampledError};
use crate::engine::{Scalar, Unit, charge_unit};
use crate::gpu::Number;
use crate::gpu::check::terms;
use crate::gpu::evaluation::indices;
use crate::verify::{self, CheckedByDevice, Estimate, Picks, Weights, in_units, squares};

/// Sources that are summed at once, at most: as many as keep a GPU busy.
const SUMMED: usize = 1 << 22;

impl<M, T> Evaluation<'_, M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// The estimate of the error of the last run at about `count` receivers.
    pub(super) fn estimate_at(&self, count: usize) -> Result<Estimate, Error> {
        let (engine, outputs) = (self.engine, self.engine.request.outputs);
        // Squares in units in which results are of order 1 do not overflow.
        let (length, unit) = (Unit::of(engine.cube.side()), self.facts.unit());
        let [of_potential, of_gradient] =
            [length.potential(unit), length.gradient(unit)].map(f64::recip);
        let scaled = |[x, y, z, potential]: [f64; 4]| {
            let [x, y, z] = [x, y, z].map(|g| g * of_gradient);
            [x, y, z, potential * of_potential]
        };
        let Self { values, expected_errors, .. } = self;
        let value = |place: usize| scaled(values[place].0.map(T::widen));
        let weights = |place: usize| -> Weights {
            let [potential, gradient] = squares(value(place), outputs);
            let [corner, face] = expected_errors[place].map(f64::from);
            [potential, gradient, corner, face]
        };
        let picks = Picks::new(values.len(), count, weights);
        let picked: Vec<[f64; 4]> = picks.places.iter().map(|place| value(*place)).collect();
        let receivers = engine.receivers();
        let at: Vec<[T; 3]> = picks.places.iter().map(|place| receivers.points[*place]).collect();
        let references = |digits| {
            let direct = engine.references(&at, (self.charges, unit), digits)?;
            Ok::<_, Error>(direct.map(scaled))
        };
        let direct = references(PairDigits::Own)?;
        let (terms, precision) = (terms(&direct, self.facts.participation()), T::PRECISION);
        let (picks, values, sums) = (&picks, &picked, &direct.sums);
        let tolerance = engine.chooser.tolerance();
        CheckedByDevice { picks, values, sums, terms, outputs, tolerance, precision }
            .estimate(|| Ok(references(PairDigits::Double)?.sums))
    }
}

impl<M, T> PartsEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Sums over all sources, whose charges are in Morton order, at some places: gradient and potential, in the caller's
    /// units.
    fn references(
        &self,
        at: &[[T; 3]],
        (charges, unit): (&[T], f64),
        digits: PairDigits,
    ) -> Result<DirectSums, Error> {
        let n = self.sources.len();
        // Half of what a part has room for, since sums of f64 take more.
        let summed = SUMMED.min(n.div_ceil(2 * self.parts[0])).max(1);
        let mut direct = DirectSums::zeros(at.len());
        for first in (0..n).step_by(summed) {
            let which = first..n.min(first + summed);
            let mut memory = self.memory();
            self.bring_sources(&mut memory, which.clone())?;
            let State { pipeline, charges: on_device, .. } = &mut memory.state;
            on_device.upload(&self.machine, &charges[which.clone()])?;
            pipeline.put_charges(on_device.view(which.len()), unit)?;
            let length = pipeline.unit;
            let places: Vec<Vec4<f64>> = at
                .iter()
                .map(|point| {
                    let [x, y, z] = point.map(|x| length.shrink(x.widen()));
                    Vec4([x, y, z, 0.0])
                })
                .collect();
            let part = pipeline.sums_at(&places, self.request.softening, digits)?;
            direct.add(&part.map(|sum| in_units(sum, length, unit)));
        }
        Ok(direct)
    }

    /// Errors of a field of these charges at about `count` receivers.
    pub(super) fn compare(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let receivers = self.receivers();
        let which = indices(receivers.len(), count);
        let sorted = self.sources.sorted(charges);
        let unit = charge_unit(charges);
        let sums =
            self.references(&receivers.at(&which), (&sorted, unit), PairDigits::Double)?.sums;
        let values = which.iter().map(|at| verify::value_at(field, *at as usize));
        Ok(verify::compare(values.zip(sums), self.request.outputs))
    }
}

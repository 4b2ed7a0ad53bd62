//! Checks of fields on the device: errors estimated at picked receivers, and direct sums at some.

#[cfg(test)]
mod tests;

use kernels_gpu::check::weights::{Places, WeighedField};
use kernels_gpu::check::{
    Checked, DirectSums, EACH, PairDigits, Picking, columns, expected_errors,
};
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Launcher, MachineError, words};
use kernels_gpu::operators::{self, expected::BoxErrors};
use kernels_gpu::transfer::{PICK, Pick, SummedField};

use crate::api::{Error, Outputs, Seconds, Stage};
use crate::engine::{Heavy, Scalar};
use crate::gpu::Number;
use crate::gpu::engine::state::State;
use crate::gpu::launches::THREADS;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::order::places_of;
use crate::gpu::pipeline::Pipeline;
use crate::verify::{CheckedByDevice, Estimate, Picks, Terms, in_units, limiting, targets};

/// A field of charges on the device that is to be checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToCheck<T> {
    /// The field in the caller's order.
    pub(super) field: View<Vec4<T>>,
    pub(super) outputs: Outputs,
    pub(super) softening: f64,
    pub(super) tolerance: f64,
    /// Participation of the charges.
    pub(super) participation: f64,
}

/// Result of a check on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceEstimate {
    pub(super) estimate: Estimate,
    /// Whether all results are finite.
    pub(super) is_finite: bool,
}

/// Terms of direct sums over charges of this participation.
pub(super) fn terms(direct: &DirectSums, participation: f64) -> Terms<'_> {
    Terms { magnitudes: &direct.magnitudes, step: EACH, participation }
}

/// Estimate of a check that the host waits for, and the seconds of its clock. They count where the check fails, too.
pub(super) fn timed_check(
    estimate: impl FnOnce() -> Result<Estimate, Error>,
) -> (Seconds, Result<Estimate, Error>) {
    let mut seconds = Seconds::default();
    let estimate = seconds.time(Stage::Check, estimate);
    (seconds, estimate)
}

impl<M: Launcher + Clone, T: Scalar + Number> State<M, T> {
    /// Sums over all sources, in the caller's units, at some receivers: gradient and potential. Pairs are of the device's
    /// floats, or of f64 where asked for.
    pub(super) fn references(
        &mut self,
        n_receivers: usize,
        which: &[u32],
        softening: f64,
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
        if self.keeps_least() {
            let permutation = self.pipeline.tree().receiver_permutation();
            let places = self.pipeline.places_in_tree(permutation, which)?;
            let receivers = self.pipeline.sorted_receivers();
            self.pipeline.pick_points(receivers, &places, 1.0)?;
        } else {
            let factor = self.pipeline.unit.shrink(1.0);
            self.pipeline.pick_points(self.receivers(n_receivers), which, factor)?;
        }
        let Pipeline { unit, charge_unit, .. } = self.pipeline;
        let found = self.pipeline.sums_at_picked(which.len(), softening, digits)?;
        Ok(found.map(|sums| in_units(sums, unit, charge_unit)).sums)
    }

    /// Sums these charges, which are places among the sources in the caller's order, directly, from now to the next charges.
    pub(super) fn put_heavy(&mut self, taken: &Heavy<T>) -> Result<(), Error> {
        let which: Vec<u32> = taken.indices.iter().map(|place| *place as u32).collect();
        let pipeline = &mut self.pipeline;
        if pipeline.keeping == Keeping::Least {
            let permutation = pipeline.tree().source_permutation();
            let places = pipeline.places_in_tree(permutation, &which)?;
            let sources = pipeline.sorted_sources();
            return Ok(pipeline.put_heavy(sources, 1.0, &places, &taken.charges)?);
        }
        let (points, factor) = (self.points.view(self.n_points), pipeline.unit.shrink(1.0));
        Ok(pipeline.put_heavy(points, factor, &which, &taken.charges)?)
    }
}

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// The estimate of the error of a field at `count` receivers, and whether all results are finite. The host sees the picked
    /// receivers alone; `meanwhile` is what it does while the device sums there.
    pub(super) fn estimate(
        &mut self,
        check: ToCheck<T>,
        count: usize,
        meanwhile: impl FnOnce() -> Result<(), MachineError>,
    ) -> Result<DeviceEstimate, Error>
    where
        T: Scalar,
    {
        let ToCheck { outputs, softening, tolerance, participation, .. } = check;
        let Checked { sums: squares, picks: picked, direct } =
            self.pick(check, count, meanwhile)?;
        let values: Vec<_> = picked.iter().map(|pick| self.of_order_one(pick.value)).collect();
        let factors = picked.iter().map(|pick| pick.factor).collect();
        let within = picked.iter().map(|pick| pick.within).collect();
        let picks = Picks::of_device(factors, within, squares);
        let (terms, precision) = (terms(&direct, participation), T::PRECISION);
        let (picks, values, sums) = (&picks, &values, &direct.sums);
        let checked = CheckedByDevice { picks, values, sums, terms, outputs, tolerance, precision };
        let estimate = checked.estimate(|| {
            let places: Vec<u32> = picked.iter().map(|pick| pick.place as u32).collect();
            self.pick_points(self.sorted_receivers(), &places, 1.0)?;
            Ok(self.sums_at_picked(places.len(), softening, PairDigits::Double)?.sums)
        })?;
        Ok(DeviceEstimate { estimate, is_finite: squares.iter().all(|sum| sum.is_finite()) })
    }

    /// At most `count` receivers of a field, all if they are no more, with direct sums there.
    fn pick(
        &mut self,
        ToCheck { field, outputs, softening, .. }: ToCheck<T>,
        count: usize,
        meanwhile: impl FnOnce() -> Result<(), MachineError>,
    ) -> Result<Checked, Error> {
        let n = field.len();
        let count = count.min(n);
        let weighed = match self.weighed {
            Some(weighed) => weighed,
            None => self.weigh(field, outputs)?,
        };
        let softening = self.unit.shrink(softening);
        let picking = Picking { weighed, sources: self.sorted_sources(), softening };
        let (machine, picker) = (&self.machine, &mut self.checks.picker);
        picker.prepare_targets(machine, count, || targets(count))?;
        Ok(picker.check(machine, picking, count, meanwhile)?)
    }

    /// Sums the weights of the receivers of a field in the caller's order.
    fn weigh(
        &mut self,
        field: View<Vec4<T>>,
        outputs: Outputs,
    ) -> Result<WeighedField<T>, MachineError> {
        let weighed = self.weighed(field, outputs)?;
        let (machine, picker) = (&self.machine, &mut self.checks.picker);
        picker.prepare_limits(machine, field.len(), || limiting(field.len()))?;
        picker.weigh_field(machine, weighed)?;
        Ok(weighed)
    }

    /// A field in the caller's order, and what its receivers weigh.
    pub(super) fn weighed(
        &mut self,
        field: View<Vec4<T>>,
        outputs: Outputs,
    ) -> Result<WeighedField<T>, MachineError> {
        let (field, permutation) = (SummedField::whole(field), self.tree.receiver_permutation());
        let factors = self.weight_factors(outputs);
        Ok(WeighedField { field, permutation, factors, places: self.leaf_places()? })
    }

    /// Factors of gradient and potential, in units in which their squares do not overflow; 0 for an output that does not count.
    pub(super) fn weight_factors(&self, outputs: Outputs) -> [f64; 2] {
        let [of_potential, of_gradient] = self.result_units().map(f64::recip);
        let kept = |kept: bool, factor: f64| if kept { factor } else { 0.0 };
        [kept(outputs.has_gradient(), of_gradient), kept(outputs.has_potential(), of_potential)]
    }

    /// Places of the receivers in their leaves, with the local expansions of the last run, whose field is in the caller's
    /// order.
    pub(super) fn leaf_places(&mut self) -> Result<Places<T>, MachineError> {
        let (n_receivers, n_boxes) = (self.tree.n_receivers(), self.list_tree().n_boxes());
        let leaf_of = match self.local_order {
            None => View::EMPTY,
            Some(_) if self.keeping < Keeping::Least => self.leaf_of.view(n_receivers),
            Some(_) => {
                // The sums have been brought to the caller's order.
                let leaf_of = words(self.sums.view_mut(n_receivers)).part(0, n_receivers);
                operators::label(&self.machine, &self.boxes_of(self.list_tree()), leaf_of)?;
                leaf_of.read_only()
            }
        };
        Ok(Places {
            boxes: self.boxes_of(self.list_tree()).boxes,
            receivers: self.sorted_receivers(),
            leaf_of,
            errors: match self.local_order {
                None => BoxErrors::NONE,
                Some(_) => self.expected.of_vector(self.checked_vector, n_boxes).read_only(),
            },
            order: self.local_order.unwrap_or(0) as u32,
        })
    }

    /// Writes the squares of the errors to expect of the place of each receiver, two numbers each as bits of f32, in the order
    /// of the points; the last run had local expansions.
    pub(super) fn expected_errors(&mut self, errors: ViewMut<u32>) -> Result<(), MachineError> {
        let places = self.leaf_places()?;
        expected_errors(&self.machine, places, self.tree.receiver_permutation(), errors)
    }

    /// Gradient and potential (gx, gy, gz, Φ) in units in which results are of order 1, so that squares do not overflow.
    pub(super) fn of_order_one(&self, [x, y, z, potential]: [f64; 4]) -> [f64; 4] {
        let [of_potential, of_gradient] = self.result_units().map(f64::recip);
        let [x, y, z] = [x, y, z].map(|g| g * of_gradient);
        [x, y, z, potential * of_potential]
    }

    /// Units of potential and gradient, in which results are of order 1.
    pub(super) fn result_units(&self) -> [f64; 2] {
        [self.unit.potential(self.charge_unit), self.unit.gradient(self.charge_unit)]
    }

    /// Places in the tree's order of points that have these indices in the caller's. The permutation is copied to the host.
    fn places_in_tree(&self, permutation: View<u32>, which: &[u32]) -> Result<Vec<u32>, Error> {
        let mut order = vec![0; permutation.len()];
        self.machine.read(permutation, &mut order)?;
        Ok(places_of(&order, which))
    }

    /// Some `points`, which are in the caller's order and units, in the tree's units.
    pub(super) fn places(
        &mut self,
        points: View<Vec4<T>>,
        which: &[u32],
    ) -> Result<Vec<Vec4<f64>>, Error> {
        self.pick_points(points, which, self.unit.shrink(1.0))?;
        let mut places = vec![Vec4::default(); which.len()];
        self.checks.at.download(&self.machine, &mut places)?;
        Ok(places)
    }

    /// Sums over the tree's sources at `places`, all in the tree's units.
    pub(super) fn sums_at(
        &mut self,
        places: &[Vec4<f64>],
        softening: f64,
        digits: PairDigits,
    ) -> Result<DirectSums, Error> {
        self.checks.at.upload(&self.machine, places)?;
        self.sums_at_picked(places.len(), softening, digits)
    }

    /// Puts some `points` into the memory of checks, their coordinates times a factor, which brings them to the tree's unit.
    fn pick_points(
        &mut self,
        points: View<Vec4<T>>,
        which: &[u32],
        factor: f64,
    ) -> Result<(), Error> {
        let n = which.len();
        let (machine, memory) = (&self.machine, &mut self.checks);
        memory.indices.upload(machine, which)?;
        memory.at.reserve(machine, n)?;
        let pick =
            Pick { points, which: memory.indices.view(n), factor, picked: memory.at.view_mut(n) };
        if n > 0 {
            machine.launch(&PICK(), Grid::over(n, THREADS), pick)?;
        }
        Ok(())
    }

    /// Sums over the tree's sources at the `n` points that were put into the memory of checks.
    fn sums_at_picked(
        &mut self,
        n: usize,
        softening: f64,
        digits: PairDigits,
    ) -> Result<DirectSums, Error> {
        let sources = self.sorted_sources();
        let (machine, memory) = (&self.machine, &mut self.checks);
        memory.sums.reserve(machine, columns(n))?;
        let softening = self.unit.shrink(softening);
        let (at, sums) = (memory.at.view(n), memory.sums.view_mut(columns(n)));
        memory.few.sum(machine, sources, at, softening, digits, sums)?;
        let mut columns = vec![Vec4::default(); columns(n)];
        memory.sums.download(machine, &mut columns)?;
        Ok(DirectSums::of_columns(n, &columns))
    }
}

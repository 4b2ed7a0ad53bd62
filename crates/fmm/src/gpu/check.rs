//! Checks of fields on the device: errors estimated at picked receivers, and direct sums at some.

use kernels_gpu::check::weights::{Places, WeighedField};
use kernels_gpu::check::{Checked, Picking, place_extremes};
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Machine, MachineError, words};
use kernels_gpu::operators;
use kernels_gpu::transfer::Pick;

use super::Number;
use super::keeping::Keeping;
use super::launches::THREADS;
use super::order::places_of;
use super::pipeline::Pipeline;
use super::state::State;
use crate::api::{Error, Outputs};
use crate::engine::{Heavy, Scalar};
use crate::verify::{Picks, in_units, limiting, targets};

/// Sources that are widened to f64 at once, at most: as many as keep a GPU busy, in 128 MB.
const WIDENED: usize = 1 << 22;

/// Floats of the pairs of a reference sum, whose sums are of f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairDigits {
    /// The float type of the engine.
    Device,
    /// f64
    Double,
}

/// Result of a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceEstimate {
    /// Relative L2 error of the worse output.
    pub(super) error: f64,
    /// Whether all results are finite.
    pub(super) is_finite: bool,
}

impl<M: Machine + Clone, T: Scalar + Number> State<M, T> {
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
        let sums = self.pipeline.sums_at_picked(which.len(), softening, digits)?;
        Ok(sums.into_iter().map(|sums| in_units(sums, unit, charge_unit)).collect())
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

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// The relative L2 error of the worse output of a field in the caller's order, estimated at `count` receivers, and
    /// whether all results are finite. The host sees the picked receivers alone; `meanwhile` is what it does while the device
    /// sums there.
    pub(super) fn estimate(
        &mut self,
        field: View<Vec4<T>>,
        count: usize,
        (outputs, softening): (Outputs, f64),
        meanwhile: impl FnOnce() -> Result<(), MachineError>,
    ) -> Result<DeviceEstimate, Error> {
        // Squares in units in which results are of order 1 do not overflow.
        let [of_potential, of_gradient] = self.result_units().map(f64::recip);
        let request = (outputs, softening);
        let Checked { sums, picks: picked } = self.pick(field, count, request, meanwhile)?;
        let scaled = |[x, y, z, potential]: [f64; 4]| {
            let [x, y, z] = [x, y, z].map(|g| g * of_gradient);
            [x, y, z, potential * of_potential]
        };
        let values: Vec<_> = picked.iter().map(|pick| scaled(pick.value)).collect();
        let in_units = |sum| in_units(sum, self.unit, self.charge_unit);
        let references: Vec<_> = picked.iter().map(|pick| scaled(in_units(pick.sum))).collect();
        let factors = picked.iter().map(|pick| pick.factor).collect();
        let within = picked.iter().map(|pick| pick.within).collect();
        let picks = Picks::of_device(factors, within, sums);
        Ok(DeviceEstimate {
            error: picks.worse_error(&values, &references, outputs),
            is_finite: sums.iter().all(|sum| sum.is_finite()),
        })
    }

    /// At most `count` receivers of a field in the caller's order, with direct sums there.
    fn pick(
        &mut self,
        field: View<Vec4<T>>,
        count: usize,
        (outputs, softening): (Outputs, f64),
        meanwhile: impl FnOnce() -> Result<(), MachineError>,
    ) -> Result<Checked, Error> {
        let n = field.len();
        // Each of few receivers is picked in any case.
        let count = count.min(2 * n);
        let [of_potential, of_gradient] = self.result_units().map(f64::recip);
        let kept = |kept: bool, factor: f64| if kept { factor } else { 0.0 };
        let factors = [
            kept(outputs.has_gradient(), of_gradient),
            kept(outputs.has_potential(), of_potential),
        ];
        let places = self.leaf_places()?;
        let permutation = self.tree.receiver_permutation();
        let picking = Picking {
            weighed: WeighedField { field, permutation, factors, places },
            sources: self.sorted_sources(),
            softening: T::from_f64(self.unit.shrink(softening)),
        };
        let (machine, picker) = (&self.machine, &mut self.checks.picker);
        picker.prepare(machine, [n, count], || limiting(n), || targets(count))?;
        Ok(picker.check(machine, picking, count, meanwhile)?)
    }

    /// Places of the receivers in their leaves, with the local expansions of the last run, whose field is in the caller's
    /// order.
    fn leaf_places(&mut self) -> Result<Places<T>, MachineError> {
        let n_receivers = self.tree.n_receivers();
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
            order: self.local_order.unwrap_or(0) as u32,
        })
    }

    /// Writes how far in the corners of its leaf each receiver is, with three zeros, in the order of the points; the last run
    /// had local expansions.
    pub(super) fn place_extremes(
        &mut self,
        extremes: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        let places = self.leaf_places()?;
        place_extremes(&self.machine, places, self.tree.receiver_permutation(), extremes)
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

    /// Sums over the tree's sources, gradient and potential, at `places`, all in the tree's units.
    pub(super) fn sums_at(
        &mut self,
        places: &[Vec4<f64>],
        softening: f64,
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
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
            machine.launch(&T::PICK, Grid::over(n, THREADS), pick)?;
        }
        Ok(())
    }

    /// Sums over the tree's sources at the `n` points that were put into the memory of checks.
    fn sums_at_picked(
        &mut self,
        n: usize,
        softening: f64,
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
        let (sources, n_sources) = (self.sorted_sources(), self.tree.n_sources());
        let (machine, memory) = (&self.machine, &mut self.checks);
        memory.sums.reserve(machine, n)?;
        let softening = self.unit.shrink(softening);
        let (at, sums) = (memory.at.view(n), memory.sums.view_mut(n));
        let mut values = vec![Vec4::default(); n];
        if digits == PairDigits::Device {
            memory.few.sum(machine, sources, at, T::from_f64(softening), sums)?;
            memory.sums.download(machine, &mut values)?;
            return Ok(values.into_iter().map(|Vec4(v)| v).collect());
        }
        let mut totals = vec![[0.0; 4]; n];
        for first in (0..n_sources).step_by(WIDENED) {
            let count = WIDENED.min(n_sources - first);
            memory.wide.reserve(machine, count)?;
            let (points, picked) = (sources.part(first, count), memory.wide.view_mut(count));
            let all = Pick { points, which: View::EMPTY, factor: 1.0, picked };
            machine.launch(&T::PICK, Grid::over(count, THREADS), all)?;
            memory.few.sum(machine, memory.wide.view(count), at, softening, sums)?;
            memory.sums.download(machine, &mut values)?;
            for (total, Vec4(part)) in totals.iter_mut().zip(&values) {
                *total = [0, 1, 2, 3].map(|of| total[of] + part[of]);
            }
        }
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use expansions::numerics::importance::expected_errors;
    use kernels_gpu::memory::Grown;
    use octree::Depth;

    use super::super::engine::GpuEngine;
    use super::super::limited_machine::LimitedMachine;
    use super::*;
    use crate::api::{Field, Method, Request, Seconds, Tolerance};
    use crate::cpu::Geometry;
    use crate::engine::{Charges, Engine, PointSets, Workspace};
    use crate::verify::{squares, value_at};

    /// Points between 0 and 1, which crowd towards 0 at powers above 1.
    fn points(n: u32, power: i32) -> Vec<[f64; 3]> {
        let roots = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
        let point = |i: u32| roots.map(|root| (root * f64::from(i * i)).fract());
        (0..n).map(|i| point(i).map(|x| x.powi(power))).collect()
    }

    fn charge(source: usize) -> f64 {
        0.1 + (source % 7) as f64
    }

    fn planned(
        points: &PointSets<'_, f64>,
        memory_limit: Option<usize>,
    ) -> Result<GpuEngine<LimitedMachine, f64>, Error> {
        let request = Request {
            method: Method::Fmm,
            tolerance: Tolerance::L2(1e-4),
            depth: Some(Depth::Adaptive { leaf_capacity: 20 }),
            memory_limit,
            ..Request::default()
        };
        let machine = LimitedMachine::new(usize::MAX);
        let mut engine = GpuEngine::new(machine, String::new(), request)?;
        engine.build(points)?;
        Ok(engine)
    }

    fn evaluated(
        points: &PointSets<'_, f64>,
        engine: &GpuEngine<LimitedMachine, f64>,
    ) -> Field<f64> {
        let charges: Vec<f64> = (0..points.sources.len()).map(charge).collect();
        let vectors = [&charges[..]];
        let charges = Charges::new(&vectors, charges.len(), None).unwrap();
        let mut fields = [Field::default()];
        engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
        std::mem::take(&mut fields[0])
    }

    /// Gradient and potential at a place, pair by pair.
    fn sum_at(at: [f64; 3], sources: &[[f64; 3]]) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for (j, source) in sources.iter().enumerate() {
            let d = [0, 1, 2].map(|axis| source[axis] - at[axis]);
            let square: f64 = d.iter().map(|x| x * x).sum();
            if square > 0.0 {
                let potential = charge(j) / square.sqrt();
                let pull = d.map(|x| x * potential / square);
                sum = [sum[0] + pull[0], sum[1] + pull[1], sum[2] + pull[2], sum[3] + potential];
            }
        }
        sum
    }

    /// The picks of a device, whatever is kept there, beside those of the cores for the same field on their own tree.
    #[test]
    fn a_device_picks_the_receivers_that_the_cores_pick() {
        let (sources, others) = (points(1000, 2), points(700, 1));
        for receivers in [None, Some(&others[..])] {
            let points = PointSets { sources: &sources, receivers };
            // Refusals name the least memory: by the numbers of points, and by their tree.
            let mut limit = 1;
            while let Err(Error::DeviceMemory { needed, .. }) = planned(&points, Some(limit)) {
                limit = needed;
            }
            for (limit, keeping) in [(None, Keeping::All), (Some(limit), Keeping::Least)] {
                let engine = planned(&points, limit).unwrap();
                assert_eq!(engine.state().pipeline.keeping, keeping);
                let field = evaluated(&points, &engine);
                assert_picks(&points, &engine, &field);
            }
        }
    }

    fn assert_picks(
        points: &PointSets<'_, f64>,
        engine: &GpuEngine<LimitedMachine, f64>,
        field: &Field<f64>,
    ) {
        let outputs = engine.request.outputs;
        let mut guard = engine.state();
        let order = guard.pipeline.local_order.unwrap();
        assert_eq!(order, field.report.order);

        let shape = engine.tree.scheme.tree;
        let geometry = Geometry::new(points, shape, &mut Seconds::default()).unwrap();
        let in_order = geometry.tree.receiver_permutation();
        let value = |place: usize| value_at(field, in_order[place] as usize);
        let picks = |count: usize, [in_corners, in_faces]: [f64; 2]| {
            Picks::new(in_order.len(), count, |place| {
                let [potential, gradient] = squares(value(place), outputs);
                let [corner, face] = expected_errors(geometry.extremes()[place], order as u32);
                [potential, gradient, in_corners * corner, in_faces * face]
            })
        };
        // Where the least is kept, results and sums have gone.
        let values: Vec<_> = (0..in_order.len()).map(|i| Vec4(value_at(field, i))).collect();
        let mut on_device = Grown::new();
        on_device.upload(&engine.machine, &values).unwrap();
        guard.pipeline.sums.reserve(&engine.machine, in_order.len()).unwrap();
        for count in [32, 128] {
            let view = on_device.view(in_order.len());
            let pipeline = &mut guard.pipeline;
            let picked = pipeline.pick(view, count, (outputs, 0.0), || Ok(())).unwrap();
            let mut places: Vec<usize> = picked.picks.iter().map(|pick| pick.place).collect();
            assert!(places.is_sorted());
            places.dedup();
            let expected = picks(count, [1.0; 2]);
            assert_eq!(places, expected.places);
            assert_ne!(places, picks(count, [0.0, 1.0]).places);
            assert_ne!(places, picks(count, [1.0, 0.0]).places);
            assert!(picked.picks.iter().all(|pick| pick.value == value(pick.place)));

            let at = points.receivers.unwrap_or(points.sources);
            let sum = |place: &usize| sum_at(at[in_order[*place] as usize], points.sources);
            let references: Vec<[f64; 4]> = places.iter().map(sum).collect();
            let values: Vec<[f64; 4]> = places.iter().map(|place| value(*place)).collect();
            let expected = expected.worse_error(&values, &references, outputs);
            let found = pipeline.estimate(view, count, (outputs, 0.0), || Ok(())).unwrap().error;
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        }
    }
}

//! Checks of fields on the device: errors estimated at picked receivers, and direct sums at some.

use kernels_gpu::check::{Checked, Picking};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Grid, Machine};
use kernels_gpu::transfer::Pick;

use super::Number;
use super::keeping::Keeping;
use super::launches::THREADS;
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
pub(super) struct Estimate {
    /// Relative L2 error of the worse output.
    pub(super) error: f64,
    /// Whether all results are finite.
    pub(super) is_finite: bool,
}

/// A field that is checked, with its receivers in the same order.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedField<T> {
    field: View<Vec4<T>>,
    receivers: View<Vec4<T>>,
    /// Factor from the receivers' coordinates to the tree's unit.
    length_factor: f64,
    /// Units of potential and gradient, in which results are of order 1.
    units: [f64; 2],
}

impl<M: Machine + Clone, T: Scalar + Number> State<M, T> {
    /// The field of the last run: in the caller's order, or in that of the tree where the points as they came are not kept.
    pub(super) fn checked(&mut self, n_receivers: usize) -> CheckedField<T> {
        if self.shares() {
            let (field, receivers) =
                (self.pipeline.sums.view(n_receivers), self.pipeline.sorted_receivers());
            return CheckedField { field, receivers, length_factor: 1.0, units: [1.0; 2] };
        }
        let receivers = self.receivers(n_receivers);
        CheckedField {
            field: self.field_mut(n_receivers).read_only(),
            receivers,
            length_factor: self.pipeline.unit.shrink(1.0),
            units: self.pipeline.result_units(),
        }
    }

    /// Sums over all sources, in the caller's units, at some receivers: gradient and potential. Pairs are of the device's
    /// floats, or of f64 where asked for.
    pub(super) fn references(
        &mut self,
        n_receivers: usize,
        which: &[u32],
        softening: f64,
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
        if self.shares() {
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
    /// The relative L2 error of the worse output of a field, estimated at `count` receivers, and whether all results are
    /// finite. The host sees the picked receivers alone.
    pub(super) fn estimate(
        &mut self,
        CheckedField { field, receivers, length_factor, units }: CheckedField<T>,
        count: usize,
        (outputs, softening): (Outputs, f64),
    ) -> Result<Estimate, Error> {
        let n = field.len();
        // Each of few receivers is picked in any case.
        let count = count.min(2 * n);
        // Squares in units in which results are of order 1 do not overflow.
        let [of_potential, of_gradient] = units.map(f64::recip);
        let kept = |kept: bool, factor: f64| if kept { factor } else { 0.0 };
        let factors = [
            kept(outputs.has_gradient(), of_gradient),
            kept(outputs.has_potential(), of_potential),
        ];
        let picking = Picking {
            field,
            receivers,
            sources: self.sorted_sources(),
            length_factor,
            factors,
            softening: T::from_f64(self.unit.shrink(softening)),
        };
        let (machine, picker) = (&self.machine, &mut self.checks.picker);
        picker.prepare(machine, [n, count], || limiting(n), || targets(count))?;
        let Checked { squares, picks: picked } = picker.check(machine, picking, count)?;
        let scaled = |[x, y, z, potential]: [f64; 4]| {
            let [x, y, z] = [x, y, z].map(|g| g * of_gradient);
            [x, y, z, potential * of_potential]
        };
        let values: Vec<_> = picked.iter().map(|pick| scaled(pick.value)).collect();
        // In the tree's units, results are of order 1 too.
        let references: Vec<_> = picked.iter().map(|pick| pick.sum).collect();
        let factors = picked.iter().map(|pick| pick.factor).collect();
        let within = picked.iter().map(|pick| pick.within).collect();
        let picks = Picks::of_device(factors, within, squares);
        Ok(Estimate {
            error: picks.worse_error(&values, &references, outputs),
            is_finite: squares.iter().all(|sum| sum.is_finite()),
        })
    }

    /// Units of potential and gradient, in which results are of order 1.
    pub(super) fn result_units(&self) -> [f64; 2] {
        [self.unit.potential(self.charge_unit), self.unit.gradient(self.charge_unit)]
    }

    /// Places in the tree's order of points that have these indices in the caller's. The permutation is copied to the host.
    fn places_in_tree(&self, permutation: View<u32>, which: &[u32]) -> Result<Vec<u32>, Error> {
        let mut order = vec![0; permutation.len()];
        self.machine.read(permutation, &mut order)?;
        let mut wanted: Vec<(u32, usize)> = which.iter().copied().zip(0..).collect();
        wanted.sort_unstable();
        let mut places = vec![0; which.len()];
        for (place, index) in order.iter().enumerate() {
            if let Ok(k) = wanted.binary_search_by_key(index, |(index, _)| *index) {
                places[wanted[k].1] = place as u32;
            }
        }
        Ok(places)
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

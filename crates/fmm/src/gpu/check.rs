//! Checks of fields on the device: errors estimated at picked receivers, and direct sums at some.

use kernels_gpu::check::{Checked, Picking};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Grid, Machine};
use kernels_gpu::transfer::Pick;

use super::Number;
use super::launches::THREADS;
use super::pipeline::Pipeline;
use crate::api::{Error, Outputs};
use crate::verify::{Picks, in_units, limiting, targets};

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

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// The relative L2 error of the worse output of a field in the caller's order, estimated at `count` receivers, and
    /// whether all results are finite. The host sees the picked receivers alone.
    pub(super) fn estimate(
        &mut self,
        field: View<Vec4<T>>,
        receivers: View<Vec4<T>>,
        count: usize,
        (outputs, softening): (Outputs, f64),
    ) -> Result<Estimate, Error> {
        let n = field.len();
        // Each of few receivers is picked in any case.
        let count = count.min(2 * n);
        // Squares in units in which results are of order 1 do not overflow.
        let [of_potential, of_gradient] = self.result_units().map(f64::recip);
        let kept = |kept: bool, factor: f64| if kept { factor } else { 0.0 };
        let factors = [
            kept(outputs.has_gradient(), of_gradient),
            kept(outputs.has_potential(), of_potential),
        ];
        let picking = Picking {
            field,
            receivers,
            sources: self.sorted_sources(),
            length_factor: self.unit.shrink(1.0),
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
        let in_units = |sum| in_units(sum, self.unit, self.charge_unit);
        let references: Vec<_> = picked.iter().map(|pick| scaled(in_units(pick.sum))).collect();
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

    /// Sums over all sources, in the caller's units, at some of the `receivers`, which are in the caller's order and
    /// units: gradient and potential. Pairs are of the device's floats, or of f64 where asked for.
    pub(super) fn references(
        &mut self,
        receivers: View<Vec4<T>>,
        which: &[u32],
        softening: f64,
        digits: PairDigits,
    ) -> Result<Vec<[f64; 4]>, Error> {
        self.pick_points(receivers, which)?;
        let sums = self.sums_at_picked(which.len(), softening, digits)?;
        Ok(sums.into_iter().map(|sums| in_units(sums, self.unit, self.charge_unit)).collect())
    }

    /// Some `points`, which are in the caller's order and units, in the tree's units.
    pub(super) fn places(
        &mut self,
        points: View<Vec4<T>>,
        which: &[u32],
    ) -> Result<Vec<Vec4<f64>>, Error> {
        self.pick_points(points, which)?;
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

    /// Puts some `points` into the memory of checks, in the tree's units.
    fn pick_points(&mut self, points: View<Vec4<T>>, which: &[u32]) -> Result<(), Error> {
        let n = which.len();
        let (machine, memory) = (&self.machine, &mut self.checks);
        memory.indices.upload(machine, which)?;
        memory.at.reserve(machine, n)?;
        let pick = Pick {
            points,
            which: memory.indices.view(n),
            factor: self.unit.shrink(1.0),
            picked: memory.at.view_mut(n),
        };
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
        match digits {
            PairDigits::Device => {
                memory.few.sum(machine, sources, at, T::from_f64(softening), sums)?;
            }
            PairDigits::Double => {
                memory.wide.reserve(machine, n_sources)?;
                let which = View::EMPTY;
                let picked = memory.wide.view_mut(n_sources);
                let all = Pick { points: sources, which, factor: 1.0, picked };
                machine.launch(&T::PICK, Grid::over(n_sources, THREADS), all)?;
                memory.few.sum(machine, memory.wide.view(n_sources), at, softening, sums)?;
            }
        }
        let mut values = vec![Vec4::default(); n];
        memory.sums.download(machine, &mut values)?;
        Ok(values.into_iter().map(|Vec4(v)| v).collect())
    }
}

//! Checks of fields on the device: norms, and direct sums in f64 at some receivers.

use kernels_gpu::check::field_squares;
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Grid, Machine};
use kernels_gpu::transfer::Pick;

use super::Number;
use super::launches::THREADS;
use super::pipeline::Pipeline;
use crate::api::Error;
use crate::verify::{BLOCK, BlockSums, Picks, in_units, limits};

/// Floats of the pairs of a reference sum, whose sums are of f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairDigits {
    /// The float type of the engine.
    Device,
    /// f64
    Double,
}

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Picks receivers of a field in the caller's order, which is on the device and on the host. Results of the caller's
    /// outputs count: factors of gradient and potential are 0 for the others.
    pub(super) fn pick(
        &mut self,
        field: View<Vec4<T>>,
        on_host: &[Vec4<T>],
        count: usize,
        kept: [f64; 2],
    ) -> Result<Picks, Error> {
        let n = field.len();
        let blocks = n.div_ceil(BLOCK);
        let [of_potential, of_gradient] = self.result_units();
        let factors = [kept[0] / of_gradient, kept[1] / of_potential];
        let weights = |place: usize| {
            let Vec4([x, y, z, potential]) = on_host[place];
            let [x, y, z] = [x, y, z].map(|g| g.to_f64() * factors[0]);
            let potential = potential.to_f64() * factors[1];
            [potential * potential, x * x + y * y + z * z, 0.0]
        };
        let limits = limits(n, weights);
        let memory = &mut self.checks;
        memory.squares.reserve(&self.machine, blocks)?;
        let squares = memory.squares.view_mut(blocks);
        field_squares(&self.machine, field, factors, limits, squares)?;
        let mut squares = vec![Vec4::default(); blocks];
        memory.squares.download(&self.machine, &mut squares)?;
        let sums =
            |Vec4([potential, gradient, a, b]): &Vec4<f64>| [*potential, *gradient, 0.0, *a, *b];
        let sums: Vec<BlockSums> = squares.iter().map(sums).collect();
        Ok(Picks::of_blocks(n, count, &sums, limits, weights))
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

//! Direct sums in f64 on the device, to check fields against.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::direct::DirectSum;
use kernels_gpu::machine::{Grid, Machine, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::Pick;

use super::Number;
use super::pipeline::{Pipeline, THREADS};
use crate::api::Error;
use crate::verify::in_units;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Sums in f64 over all sources, in the caller's units, at some of the `receivers`, which are in the caller's order and
    /// units: gradient and potential.
    pub(super) fn references(
        &self,
        receivers: View<Vec4<T>>,
        which: &[u32],
        softening: f64,
    ) -> Result<Vec<[f64; 4]>, Error> {
        let (machine, n_sources) = (&self.machine, self.tree.n_sources());
        let mut at = Grown::<M, Vec4<f64>>::new();
        let mut sources = Grown::<M, Vec4<f64>>::new();
        let mut field = Grown::<M, Vec4<f64>>::new();
        at.reserve(machine, which.len())?;
        sources.reserve(machine, n_sources)?;
        field.reserve(machine, which.len())?;
        self.widen(receivers, which, self.unit.shrink(1.0), at.view_mut(which.len()))?;
        self.widen(self.sorted_sources(), &[], 1.0, sources.view_mut(n_sources))?;
        let softening = self.unit.shrink(softening);
        DirectSum::<M, f64>::new().sum(
            machine,
            sources.view(n_sources),
            at.view(which.len()),
            softening,
            field.view_mut(which.len()),
        )?;
        let mut values = vec![Vec4::default(); which.len()];
        field.download(machine, &mut values)?;
        Ok(values.iter().map(|Vec4(v)| in_units(*v, self.unit, self.charge_unit)).collect())
    }

    /// Gradients and potentials of a field at some receivers, in f64.
    pub(super) fn values(
        &self,
        field: View<Vec4<T>>,
        which: &[u32],
    ) -> Result<Vec<[f64; 4]>, Error> {
        let mut picked = Grown::<M, Vec4<f64>>::new();
        picked.reserve(&self.machine, which.len())?;
        self.widen(field, which, 1.0, picked.view_mut(which.len()))?;
        let mut values = vec![Vec4::default(); which.len()];
        picked.download(&self.machine, &mut values)?;
        Ok(values.iter().map(|Vec4(v)| *v).collect())
    }

    /// Copies some `points`, or all if `which` is empty, to f64; coordinates are multiplied by a factor.
    fn widen(
        &self,
        points: View<Vec4<T>>,
        which: &[u32],
        factor: f64,
        picked: ViewMut<Vec4<f64>>,
    ) -> Result<(), MachineError> {
        let mut indices = Grown::<M, u32>::new();
        indices.upload(&self.machine, which)?;
        let which = indices.view(which.len());
        let grid = Grid::over(picked.len(), THREADS);
        self.machine.launch(&T::PICK, grid, Pick { points, which, factor, picked })
    }
}

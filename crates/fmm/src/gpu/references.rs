//! Direct sums in f64 on the device, to check fields against.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::direct::DirectSum;
use kernels_gpu::machine::{Grid, Machine, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::Pick;

use super::Number;
use super::pipeline::{Pipeline, THREADS};
use crate::Error;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Sums in f64 over all sources, in the caller's units, at some of the `receivers`, which are in the caller's order and
    /// units: gradient and potential.
    pub(super) fn references(
        &self,
        receivers: View<Vec4<T>>,
        which: &[u32],
        softening: f64,
    ) -> Result<Vec<Vec4<f64>>, Error> {
        let machine = &self.machine;
        let n_sources = self.tree.n_sources();
        let mut indices = Grown::<M, u32>::new();
        indices.upload(machine, which)?;
        let mut at = Grown::<M, Vec4<f64>>::new();
        let mut sources = Grown::<M, Vec4<f64>>::new();
        let mut field = Grown::<M, Vec4<f64>>::new();
        at.reserve(machine, which.len())?;
        sources.reserve(machine, n_sources)?;
        field.reserve(machine, which.len())?;
        let pick =
            |points, which, factor: f64, picked: ViewMut<Vec4<f64>>| -> Result<(), MachineError> {
                let grid = Grid::over(picked.len(), THREADS);
                machine.launch(&T::PICK, grid, Pick { points, which, factor, picked })
            };
        pick(
            receivers,
            indices.view(which.len()),
            self.unit.shrink(1.0),
            at.view_mut(which.len()),
        )?;
        pick(self.sorted_sources(), View::EMPTY, 1.0, sources.view_mut(n_sources))?;
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
        let gradient = self.unit.gradient(self.charge_unit);
        let factors = [gradient, gradient, gradient, self.unit.potential(self.charge_unit)];
        Ok(values.iter().map(|Vec4(v)| Vec4([0, 1, 2, 3].map(|k| v[k] * factors[k]))).collect())
    }
}

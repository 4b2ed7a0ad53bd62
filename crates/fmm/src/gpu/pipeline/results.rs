//! Sums of a run, to the caller's order and units.

use kernels_gpu::check::weights::WeighedField;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Launcher};
use kernels_gpu::transfer::{SCATTER_FIELD, Scatter, SummedField};

use super::Pipeline;
use crate::api::{Error, Outputs, Stage};
use crate::gpu::Number;
use crate::gpu::launches::THREADS;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::timers::Timers;
use crate::verify::limiting;

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// From the tree's order and units to the caller's: the sums over pairs, and `more` if that has items. Where a check
    /// follows, the pass over the sums tells it what they weigh.
    pub(crate) fn scatter(
        &mut self,
        more: View<Vec4<T>>,
        output: ViewMut<Vec4<T>>,
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let field = SummedField {
            sums: self.pair_sums(),
            more,
            gradient_factor: T::from_f64(self.unit.gradient(self.charge_unit)),
            potential_factor: T::from_f64(self.unit.potential(self.charge_unit)),
        };
        // Where the least is kept, leaves of receivers have no memory until the sums have gone.
        let checked = self.checked_outputs.filter(|_| self.keeping < Keeping::Least);
        self.weighed = None;
        match checked {
            Some(outputs) => self.weigh_and_scatter(field, output, outputs)?,
            None => {
                let permutation = self.tree.receiver_permutation();
                let scatter = Scatter { summed: field, permutation, field: output };
                let grid = Grid::over(field.len(), THREADS);
                self.machine.launch(&SCATTER_FIELD(), grid, scatter)?;
            }
        }
        Ok(timers.end(Stage::Other)?)
    }

    fn weigh_and_scatter(
        &mut self,
        field: SummedField<T>,
        output: ViewMut<Vec4<T>>,
        outputs: Outputs,
    ) -> Result<(), Error> {
        let (n, permutation) = (field.len(), self.tree.receiver_permutation());
        let factors = self.weight_factors(outputs);
        let places = self.leaf_places()?;
        let weighed = WeighedField { field, permutation: View::EMPTY, factors, places };
        let (machine, picker) = (&self.machine, &mut self.checks.picker);
        picker.prepare_limits(machine, n, || limiting(n))?;
        picker.weigh_and_scatter(machine, weighed, permutation, output)?;
        self.weighed = Some(weighed);
        Ok(())
    }
}

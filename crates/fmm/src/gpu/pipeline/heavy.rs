//! Heavy charges on a device: the few that outweigh all others act on every receiver by the direct sum.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Grid, Launcher, MachineError};
use kernels_gpu::transfer::{GATHER_POINTS, GatherPoints, PUT_CHARGES, PutCharges};

use super::Pipeline;
use crate::gpu::Number;
use crate::gpu::launches::{Sums, THREADS};

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Sums these charges directly, from now to the next charges; they are at `places` in `points`, whose coordinates a factor
    /// brings to the tree's unit.
    pub(crate) fn put_heavy(
        &mut self,
        points: View<Vec4<T>>,
        factor: f64,
        places: &[u32],
        charges: &[T],
    ) -> Result<(), MachineError> {
        let (machine, n, heavy) = (&self.machine, places.len(), &mut self.heavy);
        heavy.clear();
        if n == 0 {
            return Ok(());
        }
        heavy.indices.upload(machine, places)?;
        heavy.charges.upload(machine, charges)?;
        heavy.sources.reserve(machine, n)?;
        let gather = GatherPoints {
            points,
            permutation: heavy.indices.view(n),
            length_factor: T::from_f64(factor),
            charge_factor: T::from_f64(1.0),
            gathered: heavy.sources.view_mut(n),
        };
        machine.launch(&GATHER_POINTS(), Grid::over(n, THREADS), gather)?;
        let as_they_are: Vec<u32> = (0..n as u32).collect();
        heavy.indices.upload(machine, &as_they_are)?;
        let put = PutCharges {
            charges: heavy.charges.view(n),
            permutation: heavy.indices.view(n),
            factor: T::from_f64(self.charge_unit.recip()),
            points: heavy.sources.view_mut(n),
        };
        machine.launch(&PUT_CHARGES(), Grid::over(n, THREADS), put)?;
        heavy.n = n;
        Ok(())
    }

    /// Sums these sources (x, y, z, q), in the tree's units, directly, from now to the next charges.
    pub(crate) fn put_heavy_sources(&mut self, sources: &[Vec4<T>]) -> Result<(), MachineError> {
        self.heavy.n = sources.len();
        self.heavy.sources.upload(&self.machine, sources)
    }

    /// P2P between heavy charges, if any, and all receivers. Returns the sums; no items if there are no such charges.
    pub(super) fn heavy_field(&mut self, softening: f64) -> Result<View<Vec4<T>>, MachineError> {
        if self.heavy.is_empty() {
            return Ok(View::EMPTY);
        }
        let n_receivers = self.tree.n_receivers();
        self.more.reserve(&self.machine, n_receivers)?;
        let (receivers, more) = (self.sorted_receivers(), self.more.view_mut(n_receivers));
        let softening = T::from_f64(self.unit.shrink(softening));
        self.heavy.sum(&self.machine, receivers, softening, more)?;
        Ok(more.read_only())
    }

    /// Begins the sums of all receivers with those over heavy charges, if any.
    pub(super) fn begin_sums(&mut self, softening: f64) -> Result<Sums, MachineError> {
        if self.heavy.is_empty() {
            return Ok(Sums::Empty);
        }
        let n_receivers = self.tree.n_receivers();
        let (receivers, sums) = (self.sorted_receivers(), self.sums.view_mut(n_receivers));
        let softening = T::from_f64(self.unit.shrink(softening));
        self.heavy.sum(&self.machine, receivers, softening, sums)?;
        Ok(Sums::Begun)
    }
}

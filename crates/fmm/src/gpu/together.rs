//! Near pairs of several vectors of charges, which share distances: summed together when the first vector is.
//!
//! Sums over near pairs depend on the tree and the charges alone, so they serve every attempt of an evaluation. All else is done
//! for one vector after the other.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Machine, MachineError};

use super::Number;
use super::pipeline::Pipeline;
use super::together_memory::Summed;

impl<M: Machine + Clone, T: Number> Pipeline<M, T> {
    /// Takes the sources with their charges as those of a vector of several.
    pub(super) fn take_vector(&mut self, vector: usize) -> Result<(), MachineError> {
        let sources = self.sorted_sources();
        let Some(together) = &mut self.together else { return Ok(()) };
        let all = together.sources.view_mut(together.vectors * together.n_sources);
        let own = all.part(vector * together.n_sources, together.n_sources);
        self.machine.copy(sources, self.machine.home(), own)
    }

    /// P2P of several vectors over the near lists, if there are several and they are not summed yet; says whether there are.
    pub(super) fn near_together(&mut self, softening: f64) -> Result<bool, MachineError> {
        let Some(mut together) = self.together.take() else { return Ok(false) };
        if together.summed == Summed::Nothing {
            let (sources, sums) = (together.all_sources(), together.all_sums());
            let lists = self.near_lists(sources, softening, sums);
            self.near.sum_vectors(&self.machine, lists, together.vectors)?;
            together.summed = Summed::Near;
        }
        together.serves = true;
        self.together = Some(together);
        Ok(true)
    }

    /// P2P of several vectors between all points, if there are several and nothing else is summed; says whether so.
    pub(super) fn all_together(&mut self, softening: f64) -> Result<bool, MachineError> {
        let Some(mut together) = self.together.take() else { return Ok(false) };
        if together.summed == Summed::Nothing {
            let softening = T::from_f64(self.unit.shrink(softening));
            let (sources, sums) = (together.all_sources(), together.all_sums());
            let points = [sources, self.sorted_receivers()];
            self.direct.sum_vectors(&self.machine, points, softening, together.vectors, sums)?;
            together.summed = Summed::All;
        }
        let serves = together.summed == Summed::All;
        together.serves = serves;
        self.together = Some(together);
        Ok(serves)
    }

    /// Sums over pairs of the last run.
    pub(super) fn pair_sums(&self) -> View<Vec4<T>> {
        let n_receivers = self.tree.n_receivers();
        match &self.together {
            Some(together) if together.serves => {
                let all = together.sums.view(together.vectors * n_receivers);
                all.part(together.current * n_receivers, n_receivers)
            }
            _ => self.sums.view(n_receivers),
        }
    }
}

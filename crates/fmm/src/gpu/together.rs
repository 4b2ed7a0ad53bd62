//! Near pairs of several vectors of charges, which share distances: summed together when the first vector is.
//!
//! Sums over near pairs depend on the tree and the charges alone, so they serve every attempt of an evaluation. All else is done
//! for one vector after the other.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::memory::Grown;

use super::Number;
use super::pipeline::Pipeline;
use crate::engine::PointCounts;

/// Pairs of the sums of several vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Summed {
    /// None yet.
    Nothing,
    /// Those of the near lists.
    Near,
    /// All.
    All,
}

/// Memory of the charges of a vector in the caller's order: all, and with zeros for the heavy ones where there are some.
pub(super) type ChargeMemory<M, T> = [Grown<M, T>; 2];

/// Several vectors of charges, and their sums over pairs.
pub(super) struct Together<M: Machine, T: Number> {
    /// (x, y, z, q) in the tree's order and units: source i of vector v at v N + i.
    sources: Grown<M, Vec4<T>>,
    /// In the tree's order and units: receiver i of vector v at v M + i.
    sums: Grown<M, Vec4<T>>,
    /// Number of vectors.
    vectors: usize,
    n_sources: usize,
    n_receivers: usize,
    /// The vector that is evaluated.
    pub(super) current: usize,
    summed: Summed,
    /// Whether the last run's sums over pairs are these.
    serves: bool,
    /// Memory of charges that no vector uses.
    pub(super) idle: Vec<ChargeMemory<M, T>>,
    /// Bytes of the charges of the vectors.
    pub(super) charge_bytes: usize,
}

impl<M: Machine, T: Number> Together<M, T> {
    /// No memory yet.
    pub(super) const fn new() -> Self {
        Self {
            sources: Grown::new(),
            sums: Grown::new(),
            vectors: 0,
            n_sources: 0,
            n_receivers: 0,
            current: 0,
            summed: Summed::Nothing,
            serves: false,
            idle: Vec::new(),
            charge_bytes: 0,
        }
    }

    /// Bytes beside those of one vector.
    pub(super) fn bytes(&self) -> usize {
        let vectors = (self.sources.capacity() + self.sums.capacity()) * size_of::<Vec4<T>>();
        vectors + self.charge_bytes.saturating_sub(self.n_sources * size_of::<T>())
    }

    /// Takes memory for so many vectors, unless that is more than `left` bytes or than the machine has; says whether it did.
    pub(super) fn reserve(
        &mut self,
        machine: &M,
        vectors: usize,
        counts: PointCounts,
        left: usize,
    ) -> Result<bool, MachineError> {
        let PointCounts { n_sources, n_receivers, .. } = counts;
        (self.vectors, self.n_sources, self.n_receivers) = (vectors, n_sources, n_receivers);
        (self.current, self.summed, self.serves) = (0, Summed::Nothing, false);
        let [sources, sums] = [n_sources, n_receivers].map(|n| vectors.saturating_mul(n));
        // Charges of all, and those without the heavy ones: at most.
        let charges = vectors.saturating_mul(2 * n_sources * size_of::<T>());
        let all = sources.saturating_add(sums).saturating_mul(size_of::<Vec4<T>>());
        if all.saturating_add(charges) > left {
            return Ok(false);
        }
        if self.sources.capacity() >= sources && self.sums.capacity() >= sums {
            return Ok(true);
        }
        self.sources.release();
        self.sums.release();
        if all.saturating_add(charges) > machine.free_bytes()? {
            return Ok(false);
        }
        self.sources.reserve(machine, sources)?;
        self.sums.reserve(machine, sums)?;
        Ok(true)
    }

    /// Whether several vectors have been summed together.
    #[cfg(test)]
    pub(super) fn is_summed(&self) -> bool {
        self.summed != Summed::Nothing
    }

    fn all_sources(&self) -> View<Vec4<T>> {
        self.sources.view(self.vectors * self.n_sources)
    }

    fn all_sums(&mut self) -> ViewMut<Vec4<T>> {
        self.sums.view_mut(self.vectors * self.n_receivers)
    }
}

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

//! Memory of several vectors of charges, whose near pairs are summed together.

use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Machine, MachineError};
use kernels_gpu::memory::Grown;

use super::Number;
use crate::engine::PointCounts;

/// Pairs of the sums of several vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summed {
    /// None yet.
    Nothing,
    /// Pairs of the near lists.
    Near,
    /// All.
    All,
}

/// Memory of the charges of a vector in the caller's order: all, and with zeros for the heavy ones where there are some.
pub(super) type ChargeMemory<M, T> = [Grown<M, T>; 2];

/// Several vectors of charges, and their sums over pairs.
pub(super) struct Together<M: Machine, T: Number> {
    /// (x, y, z, q) in the tree's order and units: source i of vector v at v N + i.
    pub(super) sources: Grown<M, Vec4<T>>,
    /// In the tree's order and units: receiver i of vector v at v M + i.
    pub(super) sums: Grown<M, Vec4<T>>,
    /// Number of vectors.
    pub(super) vectors: usize,
    pub(super) n_sources: usize,
    pub(super) n_receivers: usize,
    /// The vector that is evaluated.
    pub(super) current: usize,
    pub(super) summed: Summed,
    /// Whether the last run's sums over pairs are these.
    pub(super) serves: bool,
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

    pub(super) fn all_sources(&self) -> View<Vec4<T>> {
        self.sources.view(self.vectors * self.n_sources)
    }

    pub(super) fn all_sums(&mut self) -> ViewMut<Vec4<T>> {
        self.sums.view_mut(self.vectors * self.n_receivers)
    }
}

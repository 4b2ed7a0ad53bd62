//! Memory of several vectors of charges, whose near pairs are summed together, with all far fields beside them.

use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::memory::Grown;

use crate::engine::PointCounts;
use crate::gpu::Number;
use crate::gpu::pipeline::form::Form;

/// Pairs of the sums of several vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summed {
    /// None yet.
    Nothing,
    /// Pairs of the near lists, with 1/r of an accuracy.
    Near(PairAccuracy),
    /// All.
    All(PairAccuracy),
}

/// Memory of the charges of a vector in the caller's order: all, and with zeros for the heavy ones where there are some.
pub(crate) type ChargeMemory<M, T> = [Grown<M, T>; 2];

/// Several vectors of charges, and their sums over pairs.
pub(crate) struct Together<M: Launcher, T: Number> {
    /// (x, y, z, q) in the tree's order and units: source i of vector v at v N + i.
    pub(crate) sources: Grown<M, Vec4<T>>,
    /// In the tree's order and units: receiver i of vector v at v M + i.
    pub(crate) sums: Grown<M, Vec4<T>>,
    /// Sums through expansions of all vectors but the first, in the order and units of `sums`.
    pub(crate) more: Grown<M, Vec4<T>>,
    /// Whether far fields may be made ahead of the evaluations of their vectors.
    pub(crate) may_go_ahead: bool,
    /// Expansions by which `more` was made, if it was.
    pub(crate) ahead: Option<Form>,
    /// Number of vectors.
    pub(crate) vectors: usize,
    pub(crate) n_sources: usize,
    pub(crate) n_receivers: usize,
    /// The vector that is evaluated.
    pub(crate) current: usize,
    pub(crate) summed: Summed,
    /// Whether the last run's sums over pairs are these.
    pub(crate) serves: bool,
    /// Memory of charges that no vector uses.
    pub(crate) idle: Vec<ChargeMemory<M, T>>,
    /// Bytes of the charges of the vectors.
    pub(crate) charge_bytes: usize,
}

impl<M: Launcher, T: Number> Together<M, T> {
    /// No memory yet.
    pub(crate) const fn new() -> Self {
        Self {
            sources: Grown::new(),
            sums: Grown::new(),
            more: Grown::new(),
            may_go_ahead: false,
            ahead: None,
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
    pub(crate) fn bytes(&self) -> usize {
        let arrays = [&self.sources, &self.sums, &self.more];
        let vectors = arrays.map(Grown::capacity).iter().sum::<usize>() * size_of::<Vec4<T>>();
        vectors + self.charge_bytes.saturating_sub(self.n_sources * size_of::<T>())
    }

    /// Takes memory for so many vectors, which have expansions if `expands`, unless that is more than `left` bytes or than the
    /// machine has; says whether it did.
    pub(crate) fn reserve(
        &mut self,
        machine: &M,
        (vectors, expands): (usize, bool),
        counts: PointCounts,
        left: usize,
    ) -> Result<bool, MachineError> {
        let PointCounts { n_sources, n_receivers, .. } = counts;
        (self.vectors, self.n_sources, self.n_receivers) = (vectors, n_sources, n_receivers);
        (self.current, self.summed, self.serves) = (0, Summed::Nothing, false);
        (self.may_go_ahead, self.ahead) = (false, None);
        let [sources, sums] = [n_sources, n_receivers].map(|n| vectors.saturating_mul(n));
        let more = if expands { sums } else { 0 };
        // Charges of all, and those without the heavy ones: at most.
        let charges = vectors.saturating_mul(2 * n_sources * size_of::<T>());
        let all = sources.saturating_add(sums).saturating_add(more);
        let all = all.saturating_mul(size_of::<Vec4<T>>());
        if all.saturating_add(charges) > left {
            return Ok(false);
        }
        let mut arrays =
            [(&mut self.sources, sources), (&mut self.sums, sums), (&mut self.more, more)];
        if arrays.iter().all(|(array, length)| array.capacity() >= *length) {
            return Ok(true);
        }
        arrays.iter_mut().for_each(|(array, _)| array.release());
        if all.saturating_add(charges) > machine.free_bytes()? {
            return Ok(false);
        }
        for (array, length) in arrays {
            array.reserve(machine, length)?;
        }
        Ok(true)
    }

    /// Whether sums over near pairs of this accuracy are there.
    pub(crate) fn has_near(&self, accuracy: PairAccuracy) -> bool {
        matches!(self.summed, Summed::Near(had) if had >= accuracy)
    }

    /// Whether several vectors have been summed together.
    #[cfg(test)]
    pub(crate) fn is_summed(&self) -> bool {
        self.summed != Summed::Nothing
    }

    /// Sources with the charges of a vector.
    pub(crate) fn sources_of(&self, vector: usize) -> View<Vec4<T>> {
        self.all_sources().part(vector * self.n_sources, self.n_sources)
    }

    pub(crate) fn all_sources(&self) -> View<Vec4<T>> {
        self.sources.view(self.vectors * self.n_sources)
    }

    pub(crate) fn all_sums(&mut self) -> ViewMut<Vec4<T>> {
        self.sums.view_mut(self.vectors * self.n_receivers)
    }
}

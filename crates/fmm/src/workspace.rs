//! Memory that evaluations use again.

use crate::Scalar;
use expansions::operators::WaveBuffer;

use crate::passes::SentWaves;
use crate::tasks::Sums;
use crate::treecode::CellData;

/// Buffers of an evaluation; see [`Plan::evaluate_into`](crate::Plan::evaluate_into).
///
/// A workspace belongs to no plan: it grows to what the largest evaluation needed and stays so.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T> {
    /// Per vector, in tree order and in its unit of charge.
    pub(crate) charges: Vec<Vec<T>>,
    /// Per vector, the unit of charge: a power of two.
    pub(crate) charge_units: Vec<f64>,
    /// Per box, a row of [`expansions::layout::row_length`] numbers; of one vector after the other.
    pub(crate) multipoles: Vec<T>,
    /// As `multipoles`; afterwards room for the sums on their way to the caller.
    pub(crate) locals: Vec<T>,
    /// What plane waves of M2L are kept.
    pub(crate) waves: SentWaves<T>,
    /// Per vector, in tree order, in the plan's unit and the vector's unit of charge.
    pub(crate) sums: Vec<Sums<T>>,
    /// What rounding lost of the sums, where pairs are met once.
    pub(crate) lost: Sums<T>,
    /// The treecode's cells.
    pub(crate) cells: CellData<T>,
}

impl<T: Scalar> Workspace<T> {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for so many vectors.
    pub(crate) fn reserve_vectors(&mut self, n_vectors: usize) {
        let n = self.charges.len().max(n_vectors);
        self.charges.resize_with(n, Vec::new);
        self.charge_units.resize(n, 1.0);
        self.sums.resize_with(n, Sums::default);
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let charges: usize = self.charges.iter().map(Vec::len).sum();
        let length =
            |s: &Sums<T>| s.potential.len() + s.gradient.iter().map(Vec::len).sum::<usize>();
        let sums: usize = self.sums.iter().chain([&self.lost]).map(length).sum();
        (charges + self.multipoles.len() + self.locals.len() + sums) * size_of::<T>()
            + self.waves.iter().map(WaveBuffer::bytes).sum::<usize>()
            + self.cells.bytes()
    }
}

//! Buffers of the cores' evaluations, which are used again.

use expansions::operators::WaveBuffer;

use super::cells::CellData;
use super::clumps::InnerRoom;
use super::geometry::receivers::Sums;
use super::peers::walks::SeenPoints;
use crate::engine::Scalar;

/// Slabs whose waves are kept: three that one slab receives from, and one that sends meanwhile.
pub(super) const SENT_SLABS: usize = 4;

/// Plane waves that the families of the last slabs sent.
pub(super) type SentWaves<T> = [WaveBuffer<T>; SENT_SLABS];

/// Memory of an evaluation on the cores.
#[derive(Debug, Default)]
pub(crate) struct Buffers<T> {
    /// Charges of each vector, in tree order and in the vector's unit of charge.
    pub(crate) charges: Vec<Vec<T>>,
    /// Unit of charge of each vector: a power of two.
    pub(crate) charge_units: Vec<f64>,
    /// Multipole of each box, a row of [`expansions::layout::row_length`] numbers; of one vector after the other.
    pub(crate) multipoles: Vec<T>,
    /// Local expansion of each box, as `multipoles`.
    pub(crate) locals: Vec<T>,
    /// Plane waves of M2L on their way.
    pub(crate) waves: SentWaves<T>,
    /// Sums of each vector, in tree order, in the plan's unit and the vector's unit of charge.
    pub(crate) sums: Vec<Sums<T>>,
    /// Compensation terms of the symmetric P2P.
    pub(crate) compensation: Sums<T>,
    /// Cells of the treecode.
    pub(crate) cells: CellData<T>,
    /// Points that walks among several processes see.
    pub(crate) seen: SeenPoints<T>,
    /// Gradient and potential (gx, gy, gz, Φ) of each receiver side by side, on their way to the caller.
    pub(crate) results: Vec<[T; 4]>,
    /// Evaluations of clumps.
    pub(crate) clumps: Vec<InnerRoom<T>>,
}

impl<T: Scalar> Buffers<T> {
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
        let sums: usize = self.sums.iter().chain([&self.compensation]).map(length).sum();
        (charges + self.multipoles.len() + self.locals.len() + sums + 4 * self.results.len())
            * size_of::<T>()
            + self.sums.iter().map(|sums| size_of_val(sums.expected.as_slice())).sum::<usize>()
            + self.waves.iter().map(WaveBuffer::bytes).sum::<usize>()
            + self.cells.bytes()
            + self.seen.bytes()
    }
}

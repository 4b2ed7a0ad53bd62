//! Launches of the direct sum.

use super::{DIRECT_SHARES, DIRECT_THREADS, Direct, RECEIVERS, Shares, TILE, shared_bytes};
use crate::device::{Kernel, Plain, Real, Vec4, View, ViewMut};
use crate::direct::pair::{Pair, of_accuracy};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use expansions::operators::PairAccuracy;
use std::fmt::Debug;

/// Kernels without and with softening.
pub type DirectKernels<T, O> = [Kernel<Direct<T, O>>; 2];

/// Number types of a direct sum: positions and charges of `Self`, sums of `O`.
pub trait Precision<O: Real>: Pair {
    /// Kernels of these types for 1, 2, 3 … vectors of charges at once, by bits of 1/r as [`BITS`](super::pair::BITS) has them;
    /// the last serve those that are left out too.
    const KERNELS: &'static [&'static [DirectKernels<Self, O>]];
}

/// Driver of direct sums, and the memory that they share.
#[derive(Debug)]
pub struct DirectSum<M: Launcher, O: Real> {
    shares: Grown<M, Vec4<O>>,
}

/// Number of blocks of a launch that keeps the device busy to the end.
const BLOCKS: usize = 1 << 13;
/// Largest number of shares.
const MAX_SHARES: usize = 512;

/// Number of sources of a share, a multiple of [`TILE`], and number of shares, for so many sources and receivers.
fn division(n_sources: usize, n_receivers: usize) -> (usize, usize) {
    let blocks = n_receivers.div_ceil(RECEIVERS).max(1);
    let tiles = n_sources.div_ceil(TILE).max(1);
    let share = TILE * tiles.div_ceil(BLOCKS.div_ceil(blocks).min(MAX_SHARES).min(tiles));
    (share, n_sources.div_ceil(share).max(1))
}

/// Vectors of four numbers that a direct sum takes for shares of so many receivers' sums over so many sources; none where one
/// block takes all sources.
pub fn share_vectors(n_sources: usize, n_receivers: usize) -> usize {
    let (_, shares) = division(n_sources, n_receivers);
    if shares > 1 { shares * n_receivers } else { 0 }
}

impl<M: Launcher, O: Real> DirectSum<M, O>
where
    Vec4<O>: Plain,
{
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { shares: Grown::new() }
    }

    /// Vectors of four numbers that it has for shares.
    pub fn share_vectors(&self) -> usize {
        self.shares.capacity()
    }

    /// Writes gradient and potential (gx, gy, gz, Φ) of Σ q/√(r² + ε²) over `sources` (x, y, z, q) at `receivers`
    /// (x, y, z, any), to all digits; pairs with r = 0 count nothing. One launch, or two for few receivers.
    ///
    /// # Errors
    /// If the device fails, or has no memory for the shares: at most 2⁷ MiB in f32, twice that in f64.
    pub fn sum<T: Precision<O>>(
        &mut self,
        machine: &M,
        sources: View<Vec4<T>>,
        receivers: View<Vec4<T>>,
        softening: T,
        output: ViewMut<Vec4<O>>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        self.sum_vectors(machine, [sources, receivers], (softening, PairAccuracy::Full), 1, output)
    }

    /// The sums of several vectors of charges, which share distances, with the bits of each alone, and 1/r of an accuracy in
    /// f64: source i of vector v is at v N + i of the first view, for N sources, and the sum at receiver i at v M + i, for M
    /// receivers. All vectors have the same positions. One or two launches for every four vectors in f32, two in f64.
    ///
    /// # Errors
    /// As [`sum`](Self::sum), with the shares of as many vectors as are summed at once.
    pub fn sum_vectors<T: Precision<O>>(
        &mut self,
        machine: &M,
        [sources, receivers]: [View<Vec4<T>>; 2],
        (softening, accuracy): (T, PairAccuracy),
        vectors: usize,
        output: ViewMut<Vec4<O>>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let (n_sources, n) = (sources.len() / vectors.max(1), receivers.len());
        if n == 0 {
            return Ok(());
        }
        let kernels = of_accuracy(T::KERNELS, accuracy);
        let most = kernels.len();
        for first in (0..vectors).step_by(most) {
            let count = most.min(vectors - first);
            let sources = sources.part(first * n_sources, count * n_sources);
            let output = output.part(first * n, count * n);
            let kernel = &kernels[count - 1][usize::from(softening > T::ZERO)];
            self.sum_at_once(machine, kernel, [sources, receivers], (softening, count), output)?;
        }
        Ok(())
    }

    /// The same by a kernel, which takes so many vectors.
    fn sum_at_once<T: Precision<O>>(
        &mut self,
        machine: &M,
        kernel: &Kernel<Direct<T, O>>,
        [sources, receivers]: [View<Vec4<T>>; 2],
        (softening, vectors): (T, usize),
        output: ViewMut<Vec4<O>>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let (n_sources, n) = (sources.len() / vectors, output.len());
        let blocks = receivers.len().div_ceil(RECEIVERS);
        let (share, shares) = division(n_sources, receivers.len());
        let to = if shares == 1 {
            output
        } else {
            self.shares.reserve(machine, shares * n)?;
            self.shares.view_mut(shares * n)
        };
        let bytes = if vectors == 1 { shared_bytes::<T, 1>() } else { shared_bytes::<T, 2>() };
        let mut grid = Grid::of(blocks as u32, DIRECT_THREADS).shared(bytes);
        grid.blocks[1] = shares as u32;
        let softening2 = softening * softening;
        let share = share as u32;
        machine.launch(
            kernel,
            grid,
            Direct { sources, receivers, softening2, share, output: to },
        )?;
        if shares > 1 {
            let args = Shares { shares: self.shares.view(shares * n), output };
            machine.launch(&DIRECT_SHARES(), Grid::over(n, DIRECT_THREADS), args)?;
        }
        Ok(())
    }
}

impl<M: Launcher, O: Real> Default for DirectSum<M, O>
where
    Vec4<O>: Plain,
{
    fn default() -> Self {
        Self::new()
    }
}

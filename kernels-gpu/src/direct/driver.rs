//! Launches of the direct sum.

use super::{
    DIRECT_F32, DIRECT_F32_SOFT, DIRECT_F64, DIRECT_F64_SOFT, DIRECT_MIXED, DIRECT_MIXED_SOFT,
    DIRECT_SHARES_F32, DIRECT_SHARES_F64, DIRECT_THREADS, Direct, RECEIVERS, Shares, TILE,
    shared_bytes,
};
use crate::device::{Kernel, Plain, Real, Vec4, View, ViewMut};
use crate::direct::pair::Pair;
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use std::fmt::Debug;

/// Kernels without and with softening, and the one that adds shares.
pub type DirectKernels<T, O> = (Kernel<Direct<T, O>>, Kernel<Direct<T, O>>, Kernel<Shares<O>>);

/// Number types of a direct sum: positions and charges of `Self`, sums of `O`.
pub trait Precision<O: Real>: Pair {
    /// Kernels of these types.
    const KERNELS: DirectKernels<Self, O>;
}

impl Precision<Self> for f32 {
    const KERNELS: DirectKernels<Self, Self> = (DIRECT_F32, DIRECT_F32_SOFT, DIRECT_SHARES_F32);
}

impl Precision<f64> for f32 {
    const KERNELS: DirectKernels<Self, f64> = (DIRECT_MIXED, DIRECT_MIXED_SOFT, DIRECT_SHARES_F64);
}

impl Precision<Self> for f64 {
    const KERNELS: DirectKernels<Self, Self> = (DIRECT_F64, DIRECT_F64_SOFT, DIRECT_SHARES_F64);
}

/// Driver of direct sums, and the memory that they share.
#[derive(Debug)]
pub struct DirectSum<M: Machine, O: Real> {
    shares: Grown<M, Vec4<O>>,
}

/// Number of blocks of a launch that keeps the device busy to the end.
const BLOCKS: usize = 1 << 13;
/// Largest number of shares.
const MAX_SHARES: usize = 512;

impl<M: Machine, O: Real> DirectSum<M, O>
where
    Vec4<O>: Plain,
{
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { shares: Grown::new() }
    }

    /// Writes gradient and potential (gx, gy, gz, Φ) of Σ q/√(r² + ε²) over `sources` (x, y, z, q) at `receivers`
    /// (x, y, z, any); pairs with r = 0 count nothing. One launch, or two for few receivers.
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
        let n = receivers.len();
        if n == 0 {
            return Ok(());
        }
        let blocks = n.div_ceil(RECEIVERS);
        let tiles = sources.len().div_ceil(TILE).max(1);
        let wanted = BLOCKS.div_ceil(blocks).min(MAX_SHARES).min(tiles);
        let share = tiles.div_ceil(wanted) * TILE;
        let shares = sources.len().div_ceil(share).max(1);
        let to = if shares == 1 {
            output.part(0, n)
        } else {
            self.shares.reserve(machine, shares * n)?;
            self.shares.view_mut(shares * n)
        };
        let (bare, soft, add) = T::KERNELS;
        let kernel = if softening > T::ZERO { soft } else { bare };
        let mut grid = Grid::of(blocks as u32, DIRECT_THREADS).shared(shared_bytes::<T>());
        grid.blocks[1] = shares as u32;
        let softening2 = softening * softening;
        let share = share as u32;
        machine.launch(
            &kernel,
            grid,
            Direct { sources, receivers, softening2, share, output: to },
        )?;
        if shares > 1 {
            let args = Shares { shares: self.shares.view(shares * n), output: output.part(0, n) };
            machine.launch(&add, Grid::over(n, DIRECT_THREADS), args)?;
        }
        Ok(())
    }
}

impl<M: Machine, O: Real> Default for DirectSum<M, O>
where
    Vec4<O>: Plain,
{
    fn default() -> Self {
        Self::new()
    }
}

//! Launches of direct sums at a few receivers.
//!
//! | file | what |
//! |---|---|
//! | `direct_sums.rs` | the sums, as the host reads them |
//! | `picker.rs` | picks of receivers, with their direct sums |
//! | `share.rs` | picks of one of several devices; errors to expect of places |
//! | `inspector.rs` | charges before a sum, and results behind it |

mod direct_sums;
mod inspector;
mod picker;
mod share;

pub use direct_sums::DirectSums;
pub use inspector::{ChargeFacts, Inspector, ResultFacts};
pub use picker::{Checked, Picked, Picker, Picking};
pub use share::{Share, expected_errors};

use super::{
    AT_ONCE, CHECK_THREADS, EACH, FEW_SHARES, FEW_SUM, FEW_SUM_IN_F64, FewSums, SHARED_BYTES,
    columns,
};
use crate::device::{Plain, Vec4, View, ViewMut, warp};
use crate::direct::Shares;
use crate::direct::pair::Pair;
use crate::machine::{Grid, Launcher, MULTIPROCESSORS, MachineError};
use crate::memory::Grown;

/// Number types of checks.
pub trait Checkable: Pair {
    /// Number of blocks of a direct sum at a few receivers, at most: as many for each multiprocessor as those have
    /// registers for.
    const SUM_BLOCKS: usize;
}

impl Checkable for f32 {
    const SUM_BLOCKS: usize = 5 * MULTIPROCESSORS;
}

impl Checkable for f64 {
    const SUM_BLOCKS: usize = 3 * MULTIPROCESSORS;
}

/// Number of blocks of a look at charges or results.
const BLOCKS: usize = 4 * MULTIPROCESSORS;

/// Floats of the pairs of a direct sum at a few receivers, whose sums are of f64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairDigits {
    /// The float type of the sources.
    Own,
    /// f64
    Double,
}

/// Driver of direct sums at a few receivers, and their memory.
#[derive(Debug, Default)]
pub struct FewSum<M: Launcher> {
    shares: Grown<M, Vec4<f64>>,
}

impl<M: Launcher> FewSum<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { shares: Grown::new() }
    }

    /// Writes gradient and potential (gx, gy, gz, Φ) of Σ q/√(r² + ε²) over `sources` (x, y, z, q) at a few `receivers`
    /// (x, y, z, any); pairs with r = 0 count nothing. Behind them go the magnitudes of the terms at every [`EACH`]-th, as
    /// [`DirectSums::of_columns`] reads them: `output` has [`columns`]. Two launches.
    ///
    /// # Errors
    /// If the device fails, or has no memory for the shares: some 100 kB.
    pub fn sum<T: Checkable>(
        &mut self,
        machine: &M,
        sources: View<Vec4<T>>,
        receivers: View<Vec4<f64>>,
        softening: f64,
        digits: PairDigits,
        output: ViewMut<Vec4<f64>>,
    ) -> Result<(), MachineError>
    where
        Vec4<T>: Plain,
    {
        let n = receivers.len();
        if n == 0 {
            return Ok(());
        }
        let groups = n.div_ceil(EACH);
        let threads = CHECK_THREADS as usize;
        let (kernel, blocks) = match digits {
            PairDigits::Own => (FEW_SUM::<T>(), T::SUM_BLOCKS),
            PairDigits::Double => (FEW_SUM_IN_F64::<T>(), f64::SUM_BLOCKS),
        };
        // A thread that reads fewer sources than it can at once takes as long.
        let wanted = (blocks / groups).min(sources.len().div_ceil(AT_ONCE * threads)).max(1);
        let share = sources.len().div_ceil(wanted).next_multiple_of(threads).max(threads);
        let shares = sources.len().div_ceil(share).max(1);
        let columns = columns(n);
        self.shares.reserve(machine, shares * columns)?;
        let mut grid = Grid::of(shares as u32, CHECK_THREADS).shared(SHARED_BYTES);
        grid.blocks[1] = groups as u32;
        let (softening2, share) = (softening * softening, share as u32);
        let few = FewSums {
            sources,
            receivers,
            softening2,
            share,
            output: self.shares.view_mut(shares * columns),
        };
        machine.launch(&kernel, grid, few)?;
        let threads = CHECK_THREADS.min((shares as u32).next_multiple_of(warp::SIZE));
        let shares = self.shares.view(shares * columns);
        let add = Shares { shares, output: output.part(0, columns) };
        let grid = Grid::of(columns as u32, threads).shared(SHARED_BYTES);
        machine.launch(&FEW_SHARES, grid, add)
    }
}

//! Launches that choose cuts and bring points into the order of their owners.

use super::THREADS;
use crate::device::{Vec4, View};
use crate::machine::{Grid, Machine, MachineError};
use crate::memory::Grown;
use crate::partition::owners::{
    self, CountBeside, LEVELS, OWNER_STARTS, OwnerStarts, Owners, Parted, SampleKeys, shared_bytes,
};
use crate::sort::{SortError, Sorter};
use crate::tree::morton::MAX_LEVEL;
use crate::tree::points::Lattice;
use octree::Cube;
use octree::partition::CutCounts;
use std::vec;
use std::vec::Vec;

/// Blocks of a launch by any number of threads: four for each of 132 multiprocessors.
const BLOCKS: usize = 528;

/// Keys of some points in the memory of a device, from which the host chooses cuts.
#[derive(Debug, Default)]
pub struct CutFinder<M: Machine> {
    keys: Grown<M, u64>,
}

impl<M: Machine> CutFinder<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { keys: Grown::new() }
    }

    /// Codes of at most `count` points, at even distances in memory, at the deepest level of all. The host waits.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn sample<T: Parted>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
        cube: &Cube,
        count: usize,
    ) -> Result<Vec<u64>, MachineError> {
        let count = count.min(points.len());
        let mut codes = vec![0; count];
        if count > 0 {
            self.keys.reserve(machine, count)?;
            let lattice = Lattice::new(cube, MAX_LEVEL);
            let args = SampleKeys { points, lattice, keys: self.keys.view_mut(count) };
            machine.launch(&T::SAMPLE_KEYS, Grid::over(count, THREADS), args)?;
            self.keys.download(machine, &mut codes)?;
        }
        Ok(codes)
    }
}

/// Numbers of points in the boxes that begin at `cuts` or have one inside: see [`CutCounts`]. The host waits.
///
/// # Errors
/// If the device fails or has not enough memory.
pub fn count_beside<M: Machine, T: Parted>(
    machine: &M,
    points: View<Vec4<T>>,
    cube: &Cube,
    cuts: &[u64],
) -> Result<Vec<CutCounts>, MachineError> {
    let n_counts = LEVELS * cuts.len();
    let mut counts = vec![0; n_counts];
    if n_counts > 0 && !points.is_empty() {
        let mut memory = Grown::<M, u32>::new();
        memory.upload(machine, &counts)?;
        let mut of_cuts = Grown::<M, u64>::new();
        of_cuts.upload(machine, cuts)?;
        let args = CountBeside {
            points,
            lattice: Lattice::new(cube, MAX_LEVEL),
            cuts: of_cuts.view(cuts.len()),
            counts: memory.view_mut(n_counts),
        };
        let blocks = points.len().div_ceil(owners::THREADS as usize).min(BLOCKS) as u32;
        let grid = Grid::of(blocks, owners::THREADS).shared(shared_bytes(cuts.len()));
        machine.launch(&T::COUNT_BESIDE, grid, args)?;
        memory.download(machine, &mut counts)?;
    }
    Ok(counts.as_chunks().0.iter().map(|counts| counts.map(u64::from)).collect())
}

/// Order of points by their owners.
#[derive(Debug)]
pub struct OwnerOrder<M: Machine> {
    permutation: Grown<M, u32>,
    /// First place of each owner, then the number of points.
    pub starts: Vec<usize>,
}

impl<M: Machine> OwnerOrder<M> {
    /// The order of `points` by their owners; points of one owner keep their order. `cuts` are the first codes of the second
    /// owner and those after it. The host waits.
    ///
    /// # Errors
    /// If there are too many points, or the device fails or has not enough memory.
    pub fn new<T: Parted>(
        machine: &M,
        points: View<Vec4<T>>,
        cube: &Cube,
        cuts: &[u64],
    ) -> Result<Self, SortError> {
        let (n, n_owners) = (points.len(), cuts.len() + 1);
        let mut owners = Grown::<M, u32>::new();
        owners.reserve(machine, n)?;
        let mut of_cuts = Grown::<M, u64>::new();
        of_cuts.upload(machine, cuts)?;
        let args = Owners {
            points,
            lattice: Lattice::new(cube, MAX_LEVEL),
            cuts: of_cuts.view(cuts.len()),
            owners: owners.view_mut(n),
        };
        machine.launch(&T::OWNERS, Grid::over(n, THREADS), args)?;
        let bits = usize::BITS - n_owners.leading_zeros();
        let mut permutation = Grown::new();
        Sorter::new().sort(machine, &mut owners, &mut permutation, n, bits)?;
        let mut of_owners = Grown::<M, u32>::new();
        of_owners.reserve(machine, n_owners + 1)?;
        let args = OwnerStarts { owners: owners.view(n), starts: of_owners.view_mut(n_owners + 1) };
        machine.launch(&OWNER_STARTS, Grid::over(n + 1, THREADS), args)?;
        let mut starts = vec![0_u32; n_owners + 1];
        of_owners.download(machine, &mut starts)?;
        let starts = starts.into_iter().map(|start| start as usize).collect();
        Ok(Self { permutation, starts })
    }

    /// Number of points.
    pub fn n(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Index of each point in the order of owners, n items.
    pub fn permutation(&self) -> View<u32> {
        self.permutation.view(self.n())
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> usize {
        self.permutation.capacity() * size_of::<u32>()
    }
}

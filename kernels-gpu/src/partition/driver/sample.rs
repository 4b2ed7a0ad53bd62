//! Launches that tell where cuts may be.

use super::{THREADS, places_of};
use crate::device::{Real, Vec4, View};
use crate::machine::{Grid, Launcher, MULTIPROCESSORS, MachineError};
use crate::memory::Grown;
use crate::partition::sample::{
    self, COUNT_BESIDE, CountBeside, SAMPLE_KEYS, SampleKeys, shared_bytes,
};
use crate::tree::morton::LEVELS;
use crate::tree::morton::MAX_LEVEL;
use crate::tree::points::Lattice;
use octree::Cube;
use octree::partition::CutCounts;
use std::vec;
use std::vec::Vec;

/// Blocks of a launch by any number of threads: multiprocessors then have as many points on their way as memory takes.
const BLOCKS: usize = 8 * MULTIPROCESSORS;

/// Keys of some points in the memory of a device, from which the host chooses cuts.
#[derive(Debug, Default)]
pub struct CutFinder<M: Launcher> {
    keys: Grown<M, u64>,
}

impl<M: Launcher> CutFinder<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { keys: Grown::new() }
    }

    /// Codes of at most `count` points, at even distances in memory, at the deepest level of all. The host waits.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn sample<T: Real>(
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
            machine.launch(&SAMPLE_KEYS(), Grid::over(count, THREADS), args)?;
            self.keys.download(machine, &mut codes)?;
        }
        Ok(codes)
    }
}

/// Numbers of points in the boxes that begin at `cuts` or have one inside: see [`CutCounts`]. The host waits.
///
/// # Errors
/// If the device fails or has not enough memory.
pub fn count_beside<M: Launcher, T: Real>(
    machine: &M,
    points: View<Vec4<T>>,
    cube: &Cube,
    cuts: &[u64],
) -> Result<Vec<CutCounts>, MachineError> {
    let n_counts = LEVELS * cuts.len();
    let mut counts = vec![0; n_counts];
    if n_counts > 0 && !points.is_empty() {
        let mut memory = Grown::<M, u32>::new();
        memory.reserve(machine, n_counts)?;
        memory.fill(machine, 0)?;
        let mut of_cuts = Grown::<M, Vec4<u32>>::new();
        of_cuts.upload(machine, &places_of(cuts))?;
        let args = CountBeside {
            points,
            lattice: Lattice::new(cube, MAX_LEVEL),
            cuts: of_cuts.view(cuts.len()),
            counts: memory.view_mut(n_counts),
        };
        let blocks = points.len().div_ceil(sample::THREADS as usize).min(BLOCKS) as u32;
        let grid = Grid::of(blocks, sample::THREADS).shared(shared_bytes(cuts.len()));
        machine.launch(&COUNT_BESIDE(), grid, args)?;
        memory.download(machine, &mut counts)?;
    }
    let of_cut = |counts: &[u32; LEVELS]| {
        let mut counts = counts.map(u64::from);
        counts[0] = points.len() as u64 - counts.iter().sum::<u64>();
        counts
    };
    Ok(counts.as_chunks().0.iter().map(of_cut).collect())
}

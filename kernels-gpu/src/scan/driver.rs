//! Launch of a scan, and its memory.

use super::{SCAN, SCAN_SHARED, SCAN_THREADS, SCAN_TILE, Scan};
use crate::device::{View, ViewMut};
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;

/// Driver of scans, and the memory that they share.
#[derive(Debug)]
pub struct Scanner<M: Launcher> {
    status: Grown<M, u64>,
}

impl<M: Launcher> Scanner<M> {
    /// Driver without memory.
    pub const fn new() -> Self {
        Self { status: Grown::new() }
    }

    /// Replaces the first n of n + 1 items by the sums of the items before them, modulo 2³², and the last by the sum of all.
    /// Two launches; reads and writes each item once.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn exclusive(&mut self, machine: &M, data: ViewMut<u32>) -> Result<(), MachineError> {
        let tiles = tiles(data.len());
        self.status.reserve(machine, tiles + 1)?;
        self.status.fill(machine, 0)?;
        let grid = Grid::of(tiles as u32, SCAN_THREADS).shared(SCAN_SHARED);
        machine.launch(&SCAN, grid, Scan { data, status: self.status.view_mut(tiles + 1) })
    }

    /// The word with the sum of the items of the last scan, of `len` − 1 items, where those of each [`SCAN_TILE`] have a sum
    /// below 2³²; above it two bits are set.
    pub fn total(&self, len: usize) -> View<u64> {
        let tiles = tiles(len);
        self.status.view(tiles + 1).part(tiles, 1)
    }
}

/// Number of tiles of n + 1 items.
fn tiles(len: usize) -> usize {
    len.saturating_sub(1).div_ceil(SCAN_TILE).max(1)
}

impl<M: Launcher> Default for Scanner<M> {
    fn default() -> Self {
        Self::new()
    }
}

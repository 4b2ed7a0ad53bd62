//! Launches that link a tree (Nakasato 2012, fig. 5), and the memory of the links.

use super::{END, LINK_CELLS, LINK_PARTICLES, LinkEntries};
use crate::device::View;
use crate::machine::{Grid, Launcher};
use crate::memory::Grown;
use crate::tree::{Tree, TreeError};
use octree::Error;

/// Number of threads of a block, one entry each.
const THREADS: u32 = 256;

/// Links in the memory of a device. Rebuilding reuses the memory, which only grows.
#[derive(Debug)]
pub struct Links<M: Launcher> {
    n_particles: usize,
    n_cells: usize,
    root: u32,
    next: Grown<M, u32>,
    more: Grown<M, u32>,
}

impl<M: Launcher> Links<M> {
    /// Driver without links.
    pub const fn new() -> Self {
        Self { n_particles: 0, n_cells: 0, root: END, next: Grown::new(), more: Grown::new() }
    }

    /// Links the sources and boxes of `tree`: one launch, and one a level. The host does not wait.
    ///
    /// # Errors
    /// If there are too many entries, or the device fails or has not enough memory.
    pub fn rebuild(&mut self, machine: &M, tree: &Tree<M>) -> Result<(), TreeError> {
        let (n, n_boxes) = (tree.n_sources(), tree.n_boxes());
        let count = n + n_boxes;
        if count >= END as usize {
            return Err(Error::TooManyEntries { count }.into());
        }
        (self.n_particles, self.n_cells) = (n, n_boxes);
        self.root = match n {
            0 => END,
            1 => 0,
            _ => n as u32,
        };
        self.next.reserve(machine, count)?;
        self.more.reserve(machine, count)?;
        let mut args = LinkEntries {
            range: tree.range(),
            parent: tree.parent(),
            child: tree.child(),
            children: tree.children(),
            key: tree.key(),
            next: self.next.view_mut(count),
            more: self.more.view_mut(count),
            n_particles: n as u32,
            begin: 0,
            end: 0,
        };
        machine.launch(&LINK_PARTICLES, Grid::over(n, THREADS), args)?;
        for level in 0..tree.n_levels() {
            let boxes = tree.level_range(level);
            (args.begin, args.end) = (boxes.start as u32, boxes.end as u32);
            machine.launch(&LINK_CELLS, Grid::over(boxes.len(), THREADS), args)?;
        }
        Ok(())
    }

    /// Number of particles, which are the entries below this number.
    pub fn n_particles(&self) -> usize {
        self.n_particles
    }

    /// Number of cells, which are the boxes of the tree, linked or not.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// Entry at which a walk begins; [`END`] without a source.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// Entry that follows when an entry and all below it is done: n_particles + n_cells items.
    pub fn next(&self) -> View<u32> {
        self.next.view(self.n_particles + self.n_cells)
    }

    /// Entry that follows when a cell is opened: n_particles + n_cells items.
    pub fn more(&self) -> View<u32> {
        self.more.view(self.n_particles + self.n_cells)
    }

    /// Memory of `next` and `more`.
    pub fn memory(&self) -> [&Grown<M, u32>; 2] {
        [&self.next, &self.more]
    }
}

impl<M: Launcher> Default for Links<M> {
    fn default() -> Self {
        Self::new()
    }
}

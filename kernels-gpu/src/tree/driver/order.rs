//! Points in Morton order: keys, their sort, and the two sets apart.

use super::{THREADS, Tree, TreeError};
use crate::device::{Real, Vec4, View};
use crate::machine::{Grid, Launcher, MachineError};
use crate::tree::points::{KEYS, Keys, Lattice, MARK_SOURCES, MarkSources, PART_SETS, PartSets};

impl<M: Launcher> Tree<M> {
    /// Computes the keys and sorts them.
    pub(super) fn sort<T: Real>(
        &mut self,
        machine: &M,
        points: View<Vec4<T>>,
    ) -> Result<(), TreeError> {
        let n = points.len();
        self.keys.reserve(machine, n)?;
        self.is_crowded.reserve(machine, 1)?;
        let args = Keys {
            points,
            keys: self.keys.view_mut(n),
            is_crowded: self.is_crowded.view_mut(1),
            lattice: Lattice::new(&self.cube, self.deepest),
        };
        machine.launch(&KEYS(), Grid::over(n, THREADS), args)?;
        self.sorter.sort(machine, &mut self.keys, &mut self.permutation, n, 3 * self.deepest)?;
        if !self.one_set {
            self.part_sets(machine, n)?;
        }
        Ok(())
    }

    /// Separates keys and permutations of sources and of receivers.
    fn part_sets(&mut self, machine: &M, n: usize) -> Result<(), MachineError> {
        let (n_sources, n_receivers) = (self.n_sources, self.n_receivers);
        self.sources_before.reserve(machine, n + 1)?;
        self.source_keys.reserve(machine, n_sources)?;
        self.source_permutation.reserve(machine, n_sources)?;
        self.receiver_keys.reserve(machine, n_receivers)?;
        self.receiver_permutation.reserve(machine, n_receivers)?;
        let args = MarkSources {
            permutation: self.permutation.view(n),
            is_source: self.sources_before.view_mut(n + 1),
            n_sources: n_sources as u32,
        };
        machine.launch(&MARK_SOURCES, Grid::over(n, THREADS), args)?;
        self.scanner.exclusive(machine, self.sources_before.view_mut(n + 1))?;
        let args = PartSets {
            keys: self.keys.view(n),
            permutation: self.permutation.view(n),
            sources_before: self.sources_before.view(n + 1),
            source_keys: self.source_keys.view_mut(n_sources),
            source_permutation: self.source_permutation.view_mut(n_sources),
            receiver_keys: self.receiver_keys.view_mut(n_receivers),
            receiver_permutation: self.receiver_permutation.view_mut(n_receivers),
        };
        machine.launch(&PART_SETS, Grid::over(n, THREADS), args)
    }
}

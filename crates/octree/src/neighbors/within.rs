//! Sources within a radius: one walk for the receivers of each leaf.

use std::ops::Range;

use super::{Neighbors, TASK, squared_distance};
use crate::boxes::aabb::Aabb;
use crate::error::Error;
use crate::tree::csr::{Csr, Rows};
use crate::walk::GroupWalk;

impl Neighbors {
    /// The sources at most `radius` away from each receiver: a row for each receiver in the caller's order, the
    /// caller's indices of sources ascending in each row.
    ///
    /// O(N) pairs are tested while a radius holds O(1) sources, and O(log N) cells a leaf.
    ///
    /// # Errors
    /// [`Error::NotADistance`].
    pub fn within(&self, radius: f64) -> Result<Csr, Error> {
        check(0, radius)?;
        Ok(self.rows_within(|_| radius))
    }

    /// Sources within a radius of its own for each receiver; otherwise as [`within`](Neighbors::within). Radii are in
    /// the caller's order of receivers.
    ///
    /// # Errors
    /// [`Error::WrongLength`]: radii of another number than receivers; [`Error::NotADistance`].
    pub fn within_each(&self, radii: &[f64]) -> Result<Csr, Error> {
        let permutation = self.tree.receiver_permutation();
        if radii.len() != permutation.len() {
            let (expected, found) = (permutation.len(), radii.len());
            return Err(Error::WrongLength { what: "radius", expected, found });
        }
        radii.iter().enumerate().try_for_each(|(index, &radius)| check(index, radius))?;
        Ok(self.rows_within(|position| radii[permutation[position] as usize]))
    }

    /// `radius_of` takes a receiver's position in tree order.
    fn rows_within(&self, radius_of: impl Fn(usize) -> f64 + Sync) -> Csr {
        let parts = parallel::map_parts(self.tree.leaves().chunks(TASK), |_, leaves| {
            let (mut rows, mut scratch) = (Rows::default(), Scratch::default());
            for &leaf in leaves {
                self.push_rows(leaf as usize, &radius_of, &mut scratch, &mut rows);
            }
            rows
        });
        let in_tree_order = Csr::concat(&parts.iter().collect::<Vec<_>>());
        drop(parts);
        in_tree_order.picked(&self.receiver_positions())
    }

    /// The rows of a leaf's receivers.
    fn push_rows(
        &self,
        leaf: usize,
        radius_of: impl Fn(usize) -> f64,
        Scratch { walk, runs, found }: &mut Scratch,
        rows: &mut Rows,
    ) {
        let receivers = self.tree.receivers(leaf);
        let group = Aabb::around(&self.receivers()[receivers.clone()]);
        let squared = |position: usize| (radius_of(position) / self.unit).powi(2);
        let largest = receivers.clone().map(squared).fold(0.0, f64::max);
        // The accepted cells are out of reach: nothing in them is near.
        walk.walk(&self.cells, |_, cell| group.squared_distance(&cell.bounds) <= largest);
        walk.source_runs(runs);
        for position in receivers {
            let (at, limit) = (&self.receivers()[position], squared(position));
            found.resize(walk.n_sources(), 0);
            let mut n_found = 0;
            for i in runs.iter().cloned().flatten() {
                // Written in any case and counted if near: no branch to predict.
                found[n_found] = self.tree.source_permutation()[i];
                n_found += usize::from(squared_distance(at, &self.sources[i]) <= limit);
            }
            found.truncate(n_found);
            found.sort_unstable();
            rows.items.extend_from_slice(found);
            rows.close_row();
        }
    }
}

/// Buffers of one task.
#[derive(Default)]
struct Scratch {
    walk: GroupWalk,
    /// Sources of the opened leaves, as tree positions.
    runs: Vec<Range<usize>>,
    found: Vec<u32>,
}

fn check(index: usize, radius: f64) -> Result<(), Error> {
    if radius >= 0.0 { Ok(()) } else { Err(Error::NotADistance { index, radius }) }
}

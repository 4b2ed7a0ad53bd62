//! Points of the files on their way to the ranks.
//!
//! Every rank reads its rows of an NPY array that all of them can open. Rank 0 reads other files, and sends the others
//! their parts.

use std::path::Path;

use distributed::{Communicator, Redistribution, all_gather};
use fmm::Scalar;
use formats::{Cells, LocatedPoints, Places, PointTable, has_rows, read_point_rows};

use super::arguments::File;
use crate::command::arguments::input;
use crate::command::error::Error;
use crate::command::narrow;

/// A set of points, of which every rank has an even part, in the order of the file.
pub(super) struct Set {
    /// Points of this rank.
    pub(super) points: PointTable,
    /// The file, on ranks that read it.
    pub(super) file: Option<Named>,
}

/// Points of a file, for messages about single ones.
pub(super) struct Named {
    /// Number of all points.
    pub(super) total: usize,
    pub(super) places: Places,
    /// Cells that join the points.
    pub(super) cells: Cells,
}

impl Set {
    /// The part of this rank. Collective.
    ///
    /// Where rank 0 reads, it sends 32 bytes a source and 24 a receiver.
    pub(super) fn read(ranks: &dyn Communicator, file: &File<'_>) -> Result<Set, Error> {
        let File { path, selection } = file;
        let (rank, size) = (ranks.rank(), ranks.size());
        if all_see(ranks, path)? {
            let rows = |total| first(total, size, rank)..first(total, size, rank + 1);
            let part = read_point_rows(path, selection, rows)?;
            let file =
                Some(Named { total: part.total, places: part.places, cells: Cells::default() });
            return Ok(Set { points: part.points, file });
        }
        let located = (rank == 0).then(|| input::read(path, selection)).transpose()?;
        let (all, file) = match located {
            None => (PointTable::default(), None),
            Some(located) => {
                let total = located.points.positions.len();
                let LocatedPoints { points, places, cells } = located;
                (points, Some(Named { total, places, cells }))
            }
        };
        let way = way(ranks, all.positions.len())?;
        let positions = way.to_owners(ranks, &all.positions)?;
        let charges = match all_gather(ranks, &[u8::from(!all.charges.is_empty())])?[0][0] {
            0 => Vec::new(),
            _ => way.to_owners(ranks, &all.charges)?,
        };
        Ok(Set { points: PointTable { positions, charges }, file })
    }

    /// Refuses the first coordinate that is beyond the precision of the computation.
    pub(super) fn check_positions<T: Scalar>(&self) -> Result<(), Error> {
        narrow::check_positions::<T>(&self.points.positions, |index| self.place(index))
    }

    /// Refuses the first charge that is beyond the precision of the computation, and charges that all underflow. Collective.
    pub(super) fn check_charges<T: Scalar>(&self, ranks: &dyn Communicator) -> Result<(), Error> {
        let charges = &self.points.charges;
        narrow::check_overflow::<T>(charges, |index| self.place(index))?;
        let larger = |most: f64, charge: f64| most.max(charge.abs());
        let here = charges.iter().copied().fold(0.0, larger);
        let largest = all_gather(ranks, &[here])?.concat().into_iter().fold(0.0, larger);
        narrow::check_largest::<T>(largest, || "all ranks".to_owned())
    }

    /// Name of a point of this rank.
    fn place(&self, index: usize) -> String {
        let numbered = || format!("point {index} of the rank");
        self.file.as_ref().map_or_else(numbered, |file| file.places.of(index))
    }
}

/// Whether every rank can read its rows of the file: an array that all find with the same length. Collective.
fn all_see(ranks: &dyn Communicator, path: &Path) -> Result<bool, Error> {
    if !has_rows(path) {
        return Ok(false);
    }
    let length = std::fs::File::open(path).and_then(|file| file.metadata());
    let length = length.ok().filter(std::fs::Metadata::is_file).map_or(u64::MAX, |file| file.len());
    let lengths = all_gather(ranks, &[length])?;
    Ok(lengths.iter().all(|other| other[0] == lengths[0][0] && other[0] != u64::MAX))
}

/// The way of so many points from rank 0 to all ranks. Only rank 0 needs to know their number. Collective.
fn way(ranks: &dyn Communicator, total: usize) -> Result<Redistribution, Error> {
    let total = if ranks.rank() == 0 { total } else { 0 };
    Ok(Redistribution::by_counts(ranks, &counts(total, ranks.size()))?)
}

/// Points of each rank. The first ranks have one more where the points are no multiple of the ranks.
fn counts(points: usize, ranks: usize) -> Vec<usize> {
    (0..ranks).map(|rank| share(points, ranks, rank)).collect()
}

/// Number of things that one of several gets if each gets as many, the first ones one more.
pub(super) fn share(things: usize, parts: usize, index: usize) -> usize {
    things / parts + usize::from(index < things % parts)
}

/// Number of the first point of a rank.
pub(super) fn first(points: usize, ranks: usize, rank: usize) -> usize {
    rank * (points / ranks) + rank.min(points % ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_given_once_and_rank_0_has_one() {
        for (points, ranks) in [(1, 1), (1, 7), (5, 7), (7, 7), (20, 3), (21, 3)] {
            let counts = counts(points, ranks);
            assert_eq!(counts.iter().sum::<usize>(), points);
            assert!(counts.is_sorted_by(|a, b| a >= b) && counts[0] - counts[ranks - 1] <= 1);
            let first: Vec<usize> = (0..ranks).map(|rank| first(points, ranks, rank)).collect();
            assert_eq!(first[0], 0);
            assert!((1..ranks).all(|rank| first[rank] - first[rank - 1] == counts[rank - 1]));
        }
    }
}

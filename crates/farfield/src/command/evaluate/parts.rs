//! Points of the files on their way from rank 0 to all ranks, and fields on their way back.

use distributed::{Communicator, Error, Redistribution};

use super::arguments::Inputs;

/// Points of one rank: an even part of each set, in the order of the file.
pub(super) struct Parts {
    /// Positions of the sources.
    pub(super) sources: Vec<[f64; 3]>,
    /// Charges of the sources.
    pub(super) charges: Vec<f64>,
    /// Positions of the receivers; empty where the receivers are the sources.
    pub(super) receivers: Option<Vec<[f64; 3]>>,
    /// The way of the receivers.
    way: Redistribution,
}

impl Parts {
    /// Gives every rank its part of the points, which rank 0 has. Collective.
    ///
    /// Rank 0 sends 32 bytes a source and 24 a receiver.
    pub(super) fn scatter(
        ranks: &dyn Communicator,
        inputs: Option<&Inputs>,
        has_receivers: bool,
    ) -> Result<Parts, Error> {
        let sources = inputs.map(|inputs| &inputs.sources.points);
        let positions = sources.map_or(&[][..], |points| &points.positions);
        let charges = sources.map_or(&[][..], |points| &points.charges);
        let way = Redistribution::by_counts(ranks, &counts(positions.len(), ranks.size()))?;
        let sources = way.to_owners(ranks, positions)?;
        let charges = way.to_owners(ranks, charges)?;
        if !has_receivers {
            return Ok(Parts { sources, charges, receivers: None, way });
        }
        let receivers = inputs.and_then(|inputs| inputs.receivers.as_ref());
        let positions = receivers.map_or(&[][..], |located| &located.points.positions);
        let way = Redistribution::by_counts(ranks, &counts(positions.len(), ranks.size()))?;
        let receivers = Some(way.to_owners(ranks, positions)?);
        Ok(Parts { sources, charges, receivers, way })
    }

    /// Values of all receivers on rank 0, in the order of the file; none on the others. Collective.
    pub(super) fn gather<T: bytemuck::Pod>(
        &self,
        ranks: &dyn Communicator,
        values: &[T],
    ) -> Result<Vec<T>, Error> {
        self.way.to_origins(ranks, values)
    }
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
    counts(points, ranks)[..rank].iter().sum()
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

//! Shuffles: rows of all ranks of which those of one hash, as points of one place have it, come to one rank.

use bytemuck::Pod;
use distributed::Redistribution;

use crate::api::Error;
use crate::ranks::Group;

/// Values of all ranks, by those of each. Collective.
pub(super) fn of_all<A: Pod>(ranks: Option<&Group>, own: Vec<A>) -> Result<Vec<A>, Error> {
    match ranks {
        Some(group) => group.gather(&own),
        None => Ok(own),
    }
}

/// Way of rows to the ranks on which those of one hash meet; a process alone has all rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Shuffle {
    over: Option<(Group, Redistribution)>,
}

impl Shuffle {
    /// The way of so many rows by their hashes. Collective.
    pub(super) fn new(
        ranks: Option<&Group>,
        rows: usize,
        hash: impl Fn(usize) -> u64,
    ) -> Result<Self, Error> {
        let way = |group: &Group| {
            // The first digits, since tables take others.
            let rank = |row: usize| (hash(row) >> 48) as usize % group.size();
            let way = Redistribution::new(group.communicator(), rows, rank)?;
            Ok::<_, Error>((group.clone(), way))
        };
        Ok(Self { over: ranks.map(way).transpose()? })
    }

    /// Values of all rows that meet here, by those of the own rows. Collective.
    pub(super) fn gather<A: Pod>(&self, own: Vec<A>) -> Result<Vec<A>, Error> {
        match &self.over {
            Some((group, way)) => Ok(way.to_owners(group.communicator(), &own)?),
            None => Ok(own),
        }
    }

    /// Values of the own rows, by those of all rows that meet here. Collective.
    pub(super) fn give_back<A: Pod>(&self, met: Vec<A>) -> Result<Vec<A>, Error> {
        match &self.over {
            Some((group, way)) => Ok(way.to_origins(group.communicator(), &met)?),
            None => Ok(met),
        }
    }
}

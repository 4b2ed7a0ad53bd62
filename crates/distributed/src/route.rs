//! Routes: which of my rows go to which rank, and how many rows come from whom.

use crate::{Communicator, Error, RankList, collective};

/// Way of rows to other ranks, made once and used for every set of rows.
///
/// A row goes to any number of ranks, at most once to each. Rows that a rank sends to itself are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// By rank, the rows that go there, in the order of sending.
    sends: Vec<Vec<u32>>,
    /// By rank, the number of rows that come from there.
    receives: Vec<usize>,
    /// Number of rows of this rank.
    rows: usize,
}

impl Route {
    /// Route of a rank with `rows` rows: entry r of `sends` are the rows for rank r, entry r of `receives` the number of
    /// rows from rank r. The sender's list and the receiver's number agree.
    ///
    /// # Errors
    /// [`Error::WrongSize`]: lists for different numbers of ranks; [`Error::NoSuchRow`]: a row that there is not, or that is
    /// named twice for a rank.
    pub fn new(rows: usize, sends: Vec<Vec<u32>>, receives: Vec<usize>) -> Result<Route, Error> {
        if receives.len() != sends.len() {
            let (found, size) = (receives.len(), sends.len());
            return Err(Error::WrongSize { what: RankList::RowsToReceive, found, size });
        }
        // Rank for which a row was named last, plus one, since sends are looked at rank by rank.
        let mut named = vec![0; rows];
        for (rank, list) in sends.iter().enumerate() {
            for &row in list {
                let row = row as usize;
                match named.get_mut(row) {
                    Some(last) if *last <= rank => *last = rank + 1,
                    _ => return Err(Error::NoSuchRow { row, rows, rank }),
                }
            }
        }
        Ok(Route { sends, receives, rows })
    }

    /// Route whose senders tell the receivers how many rows come. Collective, P messages.
    ///
    /// # Errors
    /// [`Error::WrongSize`]: a list for another number of ranks; [`Error::NoSuchRow`]; errors of the communication.
    pub fn announce(
        communicator: &dyn Communicator,
        rows: usize,
        sends: Vec<Vec<u32>>,
    ) -> Result<Route, Error> {
        let (found, size) = (sends.len(), communicator.size());
        if found != size {
            return Err(Error::WrongSize { what: RankList::RowsToSend, found, size });
        }
        let route = Route::new(rows, sends, vec![0; size])?;
        let counts: Vec<Vec<u64>> =
            route.sends.iter().map(|list| vec![list.len() as u64]).collect();
        let received = collective::exchange(communicator, &counts)?;
        let receives = received.iter().map(|counts| counts.iter().sum::<u64>() as usize).collect();
        Ok(Route { receives, ..route })
    }

    /// By rank, the rows that go there.
    pub fn sends(&self) -> &[Vec<u32>] {
        &self.sends
    }

    /// By rank, the number of rows that come from there.
    pub fn receives(&self) -> &[usize] {
        &self.receives
    }

    /// Number of rows of this rank.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Ranks, other than `rank` itself, that this one sends rows to.
    pub(crate) fn destinations(&self, rank: usize) -> impl Iterator<Item = usize> {
        let there =
            self.sends.iter().enumerate().filter(move |(to, rows)| *to != rank && !rows.is_empty());
        there.map(|(to, _)| to)
    }

    /// Ranks, other than `rank` itself, that this one receives rows from.
    pub(crate) fn sources(&self, rank: usize) -> impl Iterator<Item = usize> {
        let there =
            self.receives.iter().enumerate().filter(move |&(from, &rows)| from != rank && rows > 0);
        there.map(|(from, _)| from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_once_a_rank_and_exist() {
        assert!(Route::new(2, vec![vec![1, 0], vec![0]], vec![0, 3]).is_ok());
        let twice = Route::new(2, vec![vec![], vec![1, 1]], vec![0, 0]);
        assert_eq!(twice, Err(Error::NoSuchRow { row: 1, rows: 2, rank: 1 }));
        let missing = Route::new(2, vec![vec![2], vec![]], vec![0, 0]);
        assert_eq!(missing, Err(Error::NoSuchRow { row: 2, rows: 2, rank: 0 }));
        let what = RankList::RowsToReceive;
        let short = Route::new(2, vec![vec![], vec![]], vec![0]);
        assert_eq!(short, Err(Error::WrongSize { what, found: 1, size: 2 }));
    }
}

//! Redistribution: rows to the rank that owns them, and results back to where the rows came from.

use std::ops::Range;

use bytemuck::Pod;

use crate::pack::{append, read, to_bytes};
use crate::{Communicator, Error, Message, RankList, RowValues, collective};

/// Way of rows to their owners and of results back, made once and used for every vector of values.
///
/// Owned rows are ordered by the rank that they came from, and then as that rank had or gave them. A row has one owner.
///
/// ```
/// use distributed::{Error, Redistribution, threads};
///
/// // Two ranks; even numbers belong to rank 0, odd numbers to rank 1.
/// let squares = threads::run(2, |communicator| {
///     let mine: [u64; 3] = if communicator.rank() == 0 { [1, 2, 3] } else { [4, 5, 6] };
///     let owners = Redistribution::new(&*communicator, 3, |row| mine[row] as usize % 2)?;
///     let owned = owners.to_owners(&*communicator, &mine)?;
///     let squares: Vec<u64> = owned.iter().map(|number| number * number).collect();
///     owners.to_origins(&*communicator, &squares)
/// })?;
/// assert_eq!(squares, [Ok(vec![1, 4, 9]), Ok(vec![16, 25, 36])]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redistribution {
    /// Rows of this rank by owner, in the order in which they are given.
    order: Vec<u32>,
    /// By rank, the number of this rank's rows that it owns.
    given: Vec<usize>,
    /// By rank, the number of its rows that this rank owns.
    taken: Vec<usize>,
}

impl Redistribution {
    /// Redistribution of `rows` rows of this rank, row i to rank `owner(i)`. Collective, P messages.
    ///
    /// # Errors
    /// [`Error::NoSuchRank`], [`Error::TooManyRows`], and errors of the communication.
    pub fn new(
        communicator: &dyn Communicator,
        rows: usize,
        owner: impl Fn(usize) -> usize,
    ) -> Result<Redistribution, Error> {
        let size = communicator.size();
        check_number(rows)?;
        let owners: Vec<usize> = (0..rows).map(owner).collect();
        let mut given = vec![0; size];
        for &rank in &owners {
            *given.get_mut(rank).ok_or(Error::NoSuchRank { rank, size })? += 1;
        }
        // A counting sort keeps the caller's order.
        let mut places = starts(&given);
        let mut order = vec![0; rows];
        for (row, &owner) in owners.iter().enumerate() {
            order[places[owner]] = row as u32;
            places[owner] += 1;
        }
        Redistribution::announce(communicator, order, given)
    }

    /// Redistribution of rows that are given in an order of the caller's: the first `counts[0]` rows that `order` names belong
    /// to rank 0, and so on. Each row is named once. Collective, P messages.
    ///
    /// # Errors
    /// [`Error::WrongSize`], [`Error::WrongLength`]: counts that are not those of the ranks or of the order;
    /// [`Error::NoSuchRow`]: a row that there is not, or that is named twice; errors of the communication.
    pub fn by_order(
        communicator: &dyn Communicator,
        order: &[u32],
        counts: &[usize],
    ) -> Result<Redistribution, Error> {
        check_counts(communicator, counts)?;
        let rows = order.len();
        check(RowValues::Order, counts.iter().sum(), rows)?;
        let mut is_named = vec![false; rows];
        let mut named = order.iter().map(|&row| row as usize);
        let wrong = named.position(|row| match is_named.get_mut(row) {
            Some(is_named) => std::mem::replace(is_named, true),
            None => true,
        });
        if let Some(place) = wrong {
            let ends = starts(counts);
            let rank = ends.partition_point(|&start| start <= place) - 1;
            return Err(Error::NoSuchRow { row: order[place] as usize, rows, rank });
        }
        Redistribution::announce(communicator, order.to_vec(), counts.to_vec())
    }

    /// Redistribution of rows that are in the order of their owners: the first `counts[0]` belong to rank 0, and so on.
    /// Collective, P messages.
    ///
    /// # Errors
    /// [`Error::WrongSize`], [`Error::TooManyRows`], and errors of the communication.
    pub fn by_counts(
        communicator: &dyn Communicator,
        counts: &[usize],
    ) -> Result<Redistribution, Error> {
        check_counts(communicator, counts)?;
        let rows = counts.iter().sum();
        check_number(rows)?;
        let order = (0..rows as u32).collect();
        Redistribution::announce(communicator, order, counts.to_vec())
    }

    /// Number of rows of this rank, which it gives to their owners.
    pub fn rows(&self) -> usize {
        self.order.len()
    }

    /// Number of rows that this rank owns.
    pub fn owned(&self) -> usize {
        self.taken.iter().sum()
    }

    /// By rank, the number of rows that this rank owns and that came from there, in the order of the owned rows.
    pub fn origins(&self) -> &[usize] {
        &self.taken
    }

    /// Owned rows that came from `rank`.
    ///
    /// # Panics
    /// If there is no such rank.
    pub fn from_rank(&self, rank: usize) -> Range<usize> {
        let start = self.taken[..rank].iter().sum();
        start..start + self.taken[rank]
    }

    /// Gives rows to their owners and returns those that this rank owns. Collective; one message a pair of ranks with rows.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::Message`]: rows or bytes of another number; errors of the communication.
    pub fn to_owners<T: Pod>(
        &self,
        communicator: &dyn Communicator,
        rows: &[T],
    ) -> Result<Vec<T>, Error> {
        check(RowValues::Rows, self.rows(), rows.len())?;
        let parts = self.parts();
        let message = |rank: usize| {
            let mut bytes = Vec::with_capacity(self.given[rank] * size_of::<T>());
            for &row in &self.order[parts[rank].clone()] {
                bytes.extend_from_slice(bytemuck::bytes_of(&rows[row as usize]));
            }
            bytes
        };
        let received = trip(communicator, message, &self.given, &self.taken)?;
        let mut owned = Vec::with_capacity(self.owned());
        for (rank, bytes) in received {
            match bytes {
                Some(bytes) => append(&mut owned, rank, &bytes, self.taken[rank])?,
                None => {
                    let own = self.order[parts[rank].clone()].iter();
                    owned.extend(own.map(|&row| rows[row as usize]));
                }
            }
        }
        Ok(owned)
    }

    /// Gives results of owned rows back and returns those of this rank's rows, in the caller's order. Collective.
    ///
    /// # Errors
    /// Errors of [`to_owners`](Self::to_owners).
    pub fn to_origins<T: Pod>(
        &self,
        communicator: &dyn Communicator,
        owned: &[T],
    ) -> Result<Vec<T>, Error> {
        check(RowValues::OwnedRows, self.owned(), owned.len())?;
        let mut rows = vec![T::zeroed(); self.rows()];
        let bytes = |places: Range<usize>| to_bytes(&owned[places]);
        self.give_back(communicator, bytes, |place| owned[place], |row, value| rows[row] = value)?;
        Ok(rows)
    }

    /// Gives results of owned rows back, and hands those of this rank's rows to `put` with the numbers of the rows, each
    /// once and in no order that is promised. `bytes(stretch)` gives the results of a stretch of owned rows as the bytes of a
    /// message. `value(row)` gives one result; it is called for owned rows that this rank brought itself, while the messages
    /// travel. Collective.
    ///
    /// # Errors
    /// [`Error::WrongSize`], [`Error::Message`], and errors of the communication.
    pub fn give_back<T: Pod>(
        &self,
        communicator: &dyn Communicator,
        bytes: impl Fn(Range<usize>) -> Vec<u8>,
        value: impl Fn(usize) -> T,
        mut put: impl FnMut(usize, T),
    ) -> Result<(), Error> {
        check_size(communicator, self.taken.len())?;
        let (own, parts) = (communicator.rank(), self.parts());
        let message = |rank: usize| Message { rank, bytes: bytes(self.from_rank(rank)) };
        let messages = others(&self.taken, own).into_iter().map(message).collect();
        let sources = others(&self.given, own);
        let pending = communicator.post(messages, &sources)?;
        for (&row, place) in self.order[parts[own].clone()].iter().zip(self.from_rank(own)) {
            put(row as usize, value(place));
        }
        for (rank, bytes) in sources.into_iter().zip(pending.finish()?) {
            let rows = &self.order[parts[rank].clone()];
            let (expected, found) = (rows.len() * size_of::<T>(), bytes.len());
            if found != expected {
                return Err(Error::Message { rank, expected, found });
            }
            for (&row, value) in rows.iter().zip(read(&bytes)) {
                put(row as usize, value);
            }
        }
        Ok(())
    }

    /// Ranges of `order`, by owner.
    fn parts(&self) -> Vec<Range<usize>> {
        let ends = starts(&self.given).into_iter().zip(&self.given);
        ends.map(|(start, count)| start..start + count).collect()
    }

    fn announce(
        communicator: &dyn Communicator,
        order: Vec<u32>,
        given: Vec<usize>,
    ) -> Result<Redistribution, Error> {
        let counts: Vec<Vec<u64>> = given.iter().map(|&count| vec![count as u64]).collect();
        let received = collective::exchange(communicator, &counts)?;
        let taken = received.iter().map(|counts| counts.iter().sum::<u64>() as usize).collect();
        Ok(Redistribution { order, given, taken })
    }
}

fn check_counts(communicator: &dyn Communicator, counts: &[usize]) -> Result<(), Error> {
    let (found, size) = (counts.len(), communicator.size());
    match found == size {
        true => Ok(()),
        false => Err(Error::WrongSize { what: RankList::RowCounts, found, size }),
    }
}

fn check_number(rows: usize) -> Result<(), Error> {
    match u32::try_from(rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::TooManyRows { rows }),
    }
}

fn check(what: RowValues, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::WrongLength { what, expected, found }) }
}

/// Sums of the counts before each rank.
fn starts(counts: &[usize]) -> Vec<usize> {
    let before = |sum: &mut usize, count: &usize| {
        *sum += count;
        Some(*sum - count)
    };
    counts.iter().scan(0, before).collect()
}

/// Bytes of each rank with rows for this one, by rank; `None` for the rank's own rows, which need no message.
type Received = Vec<(usize, Option<Vec<u8>>)>;

/// Sends `message(r)` to each other rank r with `given[r]` > 0 rows, and returns the messages of those with
/// `taken[r]` > 0.
fn trip(
    communicator: &dyn Communicator,
    message: impl Fn(usize) -> Vec<u8>,
    given: &[usize],
    taken: &[usize],
) -> Result<Received, Error> {
    check_size(communicator, given.len())?;
    let own = communicator.rank();
    let messages = others(given, own).into_iter();
    let messages = messages.map(|rank| Message { rank, bytes: message(rank) }).collect();
    let sources = others(taken, own);
    let arrived = communicator.post(messages, &sources)?.finish()?;
    let mut received: Received = sources.into_iter().zip(arrived.into_iter().map(Some)).collect();
    if taken[own] > 0 {
        let place = received.partition_point(|(rank, _)| *rank < own);
        received.insert(place, (own, None));
    }
    Ok(received)
}

/// Ranks with rows, but for the own one.
fn others(counts: &[usize], own: usize) -> Vec<usize> {
    (0..counts.len()).filter(|&rank| rank != own && counts[rank] > 0).collect()
}

fn check_size(communicator: &dyn Communicator, found: usize) -> Result<(), Error> {
    let size = communicator.size();
    if found == size {
        Ok(())
    } else {
        Err(Error::WrongSize { what: RankList::Redistribution, found, size })
    }
}

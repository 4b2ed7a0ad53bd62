//! Collective operations on typed values. Sums are in the order of ranks, so that their bits do not depend on the transport.

use bytemuck::Pod;

use crate::pack::{to_bytes, to_values};
use crate::{Communicator, Error, Message};

/// Way in which values of all ranks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum, from rank 0 upwards. Integers end at their largest value.
    Sum,
    /// The smallest value. NaN is left out.
    Min,
    /// The largest value. NaN is left out.
    Max,
}

/// Numbers that ranks reduce: f64 and u64.
pub trait Number: Pod + PartialEq + private::Sealed {
    /// One value of two, `self` being that of the lower ranks.
    #[must_use]
    fn combine(self, reduction: Reduction, other: Self) -> Self;
}

impl Number for f64 {
    fn combine(self, reduction: Reduction, other: f64) -> f64 {
        match reduction {
            Reduction::Sum => self + other,
            Reduction::Min => self.min(other),
            Reduction::Max => self.max(other),
        }
    }
}

impl Number for u64 {
    fn combine(self, reduction: Reduction, other: u64) -> u64 {
        match reduction {
            Reduction::Sum => self.saturating_add(other),
            Reduction::Min => self.min(other),
            Reduction::Max => self.max(other),
        }
    }
}

mod private {
    /// Closes `Number` to other types, whose sums may depend on order.
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for u64 {}
}

/// Bytes of all ranks up to which values are gathered for a reduction: what a network carries in the time of some ten
/// messages.
const GATHERED: usize = 1 << 17;

/// Reduces `values` element by element over all ranks, in place, to the same bits on every rank.
///
/// `values` has the same length on every rank. Few values are gathered, and reduced on every rank: log₂ P messages. Of
/// many, each rank reduces one part for all, so that about twice the values are sent and received, whatever P is:
/// P + log₂ P messages.
///
/// # Errors
/// [`Error::Message`]: values of another number on a rank; errors of the communication.
pub fn reduce<T: Number>(
    communicator: &dyn Communicator,
    reduction: Reduction,
    values: &mut [T],
) -> Result<(), Error> {
    let (size, length) = (communicator.size(), values.len());
    if size_of_val(values) * size <= GATHERED {
        for (rank, bytes) in
            communicator.all_gather(bytemuck::cast_slice(values))?.iter().enumerate()
        {
            combine(rank, reduction, values, &expect::<T>(rank, bytes, length)?);
        }
        return Ok(());
    }
    let begin = |rank: usize| rank * length / size;
    let part = |rank: usize| begin(rank)..begin(rank + 1);
    let outgoing = (0..size).map(|rank| to_bytes(&values[part(rank)])).collect();
    let received = communicator.exchange(outgoing)?;
    let mine = part(communicator.rank());
    for (rank, bytes) in received.iter().enumerate() {
        let theirs = expect::<T>(rank, bytes, mine.len())?;
        combine(rank, reduction, &mut values[mine.clone()], &theirs);
    }
    for (rank, bytes) in
        communicator.all_gather(bytemuck::cast_slice(&values[mine]))?.iter().enumerate()
    {
        values[part(rank)].copy_from_slice(&expect::<T>(rank, bytes, part(rank).len())?);
    }
    Ok(())
}

/// Reduces the values of a rank into those of the ranks before.
fn combine<T: Number>(rank: usize, reduction: Reduction, values: &mut [T], of_rank: &[T]) {
    for (value, other) in values.iter_mut().zip(of_rank) {
        *value = if rank == 0 { *other } else { value.combine(reduction, *other) };
    }
}

/// Sums of `values` over all ranks below this one, zeros on rank 0: an exclusive scan. log₂ P messages.
///
/// `values` has the same length on every rank.
///
/// # Errors
/// [`Error::Message`]: values of another number on a rank; errors of the communication.
pub fn exclusive_sum<T: Number>(
    communicator: &dyn Communicator,
    values: &[T],
) -> Result<Vec<T>, Error> {
    let parts = communicator.all_gather(bytemuck::cast_slice(values))?;
    let mut sums = vec![T::zeroed(); values.len()];
    for (rank, bytes) in parts.iter().enumerate() {
        let theirs = expect::<T>(rank, bytes, values.len())?;
        if rank < communicator.rank() {
            for (sum, value) in sums.iter_mut().zip(theirs) {
                *sum = sum.combine(Reduction::Sum, value);
            }
        }
    }
    Ok(sums)
}

/// The values of rank `root` on every rank; what others give is not used. At most log₂ P messages, along a binomial tree.
///
/// # Errors
/// [`Error::NoSuchRank`]: no rank `root`; errors of the communication.
pub fn broadcast<T: Pod>(
    communicator: &dyn Communicator,
    root: usize,
    values: &[T],
) -> Result<Vec<T>, Error> {
    let size = communicator.size();
    if root >= size {
        return Err(Error::NoSuchRank { rank: root, size });
    }
    // Ranks are counted from the root: k receives from k without its highest bit.
    let place = (communicator.rank() + size - root) % size;
    let rank_of = |place: usize| (place + root) % size;
    let highest = place.checked_ilog2();
    let bytes = match highest {
        None => to_bytes(values),
        Some(bit) => communicator.receive(rank_of(place - (1 << bit)))?,
    };
    let first = highest.map_or(0, |bit| bit + 1);
    let below = (first..usize::BITS).map(|bit| place + (1 << bit)).take_while(|&to| to < size);
    let messages = below.map(|to| Message { rank: rank_of(to), bytes: bytes.clone() }).collect();
    communicator.post(messages, &[])?.finish()?;
    to_values(root, &bytes)
}

/// Gives entry r of `outgoing` to rank r, returns the entry of every rank for this one, by rank. P messages.
///
/// # Errors
/// [`Error::WrongSize`]: entries of another number than ranks; [`Error::Message`]: bytes of another type; errors of the
/// communication.
pub fn exchange<T: Pod>(
    communicator: &dyn Communicator,
    outgoing: &[Vec<T>],
) -> Result<Vec<Vec<T>>, Error> {
    let outgoing = outgoing.iter().map(|values| to_bytes(values)).collect();
    typed(&communicator.exchange(outgoing)?)
}

/// The values of every rank, by rank, on every rank. log₂ P messages.
///
/// # Errors
/// [`Error::Message`]: bytes of another type; errors of the communication.
pub fn all_gather<T: Pod>(
    communicator: &dyn Communicator,
    values: &[T],
) -> Result<Vec<Vec<T>>, Error> {
    typed(&communicator.all_gather(bytemuck::cast_slice(values))?)
}

/// The values of every rank, one rank after the other, on every rank. log₂ P messages.
///
/// # Errors
/// [`Error::Message`]: bytes of another type; errors of the communication.
pub fn all_gather_joined<T: Pod>(
    communicator: &dyn Communicator,
    values: &[T],
) -> Result<Vec<T>, Error> {
    let received = communicator.all_gather(bytemuck::cast_slice(values))?;
    let count = |bytes: &Vec<u8>| bytes.len() / size_of::<T>().max(1);
    let mut joined = Vec::with_capacity(received.iter().map(count).sum());
    for (rank, bytes) in received.iter().enumerate() {
        crate::pack::append(&mut joined, rank, bytes, count(bytes))?;
    }
    Ok(joined)
}

fn typed<T: Pod>(received: &[Vec<u8>]) -> Result<Vec<Vec<T>>, Error> {
    received.iter().enumerate().map(|(rank, bytes)| to_values(rank, bytes)).collect()
}

/// Exactly `expected` values of a rank.
fn expect<T: Pod>(rank: usize, bytes: &[u8], expected: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::with_capacity(expected);
    crate::pack::append(&mut values, rank, bytes, expected)?;
    Ok(values)
}

//! Communicators: ranks that exchange messages of bytes, and the operations that follow from messages.

use std::fmt::Debug;

use crate::pack::{pack, unpack};
use crate::{Error, Fault, RankList, Traffic};

/// A fixed set of ranks, as one of them sees it.
///
/// [`exchange`](Communicator::exchange), [`all_gather`](Communicator::all_gather), [`barrier`](Communicator::barrier) and
/// [`agree`](Communicator::agree) are collective: all ranks call the same ones in the same order. A communicator is called
/// from the thread of its rank or from a pool of that rank alone, one call at a time, and never from a worker of a pool that
/// serves several ranks, because a call blocks until messages of other ranks come. Calls from several threads of a rank take
/// turns.
///
/// An error about arguments is found before anything is sent. Other ranks then wait until this rank calls
/// [`agree`](Communicator::agree) or leaves.
///
/// Costs are in messages of one rank, with P ranks.
pub trait Communicator: Debug + Send + Sync {
    /// Number of this rank, from 0 to `size() - 1`.
    fn rank(&self) -> usize;

    /// Number of ranks, P.
    fn size(&self) -> usize;

    /// Sends messages and announces from which ranks one message each is awaited; [`Pending::finish`] takes them.
    ///
    /// The messages travel while the caller computes. Between two ranks messages arrive in the order of sending, and posts
    /// take them in the order of posting, in whatever order the posts are finished. A rank may write to itself.
    ///
    /// # Errors
    /// [`Error::NoSuchRank`]: a message or a source without a rank; [`Error::Aborted`]: a phase in which a rank failed.
    fn post(&self, messages: Vec<Message>, sources: &[usize]) -> Result<Box<dyn Pending>, Error>;

    /// The fault of the lowest failing rank, the same on every rank; `None` if no rank failed.
    ///
    /// A rank that failed gives its reason. The others, even those that wait for messages, then fail with
    /// [`Error::Aborted`] until they call this function. Messages of the phase that failed are discarded, and the next
    /// phase starts clean. [`crate::agree`] and [`crate::phase`] are the convenient forms.
    ///
    /// log₂ P messages, and P − 1 from a rank that failed.
    ///
    /// # Errors
    /// [`Error::Left`]: a rank that left before it called.
    fn agree(&self, fault: Option<&str>) -> Result<Option<Fault>, Error>;

    /// Messages and bytes so far.
    fn traffic(&self) -> Traffic;

    /// Whether all ranks are threads of one process, so that an address on one of them is one on all.
    fn is_one_process(&self) -> bool {
        false
    }

    /// Sends one message; `receive` on the other rank takes it.
    ///
    /// # Errors
    /// Errors of [`post`](Self::post).
    fn send(&self, rank: usize, bytes: Vec<u8>) -> Result<(), Error> {
        self.post(vec![Message { rank, bytes }], &[])?.finish().map(drop)
    }

    /// The next message of a rank.
    ///
    /// # Errors
    /// Errors of [`post`](Self::post) and of [`Pending::finish`].
    fn receive(&self, rank: usize) -> Result<Vec<u8>, Error> {
        let received = self.post(Vec::new(), &[rank])?.finish()?;
        received.into_iter().next().ok_or(Error::Unreadable { rank })
    }

    /// Begins an exchange in which entry r of `outgoing` goes to rank r, and finishes with the entry of every rank.
    ///
    /// Only senders know the lengths, so that every pair of ranks exchanges a message, if only an empty one: P messages.
    ///
    /// # Errors
    /// [`Error::WrongSize`]: entries of another number than ranks; errors of [`post`](Self::post).
    fn start_exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Box<dyn Pending>, Error> {
        let (found, size) = (outgoing.len(), self.size());
        if found != size {
            return Err(Error::WrongSize { what: RankList::OutgoingMessages, found, size });
        }
        // Each rank begins behind itself, so that not all write to rank 0 first.
        let mut messages: Vec<Message> =
            outgoing.into_iter().enumerate().map(|(rank, bytes)| Message { rank, bytes }).collect();
        messages.rotate_left(self.rank());
        let sources: Vec<usize> = (0..size).collect();
        self.post(messages, &sources)
    }

    /// Gives entry r of `outgoing` to rank r, returns the entry of every rank for this one, by rank. P messages.
    ///
    /// # Errors
    /// Errors of [`start_exchange`](Self::start_exchange) and of [`Pending::finish`].
    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Error> {
        self.start_exchange(outgoing)?.finish()
    }

    /// The bytes of every rank, by rank, on every rank.
    ///
    /// log₂ P messages by the algorithm of Bruck et al. (1997): distances double, and a rank passes on what it has.
    ///
    /// # Errors
    /// Errors of [`post`](Self::post) and of [`Pending::finish`]; [`Error::Unreadable`]: ranks that called something else.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        bruck(self.rank(), self.size(), bytes, |to, bytes, from| {
            let pending = self.post(vec![Message { rank: to, bytes }], &[from])?;
            pending.finish()?.pop().ok_or(Error::Unreadable { rank: from })
        })
    }

    /// Returns when every rank has called. log₂ P messages.
    ///
    /// # Errors
    /// Errors of [`all_gather`](Self::all_gather).
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&[]).map(drop)
    }
}

/// An exchange under way.
///
/// Dropping one discards its messages when they come.
pub trait Pending: Debug + Send {
    /// Waits for the messages and returns them in the order in which `sources` were given to the post.
    ///
    /// # Errors
    /// [`Error::Left`]: a source that left before it sent; [`Error::Aborted`]: a phase in which a rank failed.
    fn finish(self: Box<Self>) -> Result<Vec<Vec<u8>>, Error>;
}

/// A message to a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The rank that receives.
    pub rank: usize,
    /// Content.
    pub bytes: Vec<u8>,
}

/// All-gather of Bruck et al. over `trip`, which sends a message to one rank and receives one of another.
pub(crate) fn bruck(
    rank: usize,
    size: usize,
    bytes: &[u8],
    mut trip: impl FnMut(usize, Vec<u8>, usize) -> Result<Vec<u8>, Error>,
) -> Result<Vec<Vec<u8>>, Error> {
    // Entry j is of rank (rank + j) mod P.
    let mut parts = vec![bytes.to_vec()];
    while parts.len() < size {
        let distance = parts.len();
        let count = distance.min(size - distance);
        let (to, from) = ((rank + size - distance) % size, (rank + distance) % size);
        let received = trip(to, pack(&parts[..count]), from)?;
        parts.extend(unpack(&received, count).ok_or(Error::Unreadable { rank: from })?);
    }
    parts.rotate_right(rank);
    Ok(parts)
}

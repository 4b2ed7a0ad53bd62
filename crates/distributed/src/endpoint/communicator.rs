//! Communicator of one rank over a link.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::frame::{Frame, Kind};
use super::inbox::{Inbox, Lane};
use super::pending::Post;
use crate::traffic::Volume;
use crate::{Communicator, Error, Fault, Message, Pending, Traffic};

/// Carrier of frames to other ranks, in order between two ranks, without waiting for the receiver.
pub(crate) trait Link: Debug + Send + Sync {
    /// Sends frames, each to its rank. Frames to ranks that left are lost.
    fn send(&self, frames: Vec<(usize, Frame)>);

    /// Whether all ranks are threads of one process.
    fn is_one_process(&self) -> bool;
}

/// Communicator of one rank: an inbox, and a link to the inboxes of the others.
///
/// Dropping the endpoint tells the other ranks that this one left.
pub(crate) struct Endpoint<L: Link> {
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) inbox: Arc<Inbox>,
    pub(super) link: L,
    /// Messages sent to other ranks.
    sent: Mutex<Volume>,
    /// Set when other ranks were told that this one left.
    left: AtomicBool,
}

impl<L: Link> Communicator for Endpoint<L> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn post(&self, messages: Vec<Message>, sources: &[usize]) -> Result<Box<dyn Pending>, Error> {
        let size = self.size;
        let named = messages.iter().map(|message| message.rank).chain(sources.iter().copied());
        if let Some(rank) = named.into_iter().find(|&rank| rank >= size) {
            return Err(Error::NoSuchRank { rank, size });
        }
        self.inbox.check()?;
        let tickets = self.inbox.reserve(Lane::Data, sources);
        let number = self.inbox.epoch();
        let mut sent = Volume::default();
        let mut frames = Vec::with_capacity(messages.len());
        for Message { rank, bytes } in messages {
            let length = bytes.len();
            let frame = Frame { kind: Kind::Data, number, bytes };
            if rank == self.rank {
                self.inbox.deliver(rank, frame);
            } else {
                sent.count(length);
                frames.push((rank, frame));
            }
        }
        self.link.send(frames);
        let mut total = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        *total = *total + sent;
        Ok(Box::new(Post { inbox: self.inbox.clone(), tickets }))
    }

    fn agree(&self, fault: Option<&str>) -> Result<Option<Fault>, Error> {
        self.agree_on(fault)
    }

    fn is_one_process(&self) -> bool {
        self.link.is_one_process()
    }

    fn traffic(&self) -> Traffic {
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        Traffic { sent, received: self.inbox.received() }
    }
}

impl<L: Link> Endpoint<L> {
    /// Communicator of the rank that owns the inbox.
    pub(crate) fn new(rank: usize, size: usize, inbox: Arc<Inbox>, link: L) -> Endpoint<L> {
        let (sent, left) = (Mutex::new(Volume::default()), AtomicBool::new(false));
        Endpoint { rank, size, inbox, link, sent, left }
    }

    /// Tells every other rank that this one left, once.
    pub(crate) fn leave(&self) {
        if !self.left.swap(true, Ordering::SeqCst) {
            self.tell(Kind::Left, self.inbox.agreements());
        }
    }

    /// Tells every other rank that this one failed or left, and on whose account.
    pub(super) fn tell(&self, kind: Kind, number: u64) {
        let cause = self.inbox.suffered().unwrap_or(self.rank);
        let others = (0..self.size).filter(|&to| to != self.rank);
        self.link.send(others.map(|to| (to, Frame::note(kind, number, cause))).collect());
    }
}

impl<L: Link> fmt::Debug for Endpoint<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranks = f.debug_struct("Communicator");
        ranks.field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}

impl<L: Link> Drop for Endpoint<L> {
    fn drop(&mut self) {
        self.leave();
    }
}

//! Inbox of a rank: the queues of all ranks, who left and who failed, and waiting.

use std::fmt;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::frame::{Frame, Kind};
use super::queue::Queue;
use crate::Error;
use crate::traffic::Volume;

/// Inbox of a rank: links deliver frames, the rank takes them.
pub(crate) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
    /// Frames that were delivered.
    deliveries: AtomicU64,
    /// Time that a wait looks for frames before it blocks.
    patience: Duration,
    /// Held while a call waits: calls from several threads of a rank take turns.
    turn: Mutex<()>,
    /// The rank that owns the inbox.
    rank: usize,
}

/// Lane of messages: those of posts, or those of agreements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Messages of posts.
    Data,
    /// Messages of agreements.
    Agreement,
}

/// One message that is awaited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    /// The rank that sends.
    pub(super) source: usize,
    /// Place among the messages of that rank, lane and epoch.
    pub(super) number: u64,
    /// Epoch of the post. An epoch ends with an agreement on a fault.
    pub(super) epoch: u64,
}

struct State {
    data: Vec<Queue>,
    agreement: Vec<Queue>,
    /// Messages of ranks that began the next epoch earlier: sender and frame.
    early: Vec<(usize, Frame)>,
    epoch: u64,
    /// Agreements that were finished.
    agreements: u64,
    /// By rank: agreements finished before leaving, and the rank that left first.
    left: Vec<Option<(u64, usize)>>,
    /// Epoch of the abort that is known, and the lowest rank that caused it.
    abort: Option<(u64, usize)>,
    /// Lane in which the rank waits for messages.
    waiting: Option<Lane>,
    /// Number of messages that the rank waits for.
    missing: usize,
    /// Whether a call of this epoch failed because another rank failed.
    secondary: bool,
    /// The rank whose failure or departure this one suffered first.
    suffered: Option<usize>,
    received: Volume,
}

impl Inbox {
    /// An empty inbox of rank `rank` of `size`. A wait looks for frames for so long before it blocks: a thread that sleeps
    /// takes some 50 µs to wake.
    pub(crate) fn new(rank: usize, size: usize, patience: Duration) -> Inbox {
        let queues = || (0..size).map(|_| Queue::default()).collect();
        let state = State {
            data: queues(),
            agreement: queues(),
            early: Vec::new(),
            epoch: 0,
            agreements: 0,
            left: vec![None; size],
            abort: None,
            waiting: None,
            missing: 0,
            secondary: false,
            suffered: None,
            received: Volume::default(),
        };
        Inbox {
            state: Mutex::new(state),
            changed: Condvar::new(),
            deliveries: AtomicU64::new(0),
            patience,
            turn: Mutex::new(()),
            rank,
        }
    }

    /// Stores a frame of a rank and wakes the owner if it waits for the frame.
    pub(crate) fn deliver(&self, source: usize, frame: Frame) {
        let mut state = self.lock();
        let awaited = state.store(source, frame);
        self.deliveries.fetch_add(1, Ordering::Release);
        if awaited {
            self.changed.notify_all();
        }
    }

    /// Tickets for the next messages of `sources`.
    pub(super) fn reserve(&self, lane: Lane, sources: &[usize]) -> Vec<Ticket> {
        let mut state = self.lock();
        let epoch = state.epoch;
        let ticket =
            |&source: &usize| Ticket { source, number: state.lane(lane)[source].reserve(), epoch };
        sources.iter().map(ticket).collect()
    }

    /// The messages of tickets of one lane; blocks until all are there, or until one cannot come any more.
    pub(super) fn take(&self, lane: Lane, tickets: &[Ticket]) -> Result<Vec<Vec<u8>>, Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + self.patience;
        let mut state = self.lock();
        loop {
            let seen = self.deliveries.load(Ordering::Acquire);
            state.look(lane, tickets)?;
            if state.missing == 0 {
                return state.collect(lane, tickets, self.rank);
            }
            if Instant::now() < deadline {
                drop(state);
                self.watch(seen, deadline);
                state = self.lock();
                continue;
            }
            state.waiting = Some(lane);
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting = None;
        }
    }

    /// Waits without sleeping until more frames than `seen` were delivered, or until the deadline.
    fn watch(&self, seen: u64, deadline: Instant) {
        while self.deliveries.load(Ordering::Acquire) == seen && Instant::now() < deadline {
            spin_loop();
        }
    }

    /// Gives up tickets whose messages were not taken.
    pub(super) fn discard(&self, tickets: &[Ticket]) {
        let mut state = self.lock();
        for ticket in tickets {
            if ticket.epoch == state.epoch {
                state.data[ticket.source].discard(ticket.number);
            }
        }
    }

    /// The error of the epoch that was aborted by another rank, if the epoch goes on.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.lock().check_epoch(None)
    }

    /// Ends an agreement. After a fault, a new epoch begins and the messages of the old one are discarded.
    pub(super) fn agreed(&self, fault: bool) {
        let mut state = self.lock();
        state.agreements += 1;
        (state.secondary, state.suffered) = (false, None);
        if fault {
            state.epoch += 1;
            state.data.fill_with(Queue::default);
            for (source, frame) in std::mem::take(&mut state.early) {
                state.store(source, frame);
            }
        }
    }

    /// Epoch, which all messages of posts carry.
    pub(super) fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Number of agreements that were finished.
    pub(super) fn agreements(&self) -> u64 {
        self.lock().agreements
    }

    /// Messages of other ranks that this rank took.
    pub(super) fn received(&self) -> Volume {
        self.lock().received
    }

    /// Whether a call of this epoch failed because another rank failed.
    pub(super) fn is_secondary(&self) -> bool {
        self.lock().secondary
    }

    /// The rank whose failure or departure this one suffered first.
    pub(super) fn suffered(&self) -> Option<usize> {
        self.lock().suffered
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("rank", &self.rank).finish_non_exhaustive()
    }
}

impl State {
    /// Stores a frame; true if the owner has to look.
    fn store(&mut self, source: usize, frame: Frame) -> bool {
        match frame.kind {
            Kind::Data if frame.number > self.epoch => self.early.push((source, frame)),
            Kind::Data if frame.number < self.epoch => {}
            Kind::Data => {
                let wanted = self.data[source].arrive(frame.bytes);
                return self.found(wanted);
            }
            Kind::Agreement => {
                let wanted = self.agreement[source].arrive(frame.bytes);
                return self.found(wanted);
            }
            Kind::Abort => {
                let cause = frame.cause(source);
                let known = self.abort.filter(|&(epoch, _)| epoch >= frame.number);
                self.abort = match known {
                    Some((epoch, rank)) if epoch == frame.number => Some((epoch, rank.min(cause))),
                    Some(later) => Some(later),
                    None => Some((frame.number, cause)),
                };
                return self.waiting == Some(Lane::Data);
            }
            Kind::Left => {
                self.left[source] = Some((frame.number, frame.cause(source)));
                return match self.waiting {
                    Some(Lane::Data) => self.data[source].is_wanted(),
                    Some(Lane::Agreement) => frame.number <= self.agreements,
                    None => false,
                };
            }
        }
        false
    }

    fn lane(&mut self, lane: Lane) -> &mut Vec<Queue> {
        match lane {
            Lane::Data => &mut self.data,
            Lane::Agreement => &mut self.agreement,
        }
    }

    /// Counts a message that came; true if the rank was blocked and lacks no other.
    fn found(&mut self, wanted: bool) -> bool {
        if wanted {
            self.missing = self.missing.saturating_sub(1);
        }
        wanted && self.missing == 0
    }

    /// Counts the messages that are missing; an error if one of them cannot come any more.
    fn look(&mut self, lane: Lane, tickets: &[Ticket]) -> Result<(), Error> {
        if lane == Lane::Data {
            for ticket in tickets {
                self.check_epoch(Some(ticket))?;
            }
        }
        self.missing = 0;
        let mut gone = None;
        for ticket in tickets {
            if self.lane(lane)[ticket.source].want(ticket.number) {
                self.missing += 1;
                gone = gone.or_else(|| self.gone(lane, ticket.source));
            }
        }
        let Some(rank) = gone else { return Ok(()) };
        self.suffered = Some(rank);
        Err(Error::Left { rank })
    }

    /// Takes messages that are all there, and counts those of posts that came from another rank than `owner`.
    fn collect(
        &mut self,
        lane: Lane,
        tickets: &[Ticket],
        owner: usize,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let mut messages = Vec::with_capacity(tickets.len());
        for &Ticket { source: rank, number, .. } in tickets {
            let taken = self.lane(lane)[rank].take(number);
            let bytes = taken.ok_or(Error::Unreadable { rank })?;
            if rank != owner && lane == Lane::Data {
                self.received.count(bytes.len());
            }
            messages.push(bytes);
        }
        Ok(messages)
    }

    /// An error if this epoch was aborted, or if a ticket is of an epoch that was.
    fn check_epoch(&mut self, ticket: Option<&Ticket>) -> Result<(), Error> {
        let old = ticket.filter(|ticket| ticket.epoch != self.epoch);
        let rank = match (old, self.abort) {
            (None, Some((epoch, rank))) if epoch == self.epoch => rank,
            (None, _) => return Ok(()),
            (Some(ticket), abort) => abort.map_or(ticket.source, |(_, rank)| rank),
        };
        self.secondary = true;
        self.suffered.get_or_insert(rank);
        Err(Error::Aborted { rank })
    }

    /// The rank whose departure makes the wait for a message of `source` vain.
    ///
    /// A message of a post needs its sender only. An agreement needs all ranks, because what one says passes through
    /// others; a rank that finished the agreement before it left has done its part.
    fn gone(&self, lane: Lane, source: usize) -> Option<usize> {
        match lane {
            Lane::Data => self.left[source].map(|(_, cause)| cause),
            Lane::Agreement => {
                let early = |left: &&(u64, usize)| left.0 <= self.agreements;
                self.left.iter().flatten().find(early).map(|&(_, cause)| cause)
            }
        }
    }
}

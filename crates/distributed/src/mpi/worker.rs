//! Loop of the thread that talks to MPI: sends what the rank gives, receives what comes, sleeps when nothing does.

use std::fmt;
use std::mem::take;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::{sleep, yield_now};
use std::time::Duration;

use ::mpi::request::scope;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator, Destination, Equivalence, Source};

use super::wire::{Envelope, is_last, open};
use crate::endpoint::{Frame, Inbox, Kind};

/// Looks at the network without sleep after the last success: some ten microseconds, in which most answers come.
const EAGER_LOOKS: u32 = 200;

/// Longest sleep between two looks. A look takes some microseconds, so that idling costs about a percent of a core, and
/// the delay is a tenth of a percent of phases that take a quarter of a second.
const LONGEST_SLEEP: Duration = Duration::from_micros(250);

/// State of the thread.
pub(super) struct Worker<'a> {
    world: &'a SimpleCommunicator,
    inbox: &'a Inbox,
    frames: Receiver<Vec<(usize, Frame)>>,
    /// Longest piece of a message.
    piece: usize,
    /// By rank, the pieces of a frame that is not complete.
    parts: Vec<Vec<u8>>,
    /// Number of other ranks that did not leave.
    present: usize,
    /// Looks since something came or went.
    looks: u32,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        world: &'a SimpleCommunicator,
        inbox: &'a Inbox,
        frames: Receiver<Vec<(usize, Frame)>>,
        piece: usize,
    ) -> Worker<'a> {
        let size = world.size() as usize;
        let parts = vec![Vec::new(); size];
        Worker { world, inbox, frames, piece, parts, present: size.saturating_sub(1), looks: 0 }
    }

    /// Sends and receives until this rank and all others have left.
    pub(super) fn run(&mut self) {
        let mut stays = true;
        while stays || self.present > 0 {
            self.fetch();
            match self.frames.recv_timeout(self.pause()) {
                Ok(frames) => self.send(frames),
                Err(RecvTimeoutError::Timeout) => yield_now(),
                Err(RecvTimeoutError::Disconnected) => {
                    stays = false;
                    sleep(self.pause());
                }
            }
        }
    }

    /// Sends frames; receives meanwhile, so that two ranks that send to each other do not wait for each other.
    fn send(&mut self, frames: Vec<(usize, Frame)>) {
        let envelopes: Vec<Envelope> =
            frames.into_iter().map(|(rank, frame)| Envelope::new(rank, frame)).collect();
        let (world, piece) = (self.world, self.piece);
        self.looks = 0;
        scope(|scope| {
            let mut requests = Vec::new();
            for envelope in &envelopes {
                let process = world.process_at_rank(envelope.rank as i32);
                for (tag, bytes) in envelope.pieces(piece) {
                    requests.push(process.immediate_send_with_tag(scope, bytes, tag));
                }
            }
            loop {
                let count = requests.len();
                requests =
                    requests.into_iter().filter_map(|request| request.test().err()).collect();
                if requests.is_empty() {
                    break;
                }
                if requests.len() < count {
                    self.looks = 0;
                }
                self.fetch();
                match self.pause() {
                    Duration::ZERO => yield_now(),
                    pause => sleep(pause),
                }
            }
        });
    }

    /// Receives all that is there and gives whole frames to the inbox.
    fn fetch(&mut self) {
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            self.looks = 0;
            let source = status.source_rank() as usize;
            let count = status.count(u8::equivalent_datatype()) as usize;
            let part = &mut self.parts[source];
            let begin = part.len();
            part.resize(begin + count, 0);
            message.matched_receive_into(&mut part[begin..]);
            if is_last(status.tag())
                && let Some(frame) = open(status.tag(), take(part))
            {
                if frame.kind == Kind::Left {
                    self.present = self.present.saturating_sub(1);
                }
                self.inbox.deliver(source, frame);
            }
        }
        self.looks = self.looks.saturating_add(1);
    }

    /// Time until the next look: none at first, then a microsecond more a look.
    fn pause(&self) -> Duration {
        let late = self.looks.saturating_sub(EAGER_LOOKS);
        Duration::from_micros(u64::from(late)).min(LONGEST_SLEEP)
    }
}

impl fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("present", &self.present).finish_non_exhaustive()
    }
}

//! Counts of messages and bytes.

use std::ops::{Add, AddAssign, Sub};

/// Messages and bytes that one rank sent to others and received from others.
///
/// Messages of a rank to itself, empty messages, and those by which ranks agree on faults are not counted; neither is
/// what MPI adds to a message. A message in several pieces counts once. Messages count as received when a post takes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages that the rank sent.
    pub sent: Volume,
    /// Messages that the rank received.
    pub received: Volume,
}

/// Messages in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Volume {
    /// Number of messages.
    pub messages: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl Volume {
    /// Counts a message of `bytes` bytes, unless the message is empty.
    pub(crate) fn count(&mut self, bytes: usize) {
        if bytes > 0 {
            self.messages += 1;
            self.bytes += bytes as u64;
        }
    }
}

impl Add for Volume {
    type Output = Volume;

    fn add(self, other: Volume) -> Volume {
        Volume { messages: self.messages + other.messages, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Volume {
    type Output = Volume;

    fn sub(self, earlier: Volume) -> Volume {
        Volume {
            messages: self.messages.saturating_sub(earlier.messages),
            bytes: self.bytes.saturating_sub(earlier.bytes),
        }
    }
}

impl Add for Traffic {
    type Output = Traffic;

    fn add(self, other: Traffic) -> Traffic {
        Traffic { sent: self.sent + other.sent, received: self.received + other.received }
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        *self = *self + other;
    }
}

impl Sub for Traffic {
    type Output = Traffic;

    /// Traffic since an earlier count.
    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic { sent: self.sent - earlier.sent, received: self.received - earlier.received }
    }
}

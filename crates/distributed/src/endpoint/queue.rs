//! Messages of one rank, each for the post that asked for it.

use std::collections::VecDeque;

/// Messages in the order of arrival, and the tickets of posts in the order of posting: ticket k takes message k.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Number of the first slot.
    base: u64,
    slots: VecDeque<Slot>,
    arrived: u64,
    reserved: u64,
}

/// Place of one message.
#[derive(Debug)]
enum Slot {
    /// No message yet.
    Awaited,
    /// No message yet, and the rank is blocked until it comes.
    Wanted,
    /// A message that was not taken yet.
    Full(Vec<u8>),
    /// The message was taken, or is not wanted.
    Done,
}

impl Queue {
    /// Ticket for the next message that no post has asked for yet.
    pub(super) fn reserve(&mut self) -> u64 {
        let ticket = self.reserved;
        self.reserved += 1;
        self.grow(ticket);
        ticket
    }

    /// Stores a message. True if the rank is blocked until it comes.
    pub(super) fn arrive(&mut self, bytes: Vec<u8>) -> bool {
        let ticket = self.arrived;
        self.arrived += 1;
        self.grow(ticket);
        let mut wanted = false;
        if let Some(slot @ (Slot::Awaited | Slot::Wanted)) = self.slot(ticket) {
            wanted = matches!(slot, Slot::Wanted);
            *slot = Slot::Full(bytes);
        }
        self.shrink();
        wanted
    }

    /// Marks a ticket whose message is not there as wanted; false if the message is there.
    pub(super) fn want(&mut self, ticket: u64) -> bool {
        match self.slot(ticket) {
            Some(slot @ (Slot::Awaited | Slot::Wanted)) => {
                *slot = Slot::Wanted;
                true
            }
            _ => false,
        }
    }

    /// Whether the rank is blocked until a message of this queue comes.
    pub(super) fn is_wanted(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot, Slot::Wanted))
    }

    /// The message of a ticket, once.
    pub(super) fn take(&mut self, ticket: u64) -> Option<Vec<u8>> {
        let slot = self.slot(ticket).filter(|slot| matches!(slot, Slot::Full(_)))?;
        let Slot::Full(bytes) = std::mem::replace(slot, Slot::Done) else { return None };
        self.shrink();
        Some(bytes)
    }

    /// Gives a ticket up: its message is discarded, even if it comes later.
    pub(super) fn discard(&mut self, ticket: u64) {
        if let Some(slot) = self.slot(ticket) {
            *slot = Slot::Done;
        }
        self.shrink();
    }

    fn slot(&mut self, ticket: u64) -> Option<&mut Slot> {
        self.slots.get_mut(usize::try_from(ticket.checked_sub(self.base)?).ok()?)
    }

    /// Makes the slot of a ticket, which is at most one behind the last.
    fn grow(&mut self, ticket: u64) {
        if ticket >= self.base + self.slots.len() as u64 {
            self.slots.push_back(Slot::Awaited);
        }
    }

    /// Forgets slots at the front that messages came to and that need no message any more.
    fn shrink(&mut self) {
        while self.base < self.arrived && matches!(self.slots.front(), Some(Slot::Done)) {
            self.slots.pop_front();
            self.base += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_take_messages_in_order_of_posting() {
        let mut queue = Queue::default();
        let (first, second) = (queue.reserve(), queue.reserve());
        assert!(queue.want(second));
        assert!(!queue.arrive(vec![1]));
        assert!(queue.is_wanted());
        assert!(queue.arrive(vec![2]));
        assert!(!queue.want(first) && !queue.want(second) && !queue.is_wanted());
        assert_eq!(queue.take(second), Some(vec![2]));
        assert_eq!(queue.take(second), None);
        assert_eq!(queue.take(first), Some(vec![1]));
        assert!(queue.slots.is_empty());
    }

    #[test]
    fn messages_before_their_post_wait() {
        let mut queue = Queue::default();
        assert!(!queue.arrive(vec![1]));
        let ticket = queue.reserve();
        assert_eq!(queue.take(ticket), Some(vec![1]));
        assert_eq!(queue.take(ticket), None);
        assert!(queue.slots.is_empty());
    }

    #[test]
    fn discarded_tickets_swallow_their_message() {
        let mut queue = Queue::default();
        let (first, second) = (queue.reserve(), queue.reserve());
        assert!(queue.want(second));
        queue.discard(first);
        assert!(!queue.arrive(vec![1]));
        assert!(queue.arrive(vec![2]));
        assert_eq!(queue.take(first), None);
        assert_eq!(queue.take(second), Some(vec![2]));
        assert!(queue.slots.is_empty());
    }
}

//! A post under way.

use std::sync::Arc;

use super::inbox::{Inbox, Lane, Ticket};
use crate::{Error, Pending};

/// Tickets of a post, in the order of its sources.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) inbox: Arc<Inbox>,
    pub(super) tickets: Vec<Ticket>,
}

impl Pending for Post {
    fn finish(self: Box<Self>) -> Result<Vec<Vec<u8>>, Error> {
        self.inbox.take(Lane::Data, &self.tickets)
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.inbox.discard(&self.tickets);
    }
}

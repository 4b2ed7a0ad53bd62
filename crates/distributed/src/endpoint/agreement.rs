//! Agreement: the collective by which all ranks learn of the lowest failing one.

use super::communicator::{Endpoint, Link};
use super::frame::{Frame, Kind};
use super::inbox::Lane;
use crate::communicator::bruck;
use crate::{Error, Fault};

/// First byte of a statement: the rank did not fail.
const FINE: u8 = 0;
/// First byte of a statement: the rank failed; the reason follows.
const FAILED: u8 = 1;
/// First byte of a statement: the rank failed because another one did; the reason follows.
const SECONDARY: u8 = 2;

impl<L: Link> Endpoint<L> {
    /// Tells the others to stop if this rank failed, gathers what every rank says, and begins a new epoch after a fault.
    pub(super) fn agree_on(&self, fault: Option<&str>) -> Result<Option<Fault>, Error> {
        let secondary = self.inbox.is_secondary();
        let mut statement = vec![FINE];
        if let Some(message) = fault {
            if !secondary {
                let epoch = self.inbox.epoch();
                self.tell(Kind::Abort, epoch);
                self.inbox.deliver(self.rank, Frame::note(Kind::Abort, epoch, self.rank));
            }
            statement[0] = if secondary { SECONDARY } else { FAILED };
            statement.extend(message.bytes());
        }
        let statements = bruck(self.rank, self.size, &statement, |to, bytes, from| {
            let tickets = self.inbox.reserve(Lane::Agreement, &[from]);
            self.link.send(vec![(to, Frame { kind: Kind::Agreement, number: 0, bytes })]);
            let mut received = self.inbox.take(Lane::Agreement, &tickets)?;
            received.pop().ok_or(Error::Unreadable { rank: from })
        })?;
        let fault = lowest(&statements, FAILED).or_else(|| lowest(&statements, SECONDARY));
        self.inbox.agreed(fault.is_some());
        Ok(fault)
    }
}

/// The first rank whose statement begins with `state`.
fn lowest(statements: &[Vec<u8>], state: u8) -> Option<Fault> {
    let rank = statements.iter().position(|statement| statement.first() == Some(&state))?;
    let message = String::from_utf8_lossy(&statements[rank][1..]).into_owned();
    Some(Fault { rank, message })
}

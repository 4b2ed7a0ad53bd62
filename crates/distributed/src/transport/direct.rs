//! Rows from their owner to the ranks that need them, one message a pair of ranks.

use bytemuck::Pod;

use super::{Rows, Way};
use crate::pack::to_bytes;
use crate::{Communicator, Error, Message, Route};

/// Every rank waits for every other, because only the senders know who sends.
pub(super) fn many_to_many<T: Pod>(
    communicator: &dyn Communicator,
    route: &Route,
    rows: Rows<'_, T>,
) -> Result<Way, Error> {
    let mut outgoing: Vec<Vec<u8>> = vec![Vec::new(); communicator.size()];
    for to in route.destinations(communicator.rank()) {
        outgoing[to] = to_bytes(&rows.gather(&route.sends()[to]));
    }
    let pending = communicator.start_exchange(outgoing)?;
    Ok(Way::Direct(pending, (0..communicator.size()).collect()))
}

/// Messages between ranks that have rows for each other, and no others.
pub(super) fn neighbours<T: Pod>(
    communicator: &dyn Communicator,
    route: &Route,
    rows: Rows<'_, T>,
) -> Result<Way, Error> {
    let message = |rank| Message { rank, bytes: to_bytes(&rows.gather(&route.sends()[rank])) };
    let messages = route.destinations(communicator.rank()).map(message).collect();
    let sources: Vec<usize> = route.sources(communicator.rank()).collect();
    Ok(Way::Direct(communicator.post(messages, &sources)?, sources))
}

//! Rows through rank 0, the data exchange manager.
//!
//! Each rank sends one packet to the manager: the rows that any other rank needs, each row once, and for each rank the
//! places of its rows in the packet. The manager sends each rank one reply with the rows for it, by owner. Packet and
//! reply correspond to steps (d) to (f) of the upward pass in Hu, Gumerov and Duraiswami. Senders name the receivers of
//! a row, where in the paper receivers name the boxes that they import; nothing is searched for.

use bytemuck::Pod;

use super::{Rows, Way};
use crate::pack::{pack, to_bytes, to_values, unpack};
use crate::{Communicator, Error, Message, Pending, Route};

/// Rank of the manager.
pub(super) const MANAGER: usize = 0;

/// Packet of a rank for the manager.
#[derive(Debug)]
pub(super) struct Packet {
    /// By rank, how many of `places` are for it.
    counts: Vec<u32>,
    /// Places of rows in the packet, by rank that needs them.
    places: Vec<u32>,
    /// Bytes of the rows.
    rows: Vec<u8>,
}

pub(super) fn start<T: Pod>(
    communicator: &dyn Communicator,
    route: &Route,
    rows: Rows<'_, T>,
) -> Result<Way, Error> {
    let packet = Packet::new(communicator.rank(), route, rows);
    if communicator.rank() == MANAGER {
        let others: Vec<usize> = (1..communicator.size()).collect();
        return Ok(Way::Manager(communicator.post(Vec::new(), &others)?, Some(packet)));
    }
    let parts = [to_bytes(&packet.counts), to_bytes(&packet.places), packet.rows];
    let message = Message { rank: MANAGER, bytes: pack(&parts) };
    Ok(Way::Manager(communicator.post(vec![message], &[MANAGER])?, None))
}

/// Rows for this rank, by owner; the manager distributes. `row` is the number of bytes of a row.
pub(super) fn finish(
    communicator: &dyn Communicator,
    route: &Route,
    row: usize,
    pending: Box<dyn Pending>,
    own: Option<Packet>,
) -> Result<Vec<(usize, Vec<u8>)>, Error> {
    let received = pending.finish()?;
    let reply = match own {
        None => received.into_iter().next().unwrap_or_default(),
        Some(own) => distribute(communicator, row, &own, &received)?,
    };
    // The reply has the rows of all owners one after the other; the route tells how many of each.
    let mut rest = reply.as_slice();
    let mut owners = Vec::new();
    for from in route.sources(communicator.rank()) {
        let expected = route.receives()[from] * row;
        let found = rest.len();
        let Some((rows, behind)) = rest.split_at_checked(expected) else {
            return Err(Error::Message { rank: from, expected, found });
        };
        owners.push((from, rows.to_vec()));
        rest = behind;
    }
    if !rest.is_empty() {
        let (expected, found) = (reply.len() - rest.len(), reply.len());
        return Err(Error::Message { rank: MANAGER, expected, found });
    }
    Ok(owners)
}

/// Sends every rank its rows, and returns those of the manager.
fn distribute(
    communicator: &dyn Communicator,
    row: usize,
    own: &Packet,
    received: &[Vec<u8>],
) -> Result<Vec<u8>, Error> {
    let size = communicator.size();
    let mut replies: Vec<Vec<u8>> = vec![Vec::new(); size];
    own.copy_to(MANAGER, row, &mut replies)?;
    for (index, bytes) in received.iter().enumerate() {
        let rank = index + 1;
        Packet::read(rank, size, bytes)?.copy_to(rank, row, &mut replies)?;
    }
    let mine = std::mem::take(&mut replies[MANAGER]);
    let named = replies.into_iter().enumerate().skip(1);
    let messages = named.map(|(rank, bytes)| Message { rank, bytes }).collect();
    communicator.post(messages, &[])?.finish()?;
    Ok(mine)
}

impl Packet {
    fn new<T: Pod>(rank: usize, route: &Route, rows: Rows<'_, T>) -> Packet {
        let mut place_of = vec![u32::MAX; route.rows()];
        let mut exported = Vec::new();
        let mut counts = vec![0; route.sends().len()];
        let mut places = Vec::new();
        for to in route.destinations(rank) {
            for &row in &route.sends()[to] {
                let place = &mut place_of[row as usize];
                if *place == u32::MAX {
                    *place = exported.len() as u32;
                    exported.push(row);
                }
                places.push(*place);
                counts[to] += 1;
            }
        }
        Packet { counts, places, rows: to_bytes(&rows.gather(&exported)) }
    }

    fn read(rank: usize, size: usize, bytes: &[u8]) -> Result<Packet, Error> {
        let unreadable = || Error::Unreadable { rank };
        let parts = unpack(bytes, 3).ok_or_else(unreadable)?;
        let [counts, places, rows]: [Vec<u8>; 3] = parts.try_into().map_err(|_| unreadable())?;
        let packet =
            Packet { counts: to_values(rank, &counts)?, places: to_values(rank, &places)?, rows };
        let named: u64 = packet.counts.iter().map(|&count| u64::from(count)).sum();
        let fits = packet.counts.len() == size && named == packet.places.len() as u64;
        fits.then_some(packet).ok_or_else(unreadable)
    }

    /// Appends the rows of this packet, which `rank` sent, to the replies of the ranks that need them.
    fn copy_to(&self, rank: usize, row: usize, replies: &mut [Vec<u8>]) -> Result<(), Error> {
        let mut places = self.places.iter();
        for (reply, &count) in replies.iter_mut().zip(&self.counts) {
            for &place in places.by_ref().take(count as usize) {
                let behind = self.rows.get(place as usize * row..);
                let bytes = behind.and_then(|bytes| bytes.get(..row));
                reply.extend_from_slice(bytes.ok_or(Error::Unreadable { rank })?);
            }
        }
        Ok(())
    }
}

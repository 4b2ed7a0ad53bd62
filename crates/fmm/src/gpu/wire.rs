//! The wire between devices: memory goes from one to another by address within a process, by messages between processes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kernels_gpu::device::{Plain, View, ViewMut};
use kernels_gpu::machine::{Launcher, MachineError, Parcel, items_of_bytes, to_bytes};

use crate::api::Error;
use crate::ranks::Group;

/// Most pieces of the items of a device, and fewest bytes of one: a copy takes some 5 µs to begin.
const PIECES: usize = 8;
const FEWEST_BYTES: usize = 1 << 23;

/// The other devices, as one sees them.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    group: Group,
    /// Whether devices read each other's memory.
    by_address: bool,
    /// Bytes that other devices read here, and that were read from them.
    copied: Arc<[AtomicU64; 2]>,
}

/// Items on their way to and from each other device, in the order of ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Items<'i, T> {
    pub(super) outgoing: &'i [View<T>],
    /// Places of the items that the others send, as many as they send.
    pub(super) incoming: &'i [ViewMut<T>],
}

impl Wire {
    /// The wire of ranks, whose machines can `reach` each other's memory if they are of one process.
    pub(super) fn new(group: Group, reach: bool) -> Self {
        let by_address = reach && group.communicator().is_one_process();
        Self { group, by_address, copied: Arc::default() }
    }

    pub(crate) fn group(&self) -> &Group {
        &self.group
    }

    pub(crate) fn rank(&self) -> usize {
        self.group.rank()
    }

    /// Ranks of the other devices, ascending.
    pub(crate) fn others(&self) -> impl ExactSizeIterator<Item = usize> + Clone + use<> {
        let rank = self.rank();
        (0..self.group.size() - 1).map(move |k| if k < rank { k } else { k + 1 })
    }

    /// Gives each other rank its words, and returns theirs. Collective.
    pub(crate) fn exchange_words(&self, messages: &[Vec<u64>]) -> Result<Vec<Vec<u64>>, Error> {
        let mut outgoing = messages.to_vec();
        outgoing.insert(self.rank(), Vec::new());
        let mut incoming = distributed::exchange(self.group.communicator(), &outgoing)?;
        incoming.remove(self.rank());
        Ok(incoming)
    }

    /// Gives each other device its items, and takes theirs, of which there are as many as expected. Waits for the launches of
    /// `machine` so far. Collective.
    pub(crate) fn exchange<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        outgoing: &[View<T>],
        incoming: &[ViewMut<T>],
    ) -> Result<(), Error> {
        self.cross(machine, Items { outgoing, incoming }, 1, |_, _| Ok(()))
    }

    /// [Exchanges](Self::exchange) items piece by piece. `arrived` is called with the rank of the other device and the piece of
    /// its items that later launches of `machine` find. Collective.
    pub(crate) fn exchange_in_pieces<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        outgoing: &[View<T>],
        incoming: &[ViewMut<T>],
        arrived: impl FnMut(usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        self.cross(machine, Items { outgoing, incoming }, PIECES, arrived)
    }

    /// [Exchanges](Self::exchange) items that are made in `n_pieces` pieces, as many on all ranks: `make` launches what makes a
    /// piece, which travels while the next one is made. `piece` tells the piece of what comes from a rank; `arrived` is called with
    /// a machine whose later launches find it. Collective.
    pub(super) fn exchange_as_made<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        items: Items<'_, T>,
        n_pieces: usize,
        mut make: impl FnMut(usize) -> Result<(), MachineError>,
        piece: impl Fn(usize, usize) -> Range<usize>,
        mut arrived: impl FnMut(&M, usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        if n_pieces == 1 || !self.by_address {
            (0..n_pieces).try_for_each(&mut make)?;
            let arrived = |rank, piece| arrived(machine, rank, piece);
            return self.cross(machine, items, 1, arrived);
        }
        let (side, last) = (machine.fork()?, machine.fork()?);
        let mut parcels = Vec::new();
        let crossed = (0..n_pieces).try_for_each(|k| {
            make(k)?;
            machine.synchronize()?;
            // All ranks have made it once they have told it.
            match k {
                0 => parcels = self.parcels(machine, items)?,
                _ => self.group.communicator().barrier()?,
            }
            for ((parcel, to), rank) in parcels.iter().zip(items.incoming).zip(self.others()) {
                let piece = piece(rank, k);
                parcel.fetch(&side, piece.start, to.part(piece.start, piece.len()))?;
                last.join(&side)?;
                arrived(&last, rank, piece)?;
            }
            Ok::<_, Error>(())
        });
        machine.join(&side)?;
        machine.join(&last)?;
        crossed?;
        self.fetched(machine, items)
    }

    fn cross<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        items: Items<'_, T>,
        pieces: usize,
        arrived: impl FnMut(usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        match self.by_address {
            true => self.fetch(machine, items, pieces, arrived),
            false => self.send(machine, items, arrived),
        }
    }

    fn fetch<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        items: Items<'_, T>,
        pieces: usize,
        mut arrived: impl FnMut(usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        machine.synchronize()?;
        let parcels = self.parcels(machine, items)?;
        for ((parcel, to), rank) in parcels.iter().zip(items.incoming).zip(self.others()) {
            let most = to.len().div_ceil(pieces).max(FEWEST_BYTES / size_of::<T>());
            for first in (0..to.len()).step_by(most) {
                let len = most.min(to.len() - first);
                parcel.fetch(machine, first, to.part(first, len))?;
                arrived(rank, first..first + len)?;
            }
        }
        self.fetched(machine, items)
    }

    /// Tells each other rank where its items are, and returns where theirs are. Collective.
    fn parcels<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        Items { outgoing, incoming }: Items<'_, T>,
    ) -> Result<Vec<Parcel>, Error> {
        let words = |items: &View<T>| Parcel::new(machine, *items).to_words().to_vec();
        let words = self.exchange_words(&outgoing.iter().map(words).collect::<Vec<_>>())?;
        let parcel = |((words, to), rank): ((&Vec<u64>, &ViewMut<T>), usize)| {
            let words = words.as_slice().try_into().ok();
            let parcel = words.map(Parcel::from_words).filter(|parcel| parcel.len() == to.len());
            parcel.ok_or_else(|| unreadable(rank))
        };
        words.iter().zip(incoming).zip(self.others()).map(parcel).collect()
    }

    /// Waits until all items are there and everywhere, and counts them. Collective.
    fn fetched<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        Items { outgoing, incoming }: Items<'_, T>,
    ) -> Result<(), Error> {
        machine.synchronize()?;
        let bytes = |n: usize| (n * size_of::<T>()) as u64;
        let sums = [
            outgoing.iter().map(|items| items.len()).sum(),
            incoming.iter().map(|items| items.len()).sum(),
        ];
        for (copied, n) in self.copied.iter().zip(sums) {
            copied.fetch_add(bytes(n), Ordering::Relaxed);
        }
        // Nobody changes what others still read.
        Ok(self.group.communicator().barrier()?)
    }

    fn send<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        Items { outgoing, incoming }: Items<'_, T>,
        mut arrived: impl FnMut(usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        let mut messages = Vec::new();
        for items in outgoing {
            let mut on_host = vec![T::default(); items.len()];
            machine.read(*items, &mut on_host)?;
            messages.push(to_bytes(&on_host));
        }
        messages.insert(self.rank(), Vec::new());
        let mut came = self.group.communicator().exchange(messages)?;
        came.remove(self.rank());
        for ((bytes, to), rank) in came.iter().zip(incoming).zip(self.others()) {
            let items: Vec<T> = items_of_bytes(bytes).ok_or_else(|| unreadable(rank))?;
            if items.len() != to.len() {
                return Err(unreadable(rank));
            }
            machine.write(&items, *to)?;
            arrived(rank, 0..items.len())?;
        }
        Ok(())
    }

    /// Bytes that other devices read here, and that were read from them, without messages.
    pub(super) fn copied(&self) -> [u64; 2] {
        [0, 1].map(|way| self.copied[way].load(Ordering::Relaxed))
    }
}

fn unreadable(rank: usize) -> Error {
    distributed::Error::Unreadable { rank }.into()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use distributed::threads;
    use kernels_gpu::machine::{Buffer, Emulator, Launcher, Machine, Unchecked};

    use super::{Items, Wire};
    use crate::gpu::unchecked::emulator;
    use crate::ranks::Group;

    /// Items of different numbers for each rank, none for some: by address and by messages alike.
    #[test]
    fn items_reach_their_ranks_on_both_ways() {
        let items = |from: usize, to: usize| -> Vec<u32> {
            (0..3 * ((from + 2 * to) % 4)).map(|k| (100 * from + 10 * to + k) as u32).collect()
        };
        for reach in [false, true] {
            threads::run(4, |ranks| {
                let wire = Wire::new(Group::new(ranks), reach);
                let here = wire.rank();
                let outgoing: Vec<_> = wire
                    .others()
                    .map(|to| emulator().buffer_of(&items(here, to)).unwrap())
                    .collect();
                let n = |from: usize| items(from, here).len();
                let mut incoming: Vec<_> = wire
                    .others()
                    .map(|from| emulator().allocate::<u32>(n(from)).unwrap())
                    .collect();
                let from: Vec<_> = outgoing.iter().map(Buffer::view).collect();
                let to: Vec<_> = incoming.iter_mut().map(Buffer::view_mut).collect();
                wire.exchange(&emulator(), &from, &to).unwrap();
                for (from, found) in wire.others().zip(&incoming) {
                    assert_eq!(emulator().items_of(found).unwrap(), items(from, here));
                }
                let bytes = |n: usize| if reach { 4 * n as u64 } else { 0 };
                let sent = wire.others().map(|to| items(here, to).len()).sum();
                assert_eq!(wire.copied(), [bytes(sent), bytes(wire.others().map(n).sum())]);
            })
            .unwrap();
        }
    }

    /// Pieces of a device follow each other in its items, and are fetched once they are made.
    #[test]
    fn items_travel_as_they_are_made() {
        const LENS: [usize; 3] = [4, 0, 7];
        let first = |piece: usize| LENS[..piece].iter().sum::<usize>();
        let item = |from: usize, to: usize, k: usize| (100 * from + 10 * to + k) as u32;
        for reach in [false, true] {
            threads::run(3, |ranks| {
                let wire = Wire::new(Group::new(ranks), reach);
                let here = wire.rank();
                let n = first(LENS.len());
                let zeros =
                    || wire.others().map(|_| emulator().buffer_of(&vec![0_u32; n]).unwrap());
                let (mut outgoing, mut incoming): (Vec<_>, Vec<_>) = zeros().zip(zeros()).unzip();
                let made: Vec<_> = outgoing.iter_mut().map(Buffer::view_mut).collect();
                let from: Vec<_> = made.iter().map(|items| items.read_only()).collect();
                let to: Vec<_> = incoming.iter_mut().map(Buffer::view_mut).collect();
                let make = |piece: usize| {
                    for (items, rank) in made.iter().zip(wire.others()) {
                        let items = items.part(first(piece), LENS[piece]);
                        let made: Vec<_> =
                            (0..LENS[piece]).map(|k| item(here, rank, first(piece) + k)).collect();
                        emulator().write(&made, items)?;
                    }
                    Ok(())
                };
                let piece = |_: usize, piece: usize| first(piece)..first(piece + 1);
                let mut came = Vec::new();
                let arrived = |machine: &Unchecked<Emulator>, rank: usize, piece: Range<usize>| {
                    let k = wire.others().position(|other| other == rank).unwrap();
                    let mut items = vec![0; piece.len()];
                    machine.read(to[k].part(piece.start, piece.len()).read_only(), &mut items)?;
                    came.push((rank, items));
                    Ok(())
                };
                let on_way = Items { outgoing: &from, incoming: &to };
                wire.exchange_as_made(&emulator(), on_way, LENS.len(), make, piece, arrived)
                    .unwrap();
                for rank in wire.others() {
                    let of_rank = came.iter().filter(|(from, _)| *from == rank);
                    let items: Vec<u32> = of_rank.flat_map(|(_, items)| items.clone()).collect();
                    assert!(items.into_iter().eq((0..n).map(|k| item(rank, here, k))));
                }
                for (from, found) in wire.others().zip(&incoming) {
                    let expected: Vec<_> = (0..n).map(|k| item(from, here, k)).collect();
                    assert_eq!(emulator().items_of(found).unwrap(), expected);
                }
                let bytes = if reach { 8 * n as u64 } else { 0 };
                assert_eq!(wire.copied(), [bytes; 2]);
            })
            .unwrap();
        }
    }
}

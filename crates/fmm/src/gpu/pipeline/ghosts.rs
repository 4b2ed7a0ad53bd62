//! Ghosts: boxes and sources of other devices, of a tree over several devices.
//!
//! Each device finds what the others need of its tree, and sends it without being asked: records of boxes when the tree is
//! built, sources when they have charges, multipoles when they are made. Each box crosses to each device once.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Buffer, Grid, Launcher, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::{
    BoxNumbers, Halo, SlotBoxes, add_rows, halo::BoxWords, pack_rows, put_rows, rows::RowsTo,
};
use kernels_gpu::transfer::{GATHER_POINTS, GatherPoints};
use kernels_gpu::tree::Tree;
use octree::partition::Partition;

use crate::api::Error;
use crate::gpu::Number;
use crate::gpu::launches::{THREADS, refusal};
use crate::gpu::wire::Wire;

/// The other devices of a tree, and who owns what.
pub(crate) struct Others<'a> {
    pub(crate) wire: &'a Wire,
    pub(crate) partition: &'a Partition,
}

/// Boxes and sources of other devices. Lists have one entry for each other device, in the order of ranks.
pub(crate) struct Ghosts<M: Launcher, T: Number> {
    /// Own boxes and those of the others.
    pub(crate) tree: Tree<M>,
    wire: Option<Wire>,
    numbers: Option<BoxNumbers<M>>,
    halos: Vec<Halo<M>>,
    /// Number of boxes, and of sources, that come from each other device.
    coming: Vec<[usize; 2]>,
    /// Distinct boxes of the whole tree, and its levels.
    pub(crate) n_all_boxes: usize,
    pub(crate) n_all_levels: usize,
    /// Sources, or rows of multipoles, on their way out and in.
    outgoing: Vec<Grown<M, Vec4<T>>>,
    incoming: Vec<Grown<M, Vec4<T>>>,
    /// Multipoles of the merged tree.
    multipole: Grown<M, Vec4<T>>,
}

impl<M: Launcher, T: Number> Ghosts<M, T> {
    pub(crate) fn new() -> Result<Box<Self>, Error> {
        Ok(Box::new(Self {
            tree: Tree::empty().map_err(refusal)?,
            wire: None,
            numbers: None,
            halos: Vec::new(),
            coming: Vec::new(),
            n_all_boxes: 0,
            n_all_levels: 0,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            multipole: Grown::new(),
        }))
    }

    /// Tells the others of the boxes of `own` that they need, and merges theirs. Boxes with fewer sources than `few` are summed
    /// leaf by leaf. Collective.
    pub(crate) fn find(
        &mut self,
        machine: &M,
        own: &Tree<M>,
        others: &Others<'_>,
        few: usize,
    ) -> Result<(), Error> {
        let Others { wire, partition } = *others;
        let n = wire.others().len();
        self.halos.resize_with(n, Halo::new);
        self.outgoing.resize_with(n, Grown::new);
        self.incoming.resize_with(n, Grown::new);
        let mut sent = Vec::new();
        for (halo, rank) in self.halos.iter_mut().zip(wire.others()) {
            sent.push(halo.find(machine, own, partition.interval(rank), few)?);
        }
        let all = Halo::of_all(machine, own)?;

        // Numbers of the sources that are sent and of the words on their boxes, these words, and those on all own boxes.
        let rows = |(slots, halo): (&SlotBoxes, &Halo<M>)| {
            let on_sent = slots.ends().as_flattened();
            let mut words = vec![halo.places().len() as u64, on_sent.len() as u64];
            words.extend(on_sent);
            words.extend(all.ends().as_flattened());
            words
        };
        let messages: Vec<Vec<u64>> = sent.iter().zip(&self.halos).map(rows).collect();
        let came = wire.exchange_words(&messages)?;
        let mut slots = Vec::new();
        let mut of_ranks = Vec::new();
        self.coming.clear();
        for words in &came {
            let (numbers, words) = words.split_at(2);
            let (on_sent, on_all) = words.split_at(numbers[1] as usize);
            let boxes = slots_of(on_sent);
            self.coming.push([boxes.n_boxes(), numbers[0] as usize]);
            slots.push(boxes);
            of_ranks.push(slots_of(on_all));
        }
        of_ranks.insert(wire.rank(), all.clone());
        self.n_all_boxes = BoxNumbers::<M>::count(&of_ranks);
        self.n_all_levels = of_ranks.iter().map(SlotBoxes::n_levels).max().unwrap_or(0);

        let records = self.exchange_records(machine, wire)?;
        let views: Vec<_> = records.iter().map(Buffer::view).collect();
        let mut numbers = BoxNumbers::new(machine, wire.rank(), &all, &slots)?;
        let n_ghosts: Vec<usize> = self.coming.iter().map(|[_, n]| *n).collect();
        self.tree.merge(machine, own, &mut numbers, &views, &n_ghosts)?;
        (self.numbers, self.wire) = (Some(numbers), Some(wire.clone()));
        Ok(())
    }

    /// Exchanges the records of boxes, of which others told how many come. Collective.
    fn exchange_records(
        &self,
        machine: &M,
        wire: &Wire,
    ) -> Result<Vec<M::Buffer<BoxWords>>, Error> {
        let memory = |[n_boxes, _]: &[usize; 2]| machine.allocate(*n_boxes);
        let mut records = self.coming.iter().map(memory).collect::<Result<Vec<_>, _>>()?;
        let outgoing: Vec<_> = self.halos.iter().map(Halo::records).collect();
        let incoming: Vec<_> = records.iter_mut().map(Buffer::view_mut).collect();
        wire.exchange(machine, &outgoing, &incoming)?;
        Ok(records)
    }

    /// Bytes of multipoles of the merged tree, and of what is on its way.
    pub(crate) fn bytes(&self) -> usize {
        let carried = self.outgoing.iter().chain(&self.incoming).map(Grown::capacity);
        (self.multipole.capacity() + carried.sum::<usize>()) * size_of::<Vec4<T>>()
    }

    /// Takes the memory of multipoles of so many groups, and of those on their way.
    pub(crate) fn reserve(&mut self, machine: &M, groups: usize) -> Result<(), MachineError> {
        self.multipole.reserve(machine, groups * self.tree.n_boxes())?;
        for (memory, halo) in self.outgoing.iter_mut().zip(&self.halos) {
            memory.reserve(machine, (groups * halo.boxes().len()).max(halo.places().len()))?;
        }
        for (memory, [n_boxes, _]) in self.incoming.iter_mut().zip(&self.coming) {
            memory.reserve(machine, groups * n_boxes)?;
        }
        Ok(())
    }

    /// Sends the sources that the others need, of the own ones at the beginning of `sources`, and puts theirs behind. Collective.
    pub(crate) fn exchange_sources(
        &mut self,
        machine: &M,
        n_own: usize,
        sources: &mut Grown<M, Vec4<T>>,
    ) -> Result<(), Error> {
        let Some(wire) = &self.wire else { return Ok(()) };
        let mut outgoing = Vec::new();
        for (memory, halo) in self.outgoing.iter_mut().zip(&self.halos) {
            let places = halo.places();
            memory.reserve(machine, places.len())?;
            let gather = GatherPoints {
                points: sources.view(n_own),
                permutation: places,
                length_factor: T::from_f64(1.0),
                charge_factor: T::from_f64(1.0),
                gathered: memory.view_mut(places.len()),
            };
            machine.launch(&GATHER_POINTS(), Grid::over(places.len(), THREADS), gather)?;
            outgoing.push(memory.view(places.len()));
        }
        let all = sources.view_mut(self.tree.n_sources());
        let mut first = n_own;
        let mut incoming = Vec::new();
        for [_, n] in &self.coming {
            incoming.push(all.part(first, *n));
            first += n;
        }
        wire.exchange(machine, &outgoing, &incoming)
    }

    /// Multipoles of the merged tree, of so many groups a box: the own ones, and those of the others, which are sent theirs. Shared boxes have the sum
    /// of what the devices have in them. In memory that was reserved. Collective.
    pub(super) fn merge_rows(
        &mut self,
        machine: &M,
        own: &Tree<M>,
        multipole: View<Vec4<T>>,
        groups: usize,
    ) -> Result<View<Vec4<T>>, Error> {
        let (Some(wire), Some(numbers)) = (&self.wire, &self.numbers) else {
            return Ok(multipole);
        };
        let (n_own, n_all) = (own.n_boxes(), self.tree.n_boxes());
        let mut outgoing = Vec::new();
        for (memory, halo) in self.outgoing.iter_mut().zip(&self.halos) {
            let rows = memory.view_mut(groups * halo.boxes().len());
            pack_rows(machine, halo.boxes(), multipole, n_own, rows)?;
            outgoing.push(rows.read_only());
        }
        let incoming: Vec<_> = self
            .incoming
            .iter_mut()
            .zip(&self.coming)
            .map(|(memory, [n, _])| memory.view_mut(groups * n))
            .collect();
        wire.exchange(machine, &outgoing, &incoming)?;
        let merged = self.multipole.view_mut(groups * n_all);
        let to = |boxes, rows| RowsTo { boxes, rows, n_boxes: n_all as u32, to: merged };
        // Boxes of others are also those that this device shares with them.
        for other in 0..incoming.len() {
            put_rows(machine, to(numbers.of_other(other), View::EMPTY))?;
        }
        put_rows(machine, to(numbers.own(), multipole))?;
        for (other, rows) in incoming.iter().enumerate() {
            add_rows(machine, to(numbers.of_other(other), rows.read_only()))?;
        }
        Ok(merged.read_only())
    }
}

fn slots_of(words: &[u64]) -> SlotBoxes {
    SlotBoxes::new(words.as_chunks().0.to_vec())
}

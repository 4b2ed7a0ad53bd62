//! The trees of a rank between given cuts: its points, its part of the tree, and the essential tree with its lists.

use distributed::Redistribution;
use octree::partition::{
    BoxRecord, EssentialTree, Exchange, Partition, SharedBoxes, SortedPoints, SortedSet, halo,
};
use octree::{ListOptions, Octree, SplitRule};

use crate::api::{Error, Seconds, Stage};
use crate::cpu::ClumpKeys;
use crate::engine::{PointSets, Scalar};
use crate::ranks::Group;
use crate::ranks::clumps::PartsCensus;

/// Points and boxes that a rank owns between given cuts.
pub(in crate::ranks) struct Brought<T> {
    pub(in crate::ranks) owned: Owned<T>,
    pub(in crate::ranks) part: Octree,
    pub(in crate::ranks) shared: SharedBoxes,
}

/// Ways of points from the ranks that brought them to their owners.
#[derive(Clone, Debug)]
pub(in crate::ranks) struct Ways {
    pub(in crate::ranks) sources: Redistribution,
    /// `None`: the receivers are the sources.
    receivers: Option<Redistribution>,
}

impl Ways {
    /// The way of receivers and of results.
    pub(in crate::ranks) fn receivers(&self) -> &Redistribution {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }
}

/// Points that a rank owns, in the order in which they came: those of one rank after the other's, each along the curve.
pub(in crate::ranks) struct Owned<T> {
    pub(in crate::ranks) sources: Vec<[T; 3]>,
    /// `None`: the receivers are the sources.
    pub(in crate::ranks) receivers: Option<Vec<[T; 3]>>,
}

/// The trees of a rank.
pub(in crate::ranks) struct Trees<'a> {
    pub(in crate::ranks) part: &'a Octree,
    pub(in crate::ranks) shared: &'a SharedBoxes,
    pub(in crate::ranks) essential: EssentialTree<'a>,
    pub(in crate::ranks) exchange: Exchange,
}

impl<T: Scalar> Brought<T> {
    /// Brings the points, which are `sorted` by the same rule, to their owners. Collective.
    pub(in crate::ranks) fn new(
        group: &Group,
        points: &PointSets<'_, T>,
        sorted: &SortedPoints,
        rule: &SplitRule,
        partition: &Partition,
        seconds: &mut Seconds,
    ) -> Result<(Self, Ways), Error> {
        type Brought<T> = (Redistribution, Vec<[T; 3]>);
        let bring = |set: &[[T; 3]], sorted: SortedSet<'_>| -> Result<Brought<T>, Error> {
            let communicator = group.communicator();
            let counts = sorted.counts(partition);
            let way = Redistribution::by_order(communicator, sorted.order(), &counts)?;
            let owned = way.to_owners(communicator, set)?;
            Ok((way, owned))
        };
        let ((sources, own_sources), of_receivers) = seconds.time(Stage::Exchange, || {
            let of_sources = bring(points.sources, sorted.sources())?;
            let receivers = points.receivers.zip(sorted.receivers());
            let of_receivers = receivers.map(|(set, sorted)| bring(set, sorted)).transpose()?;
            Ok::<_, Error>((of_sources, of_receivers))
        })?;
        let (receivers, own_receivers) = of_receivers.unzip();
        let owned = Owned { sources: own_sources, receivers: own_receivers };
        let part = seconds.time(Stage::Sort, || {
            let receivers = owned.receivers.as_deref();
            Octree::build_part(rule, partition, group.rank(), &owned.sources, receivers)
        })?;
        let shared = group
            .with_totals(|totals| SharedBoxes::collect(&part, partition, group.rank(), totals))?;
        Ok((Self { owned, part, shared }, Ways { sources, receivers }))
    }

    /// Counts of the boxes of all ranks.
    pub(in crate::ranks) fn census<'a>(
        &'a self,
        group: &'a Group,
        partition: &'a Partition,
    ) -> PartsCensus<'a> {
        PartsCensus { group, part: &self.part, partition, shared: &self.shared }
    }

    /// Records that each rank has of its boxes for this one. Collective.
    pub(in crate::ranks) fn halos(
        &self,
        group: &Group,
        partition: &Partition,
    ) -> Result<Vec<Vec<BoxRecord>>, Error> {
        exchange_halos(group, &self.part, partition)
    }

    /// The essential tree of halos, its lists without the near pairs of clumps, and what crosses between ranks for them.
    pub(in crate::ranks) fn trees<'a>(
        &'a self,
        partition: &'a Partition,
        (rank, halos): (usize, &[Vec<BoxRecord>]),
        options: ListOptions,
        clumps: &ClumpKeys,
    ) -> Result<Trees<'a>, Error> {
        let Self { part, shared, .. } = self;
        let essential = EssentialTree::assemble(part, partition, rank, shared, halos)?;
        let exchange = essential.exchange(options, |b, s| clumps.has_pair(b, s));
        Ok(Trees { part, shared, essential, exchange })
    }
}

/// Records that each rank sends to this one of its boxes.
fn exchange_halos(
    group: &Group,
    part: &Octree,
    partition: &Partition,
) -> Result<Vec<Vec<BoxRecord>>, Error> {
    let words = |rank: usize| -> Vec<u64> {
        if rank == group.rank() {
            return Vec::new();
        }
        halo(part, partition, rank).into_iter().flat_map(BoxRecord::to_words).collect()
    };
    let outgoing: Vec<Vec<u64>> = (0..group.size()).map(words).collect();
    let incoming = distributed::exchange(group.communicator(), &outgoing)?;
    let records = |(rank, words): (usize, Vec<u64>)| {
        let records = words.as_chunks().0.iter().map(|words| BoxRecord::from_words(*words));
        let unreadable = || distributed::Error::Unreadable { rank }.into();
        records.collect::<Option<Vec<_>>>().ok_or_else(unreadable)
    };
    incoming.into_iter().enumerate().map(records).collect()
}

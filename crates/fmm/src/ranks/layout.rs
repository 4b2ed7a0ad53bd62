//! The layout: from the points that ranks happen to have to the part of the sum that each rank does.

use std::ops::Range;

use distributed::Redistribution;
use octree::partition::{
    Balance, BoxRecord, EssentialTree, Exchange, Holder, Partition, SharedBoxes, halo,
};
use octree::{Cube, Key, Octree, SplitRule};

use super::group::Group;
use super::routes::Routes;
use super::survey::Survey;
use crate::api::{Error, Request, Seconds, Stage};
use crate::choose::{Scheme, TreeShape, TreeStatistics};
use crate::cpu::{Geometry, Ghosts};
use crate::engine::{COARSEST_FAR_LEVEL, PointSets, Scalar};

/// The part of a rank.
#[derive(Clone, Debug)]
pub(super) struct Layout<T> {
    pub(super) geometry: Geometry<T>,
    pub(super) routes: Routes,
    /// Tree position of each ghost, in the order in which they come.
    pub(super) ghost_places: Vec<u32>,
    /// Index among the owned sources, in the order in which they came, of each own source in tree order.
    pub(super) own_order: Vec<u32>,
    /// Receivers of the ranks before this one, in the order of the whole tree, and of all ranks.
    pub(super) receivers_before: usize,
    pub(super) n_receivers: usize,
    /// Largest weight of a rank over the mean, minus 1.
    pub(super) imbalance: f64,
    counts: Counts,
}

/// Boxes and pairs of boxes of the whole tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) levels: usize,
    pub(super) boxes: usize,
    pub(super) leaves: usize,
    pub(super) far_pairs: usize,
    far_boxes: usize,
    /// Receivers whose leaf has no source.
    alone: usize,
    /// Whether expansions act anywhere.
    expands: bool,
}

impl Counts {
    /// Sums over the boxes that ranks own, and over the shared ones.
    fn new(group: &Group, trees: &Trees<'_>, shared: &SharedBoxes) -> Result<Self, Error> {
        let Trees { part, essential, exchange } = trees;
        let (tree, lists) = (essential.tree(), &exchange.lists);
        let mut sums = [0; 6];
        for b in (0..tree.n_boxes()).filter(|b| essential.holders()[*b] == Holder::Own) {
            let is_far = usize::from(tree.key(b).level()) >= COARSEST_FAR_LEVEL;
            let alone = match essential.in_part(b) {
                Some(own) if tree.is_leaf(b) && part.sources(own).is_empty() => {
                    part.receivers(own).len()
                }
                _ => 0,
            };
            let far_pairs = lists.far.row(b).len();
            let of_box =
                [1, usize::from(tree.is_leaf(b)), far_pairs, usize::from(is_far), alone, 0];
            sums.iter_mut().zip(of_box).for_each(|(sum, n)| *sum += n as u64);
        }
        sums[5] = (lists.m2p.n_items() + lists.p2l.n_items()) as u64;
        group.sum(&mut sums)?;
        // A row of a shared box is that of the whole tree on every rank with receivers in the box.
        let row = |key: &Key| tree.find(*key).map_or(0.0, |b| lists.far.row(b).len() as f64);
        let mut rows: Vec<f64> = shared.keys().iter().map(row).collect();
        rows.push(tree.n_levels() as f64);
        group.largest(&mut rows)?;
        let levels = rows.pop().unwrap_or(0.0) as usize;
        let far_pairs = sums[2] as usize + rows.iter().sum::<f64>() as usize;
        let is_full = |i: &usize| shared.totals(*i) != [0, 0];
        let full: Vec<usize> = (0..shared.keys().len()).filter(is_full).collect();
        let is_far = |i: &&usize| usize::from(shared.keys()[**i].level()) >= COARSEST_FAR_LEVEL;
        Ok(Self {
            levels,
            boxes: sums[0] as usize + full.len(),
            leaves: sums[1] as usize,
            far_pairs,
            far_boxes: sums[3] as usize + full.iter().filter(is_far).count(),
            alone: sums[4] as usize,
            expands: far_pairs > 0 || sums[5] > 0,
        })
    }
}

/// The trees of a rank.
struct Trees<'a> {
    part: &'a Octree,
    essential: &'a EssentialTree<'a>,
    exchange: Exchange,
}

/// Points that a rank owns, in the order in which they came.
struct Owned<T> {
    sources: Vec<[T; 3]>,
    /// `None`: the receivers are the sources.
    receivers: Option<Vec<[T; 3]>>,
}

impl<T: Scalar> Layout<T> {
    /// Brings the points to their owners and the ghosts to those who need them. Collective.
    pub(super) fn new(
        group: &Group,
        points: &PointSets<'_, T>,
        survey: &Survey,
        shape: TreeShape,
    ) -> Result<(Self, Seconds), Error> {
        let mut seconds = Seconds::default();
        let cube = Cube::around(survey.bounds)?.enlarged(shape.enlarged);
        let rule = SplitRule::new(cube, shape.depth)?;
        let balanced = seconds.time(Stage::Sort, || {
            let balance = Balance::new(group.size());
            group.with_totals(|totals| {
                Partition::balanced(&rule, points.sources, points.receivers, balance, totals)
            })
        })??;
        let partition = &balanced.partition;
        let (owned, sources, receivers) =
            seconds.time(Stage::Exchange, || redistribute(group, partition, &cube, points))?;
        let part = seconds.time(Stage::Sort, || {
            let receivers = owned.receivers.as_deref();
            Octree::build_part(&rule, partition, group.rank(), &owned.sources, receivers)
        })?;
        let shared = group
            .with_totals(|totals| SharedBoxes::collect(&part, partition, group.rank(), totals))?;
        let halos = seconds.time(Stage::Exchange, || exchange_halos(group, &part, partition))?;
        let (essential, exchange) = seconds.time(Stage::Lists, || {
            let essential =
                EssentialTree::assemble(&part, partition, group.rank(), &shared, &halos)?;
            let exchange = essential.exchange(shape.list_options);
            Ok::<_, Error>((essential, exchange))
        })?;
        let trees = Trees { part: &part, essential: &essential, exchange };
        let counts = Counts::new(group, &trees, &shared)?;
        let shared = shared_rows(&shared, &essential);
        let n_boxes = essential.tree().n_boxes();
        let routes = Routes::new(group, sources, receivers, n_boxes, &trees.exchange, shared)?;
        let (geometry, ghost_places) = seconds.time(Stage::Exchange, || {
            with_ghosts(group, &routes, &owned, trees, &shape, counts.expands)
        })?;
        let n_before = group.gather(&[geometry.receivers().len() as u64])?;
        let layout = Self {
            own_order: part.source_permutation().to_vec(),
            receivers_before: n_before[..group.rank()].iter().sum::<u64>() as usize,
            n_receivers: survey.counts.n_receivers,
            imbalance: balanced.imbalance(),
            geometry,
            routes,
            ghost_places,
            counts,
        };
        Ok((layout, seconds))
    }

    /// The whole tree, for the chooser.
    pub(super) fn tree_statistics(
        &self,
        survey: &Survey,
        scheme: Scheme,
        request: &Request,
    ) -> TreeStatistics {
        let Counts { boxes, leaves, far_pairs, far_boxes, alone, .. } = self.counts;
        let counts = survey.counts;
        let remote =
            !counts.one_set && self.geometry.has_expansions() && 2 * alone > counts.n_receivers;
        TreeStatistics {
            counts,
            scheme,
            dimension: survey.statistics().dimension(),
            far_pairs,
            far_boxes,
            families: boxes - leaves,
            remote: remote && request.is_relative(),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }
}

/// Owned points, and the ways of the sources and of the receivers.
type Redistributed<T> = (Owned<T>, Redistribution, Option<Redistribution>);

/// Brings points to their owners.
fn redistribute<T: Scalar>(
    group: &Group,
    partition: &Partition,
    cube: &Cube,
    points: &PointSets<'_, T>,
) -> Result<Redistributed<T>, Error> {
    let bring = |set: &[[T; 3]]| -> Result<(Redistribution, Vec<[T; 3]>), Error> {
        let owners = partition.owners_of(cube, set);
        let communicator = group.communicator();
        let way = Redistribution::new(communicator, set.len(), |row| owners[row] as usize)?;
        let owned = way.to_owners(communicator, set)?;
        Ok((way, owned))
    };
    let (way, sources) = bring(points.sources)?;
    let (to_receivers, receivers) = points.receivers.map(bring).transpose()?.unzip();
    Ok((Owned { sources, receivers }, way, to_receivers))
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

/// The shared boxes that have far pairs, as numbers of the essential tree.
fn shared_rows(shared: &SharedBoxes, essential: &EssentialTree<'_>) -> Vec<Option<u32>> {
    let far = shared.keys().iter().filter(|key| usize::from(key.level()) >= COARSEST_FAR_LEVEL);
    far.map(|key| essential.tree().find(*key).map(|b| b as u32)).collect()
}

/// The geometry with the points of the ghosts, and the tree position of each ghost.
fn with_ghosts<T: Scalar>(
    group: &Group,
    routes: &Routes,
    owned: &Owned<T>,
    Trees { part, essential, exchange }: Trees<'_>,
    shape: &TreeShape,
    expands: bool,
) -> Result<(Geometry<T>, Vec<u32>), Error> {
    let in_order: Vec<[T; 3]> =
        part.source_permutation().iter().map(|at| owned.sources[*at as usize]).collect();
    let ghosts = group.transport.exchange(group.communicator(), &routes.ghosts, 1, &in_order)?;
    let n_own = owned.sources.len();
    let sources = [owned.sources.as_slice(), &ghosts].concat();
    let tree = essential.fill(&exchange)?;
    let mut ghost_places = vec![0; ghosts.len()];
    let mut own: Option<Range<usize>> = None;
    for (place, index) in tree.source_permutation().iter().enumerate() {
        match (*index as usize).checked_sub(n_own) {
            Some(ghost) => ghost_places[ghost] = place as u32,
            None => own = Some(own.map_or(place, |own| own.start)..place + 1),
        }
    }
    let acts = (0..tree.n_boxes()).map(|b| !essential.tree().sources(b).is_empty()).collect();
    let ghosts = Ghosts { own: own.unwrap_or(0..0), acts, expands };
    let receivers = owned.receivers.as_deref();
    let points =
        PointSets { sources: &sources, receivers: Some(receivers.unwrap_or(&owned.sources)) };
    let geometry =
        Geometry::of_part(tree, exchange.lists, shape, &points, receivers.is_none(), ghosts);
    Ok((geometry, ghost_places))
}

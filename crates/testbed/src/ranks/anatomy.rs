//! Parts of ranks: the steps from points to lists, as `Fmm::plan_over` takes them, with the seconds and the counts of each.

use distributed::{Communicator, Error, Redistribution, Reduction, Route};
use octree::partition::{
    Balance, BoxRecord, Cargo, EssentialTree, Exchange, Holder, Partition, SharedBoxes,
    SortedPoints, Totals, Weights, halo,
};
use octree::{ListOptions, Octree, SplitRule};

use super::turns::{self, Turns};
use super::{Failure, Outcome};

/// Points to be divided among ranks.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Sources, which are the receivers; rank r brings every P-th one, starting with the r-th.
    pub points: &'a [[f64; 3]],
    /// Work of each point; `None`: all alike.
    pub weights: Option<&'a [u32]>,
    /// The cube, and which boxes are split.
    pub rule: &'a SplitRule,
    /// P.
    pub n_ranks: usize,
}

/// The part of one rank.
#[derive(Clone, Debug)]
pub struct Anatomy {
    /// Sizes.
    pub counts: Counts,
    /// Seconds of the rank's own turns.
    pub seconds: Steps,
    /// Way of multipoles, by box of the essential tree.
    pub multipoles: Route,
    /// Way of ghosts, by own point in tree order.
    pub ghosts: Route,
}

/// Sizes of a rank's part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Own points.
    pub points: usize,
    /// Boxes of which the rank has all points.
    pub boxes: usize,
    /// Leaves among them.
    pub leaves: usize,
    /// Boxes of the essential tree: own, shared and remote.
    pub essential: usize,
    /// Boxes with points on several ranks, the same number on every rank.
    pub shared: usize,
    /// Levels of the essential tree.
    pub levels: usize,
    /// The paper's l_crit.
    pub critical_level: usize,
    /// Source points that come from other ranks.
    pub ghosts: usize,
    /// Multipoles that come from other ranks.
    pub imports: usize,
    /// Multipoles that go to other ranks, once for each of them.
    pub exports: usize,
    /// Parts of shared boxes that come to the rank, which adds them up.
    pub parts: usize,
    /// Sums of shared boxes that come to the rank.
    pub sums: usize,
    /// Ranks from which something comes.
    pub peers: usize,
    /// Pairs of an own receiver and a source that P2P sums.
    pub near_pairs: u64,
    /// Pairs of boxes that M2L translates.
    pub far_pairs: u64,
}

/// Seconds of the steps of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steps {
    /// Cuts, points to their owners, the rank's part of the tree: what equation 5 models.
    pub partition: f64,
    /// Shared boxes, halos, essential tree, lists, imports and exports: kinds of boxes, equation 6.
    pub kinds: f64,
}

impl Anatomy {
    /// The parts of all ranks, which take turns.
    ///
    /// # Errors
    ///
    /// Errors of the partition and of the communicator.
    pub fn of_all(problem: &Problem<'_>) -> Outcome<Vec<Self>> {
        let parts = turns::run(problem.n_ranks, |turns| Self::of_rank(turns, problem))?;
        parts.into_iter().collect()
    }

    /// The part of the calling rank. Collective.
    ///
    /// # Errors
    ///
    /// Errors of the partition and of the communicator.
    pub fn of_rank(turns: &Turns, problem: &Problem<'_>) -> Outcome<Self> {
        let (own, partition) = turns.time(|| own_part(turns, problem));
        let Own { cuts, part } = own?;
        let rank = turns.rank();
        let (built, kinds) = turns.time(|| {
            let shared =
                with_totals(turns, |totals| SharedBoxes::collect(&part, &cuts, rank, totals))?;
            let halos = exchange_halos(turns, &part, &cuts)?;
            Ok::<_, Failure>((shared, halos))
        });
        let (shared, halos) = built?;
        let (lists, more) = turns.time(|| {
            let essential = EssentialTree::assemble(&part, &cuts, rank, &shared, &halos)?;
            let exchange = essential.exchange(ListOptions::default(), |_, _| false);
            Ok::<_, Failure>((essential, exchange))
        });
        let (essential, exchange) = lists?;
        let n_boxes = essential.tree().n_boxes();
        let boxes = |cargo: &Cargo| cargo.multipoles.clone();
        let points = |cargo: &Cargo| {
            let places = cargo.points.iter().flat_map(|block| block.sources.clone());
            places.map(|place| place as u32).collect()
        };
        let n_boxes_of = |cargo: &Cargo| cargo.multipoles.len();
        let n_points = part.n_sources();
        Ok(Self {
            counts: counts(&part, &essential, &exchange, &shared),
            seconds: Steps { partition, kinds: kinds + more },
            multipoles: route(turns.size(), n_boxes, &exchange, boxes, n_boxes_of)?,
            ghosts: route(turns.size(), n_points, &exchange, points, Cargo::n_points)?,
        })
    }
}

/// The cuts, and what the rank owns.
struct Own {
    cuts: Partition,
    part: Octree,
}

fn own_part(turns: &Turns, problem: &Problem<'_>) -> Outcome<Own> {
    let Problem { points, weights, rule, n_ranks } = *problem;
    let here = turns.rank();
    let brought: Vec<[f64; 3]> = points.iter().skip(here).step_by(n_ranks).copied().collect();
    let weights: Option<Vec<u32>> =
        weights.map(|weights| weights.iter().skip(here).step_by(n_ranks).copied().collect());
    let weights = weights.as_ref().map(|sources| Weights { sources, receivers: &[] });
    let balance = Balance { weights, ..Balance::new(n_ranks) };
    let sorted = SortedPoints::new(rule, &brought, None);
    let balanced =
        with_totals(turns, |totals| Partition::balanced(rule, &sorted, balance, totals))??;
    let cuts = balanced.partition;
    let sorted = sorted.sources();
    let way = Redistribution::by_order(turns, sorted.order(), &sorted.counts(&cuts))?;
    let points = way.to_owners(turns, &brought)?;
    let part = Octree::build_part(rule, &cuts, turns.rank(), &points, None)?;
    Ok(Own { cuts, part })
}

/// Records that each rank has for this one.
fn exchange_halos(turns: &Turns, part: &Octree, cuts: &Partition) -> Outcome<Vec<Vec<BoxRecord>>> {
    let words = |rank: usize| -> Vec<u64> {
        let records = if rank == turns.rank() { Vec::new() } else { halo(part, cuts, rank) };
        records.into_iter().flat_map(BoxRecord::to_words).collect()
    };
    let outgoing: Vec<Vec<u64>> = (0..turns.size()).map(words).collect();
    let incoming = distributed::exchange(turns, &outgoing)?;
    let records = |(rank, words): (usize, &Vec<u64>)| {
        let records = words.as_chunks().0.iter().map(|words| BoxRecord::from_words(*words));
        records.collect::<Option<Vec<_>>>().ok_or(Error::Unreadable { rank })
    };
    Ok(incoming.iter().enumerate().map(records).collect::<Result<_, _>>()?)
}

/// The way of rows: `rows` names those for a cargo's rank, `n_rows` counts those that come.
fn route(
    size: usize,
    rows_here: usize,
    exchange: &Exchange,
    rows: impl Fn(&Cargo) -> Vec<u32>,
    n_rows: impl Fn(&Cargo) -> usize,
) -> Result<Route, Error> {
    let (mut sends, mut receives) = (vec![Vec::new(); size], vec![0; size]);
    for cargo in &exchange.exports {
        sends[cargo.rank] = rows(cargo);
    }
    for cargo in &exchange.imports {
        receives[cargo.rank] = n_rows(cargo);
    }
    Route::new(rows_here, sends, receives)
}

fn counts(
    part: &Octree,
    essential: &EssentialTree<'_>,
    exchange: &Exchange,
    shared: &SharedBoxes,
) -> Counts {
    let (tree, cuts) = (essential.tree(), shared.keys());
    let own = |b: &usize| essential.holders()[*b] == Holder::Own;
    let near = |b: usize| {
        let receivers = essential.in_part(b).map_or(0, |own| part.receivers(own).len());
        let sources = exchange.lists.near().row(b).iter();
        let sources: usize = sources.map(|source| tree.sources(*source as usize).len()).sum();
        (receivers * sources) as u64
    };
    let total = |cargos: &[Cargo]| cargos.iter().map(|cargo| cargo.multipoles.len()).sum();
    let partition_level = cuts.iter().map(|key| usize::from(key.level()) + 1).max().unwrap_or(0);
    Counts {
        points: part.n_sources(),
        boxes: (0..tree.n_boxes()).filter(own).count(),
        leaves: (0..tree.n_boxes()).filter(own).filter(|b| tree.is_leaf(*b)).count(),
        essential: tree.n_boxes(),
        shared: (0..cuts.len()).filter(|i| shared.totals(*i) != [0, 0]).count(),
        levels: tree.n_levels(),
        critical_level: partition_level.saturating_sub(1).max(2),
        ghosts: exchange.n_ghosts(),
        imports: total(&exchange.imports),
        exports: total(&exchange.exports),
        parts: exchange.sums.coming.iter().map(Vec::len).sum(),
        sums: exchange.sums.needed.iter().map(Vec::len).sum(),
        peers: exchange.imports.len(),
        near_pairs: (0..tree.n_boxes()).map(near).sum(),
        far_pairs: exchange.lists.far().n_items() as u64,
    }
}

/// Integers added, or compared, over the ranks. After a failure the values stay, and the failure is kept.
struct OverRanks<'a> {
    turns: &'a Turns,
    failure: Option<Error>,
}

impl OverRanks<'_> {
    fn reduce(&mut self, reduction: Reduction, values: &mut [u64]) {
        if self.failure.is_none() {
            self.failure = distributed::reduce(self.turns, reduction, values).err();
        }
    }
}

impl Totals for OverRanks<'_> {
    fn sum(&mut self, values: &mut [u64]) {
        self.reduce(Reduction::Sum, values);
    }

    fn max(&mut self, values: &mut [u64]) {
        self.reduce(Reduction::Max, values);
    }
}

fn with_totals<R>(turns: &Turns, run: impl FnOnce(&mut dyn Totals) -> R) -> Result<R, Error> {
    let mut totals = OverRanks { turns, failure: None };
    let result = run(&mut totals);
    totals.failure.map_or(Ok(result), Err)
}

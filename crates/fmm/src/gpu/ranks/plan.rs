//! Planning over several devices: from points as ranks brought them to tree and lists of owned receivers.

use kernels_gpu::device::View;
use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::Part;
use kernels_gpu::tree::Sets;
use octree::Cube;
use octree::partition::Partition;

use super::way::Way;
use super::{Counts, State, Ways, cuts};
use crate::api::{DeviceMemory, Error, RankCuts, RanksReport, Report, Request, Seconds, Stage};
use crate::choose::{Algorithm, Chooser, Known, Scheme, TreeStatistics};
use crate::engine::{PointCounts, PointSets, Scalar, TreeSize};
use crate::gpu::Number;
use crate::gpu::engine::plan_report::Built;
use crate::gpu::host_slices::{bounds_of_sent, packed, send_points, unpack};
use crate::gpu::memory::{Demand, likely_scheme};
use crate::gpu::pipeline::form::{Expansions, Form};
use crate::gpu::pipeline::ghosts::Others;
use crate::gpu::wire::Wire;
use crate::ranks::{Group, Receivers, Survey, account, imbalance};

/// The sum, as far as it is known when the lists are made.
pub(super) struct Planned {
    /// Tree of all ranks.
    pub(super) tree: TreeStatistics,
    /// Pairs of this rank's receivers.
    pairs: PairCounts,
    seconds: Seconds,
    cuts: RankCuts,
    /// Bytes that were reserved.
    bytes: usize,
}

impl Planned {
    /// Plans on the device of `state`. Collective.
    pub(super) fn new<M, T>(
        machine: &M,
        wire: &Wire,
        request: &Request,
        chooser: &Chooser,
        points: &PointSets<'_, T>,
        state: &mut State<M, T>,
    ) -> Result<Self, Error>
    where
        M: Launcher + Clone,
        T: Scalar + Number,
    {
        let group = wire.group();
        let mut seconds = Seconds::default();
        let (survey, packed) =
            seconds.time(Stage::Transfer, || upload(machine, group, points, state))?;
        let statistics = survey.statistics();
        let scheme = chooser.choose(Known::Points(&statistics), None)?;
        let cube = Cube::around(survey.bounds)?.enlarged(scheme.tree.enlarged);
        seconds.time(Stage::Transfer, || take(machine, group, points, (packed, state)))?;
        let likely = likely_scheme(chooser, survey.counts, (scheme, statistics.dimension()), None);
        let (one_set, limit) = (survey.counts.one_set, request.memory_limit);
        let built = if scheme.algorithm == Algorithm::Direct {
            state.ways = None;
            keep(machine, state, one_set, &likely, (&Part::whole(cube), limit))?
        } else {
            divide((machine, wire), state, survey.counts, &likely, (cube, limit))?
        };
        seconds = seconds + built;
        let (tree, pairs) = seconds
            .time(Stage::Transfer, || count(machine, wire, request, state, &survey, scheme))?;
        // The tree tells the faster form of M2L.
        let scheme = tree.refined(chooser, None)?;
        let tree = TreeStatistics { scheme, ..tree };
        let bytes = reserve(state, &scheme)?;
        let cuts = if state.ways.is_some() { RankCuts::ByPoints } else { RankCuts::AsBrought };
        Ok(Self { tree, pairs, seconds, cuts, bytes })
    }

    /// The report of the plan. Collective.
    pub(super) fn report<M, T>(
        &self,
        wire: &Wire,
        request: &Request,
        name: &str,
        state: &State<M, T>,
    ) -> Result<Report, Error>
    where
        M: Launcher + Clone,
        T: Scalar + Number,
    {
        let group = wire.group();
        let own = state.pipeline.tree();
        let owned = group.gather(&[own.n_receivers() as u64, own.n_leaves() as u64])?;
        let owned = owned.as_chunks::<2>().0;
        let n_leaves: u64 = owned.iter().map(|row| row[1]).sum();
        let receivers: Vec<f64> = owned.iter().map(|row| row[0] as f64).collect();
        let uneven = imbalance(&receivers);
        let (levels, boxes) = match &state.pipeline.ghosts {
            Some(ghosts) => (ghosts.n_all_levels, ghosts.n_all_boxes),
            None => (own.n_levels(), own.n_boxes()),
        };
        let built = Built {
            levels,
            boxes,
            leaves: n_leaves as usize,
            pairs: self.pairs,
            memory: DeviceMemory::default(),
        };
        let of_all = built.report::<T>(request, name, &self.tree);
        let ranks = RanksReport {
            imbalance: uneven,
            imbalance_of_points: uneven,
            cuts: self.cuts,
            ..RanksReport::default()
        };
        let own = Report { n_receivers: own.n_receivers(), device_memory: None, ..of_all };
        let report = Report { ranks: Some(ranks), ..account::of_ranks(group, own)? };
        account::complete(group, report, self.seconds, self.bytes)
    }
}

/// Uploads the points that the rank brought, packed, and surveys those of all ranks. The points before stay. Collective.
fn upload<M, T>(
    machine: &M,
    group: &Group,
    points: &PointSets<'_, T>,
    state: &mut State<M, T>,
) -> Result<(Survey, View<T>), Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let packed = packed(machine, &mut state.fields[0], points)?;
    let tree = &mut state.pipeline.tree;
    send_points(machine, points, packed)?;
    tree.begin_packed_bounds(machine, packed.read_only())?;
    let bounds = bounds_of_sent(machine, tree, points)?;
    Ok((Survey::within(group, points, bounds)?, packed.read_only()))
}

/// Puts uploaded points into the place of those before, which are lost from here on. Collective.
fn take<M, T>(
    machine: &M,
    group: &Group,
    points: &PointSets<'_, T>,
    (packed, state): (View<T>, &mut State<M, T>),
) -> Result<(), Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    state.build.lose_points();
    let n = points.counts().n_points();
    state.counts =
        Counts { sources: points.sources.len(), receivers: points.n_receivers(), points: n };
    state.points.reserve(machine, n)?;
    unpack(machine, packed, state.points.view_mut(n))?;
    // What was sent is there, and the last of the host's work waits for that of the other ranks: no stage of a device is to
    // count that.
    machine.synchronize()?;
    state.all_receivers = Receivers::new(group, points.n_receivers())?;
    Ok(())
}

/// Keeps the points where they are, for the direct sum.
fn keep<M, T>(
    machine: &M,
    state: &mut State<M, T>,
    one_set: bool,
    scheme: &Scheme,
    (part, limit): (&Part, Option<usize>),
) -> Result<Seconds, Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let Counts { sources, points, .. } = state.counts;
    let sets = if one_set { Sets::One } else { Sets::Two { n_sources: sources } };
    let demand = demand_of::<T>(scheme, sets, points, state.counts.receivers);
    state.find_room(machine, &demand, limit)?;
    let view = state.points.view(points);
    let far_by = scheme.algorithm.far_by();
    let built = state.pipeline.build_part(view, sets, scheme.tree, far_by, part, None)?;
    Ok(built.seconds()?)
}

/// Brings the points to their owners, and builds tree and lists there. Collective.
fn divide<M, T>(
    (machine, wire): (&M, &Wire),
    state: &mut State<M, T>,
    PointCounts { n_sources: n_all_sources, n_receivers: n_all, one_set }: PointCounts,
    scheme: &Scheme,
    (cube, limit): (Cube, Option<usize>),
) -> Result<Seconds, Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let mut seconds = Seconds::default();
    let brought = state.points.view(state.counts.points);
    let sources = brought.part(0, state.counts.sources);
    let receivers = (!one_set).then(|| state.receivers());
    let sets = cuts::Sets { n_all, sources, receivers };
    let partition = seconds
        .time(Stage::Sort, || cuts::partition(machine, wire, &sets, &cube, scheme.tree.depth))?;
    // Of ways of the points before, only the memory is of use.
    let [of_sources, of_receivers] = state.ways.take().map(Ways::into_orders).unwrap_or_default();
    let way =
        |points, n_all, order| Way::new(machine, wire, (points, &cube, n_all), &partition, order);
    let (sets, n) = seconds.time(Stage::Exchange, || {
        let sources_way = way(sources, n_all_sources, of_sources)?;
        let receivers_way = receivers.map(|points| way(points, n_all, of_receivers)).transpose()?;
        let mut ways = Ways { sources: sources_way, receivers: receivers_way };
        let (n_sources, n_receivers) = (ways.sources.n_owned(), ways.receivers().n_owned());
        let n = if one_set { n_sources } else { n_sources + n_receivers };
        let sets = if one_set { Sets::One } else { Sets::Two { n_sources } };
        // What travels takes its memory before that of the plan is looked for.
        state.reserve_carried(machine, &ways)?;
        let limit = limit.map(|limit| limit.saturating_sub(state.carried_bytes() + ways.bytes()));
        state.find_room(machine, &demand_of::<T>(scheme, sets, n, n_receivers), limit)?;
        let [owned, sorted, arriving] = &mut state.fields;
        owned.reserve(machine, n)?;
        let all = owned.view_mut(n);
        let room = [&mut *sorted, &mut *arriving];
        ways.sources.points(machine, (sources, &cube), room, all.part(0, n_sources))?;
        if let (Some(way), Some(receivers)) = (&mut ways.receivers, receivers) {
            let (room, owned) = ([sorted, arriving], all.part(n_sources, n_receivers));
            way.points(machine, (receivers, &cube), room, owned)?;
        }
        state.ways = Some(ways);
        Ok::<_, Error>((sets, n))
    })?;
    let built = build(wire, state, &partition, cube, (n, sets), scheme)?;
    Ok(seconds + built)
}

/// Takes the memory of evaluations, where points have gone to owners. Returns the bytes of the plan.
fn reserve<M, T>(state: &mut State<M, T>, scheme: &Scheme) -> Result<usize, Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let (pipeline, expansions) = (&mut state.pipeline, Expansions::of(scheme));
    if state.ways.is_some() {
        pipeline.reserve(Form::of(scheme.algorithm))?;
    }
    state.build.hold(pipeline.held(expansions));
    Ok(pipeline.memory(expansions).peak + state.carried_bytes())
}

/// Builds tree and lists of owned points, which are in the memory of the first field. Collective.
fn build<M, T>(
    wire: &Wire,
    state: &mut State<M, T>,
    partition: &Partition,
    cube: Cube,
    (n, sets): (usize, Sets),
    scheme: &Scheme,
) -> Result<Seconds, Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let part = Part { cube, interval: partition.interval(wire.rank()) };
    let (owned, shape, others) = (state.fields[0].view(n), scheme.tree, Others { wire, partition });
    let far_by = scheme.algorithm.far_by();
    let built = state.pipeline.build_part(owned, sets, shape, far_by, &part, Some(&others))?;
    Ok(built.seconds()?)
}

fn demand_of<T>(scheme: &Scheme, sets: Sets, n_points: usize, n_receivers: usize) -> Demand {
    let n_sources = match sets {
        Sets::One => n_points,
        Sets::Two { n_sources } => n_sources,
    };
    let counts = PointCounts { n_sources, n_receivers, one_set: sets == Sets::One };
    // Points of one rank fill a part of the cube, whatever the cube's side.
    let size = TreeSize::expected(scheme.tree.depth, 1.0, n_points);
    Demand::expected::<T>(counts, Expansions::of(scheme), size)
}

/// The tree of all ranks, and the pairs of this one. Collective.
fn count<M, T>(
    machine: &M,
    wire: &Wire,
    request: &Request,
    state: &mut State<M, T>,
    survey: &Survey,
    scheme: Scheme,
) -> Result<(TreeStatistics, PairCounts), Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let (counts, group) = (survey.counts, wire.group());
    let pairs = pairs_here(machine, state, counts)?;
    let own = state.pipeline.tree();
    let alone = match own.n_boxes() > 0 && counts.ask_for_alone(request) {
        true => own.receivers_alone(machine)?,
        false => 0,
    };
    let of_own = TreeStatistics::without_lists(counts, scheme, 0.0)
        .with_boxes(own.level_starts(), own.n_leaves());
    let (far_boxes, families) = (of_own.far_boxes as u64, of_own.families as u64);
    let mut sums = [pairs.m2l, pairs.m2p + pairs.p2l, alone, far_boxes, families];
    group.sum(&mut sums)?;
    let [far_pairs, others, alone, far_boxes, families] = sums;
    let dimension = survey.statistics().dimension();
    let tree = TreeStatistics {
        far_pairs: far_pairs as usize,
        far_boxes: far_boxes as usize,
        families: families as usize,
        alone: alone as usize,
        expands: far_pairs + others > 0,
        ..TreeStatistics::without_lists(counts, scheme, dimension)
    };
    Ok((tree, pairs))
}

/// Pairs of the receivers of this rank.
fn pairs_here<M, T>(
    machine: &M,
    state: &State<M, T>,
    counts: PointCounts,
) -> Result<PairCounts, Error>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    let pipeline = &state.pipeline;
    let n_receivers = pipeline.tree().n_receivers() as u64;
    let all_pairs = |n_sources: usize| {
        let p2p = n_sources as u64 * n_receivers;
        Ok(PairCounts { p2p, ..PairCounts::default() })
    };
    match &pipeline.ghosts {
        None => all_pairs(counts.n_sources),
        Some(ghosts) if ghosts.tree.n_boxes() <= 1 => all_pairs(pipeline.tree().n_sources()),
        Some(ghosts) => Ok(pipeline.lists().census(machine, &ghosts.tree, &mut Grown::new())?),
    }
}
